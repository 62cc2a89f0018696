"""Write: the table file of a configuration, from the kernels and the memory of a herd of it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from os import PathLike
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hoofbeat.body.mesh.skin import JointMatrices, Points, Skin, blend_kernel, size_beside
from hoofbeat.errors import HoofbeatError
from hoofbeat.formats.files import write_bytes
from hoofbeat.horse import Herd
from hoofbeat.maths.fk import Tree
from hoofbeat.maths.jit import Bound, bind
from hoofbeat.maths.jit.arguments import key_of, serves, slots_of
from hoofbeat.maths.jit.library import Library, core_library
from hoofbeat.offline.core.tables.layout import (
    ALIGNED,
    HEAD,
    LEAF,
    MAGIC,
    MOST_AXES,
    MOST_NODES,
    NAME,
    TABLES_VERSION,
    Given,
    HerdKernel,
    Leaf,
    Region,
    checksum,
)
from hoofbeat.offline.core.tables.read import TableFileError
from hoofbeat.program import Workings
from hoofbeat.records import CLAMPS, FOOT_PHASES, LAYOUT_VERSION, REFUSALS
from hoofbeat.world.terrain import KINDS

SUFFIX = ".hbt"


class NoCoreError(HoofbeatError):
    """There is no core library, whose kernels tables are for."""


def export_tables(path: str | PathLike[str], herd: Herd, skin: Skin | None = None) -> int:
    """Write a `.hbt` file; returns its size [bytes]."""
    data = tables_of(herd, skin)
    write_bytes(path, data, TableFileError)
    return len(data)


def tables_of(herd: Herd, skin: Skin | None = None) -> bytes:
    """The bytes of a `.hbt` file for herds of this configuration, of any number; skin: of this animal."""
    library = core_library()
    if library is None:
        raise NoCoreError("tables are for the core library, and there is none here; `make core` builds it")
    if len(herd) == 0:
        raise HoofbeatError("a herd of nobody cannot be exported; give it one character")
    if len(herd.skeleton) > MOST_NODES:
        nodes = len(herd.skeleton)
        raise HoofbeatError(f"the core takes at most {MOST_NODES} nodes, this animal has {nodes}")
    workings = herd.workings()
    writer = _Writer(library, workings)
    stages = workings.stages
    for stage, bound in (
        (HerdKernel.INIT, workings.begin),
        (HerdKernel.PREPARE, stages.prepare),
        (HerdKernel.METHOD, stages.method),
        (HerdKernel.PLACE, stages.place),
        (HerdKernel.FRAMES, stages.frames),
    ):
        writer.add(stage, bound)
    if skin is not None:
        writer.add_skin(skin, herd)
    writer.add_extras(workings.bent, skin)
    return writer.file(herd, skin)


class _Place(NamedTuple):
    """What an array stands for, other than data: a kind of leaf and its value."""

    kind: Leaf
    value: int


class _Writer:
    """Collects leaves and data, kernel by kernel."""

    def __init__(self, library: Library, workings: Workings) -> None:
        self._library = library
        self._uneven = workings.uneven
        self._scaled = "SHOWN" in workings.rows
        rows = workings.rows.items()
        self._places = {_address(array): _Place(Leaf.REGION, Region[name]) for name, array in rows}
        self._fleeting = _scratch_of(workings)
        self._stages = np.zeros(len(HerdKernel), HEAD["stages"].base)
        self._leaves: list[tuple[Any, ...]] = []
        self._data: list[bytes] = []
        self._data_size = self._scratch_size = 0

    def add(self, stage: HerdKernel, bound: Any) -> None:
        """A kernel of a herd's step with its leaves."""
        if not isinstance(bound, Bound):
            raise HoofbeatError("this uses code that is not in the core library, so it cannot be exported")
        given = Given.SEED if stage is HerdKernel.INIT else Given.TIME
        first, slot = len(self._leaves), 0
        leaves = list(_flat(bound.slots.kept))
        # The seed comes last; which slot takes the time a Bound knows.
        place = sum(map(_slots, leaves[:-1])) if stage is HerdKernel.INIT else bound.place
        for leaf in leaves:
            self._leaf((Leaf.GIVEN, 0, given, ()) if slot == place else self._described(leaf))
            slot += _slots(leaf)
        self._name(stage, bound, first)

    def add_skin(self, skin: Skin, herd: Herd) -> None:
        """The kernel that skins a pose, and the skin in the size of the animal."""
        size = size_beside(skin.skeleton, herd.skeleton)
        nodes, points = len(herd.skeleton), len(skin.vertices)
        shapes = ((1, nodes, 3), (1, nodes, 4), (nodes, 4), (nodes, 3, 4), (1, points, 3), (1, points, 3))
        names = list(Given)[Given.POSITIONS :]
        posed = [np.zeros(shape, np.float32) for shape in shapes]
        self._places |= {_address(a): _Place(Leaf.GIVEN, name) for a, name in zip(posed, names, strict=True)}
        rest = (skin.skeleton.rest_positions() * size).astype(np.float32)
        bound = bind(
            blend_kernel,
            Tree(herd.skeleton.parents, rest),
            posed[0],
            posed[1],
            Points(skin.vertices * np.float32(size), skin.normals, skin.joints, skin.weights),
            JointMatrices(posed[2], posed[3]),
            posed[4],
            posed[5],
        )
        assert isinstance(bound, Bound), "the core library skins"
        first = len(self._leaves)
        for leaf in _flat(bound.slots.kept):
            self._leaf(self._described(leaf))
        self._name(HerdKernel.SKIN, bound, first)

    def add_extras(self, bent: NDArray[np.int64], skin: Skin | None) -> None:
        """Arrays of `Extra`."""
        self._extras = len(self._leaves)
        triangles = np.zeros((0, 3), np.uint32) if skin is None else skin.triangles.astype(np.uint32)
        colours = np.zeros((0, 4), np.uint8) if skin is None else skin.colours
        for array in (bent.astype(np.int64), triangles, colours):
            self._leaf(self._kept(array))

    def file(self, herd: Herd, skin: Skin | None) -> bytes:
        """All of it."""
        for stage in HerdKernel:  # one that there is not begins where the next would
            if not self._stages[stage]["leaves"]:
                self._stages[stage]["first"] = self._extras
        text = json.dumps(_facts(herd, skin), ensure_ascii=False).encode()
        leaves = np.array(self._leaves, LEAF).tobytes()
        head = np.zeros((), HEAD)
        head["magic"], head["version"], head["layout"] = MAGIC, TABLES_VERSION, LAYOUT_VERSION
        head["stamp"] = self._library.manifest["stamp"].encode()
        head["text"], head["text_size"] = HEAD.itemsize, len(text)
        head["leaves"] = start = _up(HEAD.itemsize + len(text) + 1, 8)
        head["leaf_count"] = len(self._leaves)
        head["data"] = data = _up(start + len(leaves), ALIGNED)
        head["size"], head["scratch"] = data + self._data_size, self._scratch_size
        head["nodes"], head["gaits"] = len(herd.skeleton), len(herd.gaits)
        head["actions"], head["settles"] = len(herd.method.actions), 2 if self._uneven else 1
        head["scaled"], head["extras"], head["stages"] = self._scaled, self._extras, self._stages
        if skin is not None:
            head["vertices"], head["triangles"] = len(skin.vertices), len(skin.triangles)
        body = text.ljust(start - HEAD.itemsize, b"\0") + leaves
        body = body.ljust(data - HEAD.itemsize, b"\0") + b"".join(self._data)
        head["checksum"] = checksum(head.tobytes() + body)
        return head.tobytes() + body

    def _name(self, stage: HerdKernel, bound: Bound, first: int) -> None:
        key = key_of(bound.slots.kept)
        entries = self._library.kernels[bound.compiled.name]
        symbol = next(entry["symbol"] for entry in entries if serves(entry["key"], key))
        assert len(symbol) < NAME, f"{symbol} is too long a name"
        self._stages[stage] = (symbol.encode(), first, len(self._leaves) - first)

    def _leaf(self, found: tuple[int, int, int, tuple[int, ...]]) -> None:
        kind, axes, value, shape = found
        self._leaves.append((kind, axes, value, (*shape, *(0,) * (MOST_AXES - len(shape)))))

    def _described(self, leaf: Any) -> tuple[int, int, int, tuple[int, ...]]:
        """Kind, axes, value and shape of a leaf."""
        if not isinstance(leaf, np.ndarray):
            return Leaf.NUMBER, 0, slots_of((leaf,))[0], ()
        place = self._places.get(_address(leaf))
        if place is not None:
            return place.kind, 0, place.value, ()
        if _address(leaf) in self._fleeting:
            at = self._scratch_size
            self._scratch_size = _up(at + leaf.nbytes, ALIGNED)
            return Leaf.SCRATCH, leaf.ndim, at, leaf.shape
        return self._kept(leaf)

    def _kept(self, array: NDArray[Any]) -> tuple[int, int, int, tuple[int, ...]]:
        """An array of the data."""
        at = self._data_size
        data = np.ascontiguousarray(array).tobytes()
        self._data_size = _up(at + len(data), ALIGNED)
        self._data.append(data.ljust(self._data_size - at, b"\0"))
        return Leaf.TABLE, array.ndim, at, array.shape


def _scratch_of(workings: Workings) -> set[int]:
    """Addresses of arrays that kernels write into: placement's, and what a method makes anew each time."""
    method = [leaf for leaf in _flat(workings.stages.method.slots.kept) if isinstance(leaf, np.ndarray)]
    shared = {_address(leaf) for leaf in _flat(workings.again.slots.kept) if isinstance(leaf, np.ndarray)}
    own = {_address(leaf) for leaf in method if leaf.flags.writeable and _address(leaf) not in shared}
    return own | {_address(leaf) for leaf in _flat(workings.scratch)}


def _flat(value: Any) -> Iterator[Any]:
    """The leaves of arguments, in the order of their slots."""
    if isinstance(value, tuple):
        for one in value:
            yield from _flat(one)
    else:
        yield value


def _slots(leaf: Any) -> int:
    return 5 + 2 * leaf.ndim if isinstance(leaf, np.ndarray) else 1


def _address(array: NDArray[Any]) -> int:
    return array.__array_interface__["data"][0]


def _up(size: int, unit: int) -> int:
    return -(-size // unit) * unit


def _facts(herd: Herd, skin: Skin | None) -> dict[str, Any]:
    """The text of a table file."""
    skeleton = herd.skeleton
    return {
        "format": "hoofbeat tables",
        "version": TABLES_VERSION,
        "method": herd.method.name,
        "height": herd.height,
        "terrain": KINDS[herd.terrain.kind],
        "gaits": list(herd.gaits),
        "bands": herd.bands.tolist(),
        "actions": list(herd.method.actions),
        "clamps": list(CLAMPS),
        "refusals": list(REFUSALS),
        "foot_phases": list(FOOT_PHASES),
        "joints": list(skeleton.names),
        "parents": skeleton.parents.tolist(),
        "offsets": skeleton.offsets.tolist(),
        "toes": {leg.name: leg.toe for leg in skeleton.legs},
        "skin": None if skin is None else _skin_facts(skin),
    }


def _skin_facts(skin: Skin) -> dict[str, Any]:
    return {
        "animal": skin.name,
        "level": skin.level,
        "coat": skin.coat,
        "vertices": len(skin.vertices),
        "triangles": len(skin.triangles),
    }
