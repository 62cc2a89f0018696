"""Broken glTF files: always a GltfError that names the file and the place, quickly, in little memory."""

from __future__ import annotations

import base64
import copy
import json
import os
import struct
import time
import tracemalloc
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from gltf_making import Making, pack_glb, puppet, unpack_glb
from hoofbeat.body.clip import Clip
from hoofbeat.body.skeleton import MAX_JOINTS
from hoofbeat.errors import GltfError
from hoofbeat.formats.gltf.reader.load import parse_gltf, read_gltf, read_gltf_all
from hoofbeat.formats.gltf.writer.save import format_glb

GOOD = puppet()
GLB = GOOD.glb()


def edited(change: Callable[[Any], object]) -> bytes:
    """The puppet's .glb after a change of its JSON."""
    doc = GOOD.json()
    change(doc)
    return pack_glb(json.dumps(doc).encode(), bytes(GOOD.blob))


def put(place: str, value: object) -> bytes:
    """The same with the value at a place such as `accessors.0.count` replaced (or added)."""

    def change(doc: Any) -> None:
        *way, last = [int(key) if key.isdigit() else key for key in place.split(".")]
        for key in way:
            doc = doc[key]
        doc[last] = value

    return edited(change)


def take(place: str) -> bytes:
    """The same with a key left out."""

    def change(doc: Any) -> None:
        *way, last = [int(key) if key.isdigit() else key for key in place.split(".")]
        for key in way:
            doc = doc[key]
        del doc[last]

    return edited(change)


def floats(values: list[float], accessor: int) -> bytes:
    """The puppet with the first numbers of an accessor replaced."""
    making = puppet()
    view = making.doc["bufferViews"][making.doc["accessors"][accessor]["bufferView"]]
    struct.pack_into(f"<{len(values)}f", making.blob, view["byteOffset"], *values)
    return making.glb()


def signalling() -> bytes:
    """A NaN that raises a flag in the processor when it is converted."""
    making = puppet()
    struct.pack_into("<I", making.blob, making.doc["bufferViews"][1]["byteOffset"], 0x7F800001)
    return making.glb()


def text(words: str) -> bytes:
    return pack_glb(words.encode(), None)


def head(
    version: int = 2, length: int | None = None, first: int | None = None, kind: int | None = None
) -> bytes:
    data = bytearray(GLB)
    struct.pack_into("<I", data, 4, version)
    for at, value in ((8, length), (12, first), (16, kind)):
        if value is not None:
            struct.pack_into("<I", data, at, value)
    return bytes(data)


def sparse(**changes: Any) -> bytes:
    """A file whose translation is sparse, with something about it changed."""
    making = puppet()
    index = making.sparse([[0, 0, 0], [0, 1, 0], [0, 2, 0]])
    making.doc["animations"][0]["samplers"][0]["output"] = index
    part = making.doc["accessors"][index]["sparse"]
    for place, value in changes.items():
        *way, last = place.split("__")
        target = part
        for key in way:
            target = target[key]
        target[last] = value
    return making.glb()


def huge() -> bytes:
    """An accessor over nothing, of as many zeros as numbers can say."""
    making = puppet()
    making.doc["accessors"][1] = {"componentType": 5126, "count": 2**40, "type": "VEC3", "sparse": {}}
    del making.doc["accessors"][1]["sparse"]
    return making.glb()


def long(seconds: float) -> bytes:
    """Keys so far apart that frames between them would fill the memory."""
    return floats([0.0, 1.0, seconds], 0)


DATA_URI = "data:application/octet-stream;base64,"

CASES: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "is this a glTF file"),
    "blank": (b"  \n ", "is this a glTF file"),
    "other file": (b"solid cube\nfacet", "is this a glTF file"),
    "wrong magic": (b"gLTF" + GLB[4:], "is this a glTF file"),
    "only magic": (b"glTF", "at least 20 bytes"),
    "version 1": (head(version=1), "this one is version 1"),
    "length too long": (head(length=len(GLB) + 4), "cut short"),
    "length absurd": (head(length=2**32 - 1), "4294967295 bytes are promised"),
    "length short": (head(length=40), "chunk at byte 12 promises"),
    "length zero": (head(length=0), "has no JSON chunk"),
    "chunk lies": (head(first=2**32 - 1), "promises 4294967295 bytes"),
    "chunk shorter": (head(first=8), "chunk at byte 28 promises"),
    "first chunk binary": (head(kind=0x004E4942), "first chunk must be JSON"),
    "no binary chunk": (pack_glb(json.dumps(GOOD.json()).encode(), None), r"buffers\[0\]: has no uri"),
    "short binary chunk": (pack_glb(json.dumps(GOOD.json()).encode(), b"1234"), r"buffers\[0\]: .* promised"),
    "not utf-8": (pack_glb(b'{"asset": "\xff\xfe"}', None), "not UTF-8"),
    "broken json": (text('{"asset": {"version": "2.0"'), "JSON is broken"),
    "json list": (b"[]", "is this a glTF file"),
    "nan in json": (text('{"asset": {"version": "2.0"}, "a": NaN}'), "NaN is not JSON"),
    "infinity in json": (text('{"a": -Infinity}'), "-Infinity is not JSON"),
    "nesting bomb": (text('{"a":' + "[" * 100_000 + "]" * 100_000 + "}"), "nested too deeply"),
    "object bomb": (text('{"a":' * 100_000 + "1" + "}" * 100_000), "nested too deeply"),
    "many values": (text('{"a":[' + "0," * 2_100_000 + "0]}"), "more than 2000000 values"),
    "huge integer": (text('{"asset": {"version": "2.0"}, "n": ' + "9" * 5000 + "}"), "cannot be read"),
    "no asset": (take("asset"), "asset: is missing"),
    "version number": (put("asset.version", 2.0), "asset.version: must be a string"),
    "version old": (put("asset.version", "1.0"), "glTF 2.0 is read"),
    "unknown extension": (put("extensionsRequired", ["EXT_nobody_knows"]), "requires 'EXT_nobody"),
    "required what": (put("extensionsRequired", [3]), "extensionsRequired: must be a list of strings"),
    "nodes what": (put("nodes", 3), "nodes: must be a list of objects"),
    "no nodes": (put("nodes", []), "points to nodes, but the file has none"),
    "nothing": (text('{"asset": {"version": "2.0"}}'), "the file has no nodes"),
    "node what": (put("nodes.1", "Hips"), "nodes: must be a list of objects"),
    "circle": (put("nodes.3.children", [1]), r"nodes\[1\]: has two parents, nodes 0 and 3"),
    "own child": (put("nodes.0.children", [0]), r"nodes\[0\]: is its own ancestor"),
    "ring": (
        edited(lambda d: (d["nodes"][0].pop("children"), d["nodes"][3].update(children=[1]))),
        "ancestor",
    ),
    "two parents": (put("nodes.0.children", [1, 2]), r"nodes\[2\]: has two parents"),
    "child twice": (put("nodes.0.children", [1, 1]), r"nodes\[0\].children: has the same index twice"),
    "child missing": (put("nodes.3.children", [10**9]), r"nodes\[3\].children: must be a list of indices"),
    "child negative": (put("nodes.3.children", [-1]), r"nodes\[3\].children: must be"),
    "child text": (put("nodes.3.children", ["1"]), r"nodes\[3\].children: must be"),
    "child true": (put("nodes.3.children", [True]), r"nodes\[3\].children: must be"),
    "short translation": (put("nodes.2.translation", [1, 2]), r"nodes\[2\].translation: .* 3 finite"),
    "huge translation": (put("nodes.2.translation", [1, 2, 1e300]), "3 finite"),
    "far translation": (put("nodes.2.translation", [1, 2, 1e20]), "beyond 1e.12"),
    "far bone": (put("nodes.2.translation", [1, 2, 1e11]), "beyond 1e.09 m"),
    "integer translation": (put("nodes.2.translation", [1, 2, 10**400]), "3 finite"),
    "zero rotation": (
        put("nodes.3.rotation", [0, 0, 0, 0]),
        r"nodes\[3\].rotation: a quaternion of length 0",
    ),
    "huge scale": (put("nodes.1.scale", [1e9, 1, 1]), r"nodes\[1\].scale: a scale beyond"),
    "scale text": (put("nodes.1.scale", ["1", 1, 1]), r"nodes\[1\].scale: must be"),
    "matrix short": (put("nodes.1.matrix", [1] * 15), r"nodes\[1\].matrix: must be a list of 16"),
    "matrix zero": (put("nodes.1.matrix", [0] * 16), r"nodes\[1\].matrix: has a column of length 0"),
    "matrix shear": (put("nodes.1.matrix", [1, 0, 0, 0, 1, 1, 0, 0, *([0, 0, 1, 0, 0, 0, 0, 1])]), "sheared"),
    "skins what": (put("skins", {}), "skins: must be a list"),
    "joint missing": (put("skins.0.joints", [99]), r"skins\[0\].joints"),
    "joints in two trees": (
        edited(lambda d: d["nodes"][0].pop("children") and d["skins"][0].update(joints=[0, 1])),
        "several trees",
    ),
    "accessor missing": (put("animations.0.samplers.1.output", 99), r"animations\[0\].samplers\[1\].output"),
    "accessor negative": (put("animations.0.samplers.1.output", -1), "whole number from 0 to"),
    "accessor fraction": (put("animations.0.samplers.1.output", 1.5), "whole number from 0 to"),
    "accessors none": (put("accessors", []), "points to accessors, but the file has none"),
    "input type": (put("accessors.0.type", "VEC3"), r"accessors\[0\].type: must be SCALAR here"),
    "output type": (put("accessors.2.type", "VEC3"), r"accessors\[2\].type: must be VEC4 here, found 'VEC3'"),
    "type what": (put("accessors.0.type", 5), r"accessors\[0\].type: must be a string"),
    "component unknown": (put("accessors.0.componentType", 5124), "unknown type 5124. Known: 5120"),
    "count negative": (put("accessors.0.count", -1), r"accessors\[0\].count: must be a whole number from 1"),
    "count zero": (put("accessors.0.count", 0), r"accessors\[0\].count"),
    "count absurd": (put("accessors.0.count", 2**40), r"accessors\[0\]: 1099511627776 elements need"),
    "count beyond": (put("accessors.0.count", 10**30), r"accessors\[0\].count"),
    "count of nothing": (huge(), r"accessors\[1\].count: \d+ numbers are too many for a file"),
    "count mismatch": (put("accessors.0.count", 2), "2 keys of LINEAR need 2 values, there are 3"),
    "cubic count": (
        put("animations.0.samplers.1.interpolation", "CUBICSPLINE"),
        "need 9 values, there are 3",
    ),
    "interpolation": (
        put("animations.0.samplers.1.interpolation", "BEZIER"),
        "unknown 'BEZIER'. Known: LINEAR",
    ),
    "offset beyond": (put("accessors.0.byteOffset", 4), r"accessors\[0\]: 3 elements need 16 bytes"),
    "offset negative": (put("accessors.0.byteOffset", -4), r"accessors\[0\].byteOffset"),
    "view missing": (put("accessors.0.bufferView", 77), r"accessors\[0\].bufferView"),
    "view beyond": (put("bufferViews.0.byteLength", 10**6), r"bufferViews\[0\]: ends at byte"),
    "view far": (put("bufferViews.0.byteOffset", 2**50), r"bufferViews\[0\]: ends at byte"),
    "view negative": (put("bufferViews.0.byteLength", -12), r"bufferViews\[0\].byteLength"),
    "view buffer": (
        put("bufferViews.0.buffer", 1),
        r"bufferViews\[0\].buffer: must be a whole number from 0 to 0",
    ),
    "stride small": (put("bufferViews.2.byteStride", 8), r"bufferViews\[2\].byteStride: 8 bytes are less"),
    "stride zero": (put("bufferViews.2.byteStride", 0), r"bufferViews\[2\].byteStride"),
    "stride absurd": (put("bufferViews.2.byteStride", 2**40), r"bufferViews\[2\].byteStride"),
    "buffer longer": (put("buffers.0.byteLength", 2**40), r"buffers\[0\]: .* bytes are promised"),
    "buffers none": (put("buffers", []), "points to buffers, but the file has none"),
    "no base64": (
        put("buffers.0.uri", "data:text/plain,abc"),
        r"buffers\[0\].uri: a data URI must be base64",
    ),
    "base64 garbage": (
        put("buffers.0.uri", DATA_URI + "@@@@"),
        r"buffers\[0\].uri: the base64 text is broken",
    ),
    "base64 unicode": (put("buffers.0.uri", DATA_URI + "é" * 8), "base64 text is broken"),
    "base64 short": (put("buffers.0.uri", DATA_URI + base64.b64encode(b"ab").decode()), "there are 2"),
    "in memory": (put("buffers.0.uri", "a.bin"), "read it from disk"),
    "network": (put("buffers.0.uri", "https://example.com/a.bin"), "only files beside"),
    "file scheme": (put("buffers.0.uri", "file:///etc/passwd"), "only files beside"),
    "normalized what": (
        edited(lambda d: d["accessors"][2].update(componentType=5120, normalized=1)),
        "normalized",
    ),
    "nan key": (floats([0.0, float("nan")], 0), r"accessors\[0\]: element 1 is not finite"),
    "infinite value": (floats([float("inf")], 1), r"accessors\[1\]: element 0 is not finite"),
    "nan rotation": (floats([float("nan")], 2), r"accessors\[2\]: element 0 is not finite"),
    "signalling nan": (signalling(), r"accessors\[1\]: element 0 is not finite"),
    "huge value": (floats([3e38], 1), "has a translation beyond"),
    "zero quaternion": (floats([0.0] * 4, 2), r"samplers\[1\].output: has a quaternion of length 0"),
    "times backwards": (floats([0.0, 2.0, 1.0], 0), r"samplers\[0\].input: key times must increase"),
    "times far": (floats([0.0, 1.0, 1e30], 0), "a key time beyond"),
    "long": (long(9e5), "54000001 frames of 4 nodes; 2097152 poses may be read"),
    "animations what": (put("animations", 1), "animations: must be a list"),
    "channels what": (put("animations.0.channels", "all"), r"animations\[0\].channels: must be a list"),
    "target missing": (take("animations.0.channels.0.target"), r"channels\[0\].target: is missing"),
    "target node": (put("animations.0.channels.0.target.node", 5), r"channels\[0\].target.node"),
    "path unknown": (
        put("animations.0.channels.0.target.path", "rotate"),
        "unknown 'rotate'. Known: translation",
    ),
    "path what": (put("animations.0.channels.0.target.path", []), r"path: must be a string"),
    "channel twice": (
        put("animations.0.channels.0.target", {"node": 1, "path": "rotation"}),
        "second channel",
    ),
    "sampler missing": (put("animations.0.channels.0.sampler", 9), r"channels\[0\].sampler"),
    "name what": (put("animations.0.name", 3), r"animations\[0\].name: must be a string"),
    "node name what": (put("nodes.2.name", {}), r"nodes\[2\].name: must be a string"),
    "sparse count": (sparse(count=4), r"accessors\[\d\].sparse.count"),
    "sparse absurd": (sparse(count=2**40), r"sparse.count"),
    "sparse order": (sparse(indices__byteOffset=2), "need|increasing"),
    "sparse signed": (sparse(indices__componentType=5122), "must be unsigned"),
    "sparse view": (sparse(values__bufferView=99), r"sparse.values.bufferView"),
    "sparse empty": (sparse(indices=None), r"sparse.indices: must be an object"),
}


@pytest.mark.parametrize("case", CASES)
def test_broken_file(case: str, tmp_path: Path) -> None:
    data, message = CASES[case]
    tracemalloc.start()
    began = time.perf_counter()
    try:
        with pytest.raises(GltfError, match=message) as caught:
            parse_gltf(data, "broken.glb")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert time.perf_counter() - began < 5
    # JSON blows up by at most a few dozen times; everything else stays in proportion.
    assert peak < 2**20 + 40 * len(data)
    assert caught.value.path == "broken.glb" and str(caught.value).startswith("broken.glb:")
    assert len(str(caught.value)) < 600
    path = tmp_path / "broken.glb"
    path.write_bytes(data)
    with pytest.raises(GltfError):
        read_gltf(path)
    assert list(tmp_path.iterdir()) == [path]


def test_every_truncation() -> None:
    """Cut anywhere, the file is an error; a .glb says how long it should be."""
    for size in range(len(GLB)):
        with pytest.raises(GltfError):
            parse_gltf(GLB[:size])
    gltf = GOOD.gltf()
    for size in [*range(0, len(gltf) - 1, 37), len(gltf) - 1]:
        with pytest.raises(GltfError):
            parse_gltf(gltf[:size])


def test_lengths_that_lie_consistently() -> None:
    """Cut at every place, with the head corrected to the new length: the chunks or buffers complain."""
    for size in range(20, len(GLB), 4):
        data = bytearray(GLB[:size])
        struct.pack_into("<I", data, 8, size)
        with pytest.raises(GltfError):
            parse_gltf(bytes(data))


@pytest.mark.parametrize(
    "uri",
    [
        "../out.bin",
        "%2e%2e/out.bin",
        "sub/../../out.bin",
        "/etc/passwd",
        "C:/out.bin",
        "..\\out.bin",
        "~/out.bin",
        "link.bin",
        "http://localhost/out.bin",
        "//server/out.bin",
        "",
        "a\0b.bin",
        "x" * 5000,
        "missing.bin",
        "sub",
        "%00",
    ],
)
def test_buffers_elsewhere_are_refused(uri: str, tmp_path: Path) -> None:
    (tmp_path / "out.bin").write_bytes(GOOD.blob)
    folder = tmp_path / "in"
    (folder / "sub").mkdir(parents=True)
    (folder / "link.bin").symlink_to(tmp_path / "out.bin")
    path = folder / "a.gltf"
    path.write_text(json.dumps(GOOD.json() | {"buffers": [{"byteLength": len(GOOD.blob), "uri": uri}]}))
    with pytest.raises(GltfError, match=r"buffers\[0\].uri"):
        read_gltf(path)


def test_a_pipe_as_a_buffer_does_not_block(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "p.bin")
    path = tmp_path / "a.gltf"
    path.write_text(json.dumps(GOOD.json("p.bin")))
    with pytest.raises(GltfError, match="not a regular file"):
        read_gltf(path)


def test_max_bytes_counts_all_files(tmp_path: Path) -> None:
    path = GOOD.save(tmp_path / "a.gltf")
    size = path.stat().st_size
    read_gltf(path, max_bytes=size + len(GOOD.blob))
    with pytest.raises(GltfError, match="set max_bytes"):
        read_gltf(path, max_bytes=size + len(GOOD.blob) - 1)
    with pytest.raises(GltfError, match="set max_bytes"):
        read_gltf(path, max_bytes=size - 1)


def test_missing_file_and_folder(tmp_path: Path) -> None:
    with pytest.raises(GltfError, match="no such file"):
        read_gltf(tmp_path / "no.glb")
    with pytest.raises(GltfError, match="a folder"):
        read_gltf(tmp_path)


def test_too_many_joints() -> None:
    nodes: list[dict[str, Any]] = [{"children": [k + 1]} for k in range(MAX_JOINTS)] + [{}]
    making = Making(nodes=nodes, skins=[{"joints": list(range(len(nodes)))}])
    making.view(b"1234")
    with pytest.raises(GltfError, match=f"more than {MAX_JOINTS} joints"):
        parse_gltf(making.glb())


def test_a_deep_chain_is_no_recursion() -> None:
    for deep in (200, 100_000):
        nodes: list[dict[str, Any]] = [{"children": [k + 1]} for k in range(deep)] + [{"name": "last"}]
        making = Making(nodes=nodes, skins=[{"joints": [deep]}])
        making.view(b"1234")
        if deep == 200:
            assert parse_gltf(making.glb()).skeleton.names == ("last",)
        else:
            with pytest.raises(GltfError, match="lies below 100000 nodes, 256 are read"):
                parse_gltf(making.glb())


def test_scales_that_overflow() -> None:
    nodes: list[dict[str, Any]] = [
        {"children": [k + 1], "scale": [1e6] * 3, "translation": [1.0, 0, 0]} for k in range(100)
    ]
    making = Making(nodes=[*nodes, {"translation": [1.0, 0, 0]}], skins=[{"joints": list(range(101))}])
    making.view(b"1234")
    with pytest.raises(GltfError, match="beyond 1e.09 m"):
        parse_gltf(making.glb())


def test_many_tracks_on_one_accessor_are_bounded() -> None:
    """Reading one large accessor once for each of many tracks would take minutes from a small file."""
    nodes: list[dict[str, Any]] = [{"children": list(range(1, 2000))}, *({} for _ in range(1999))]
    making = Making(nodes=nodes, skins=[{"joints": list(range(2000))}])
    times = making.accessor(np.arange(50_000) / 50_000)
    turns = making.accessor(np.tile([0.0, 0.0, 0.0, 1.0], (50_000, 1)))
    making.animate("a", *((k, "rotation", times, turns, "LINEAR") for k in range(2000)))
    began = time.perf_counter()
    with pytest.raises(GltfError, match="numbers are too many"):
        parse_gltf(making.glb())
    assert time.perf_counter() - began < 10


def test_many_long_animations_are_bounded(tmp_path: Path) -> None:
    """Each alone may be read, all together not."""
    making = puppet()
    making.doc["animations"] *= 2000
    struct.pack_into("<f", making.blob, 8, 5000.0)
    path = making.save(tmp_path / "a.glb")
    assert len(read_gltf(path)) == 300_001
    with pytest.raises(GltfError, match="poses may be read"):
        read_gltf_all(path)


# Anything at all


def outcome(data: bytes) -> None:
    """A clip or a GltfError, nothing else."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", category=UserWarning)
        try:
            clip = parse_gltf(data)
        except GltfError:
            return
    assert isinstance(clip, Clip)
    assert np.isfinite(clip.positions).all()


def written() -> bytes:
    """A small file of our own, contacts and gaits in it."""
    clip = parse_gltf(GLB)
    short = Clip(
        clip.skeleton,
        clip.rotations[:4],
        clip.origins[:4],
        60.0,
        np.eye(4),
        "w",
        {"gait": np.array(list("aabb"))},
    )
    return format_glb(short)


SEEDS = (GLB, written(), sparse(), GOOD.gltf())


@given(st.sampled_from(SEEDS), st.lists(st.tuples(st.integers(0, 2**20), st.integers(0, 255)), max_size=6))
@settings(max_examples=300)
@example(GLB, [])
def test_changed_bytes(seed: bytes, changes: list[tuple[int, int]]) -> None:
    data = bytearray(seed)
    for at, value in changes:
        data[at % len(data)] = value
    outcome(bytes(data))


@given(st.sampled_from(SEEDS), st.integers(0, 2**20), st.integers(0, 2**20), st.binary(max_size=12))
@settings(max_examples=150)
def test_cut_and_filled(seed: bytes, first: int, second: int, filling: bytes) -> None:
    low, high = sorted((first % len(seed), second % len(seed)))
    outcome(seed[:low] + filling + seed[high:])


@given(st.binary(max_size=200))
def test_any_bytes(data: bytes) -> None:
    outcome(data)
    outcome(b"glTF\x02\0\0\0" + struct.pack("<I", len(data) + 12) + data)
    outcome(b"{" + data)


JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 40)
    | st.sampled_from(
        [2**31, 2**40, 10**400, -1, 0.5, 1e30, 1e300, -0.0, "", "a", "data:", "LINEAR", "VEC3", "\ud800"]
    )
    | st.floats(allow_nan=True, allow_infinity=True),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["a", "name", "uri"]), inner, max_size=3)
    ),
    max_leaves=6,
)


def places(value: Any, way: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place in a JSON value."""
    found = [way] if way else []
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in inner:
        found += places(part, (*way, key))
    return found


DOCS = [unpack_glb(seed) for seed in SEEDS[:3]]
PLACES = [places(doc) for doc, _ in DOCS]


@given(st.data())
@settings(max_examples=400)
def test_changed_json(data: st.DataObject) -> None:
    """Any value of the JSON replaced by any other, or left out, or one that stands elsewhere in the file."""
    number = data.draw(st.integers(0, len(DOCS) - 1))
    doc, blob = copy.deepcopy(DOCS[number][0]), DOCS[number][1]
    for _ in range(data.draw(st.integers(1, 3))):
        *way, last = data.draw(st.sampled_from(PLACES[number]))
        target: Any = doc
        try:
            for key in way:
                target = target[key]
            if data.draw(st.booleans()):
                target[last] = data.draw(JSON_VALUES)
            else:
                del target[last]
        except (KeyError, IndexError, TypeError):
            continue  # an earlier change took it away
    outcome(pack_glb(json.dumps(doc).encode(), blob))
