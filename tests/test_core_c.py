"""The C interface: the same bytes as Python's Herd, snapshots, error codes, damaged input, sanitizers."""

from __future__ import annotations

import ctypes
import hashlib
import json
import os
import re
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import core_long_ride
from core_making import (
    Riders,
    aligned,
    changing_commands,
    compiled,
    functions,
    needs_core,
    needs_gcc,
    run,
    table_of,
)
from hoofbeat.body.mesh.skin import load_skin, skinned
from hoofbeat.errors import HoofbeatError
from hoofbeat.horse import Herd
from hoofbeat.maths import quat
from hoofbeat.maths.jit.library import core_library
from hoofbeat.methods.timewarp.method import TimewarpMethod
from hoofbeat.offline.core.header import headers
from hoofbeat.offline.core.interface import SENTENCES, Code
from hoofbeat.offline.core.tables import describe_tables, export_tables, tables_of
from hoofbeat.offline.core.tables.layout import HEAD, LEAF, HerdKernel, Leaf, checksum
from hoofbeat.records import COMMAND
from riding import KERNEL_METHODS

ROOT = Path(__file__).resolve().parents[1]
#: Configurations: method and what is said of it.
RIDES: tuple[tuple[str, dict[str, Any]], ...] = (
    ("timewarp", {}),
    ("timewarp", {"terrain": "hills"}),
    ("timewarp", {"height": 1.2, "breed": "all", "lock": False}),
    ("timewarp", {"terrain": "slope", "height": 2.1, "turning": "paper"}),
    ("froude", {}),
    ("froude", {"terrain": "hills", "preset": "paper", "cycles": 2}),
    ("froude", {"height": 0.9}),
    ("actions", {}),
    ("actions", {"terrain": "hills", "height": 1.8}),
)


@pytest.fixture(scope="module")
def plain() -> bytes:
    """Tables of the default horse with its small skin."""
    return tables_of(Herd(1), load_skin(level="low"))


def same_frames(c: Riders, herd: Herd) -> None:
    """Positions, rotations and all of the frame, byte for byte."""
    frame = herd.frame()
    assert c.positions().tobytes() == frame.positions.tobytes()
    assert c.rotations().tobytes() == frame.rotations.tobytes()
    assert c.frames().tobytes() == herd._block.rows.tobytes()


@needs_core
@pytest.mark.parametrize("method, options", RIDES, ids=["-".join((name, *said)) for name, said in RIDES])
@pytest.mark.parametrize("count", [1, 7])
def test_c_rides_as_python_does(method: str, options: dict[str, Any], count: int) -> None:
    herd = Herd(count, method, seed=5, **options)
    c = Riders(tables_of(herd), count, seed=5)
    same_frames(c, herd)
    for dt, steps in ((1 / 60, 400), (1 / 30, 200), (0.25, 60), (0.0, 2), (1 / 60, 20)):
        for rows in changing_commands(herd, count, steps, seed=count):
            herd.advance(rows, dt)
            c.command(rows)
            c.step(dt)
            same_frames(c, herd)
    parts = (herd._state, herd._world, herd._senses)
    kept = c.snapshot().tobytes()
    assert all(part.tobytes() in kept for part in parts), "the method's and the world's memory"


@needs_core
@pytest.mark.slow
@pytest.mark.parametrize("terrain", ["flat", "hills"])
@pytest.mark.parametrize("method", KERNEL_METHODS)
def test_ten_minutes_in_c_by_the_library_and_by_numba(method: str, terrain: str) -> None:
    steps = 10 * 60 * 60
    herd = Herd(1, method, terrain=terrain)
    c = Riders(tables_of(herd), seed=8)
    digest = hashlib.sha256()
    for step, rows in enumerate(core_long_ride.commands(herd, steps, seed=3)):
        c.command(rows)
        c.step(core_long_ride.time_of(step))
        for part in (c.positions(), c.rotations(), c.frames()):
            digest.update(part.tobytes())
    assert digest.hexdigest() == core_long_ride.hash_of(method, terrain, steps)
    words = [sys.executable, str(Path(core_long_ride.__file__)), method, terrain, str(steps)]
    environment = os.environ | {"HOOFBEAT_JIT": "1", "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(words, capture_output=True, text=True, timeout=900, env=environment)
    assert done.stdout == digest.hexdigest(), done.stderr


@needs_core
def test_a_gait_a_second_each(plain: bytes) -> None:
    herd, c = Herd(1), Riders(plain)
    seen = set()
    for gait in range(len(herd.gaits)):
        rows = np.zeros(1, COMMAND)
        rows["gait"], rows["action"], rows["mood"], rows["speed"] = gait, -1, -1, herd.bands[gait].mean()
        c.command(rows)
        for _ in range(240):
            herd.advance(rows, 1 / 60)
            c.step(1 / 60)
            same_frames(c, herd)
        seen.add(herd.frame().gait[0])
    assert seen == set(herd.gaits)


@needs_core
def test_several_steps_are_the_same_as_one_after_the_other() -> None:
    tables = tables_of(Herd(1, height=1.3))
    one, many = Riders(tables, 3), Riders(tables, 3)
    rows = changing_commands(Herd(3), 3, 1, 2)[0]
    for c in (one, many):
        c.command(rows)
    many.step(1 / 60, 90)
    for _ in range(90):
        one.step(1 / 60)
    assert one.snapshot().tobytes() == many.snapshot().tobytes()


@needs_core
@pytest.mark.parametrize("method", KERNEL_METHODS)
def test_a_snapshot_goes_back(method: str) -> None:
    herd = Herd(3, method, seed=1, terrain="hills", height=1.5)
    c = Riders(tables_of(herd), 3, seed=1)
    commands = changing_commands(herd, 3, 240, seed=9)
    for rows in commands[:120]:
        c.command(rows)
        c.step(1 / 60)
    kept, shown = c.snapshot(), (c.positions().tobytes(), c.frames().tobytes())

    def future() -> bytes:
        for rows in commands[120:]:
            c.command(rows)
            c.step(1 / 60)
        return c.snapshot().tobytes() + c.positions().tobytes() + c.frames().tobytes()

    first = future()
    c.must(c.restore(kept))
    assert (c.positions().tobytes(), c.frames().tobytes()) == shown
    assert future() == first
    # Another herd of the same tables, with another seed, takes it as well.
    other = Riders(c.tables.tobytes(), 3, seed=77)
    other.must(other.restore(kept))
    assert other.snapshot().tobytes() == kept.tobytes()


@needs_core
def test_herds_in_threads(plain: bytes) -> None:
    def ridden(into: list[bytes]) -> None:
        c = Riders(plain, 2, seed=3)
        for rows in changing_commands(Herd(0), 2, 300, seed=4):
            c.command(rows)
            c.step(1 / 60)
        into.append(c.snapshot().tobytes())

    found: list[bytes] = []
    threads = [threading.Thread(target=ridden, args=(found,)) for _ in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert len(found) == 4 and len(set(found)) == 1


# ---- the skin -----------------------------------------------------------------------------------------


@needs_core
@pytest.mark.parametrize("options", [{}, {"height": 1.1, "terrain": "hills"}], ids=["own", "small-hills"])
def test_the_skin_is_where_python_has_it(options: dict[str, Any]) -> None:
    skin = load_skin(level="low", coat="grey")
    herd = Herd(2, **options)
    tables = tables_of(herd, skin)
    c = Riders(tables, 2)
    numbers = np.zeros(2, np.int32)
    c.must(c.code.hb_skin_counts(c.tables.ctypes.data, numbers.ctypes.data, numbers[1:].ctypes.data))
    assert tuple(numbers) == (len(skin.vertices), len(skin.triangles))
    corners = ctypes.string_at(c.code.hb_skin_triangles(c.tables.ctypes.data), skin.triangles.nbytes)
    colours = ctypes.string_at(c.code.hb_skin_colours(c.tables.ctypes.data), skin.colours.nbytes)
    assert corners == skin.triangles.tobytes() and colours == skin.colours.tobytes()
    for rows in changing_commands(herd, 2, 150, seed=6):
        herd.advance(rows, 1 / 60)
        c.command(rows)
        c.step(1 / 60)
    frame = herd.frame()
    for i in range(2):
        vertices, normals = np.zeros_like(skin.vertices), np.zeros_like(skin.vertices)
        c.must(c.code.hb_skin(c.at, i, vertices.ctypes.data, normals.ctypes.data))
        rotations = frame.rotations[i].astype(np.float64)
        rotations[0] = quat.mul(frame.root.rotation[i], rotations[0])
        wanted, wanted_normals = skinned(skin, herd.skeleton, frame.positions[i], rotations)
        np.testing.assert_allclose(vertices + frame.root.position[i], wanted, atol=2e-5)
        np.testing.assert_allclose(normals, wanted_normals, atol=2e-5)


# ---- table files --------------------------------------------------------------------------------------


@needs_core
def test_the_text_says_what_it_is(plain: bytes) -> None:
    c, herd = Riders(plain), Herd(1)
    size = ctypes.c_size_t()
    at = c.code.hb_text(c.tables.ctypes.data, ctypes.byref(size))
    facts = json.loads(ctypes.string_at(at).decode())
    assert len(ctypes.string_at(at)) == size.value
    assert facts["method"] == "timewarp" and tuple(facts["gaits"]) == herd.gaits
    assert facts["joints"] == list(herd.skeleton.names) and facts["skin"]["level"] == "low"
    assert facts["toes"] == {leg.name: leg.toe for leg in herd.skeleton.legs}


@needs_core
def test_sizes_of_tables(plain: bytes) -> None:
    assert len(plain) < 1_000_000, "tables of the horse with its small skin"
    assert len(tables_of(Herd(1))) < len(plain)


@needs_core
def test_equal_configurations_give_equal_files(plain: bytes) -> None:
    assert tables_of(Herd(7, seed=3), load_skin(level="low")) == plain


@needs_core
def test_what_cannot_be_exported_says_so(tmp_path: Path) -> None:
    class Nothing:
        state_dtype = np.dtype([("x", "f8")])

        def init(self, *_: Any) -> None: ...

        def apply(self, *_: Any) -> None: ...

        def sense(self, *_: Any) -> None: ...

    bad: tuple[dict[str, Any], ...] = ({"layers": [Nothing()]}, {"obstacles": Nothing()})
    for options in bad:
        with pytest.raises(HoofbeatError, match="cannot be exported"):
            tables_of(Herd(1, **options))
    with pytest.raises(HoofbeatError, match="nobody"):
        tables_of(Herd(0))

    class Plain:
        """A method of another package, without kernels of the library."""

        def __init__(self) -> None:
            self._own = Herd(1).method

        def __getattr__(self, name: str) -> Any:
            if name in ("bind", "bind_init"):
                raise AttributeError(name)
            return getattr(self._own, name)

    class Started(TimewarpMethod):
        """One that begins in a way of its own."""

        def init(self, state: Any, ids: Any, seed: int) -> None:
            super().init(state, ids, seed)
            state["cycle"] = 0.5

    own = Herd(1).method
    assert isinstance(own, TimewarpMethod)
    started: Any = Started.__new__(Started)
    vars(started).update(vars(own))
    other: Any = Plain()
    for method in (other, started):
        with pytest.raises(HoofbeatError, match="not made of kernels"):
            export_tables(tmp_path / "other.hbt", Herd(1, method))
    assert not (tmp_path / "other.hbt").exists()


def test_the_headers_are_those_of_the_sources() -> None:
    for name, text in headers().items():
        made = (ROOT / "src/hoofbeat/core" / name).read_text(encoding="utf-8")
        assert made == text, f"{name}: run `python -m hoofbeat.offline.core.header`"


def test_the_page_shows_the_example_and_every_code() -> None:
    page = (ROOT / "docs/core.md").read_text(encoding="utf-8")
    example = (ROOT / "examples/c/figure_of_eight.c").read_text(encoding="utf-8")
    assert f"```c\n{example}```\n" in page and example.count("\n") <= 60
    for one in Code:
        assert f"| `{one.name}` = {one.value} | {SENTENCES[one]} |" in page
    assert f"head, {HEAD.itemsize} bytes" in page and f"{LEAF.itemsize} bytes each" in page


@needs_core
def test_the_page_states_sizes(plain: bytes) -> None:
    page = (ROOT / "docs/core.md").read_text(encoding="utf-8")
    for words, size in (("skin low", len(plain)), ("no skin", len(tables_of(Herd(1))))):
        (stated,) = re.findall(rf"\| `timewarp`, {words} \| (\d+) \|", page)
        assert float(stated) == pytest.approx(size / 1000, rel=0.05)


# ---- error codes --------------------------------------------------------------------------------------


@needs_core
def test_every_code_has_a_sentence() -> None:
    code = functions()
    for one in Code:
        assert code.hb_error(one).decode() == SENTENCES[one]
    assert code.hb_error(-1) == code.hb_error(len(Code)) == b"this is no error code of hoofbeat"


def loaded(tables: bytes, size: int | None = None, extra: int = 0) -> int:
    memory = aligned(tables, extra)
    return functions().hb_tables_load(memory.ctypes.data, len(tables) if size is None else size)


def changed(tables: bytes, sealed: bool = True, **fields: Any) -> bytes:
    """Tables with other numbers in the head, and with a checksum that fits."""
    data = bytearray(tables)
    head = np.frombuffer(data, HEAD, 1)
    for name, value in fields.items():
        head[name] = value
    return seal(data) if sealed else bytes(data)


def seal(data: bytearray) -> bytes:
    head = np.frombuffer(data, HEAD, 1)
    head["checksum"] = 0
    head["checksum"] = checksum(bytes(data))
    return bytes(data)


@needs_core
def test_bad_tables(plain: bytes) -> None:
    assert loaded(plain) == Code.HB_OK
    assert functions().hb_tables_load(None, 10) == Code.HB_NO_MEMORY
    assert loaded(plain, extra=8) == Code.HB_NO_MEMORY
    for size in (0, 15, 100, HEAD.itemsize, len(plain) // 2, len(plain) - 1):
        assert loaded(plain, size) == Code.HB_CUT_SHORT
    assert loaded(b"no tables at all, but long enough") == Code.HB_BAD_TABLES
    assert loaded(changed(plain, version=2)) == Code.HB_OTHER_VERSION
    assert loaded(changed(plain, layout=99)) == Code.HB_OTHER_LAYOUT
    assert loaded(changed(plain, stamp=b"0123456789abcdef")) == Code.HB_OTHER_LAYOUT
    assert loaded(plain[:-100] + b"x" + plain[-99:]) == Code.HB_BAD_TABLES
    assert loaded(changed(plain, sealed=False, nodes=3)) == Code.HB_BAD_TABLES


@needs_core
@pytest.mark.parametrize(
    "field",
    "text text_size leaves leaf_count data scratch nodes gaits extras vertices".split(),
)
def test_a_wrong_structure_is_found_behind_a_good_checksum(plain: bytes, field: str) -> None:
    own = int(np.frombuffer(plain, HEAD, 1)[field][0])
    for value in (own - 1, own + 1, own + 8, own + 64, -1, 2**31 - 1):
        assert loaded(changed(plain, True, **{field: value})) == Code.HB_BAD_TABLES, value


@needs_core
def test_wrong_leaves_are_found(plain: bytes) -> None:
    head = np.frombuffer(plain, HEAD, 1)[0]
    for k in range(int(head["leaf_count"])):
        for field, step in (("kind", 1), ("value", 64), ("shape", 1), ("axes", 1)):
            data = bytearray(plain)
            leaf = np.frombuffer(data, LEAF, int(head["leaf_count"]), int(head["leaves"]))[k : k + 1]
            kind = int(leaf["kind"][0])
            if kind == Leaf.NUMBER and field != "kind":
                continue  # a number is a kernel's own business
            if kind in (Leaf.REGION, Leaf.GIVEN) and field in ("shape", "axes"):
                continue  # said by what it stands for
            leaf[field] += step
            assert loaded(seal(data)) == Code.HB_BAD_TABLES, (k, kind, field)


@needs_core
def test_wrong_kernels_are_found(plain: bytes) -> None:
    for stage in HerdKernel:
        for name in (b"", b"hbk_nothing", b"x" * 48, b"hbk_fk_kernel"):
            data = bytearray(plain)
            np.frombuffer(data, HEAD, 1)["stages"]["kernel"][0, stage] = name
            assert loaded(seal(data)) == Code.HB_BAD_TABLES, (stage, name)


@needs_core
def test_bad_arguments_change_nothing(plain: bytes) -> None:
    c = Riders(plain, 2)
    code, good = c.code, np.zeros(1, COMMAND)
    good["gait"] = good["action"] = good["mood"] = -1
    good["speed"] = 2.0
    c.must(code.hb_command_set(c.at, -1, good.ctypes.data))
    c.step(1 / 60, 30)
    before = c.memory.tobytes()
    tables = c.tables.ctypes.data
    assert [code.hb_herd_size(tables, count) for count in (0, -1, 10**7)] == [0, 0, 0]
    room = aligned(c.size)
    assert code.hb_init(room.ctypes.data, c.size - 1, tables, 2, 0) == Code.HB_NO_MEMORY
    assert code.hb_init(room.ctypes.data + 8, c.size, tables, 2, 0) == Code.HB_NO_MEMORY
    assert code.hb_init(None, c.size, tables, 2, 0) == Code.HB_NO_MEMORY
    assert code.hb_init(room.ctypes.data, c.size, tables, 0, 0) == Code.HB_BAD_INDEX
    assert not room.any(), "nothing is written"
    assert code.hb_step(room.ctypes.data, 0.1, 1) == Code.HB_NO_MEMORY
    for dt, times in ((-1.0, 1), (np.nan, 1), (np.inf, 1), (0.1, -1)):
        assert code.hb_step(c.at, dt, times) == Code.HB_BAD_TIME
    for i in (-2, 2):
        assert code.hb_command_set(c.at, i, good.ctypes.data) == Code.HB_BAD_INDEX
        assert code.hb_frame_get(c.at, i, room.ctypes.data) == Code.HB_BAD_INDEX
        assert code.hb_skin(c.at, i, room.ctypes.data, room.ctypes.data) == Code.HB_BAD_INDEX
        assert code.hb_positions(c.at, i) is None and code.hb_rotations(c.at, i) is None
    assert code.hb_command_set(c.at, 0, None) == code.hb_frame_get(c.at, 0, None) == Code.HB_NO_MEMORY
    for name in ("speed", "sideways", "turn", "heading", "extension", "look", "push", "jump"):
        for value in (np.nan, np.inf, -np.inf):
            bad = good.copy()
            bad[name] = value
            assert code.hb_command_set(c.at, 1, bad.ctypes.data) == Code.HB_BAD_COMMAND
    for name, most in (("gait", len(Herd(0).gaits)), ("action", 1)):
        for value in (-2, most, 2**31 - 1):
            bad = good.copy()
            bad[name] = value
            assert code.hb_command_set(c.at, -1, bad.ctypes.data) == Code.HB_BAD_COMMAND
    assert c.memory.tobytes() == before


@needs_core
def test_bad_snapshots_change_nothing(plain: bytes) -> None:
    c = Riders(plain, 2)
    c.step(1 / 60, 30)
    kept = c.snapshot()
    c.step(1 / 60, 30)
    before = c.memory.tobytes()
    size = len(kept)
    assert c.code.hb_snapshot(c.at, kept.ctypes.data, size - 1) == Code.HB_NO_MEMORY
    assert c.code.hb_snapshot_size(kept.ctypes.data) == 0
    assert c.code.hb_restore(c.at, None, size) == Code.HB_NO_MEMORY
    for short in (0, 20, 60, size - 1):
        assert c.code.hb_restore(c.at, kept.ctypes.data, short) == Code.HB_CUT_SHORT
    for place, code in ((0, Code.HB_BAD_SNAPSHOT), (8, Code.HB_OTHER_LAYOUT), (12, Code.HB_OTHER_LAYOUT)):
        torn = kept.copy()
        torn[place] ^= 1
        assert c.code.hb_restore(c.at, torn.ctypes.data, size) == code
    for place in (40, 50, 100, size - 1):
        torn = kept.copy()
        torn[place] ^= 1
        assert c.code.hb_restore(c.at, torn.ctypes.data, size) == Code.HB_BAD_SNAPSHOT
    for other in (Riders(plain, 3), Riders(tables_of(Herd(2, height=1.5)), 2)):
        assert c.restore(other.snapshot()) == Code.HB_OTHER_LAYOUT
    assert c.memory.tobytes() == before
    c.must(c.restore(kept))


@needs_core
def test_no_skin_where_there_is_none() -> None:
    c = Riders(tables_of(Herd(1)))
    room = aligned(100)
    assert c.code.hb_skin(c.at, 0, room.ctypes.data, room.ctypes.data) == Code.HB_NO_SKIN
    assert c.code.hb_skin_counts(c.tables.ctypes.data, None, None) == Code.HB_NO_SKIN
    assert c.code.hb_skin_triangles(c.tables.ctypes.data) is None


@needs_core
@pytest.mark.parametrize("place", range(3))
def test_describing_a_damaged_file(plain: bytes, tmp_path: Path, place: int) -> None:
    path = tmp_path / "horse.hbt"
    path.write_bytes((plain[: len(plain) // 2], b"something else", plain[:-9] + b"x" + plain[-8:])[place])
    with pytest.raises(HoofbeatError, match="cut short|no table file|damaged"):
        describe_tables(path)


# ---- sanitizers and fuzzing ---------------------------------------------------------------------------


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("programs")


@pytest.fixture(scope="module")
def fuzzer(programs: Path) -> Path:
    return compiled(programs, "fuzz.c")


def fuzzed(fuzzer: Path, folder: Path, cases: int, seed: int) -> dict[tuple[int, int], int]:
    """How often each code came, by kind of case and code; kind 3: damaged tables that were ridden."""
    found: dict[tuple[int, int], int] = {}
    configurations = (Herd(1, "actions"), Herd(1, terrain="hills", height=1.4))
    for k, herd in enumerate(configurations):
        path = folder / f"fuzz{k}.hbt"
        export_tables(path, herd, load_skin(level="low") if k else None)
        for line in run(fuzzer, str(path), str(cases // 2), str(seed + k), timeout=3000).splitlines():
            kind, code, times = map(int, line.split())
            found[kind, code] = found.get((kind, code), 0) + times
    return found


@needs_core
@needs_gcc
def test_damaged_input_gives_codes(fuzzer: Path, programs: Path) -> None:
    found = fuzzed(fuzzer, programs, 6000, seed=1)
    tables = {code for kind, code in found if kind == 0}
    assert {0, Code.HB_BAD_TABLES, Code.HB_OTHER_VERSION, Code.HB_OTHER_LAYOUT, Code.HB_CUT_SHORT} <= tables
    snapshots = {code for kind, code in found if kind == 1}
    assert snapshots == {0, Code.HB_BAD_SNAPSHOT, Code.HB_OTHER_LAYOUT, Code.HB_CUT_SHORT}
    commands = {code for kind, code in found if kind == 2}
    assert commands == {0, Code.HB_BAD_COMMAND, Code.HB_BAD_INDEX}
    assert found[3, 0] > 10, "some are ridden all the same"


@needs_core
@needs_gcc
@pytest.mark.slow
def test_a_million_damaged_inputs(fuzzer: Path, programs: Path) -> None:
    found = fuzzed(fuzzer, programs, 1_000_000, seed=100)
    print(found)
    assert sum(times for (kind, _), times in found.items() if kind < 3) == 1_000_000


@needs_core
@needs_gcc
def test_a_ride_under_sanitizers(programs: Path) -> None:
    ride = compiled(programs, "ride.c")
    for k, (method, options) in enumerate(RIDES[1::3]):
        herd = Herd(1, method, **options)
        skin = load_skin(level="low") if method == "timewarp" else None
        export_tables(programs / f"ride{k}.hbt", herd, skin)
        out = run(ride, str(programs / f"ride{k}.hbt"), "5", "300")
        assert out.startswith("300 steps of 5")


@needs_core
@needs_gcc
def test_a_kernel_that_fails(programs: Path) -> None:
    library = core_library()
    assert library is not None
    table = table_of(library).replace(", hbk_step_timewarp, ", ", failing, ")
    failing = "static int32_t calls;\n"
    failing += "static int32_t failing(int64_t *slots) { (void)slots; return ++calls > 3; }\n"
    table = table.replace("const hb_entry hb_entries", f"{failing}const hb_entry hb_entries")
    faulty = compiled(programs, "ride.c", table=table)
    export_tables(programs / "faulty.hbt", Herd(1))
    words = [str(faulty), str(programs / "faulty.hbt"), "1", "10"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1 and SENTENCES[Code.HB_KERNEL] in done.stderr
