"""NPZ: clips come back bit for bit, NumPy reads the file without us, and broken files are named errors."""

from __future__ import annotations

import io
import struct
import time
import tracemalloc
import zipfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hoofbeat.body.clip import Clip
from hoofbeat.body.skeleton import LEGS, Leg, Skeleton
from hoofbeat.errors import FileError
from hoofbeat.formats.npz import (
    EXTRA,
    MAX_INFLATED,
    REQUIRED,
    NpzError,
    format_npz,
    parse_npz,
    read_npz,
    write_npz,
)

Arrays = dict[str, Any]


def clip_of(frames: int = 5, seed: int = 0, contacts: bool = True, **extras: Any) -> Clip:
    rng = np.random.default_rng(seed)
    parents = [-1, *(int(rng.integers(0, j)) for j in range(1, 9))]
    names = [f"joint {j} é🐎" for j in range(9)]
    legs = [Leg(name, 1 + k, 2, 3, -1 if k else 4, 8) for k, name in enumerate(LEGS)]
    skeleton = Skeleton(
        names, parents, rng.normal(size=(9, 3)), rng.random(9) > 0.5, legs if contacts else ()
    )
    rotations = rng.normal(size=(frames, 9, 4))
    rotations /= np.linalg.norm(rotations, axis=-1, keepdims=True)
    touch = rng.random((frames, 4)) if contacts else None
    return Clip(skeleton, rotations, rng.normal(size=(frames, 3)), 59.94, touch, "a ride ✓", extras)


def same(a: Clip, b: Clip) -> None:
    assert (a.name, a.fps, a.skeleton.names, a.skeleton.legs) == (
        b.name,
        b.fps,
        b.skeleton.names,
        b.skeleton.legs,
    )
    pairs = [(getattr(a.skeleton, key), getattr(b.skeleton, key)) for key in ("parents", "offsets", "ends")]
    pairs += [(a.rotations, b.rotations), (a.origins, b.origins)]
    assert (a.contacts is None) == (b.contacts is None)
    if a.contacts is not None:
        pairs.append((a.contacts, b.contacts))
    assert set(a.extras) == set(b.extras)
    for one, other in [*pairs, *((a.extras[key], b.extras[key]) for key in a.extras)]:
        assert one.dtype == other.dtype and one.shape == other.shape
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("compress", [True, False])
def test_a_clip_comes_back_bit_for_bit(tmp_path: Path, compress: bool) -> None:
    clip = clip_of(
        7,
        gait=np.array(["walk", "", "trot", "ü", "a" * 30, "b", "c"]),
        phase=np.linspace(0, 1, 28).reshape(7, 4).astype(np.float32),
        airborne=np.arange(7) % 2 == 0,
        events=np.arange(7),
        tiny=np.array([np.nan, np.inf, -0.0, 5e-324, 1, 2, 3]),
    )
    same(read_npz(write_npz(clip, tmp_path / "a.npz", compress=compress)), clip)
    same(parse_npz(format_npz(clip_of(0))), clip_of(0))
    same(parse_npz(format_npz(clip_of(3, contacts=False))), clip_of(3, contacts=False))


@given(
    st.integers(0, 4),
    st.integers(0, 2**32 - 1),
    st.booleans(),
    st.sampled_from([np.float64, np.float32, np.int16, np.uint8, np.bool_, np.str_]),
    st.lists(st.integers(0, 3), max_size=2),
)
def test_round_trips(frames: int, seed: int, contacts: bool, dtype: Any, shape: list[int]) -> None:
    values = np.random.default_rng(seed).integers(0, 100, (frames, *shape)).astype(dtype)
    clip = clip_of(frames, seed, contacts, mine=values)
    same(parse_npz(format_npz(clip)), clip)


def test_float32_halves_the_file_and_keeps_the_motion() -> None:
    clip = clip_of(200)
    small = parse_npz(format_npz(clip, "float32"))
    assert np.abs(small.rotations - clip.rotations).max() < 1e-7
    np.testing.assert_array_equal(small.origins, clip.origins)  # a float32 root drifts, so it is kept
    assert len(format_npz(clip, "float32")) < 0.65 * len(format_npz(clip))
    with pytest.raises(NpzError, match="float64 or float32"):
        format_npz(clip, "float16")


def test_the_same_clip_gives_the_same_bytes() -> None:
    data = format_npz(clip_of(3))
    time.sleep(0.01)
    assert format_npz(clip_of(3)) == data
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert {member.date_time for member in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}


def test_numpy_reads_it_alone_and_writes_it_too() -> None:
    clip = clip_of(4, speed=np.arange(4.0))
    with np.load(io.BytesIO(format_npz(clip)), allow_pickle=False) as file:
        arrays = {key: file[key] for key in file.files}
    assert set(arrays) == {*REQUIRED, "contacts", "extra.speed"}
    assert arrays["rotations"].shape == (4, 9, 4) and str(arrays["format"]) == "hoofbeat.clip"
    for write in (np.savez, np.savez_compressed):
        out = io.BytesIO()
        write(out, **arrays)
        same(parse_npz(out.getvalue()), clip)


def test_other_orders_of_bytes_and_axes_are_read() -> None:
    clip = clip_of(4)
    arrays = arrays_of(clip)
    arrays["rotations"] = np.asfortranarray(arrays["rotations"].astype(">f8"))
    arrays["names"] = arrays["names"].astype(arrays["names"].dtype.newbyteorder(">"))
    again = parse_npz(zipped(arrays))
    np.testing.assert_array_equal(again.rotations, clip.rotations)
    assert again.skeleton.names == clip.skeleton.names


@pytest.mark.parametrize(
    ("extras", "words"),
    [
        ({"a": np.array([{}, 1, 2, 3, 4], object)}, "object"),
        ({"a": np.zeros(5, complex)}, "complex"),
        ({"a/b": np.zeros(5)}, "letters"),
        ({f"e{k}": np.zeros(5) for k in range(300)}, "arrays are over"),
    ],
)
def test_clips_that_cannot_be_written(tmp_path: Path, extras: Arrays, words: str) -> None:
    with pytest.raises(NpzError, match=words):
        write_npz(clip_of(5, **extras), tmp_path / "a.npz")
    assert list(tmp_path.iterdir()) == []


# ---- broken files -------------------------------------------------------------------------------------


def arrays_of(clip: Clip) -> Arrays:
    with np.load(io.BytesIO(format_npz(clip)), allow_pickle=False) as file:
        return {key: file[key] for key in file.files}


def zipped(arrays: Arrays) -> bytes:
    """A file of arrays; bytes are members as they stand."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, value in arrays.items():
            data = io.BytesIO()
            if not isinstance(value, bytes):
                np.lib.format.write_array(data, np.asanyarray(value), allow_pickle=False)
            archive.writestr(f"{name}.npy", value if isinstance(value, bytes) else data.getvalue())
    return out.getvalue()


@cache
def good() -> bytes:
    return format_npz(clip_of(3))


def without(name: str) -> bytes:
    return zipped({key: value for key, value in arrays_of(clip_of(3)).items() if key != name})


def but(**changed: Any) -> bytes:
    return zipped(arrays_of(clip_of(3)) | {key.replace("__", "."): value for key, value in changed.items()})


def npy(header: str, body: bytes = b"", version: int = 1) -> bytes:
    text = header.encode("latin-1")
    return b"\x93NUMPY" + bytes([version, 0]) + struct.pack("<H", len(text)) + text + body


def declared(size: int) -> bytes:
    """A sound file that says one of its members is `size` bytes."""
    data = bytearray(good())
    at = data.rfind(b"PK\x01\x02")
    struct.pack_into("<I", data, at + 24, size)
    return bytes(data)


def bomb() -> bytes:
    """More than half a gigabyte of zeros in half a megabyte, behind a header that promises two."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        with archive.open("rotations.npy", "w", force_zip64=True) as member:
            member.write(npy("{'descr': '<f8', 'fortran_order': False, 'shape': (268435456,), }\n"))
            for _ in range(64):
                member.write(bytes(1 << 20) * 8)
        for name, value in arrays_of(clip_of(3)).items():
            if name != "rotations":
                data = io.BytesIO()
                np.lib.format.write_array(data, value)
                archive.writestr(f"{name}.npy", data.getvalue())
    return out.getvalue()


def encrypted() -> bytes:
    data = bytearray(good())
    at = data.find(b"PK\x01\x02")
    data[at + 8] |= 1
    return bytes(data)


def twice() -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive, pytest.warns(UserWarning):
        archive.writestr("fps.npy", b"")
        archive.writestr("fps.npy", b"")
    return out.getvalue()


def packed(method: int) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        archive.writestr("fps.npy", b"x" * 100)
    return out.getvalue()


def quaternions(value: float) -> np.ndarray:
    return np.full((3, 9, 4), value)


BROKEN: dict[str, tuple[Callable[[], bytes], str]] = {
    "empty": (lambda: b"", "zip"),
    "another magic": (lambda: b"GIF89a" + good()[6:], "."),
    "text": (lambda: b"HIERARCHY\n" * 100, "zip"),
    "cut in the middle": (lambda: good()[: len(good()) // 2], "zip"),
    "cut at the end": (lambda: good()[:-10], "zip"),
    "a byte is wrong": (lambda: good()[:60] + b"\xff" + good()[61:], "."),
    "no array at all": (lambda: zipped({}), "not a clip of hoofbeat"),
    "an npz of others": (lambda: zipped({"x": np.zeros(3)}), "not a clip of hoofbeat.*holds x"),
    "another format": (lambda: but(format=np.array("other")), "not a clip of hoofbeat"),
    "a later version": (lambda: but(version=np.array(2)), "version 2.*update"),
    "no rotations": (lambda: without("rotations"), "'rotations' is missing"),
    "a wrong name": (lambda: but(rotatons=np.zeros(3)), "did you mean 'rotations'"),
    "objects": (
        lambda: but(
            extra__a=npy("{'descr': '|O', 'fortran_order': False, 'shape': (3,), }\n", b"cos\nsystem\n")
        ),
        "objects never",
    ),
    "records": (lambda: but(extra__a=np.zeros(3, [("x", "f8")])), "objects never"),
    "a shape too long": (
        lambda: but(origins=npy("{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999, 3), }\n")),
        "need",
    ),
    "a shape too short": (lambda: but(origins=np.zeros((2, 3))), "origins"),
    "a header that is code": (lambda: but(origins=npy("__import__('os').system('true')")), "header"),
    "a header without end": (lambda: but(origins=npy("{" + " " * 5000)), "header of 5001"),
    "a header of a later kind": (lambda: but(origins=npy("{}", version=3)), "version 3"),
    "no array inside": (lambda: but(origins=b"nothing"), "not a NumPy array"),
    "an unknown type": (
        lambda: but(origins=npy("{'descr': '<i3', 'fortran_order': False, 'shape': (1,), }", b"abc")),
        "unknown type i3",
    ),
    "text that is none": (
        lambda: but(name=npy("{'descr': '<U1', 'fortran_order': False, 'shape': (), }", b"\xff\xff\xff\xff")),
        "not Unicode",
    ),
    "NaN": (lambda: but(rotations=quaternions(np.nan)), "NaN"),
    "rotations that are none": (lambda: but(rotations=quaternions(0.0)), "length 1"),
    "whole numbers for real ones": (lambda: but(rotations=np.ones((3, 9, 4), int)), "real numbers"),
    "fps of nothing": (lambda: but(fps=np.array(0.0)), "fps"),
    "a cycle of joints": (lambda: but(parents=np.array([-1, 2, 1, 0, 0, 0, 0, 0, 0])), "parents come before"),
    "a parent out of range": (lambda: but(parents=np.array([-1, 99, 0, 0, 0, 0, 0, 0, 0])), "parent"),
    "names twice": (lambda: but(names=np.array(["a"] * 9)), "names must differ"),
    "a leg out of range": (lambda: but(legs=np.full((4, 5), 9)), "0 to 8"),
    "three legs": (lambda: but(legs=np.zeros((3, 5), int)), "legs: expected"),
    "contacts of five legs": (lambda: but(contacts=np.zeros((3, 5))), "contacts"),
    "an extra of other length": (lambda: but(extra__a=np.zeros(2)), "3 rows"),
    "too many arrays": (lambda: zipped({f"extra.a{k}": np.zeros(1) for k in range(300)}), "at most 256"),
    "an array twice": (twice, "twice"),
    "encrypted": (encrypted, "encrypted"),
    "packed otherwise": (lambda: packed(zipfile.ZIP_LZMA), "does not use"),
    "a size too large": (lambda: declared(0xFFFFFFF0), "at most"),
    "a size too small": (lambda: declared(3), "."),
}


@pytest.mark.parametrize("case", BROKEN)
def test_broken_files_are_named_errors(case: str, tmp_path: Path) -> None:
    data, words = BROKEN[case][0](), BROKEN[case][1]
    path = tmp_path / "broken.npz"
    path.write_bytes(data)
    start = time.perf_counter()
    with pytest.raises(NpzError, match=words) as caught:
        read_npz(path)
    assert time.perf_counter() - start < 2
    assert isinstance(caught.value, FileError) and caught.value.path == str(path)
    assert len(str(caught.value)) < 600
    assert list(tmp_path.iterdir()) == [path]


def test_a_bomb_is_refused_before_it_is_inflated() -> None:
    data = bomb()
    assert len(data) < 4_000_000 and MAX_INFLATED < 1 << 30
    tracemalloc.start()
    with pytest.raises(NpzError, match="at most"):
        parse_npz(data)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 10_000_000


def test_the_bound_can_be_set(tmp_path: Path) -> None:
    path = write_npz(clip_of(100), tmp_path / "a.npz")
    with pytest.raises(NpzError, match="at most 1000"):
        read_npz(path, max_inflated=1000)
    with pytest.raises(NpzError, match="no such file"):
        read_npz(tmp_path / "none.npz")


@given(st.data())
def test_changed_bytes_never_crash(data: st.DataObject) -> None:
    whole = bytearray(good())
    for _ in range(data.draw(st.integers(1, 8))):
        whole[data.draw(st.integers(0, len(whole) - 1))] = data.draw(st.integers(0, 255))
    cut = bytes(whole[: data.draw(st.integers(0, len(whole)))]) if data.draw(st.booleans()) else bytes(whole)
    try:
        clip = parse_npz(cut)
    except NpzError:
        return
    assert len(clip) == 3


def test_extras_keep_their_prefix_separate() -> None:
    clip = clip_of(3, rotations=np.zeros(3), contacts_=np.zeros(3))
    again = parse_npz(format_npz(clip))
    assert set(again.extras) == {"rotations", "contacts_"} and EXTRA == "extra."
