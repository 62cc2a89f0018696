"""Broken BVH files: always a BvhError that names the file and the line, quickly, and nothing else."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from hoofbeat.body.clip import Clip
from hoofbeat.body.skeleton import MAX_JOINTS
from hoofbeat.errors import BvhError
from hoofbeat.formats.bvh.reader import parse_bvh, read_bvh

GOOD = """HIERARCHY
ROOT Hips
{
  OFFSET 0 0 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT Knee
  {
    OFFSET 0 -4 0
    CHANNELS 3 Zrotation Xrotation Yrotation
    End Site
    {
      OFFSET 0 -3 1
    }
  }
}
MOTION
Frames: 2
Frame Time: 0.04
0 9 0 1 2 3 4 5 6
0 9 1 1 2 3 4 5 7
"""
MOTION = GOOD.index("MOTION")


def broken(old: str, new: str) -> str:
    assert old in GOOD
    return GOOD.replace(old, new, 1)


CASES: dict[str, tuple[str, int, str]] = {
    "empty": ("", 1, "HIERARCHY"),
    "blank": (" \n\n\n ", 1, "HIERARCHY"),
    "other file": ("solid cube\nfacet", 1, "is this a BVH file"),
    "no root": (broken("ROOT", "JOINT"), 2, "ROOT"),
    "no name": (broken("ROOT Hips\n", "ROOT\n"), 3, "name of a joint is missing"),
    "no brace": (broken("Hips\n{", "Hips\n"), 4, "'OFFSET' where { should come"),
    "brace too few": (broken("  }\n}\n", "  }\n"), 15, "'MOTION' inside Hips"),
    "brace too many": (broken("}\nMOTION", "}\n}\nMOTION"), 16, "count the braces"),
    "never closed": (GOOD[:MOTION].rstrip().rstrip("}"), 14, "closing brace of Hips"),
    "two roots": (broken("MOTION", "ROOT Other\n{ OFFSET 0 0 0 }\nMOTION"), 16, "second ROOT"),
    "root in root": (broken("JOINT Knee", "ROOT Knee"), 6, "'ROOT' inside Hips"),
    "no offset": (broken("    OFFSET 0 -4 0\n", ""), 6, "Knee has no OFFSET"),
    "two offsets": (broken("OFFSET 0 -4 0\n", "OFFSET 0 -4 0\nOFFSET 0 -4 0\n"), 9, "one OFFSET"),
    "short offset": (broken("OFFSET 0 -4 0", "OFFSET 0 -4"), 9, "OFFSET Z of Knee"),
    "long offset": (broken("OFFSET 0 -4 0", "OFFSET 0 -4 0 0"), 8, "'0' inside Knee"),
    "nan offset": (broken("0 -4 0", "0 nan 0"), 8, "OFFSET Y of Knee must be a finite number"),
    "infinite offset": (broken("0 -4 0", "0 -1e400 0"), 8, "finite"),
    "far offset": (broken("0 -4 0", "0 -4e9 0"), 6, "OFFSET of Knee is beyond"),
    "underscore": (broken("0 -4 0", "0 1_0 0"), 8, "finite"),
    "unknown word": (broken("JOINT Knee", "BONE Knee"), 6, "'BONE' inside Hips; allowed"),
    "end what": (broken("End Site", "End Effector"), 10, "SITE"),
    "joint in end": (broken("OFFSET 0 -3 1", "OFFSET 0 -3 1 JOINT a"), 12, "'JOINT' inside Knee_end"),
    "channels in end": (broken("OFFSET 0 -3 1", "OFFSET 0 -3 1 CHANNELS 0"), 12, "inside Knee_end"),
    "channel name": (broken("CHANNELS 3 Z", "CHANNELS 3 W"), 9, "unknown channel 'Wrotation'"),
    "channel count": (broken("CHANNELS 3", "CHANNELS 4"), 10, "unknown channel 'End'"),
    "channel fewer": (broken("CHANNELS 3", "CHANNELS 2"), 9, "'Yrotation' inside Knee"),
    "channels many": (broken("CHANNELS 3", "CHANNELS 99999999999"), 9, "0 to 6 channels"),
    "channels negative": (broken("CHANNELS 3", "CHANNELS -3"), 9, "0 to 6 channels"),
    "channel twice": (broken("Yposition Zposition", "Xposition Zposition"), 5, "Xposition once too often"),
    "two channels": (broken("CHANNELS 3", "CHANNELS 0\nCHANNELS 3"), 10, "one CHANNELS"),
    "no motion": (GOOD[:MOTION], 15, "the file ends where MOTION"),
    "no frames": (broken("Frames: 2\n", ""), 17, "where Frames: and its value"),
    "frames word": (broken("Frames: 2", "Frames: two"), 17, "whole number, found 'two'"),
    "frames fraction": (broken("Frames: 2", "Frames: 2.5"), 17, "whole number"),
    "frames negative": (broken("Frames: 2", "Frames: -2"), 17, "whole number"),
    "frames long": (broken("Frames: 2", "Frames: " + "9" * 10_000), 17, "whole number"),
    "frames huge": (broken("Frames: 2", "Frames: 1000000000"), 17, "too many"),
    "frames large": (broken("Frames: 2", "Frames: 300000"), 20, "need 2700000 values, but the file is"),
    "no frame time": (broken("Frame Time: 0.04\n", ""), 18, "where Frame Time: and its value"),
    "frame time zero": (broken("0.04", "0"), 18, "Frame Time"),
    "frame time negative": (broken("0.04", "-0.04"), 18, "Frame Time"),
    "frame time nan": (broken("0.04", "nan"), 18, "Frame Time"),
    "frame time tiny": (broken("0.04", "1e-300"), 18, "Frame Time"),
    "frame time long": (broken("0.04", "0." + "0" * 100_000 + "4"), 18, "Frame Time"),
    "value nan": (broken("1 2 3", "1 nan 3"), 19, "'nan' in frame 0, Xrotation of Hips,"),
    "value windows nan": (broken("1 2 3", "1 -1.#IND 3"), 19, "finite"),
    "value infinite": (broken("5 7", "1e309 7"), 20, "'1e309' in frame 1, Xrotation of Knee,"),
    "value comma": (broken("1 2 3", "1 2,5 3"), 19, "with a point"),
    "value signs": (broken("1 2 3", "1 +-2 3"), 19, "'+-2'"),
    "value dot": (broken("1 2 3", "1 . 3"), 19, "'.'"),
    "value half exponent": (broken("1 2 3", "1 2e+ 3"), 19, "'2e+'"),
    "value two dots": (broken("1 2 3", "1 2.2.2 3"), 19, "'2.2.2'"),
    "value hex": (broken("1 2 3", "1 0x2 3"), 19, "'0x2'"),
    "value far": (broken("0 9 1", "0 9e9 1"), 20, "frame 1: the root is beyond"),
    "too few": (broken(" 5 7", " 5"), 20, "need 18 values, but there are 17"),
    "too many": (GOOD + "8\n", 21, "need 18 values, but then follows '8'"),
    "text after": (GOOD + "the end\n", 21, "'the'"),
    "name too long": (broken("Knee", "K" * 1000), 6, "256 printable"),
    "name control": (broken("Knee", "K\x07nee"), 6, "printable"),
}


@pytest.mark.kernels
@pytest.mark.parametrize("name", CASES)
def test_the_error_says_what_and_where(name: str) -> None:
    text, line, says = CASES[name]
    with pytest.raises(BvhError) as caught:
        parse_bvh(text, "clips/bad.bvh")
    assert says in str(caught.value)
    assert str(caught.value).startswith(f"clips/bad.bvh:{line}: ")
    assert len(str(caught.value)) < 400
    with pytest.raises(BvhError) as again:  # the line is the same whatever ends it
        parse_bvh(text.replace("\n", "\r\n"), "clips/bad.bvh")
    assert again.value.line == line


def test_the_good_file_is_good() -> None:
    assert len(parse_bvh(GOOD)) == 2


@pytest.mark.parametrize(
    "data",
    [
        GOOD.encode("utf-16"),
        GOOD.replace("Knee", "Genou gauche é").encode("latin-1"),
        b"\x00" * 1000,
        bytes(range(256)) * 100,
        GOOD.encode().replace(b"9 1 1", b"9\x001 1 1"),
        GOOD.replace("Knee", "\udcff").encode("utf-8", "surrogatepass"),
    ],
)
def test_bytes_that_are_no_text(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "bad.bvh"
    path.write_bytes(data)
    with pytest.raises(BvhError) as caught:
        read_bvh(path)
    assert caught.value.line >= 1 and caught.value.path == str(path)


def test_a_str_with_half_characters() -> None:
    with pytest.raises(BvhError, match="UTF-8"):
        parse_bvh(GOOD.replace("Knee", "\ud800"))


def test_files_are_bounded(tmp_path: Path) -> None:
    path = tmp_path / "a.bvh"
    path.write_text(GOOD)
    assert len(read_bvh(path, max_bytes=len(GOOD))) == 2
    with pytest.raises(BvhError, match="max_bytes"):
        read_bvh(path, max_bytes=len(GOOD) - 1)
    with pytest.raises(BvhError, match="no such file"):
        read_bvh(tmp_path / "b.bvh")


def chain(joints: int) -> str:
    opened = "".join(f"{'JOINT' if j else 'ROOT'} n{j} {{ OFFSET 0 1 0 " for j in range(joints))
    return f"HIERARCHY {opened} {'}' * joints} MOTION Frames: 1 Frame Time: 0.04"


@pytest.mark.parametrize("joints", [MAX_JOINTS, MAX_JOINTS + 1, 200_000])
def test_depth_bombs(joints: int) -> None:
    text = chain(joints)
    if joints <= MAX_JOINTS:
        assert len(parse_bvh(text).skeleton) == joints
    else:
        with pytest.raises(BvhError, match=f"more than {MAX_JOINTS} joints"):
            parse_bvh(text)


def test_few_bytes_cannot_ask_for_much_memory() -> None:
    many = chain(1000).replace("OFFSET 0 1 0", "OFFSET 0 1 0 CHANNELS 1 Xrotation", 1)
    with pytest.raises(BvhError, match="too many"):
        parse_bvh(many.replace("Frames: 1", "Frames: 20000") + " 0" * 20_000)
    with pytest.raises(BvhError, match="too many"):
        parse_bvh(chain(1).replace("Frames: 1", "Frames: 99999999"))


@pytest.mark.parametrize(
    "text",
    [
        GOOD[:MOTION] + "MOTION" + " " * 2_000_000,
        GOOD[:MOTION] + "MOTION Frames" + " " * 2_000_000,
        GOOD[:MOTION] + "MOTION Frames: 2 Frame Time" + "\n" * 2_000_000 + ":",
        GOOD.replace("-4", "1" * 2_000_000 + "x"),
        GOOD.replace("5 7", "1" * 2_000_000 + "x"),
        GOOD.replace("Knee", "K" * 2_000_000),
        GOOD.replace("Knee", "K " * 1_000_000),
        "{" * 2_000_000,
        "HIERARCHY ROOT a" + "{" * 2_000_000,
        "x" * 2_000_000,
    ],
    ids=range(10),
)
def test_long_runs_take_linear_time(text: str) -> None:
    start = time.perf_counter()
    with pytest.raises(BvhError):
        parse_bvh(text)
    assert time.perf_counter() - start < 5  # a quadratic search over so many would take hours


def clip_or_error(data: bytes) -> None:
    try:
        clip = parse_bvh(data)
    except BvhError as error:
        assert error.line >= 1
    else:
        assert isinstance(clip, Clip) and np.isfinite(clip.positions).all()


@pytest.mark.kernels
def test_truncation_anywhere_is_a_clip_or_an_error() -> None:
    data = GOOD.encode()
    whole = 0
    for end in range(len(data)):
        try:
            parse_bvh(data[:end])
        except BvhError as error:
            assert 1 <= error.line <= 21
        else:
            whole += 1
    assert whole == 1  # only the last line's end can go


@pytest.mark.kernels
@settings(max_examples=400, deadline=2000)
@given(st.data())
def test_mutations_are_a_clip_or_an_error(source: st.DataObject) -> None:
    data = bytearray(GOOD.encode())
    for _ in range(source.draw(st.integers(1, 6))):
        at = source.draw(st.integers(0, max(len(data) - 1, 0)))
        words = st.sampled_from([b"{", b"}", b" ", b"\n", b"-", b"e", b"9999999"])
        new = source.draw(st.binary(max_size=4) | words)
        data[at : at + source.draw(st.integers(0, 4))] = new
    clip_or_error(bytes(data))


@settings(max_examples=300, deadline=2000)
@given(st.lists(st.sampled_from([*GOOD.split(), "1e308", "-1e308", "1e-320", "nan"]), max_size=80))
@example(GOOD.replace("-4", "1e308").replace("-3", "-1e308").split())
def test_shuffled_words_are_a_clip_or_an_error(words: list[str]) -> None:
    clip_or_error(" ".join(words).encode())
    clip_or_error((GOOD + " ".join(words)).encode())
    clip_or_error((GOOD[:MOTION] + " ".join(words)).encode())


@settings(max_examples=200, deadline=2000)
@given(st.binary(max_size=300))
def test_noise_is_an_error(data: bytes) -> None:
    with pytest.raises(BvhError):
        parse_bvh(data)
    clip_or_error(GOOD.encode() + data)
