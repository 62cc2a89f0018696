"""BVH in and out: round trips, independent oracles, and every way of laying out the same file."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from hoofbeat.body.clip import Clip
from hoofbeat.body.skeleton import Skeleton
from hoofbeat.errors import BvhError
from hoofbeat.formats.bvh.reader import parse_bvh, read_bvh, scan_numbers, unique_names
from hoofbeat.formats.bvh.writer import ORDERS, format_bvh, write_bvh

DATA = Path(os.environ.get("HOOFBEAT_DATA", Path(__file__).resolve().parents[2] / "shared" / "data"))
DOGS = sorted((DATA / "dog").glob("*.bvh"))
HORSE = DATA / "thesis" / "horse.bvh"
needs_dogs = pytest.mark.skipif(not DOGS, reason=f"no dog clips in {DATA} (set HOOFBEAT_DATA)")
needs_horse = pytest.mark.skipif(not HORSE.exists(), reason=f"no thesis horse in {DATA} (set HOOFBEAT_DATA)")

SAMPLE = """HIERARCHY
ROOT Hips
{
\tOFFSET 1.5 -2.0 30
\tCHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
\tJOINT Knee
\t{
\t\tOFFSET 0.0 -4.25 0.5
\t\tCHANNELS 3 Yrotation Xrotation Zrotation
\t\tEnd Site
\t\t{
\t\t\tOFFSET 0.0 -3.0 1.0
\t\t}
\t}
}
MOTION
Frames: 3
Frame Time: 0.0166667
0 9.5 0 10 20 30 -10 5 0.25
0.5 9.25 0.125 11 21 31 -9 4 0.5
1 9 0.25 12 22 32 -8 3 0.75
"""


def same(a: Clip, b: Clip, within: float = 0.0) -> None:
    assert a.skeleton.names == b.skeleton.names
    assert a.skeleton.parents.tolist() == b.skeleton.parents.tolist()
    assert a.skeleton.ends.tolist() == b.skeleton.ends.tolist()
    assert a.fps == pytest.approx(b.fps, rel=1e-11)
    np.testing.assert_allclose(a.skeleton.offsets, b.skeleton.offsets, rtol=0, atol=within)
    np.testing.assert_allclose(a.positions, b.positions, rtol=0, atol=within)


# --- files of other people -----------------------------------------------------------------------


@pytest.mark.data
@needs_dogs
@pytest.mark.parametrize("path", DOGS, ids=lambda path: path.stem)
def test_dog_clips_survive_a_round_trip(path: Path, tmp_path: Path) -> None:
    clip = read_bvh(path, scale=0.01)
    assert (len(clip.skeleton), len(clip.skeleton.joints), clip.fps) == (27, 21, 60.0)
    assert clip.positions[:, 0, 1].min() > 0.0 and clip.positions[:, 0, 1].max() < 2.0
    written = write_bvh(clip, tmp_path / "again.bvh", scale=100)
    same(clip, read_bvh(written, scale=0.01), within=1e-6)


@pytest.mark.data
@needs_dogs
def test_pymotion_finds_the_same_pose() -> None:
    bvh = pytest.importorskip("pymotion.io.bvh")
    skeleton = pytest.importorskip("pymotion.ops.skeleton")
    peer = bvh.BVH()
    peer.load(str(DOGS[0]))
    rotations, positions, parents, offsets, sites, _ = peer.get_data()
    offsets[0] = 0  # the root's position channels are absolute
    world, _ = skeleton.fk(rotations, positions[:, 0], offsets, parents)
    clip = read_bvh(DOGS[0])
    joints = ~clip.skeleton.ends
    np.testing.assert_allclose(clip.positions[:, joints], world, rtol=0, atol=1e-3)  # centimetres
    np.testing.assert_allclose(clip.skeleton.offsets[clip.skeleton.ends], sites)
    ours = clip.rotations[:, joints][..., [3, 0, 1, 2]]  # pymotion has w first
    assert (1 - np.abs(np.sum(ours * rotations, axis=-1))).max() < 1e-6


@pytest.mark.data
@needs_horse
def test_thesis_horse_has_49_joints_and_six_ends() -> None:
    clip = read_bvh(HORSE)
    assert (len(clip.skeleton), len(clip.skeleton.joints), len(clip), clip.fps) == (55, 49, 1, 24.0)
    assert clip.name == "horse"
    assert "EFRearHoofRight_end" in clip.skeleton.names
    np.testing.assert_allclose(clip.positions[0], clip.skeleton.rest_positions(), atol=1e-12)
    same(clip, parse_bvh(format_bvh(clip)), within=1e-9)


# --- what the numbers mean -----------------------------------------------------------------------


def test_root_channels_replace_the_root_offset() -> None:
    clip = parse_bvh(SAMPLE, scale=0.5)
    np.testing.assert_allclose(clip.origins[1], [0.25, 4.625, 0.0625])
    np.testing.assert_allclose(clip.positions[:, 0], clip.origins)
    np.testing.assert_allclose(clip.skeleton.offsets[0], [0.75, -1.0, 15.0])  # kept, to write it back


def test_missing_root_channels_come_from_the_offset() -> None:
    text = SAMPLE.replace("6 Xposition Yposition Zposition", "4 Yposition")
    text = re.sub(r"^(\S+) (\S+) (\S+) (\d+ \d+ \d+)", r"\2 \4", text, flags=re.MULTILINE)
    clip = parse_bvh(text)
    np.testing.assert_allclose(clip.origins, [[1.5, 9.5, 30], [1.5, 9.25, 30], [1.5, 9, 30]])
    same(Clip(clip.skeleton, parse_bvh(SAMPLE).rotations, clip.origins, 60), clip)


def test_constant_positions_of_an_inner_joint_replace_its_offset() -> None:
    text = SAMPLE.replace("CHANNELS 3 Yrot", "CHANNELS 6 Xposition Yposition Zposition Yrot")
    text = re.sub(r"( -\d+ \d+ 0\.\d+)$", r" 1 2 3.00001\1", text, flags=re.MULTILINE)
    clip = parse_bvh(text)
    np.testing.assert_allclose(clip.skeleton.offsets[1], [1, 2, 3.00001])
    np.testing.assert_array_equal(clip.rotations, parse_bvh(SAMPLE).rotations)
    with pytest.raises(BvhError, match=r"frame 1, Zposition of Knee, moves the bone") as caught:
        parse_bvh(text.replace("3.00001 -9", "3.1 -9"))
    assert caught.value.line == 20


def test_names_are_made_unique_and_end_sites_yield() -> None:
    end = "End Site { OFFSET 0 1 0 }"
    text = (
        f"HIERARCHY ROOT a {{ OFFSET 0 0 0 CHANNELS 0 {end} {end}"
        f"JOINT a {{ OFFSET 1 0 0 }} JOINT a_end {{ OFFSET 2 0 0 {end} }} JOINT a {{ OFFSET 3 0 0 }} }}"
        "MOTION Frames: 1 Frame Time: 0.1"
    )
    clip = parse_bvh(text)
    assert clip.skeleton.names == ("a", "a_end_2", "a_end_3", "a_2", "a_end", "a_end_end", "a_3")
    assert clip.skeleton.ends.tolist() == [False, True, True, False, False, True, False]
    np.testing.assert_array_equal(clip.rotations[0], [[0, 0, 0, 1]] * 7)


def test_a_name_made_unique_takes_nobody_elses() -> None:
    assert unique_names(["a", "a", "a_2", "a"], [False] * 4) == ["a", "a_3", "a_2", "a_4"]


@pytest.mark.parametrize(
    ("text", "fps"),
    [
        ("0.0166667", 60), ("0.016666", 60), ("1.66667e-2", 60), (".04", 25), ("0.033333", 30),
        ("0.0083333", 120), ("0.0333667", 1 / 0.0333667), ("0.017", 1 / 0.017), ("2", 0.5), ("+1.", 1),
        ("0.0166683", 1 / 0.0166683),
    ],
)  # fmt: skip
def test_frame_times_that_mean_a_whole_rate_give_it(text: str, fps: float) -> None:
    assert parse_bvh(SAMPLE.replace("0.0166667", text)).fps == fps


SPELT = r"[+-]?([0-9]{1,40}\.?[0-9]{0,40}|\.[0-9]{1,40})([eE][+-]?[0-9]{1,3})?"
NUMBERS = st.floats(allow_nan=False, allow_infinity=False).map(repr) | st.from_regex(SPELT, fullmatch=True)


@pytest.mark.kernels
@settings(max_examples=300, deadline=None)
@given(st.lists(NUMBERS.filter(lambda word: bool(np.isfinite(float(word)))), max_size=20))
def test_numbers_agree_with_python(words: list[str]) -> None:
    out = np.empty(len(words))
    found, count, _ = scan_numbers(np.frombuffer("\t \r\n".join(words).encode(), np.uint8), 0, out)
    expected = np.array([float(word) for word in words])
    edge = np.abs(expected) > 1.7e308  # a last-digit difference may carry these to infinity
    if not edge.any():
        assert (found, count) == (0, len(words))
        np.testing.assert_allclose(out, expected, rtol=1e-15, atol=1e-322)


@given(st.decimals(-1000, 1000, places=6).map(str))
def test_ordinary_numbers_are_read_exactly(word: str) -> None:
    out = np.empty(1)
    scan_numbers(np.frombuffer(word.encode(), np.uint8), 0, out)
    assert out[0] == float(word)


# --- random trees --------------------------------------------------------------------------------


@st.composite
def written_clips(draw: st.DrawFn) -> tuple[str, NDArray[np.float64]]:
    """A BVH text with random tree, channels and frames, and its joint positions by SciPy (T, J, 3)."""
    count, frames = draw(st.integers(1, 7)), draw(st.integers(1, 4))
    parents = [-1] + [draw(st.integers(0, j - 1)) for j in range(1, count)]
    order: list[int] = []  # the nodes as the file has them
    heads: list[str] = []
    channels: dict[int, list[str]] = {}
    number = st.floats(-9, 9).map(lambda x: round(x, 5))
    offsets = np.array([[draw(number) for _ in range(3)] for _ in range(count)])

    def visit(j: int) -> None:
        order.append(j)
        moves = draw(st.permutations("XYZ"))[: draw(st.integers(0, 3))] if j == 0 else []
        turns = draw(st.permutations("XYZ"))[: draw(st.integers(0, 3))]
        names = [f"{axis}position" for axis in moves] + [f"{axis}rotation" for axis in turns]
        channels[j] = draw(st.permutations(names))
        x, y, z = offsets[j]
        heads.append(f"{'JOINT' if j else 'ROOT'} n{j} {{ OFFSET {x} {y} {z}")
        if channels[j] or draw(st.booleans()):
            heads.append(f"CHANNELS {len(channels[j])} {' '.join(channels[j])}")
        for child in range(1, count):
            if parents[child] == j:
                visit(child)
        heads.append("}")

    visit(0)
    values = {
        j: np.array([[draw(number) * 20 for _ in channels[j]] for _ in range(frames)]).reshape(frames, -1)
        for j in order
    }
    rows = [" ".join(repr(float(v)) for j in order for v in values[j][t]) for t in range(frames)]
    head = "\n".join(heads)
    text = f"HIERARCHY\n{head}\nMOTION\nFrames: {frames}\nFrame Time: 0.04\n" + "\n".join(rows)
    positions = np.zeros((frames, count, 3))
    world: dict[int, Any] = {}
    for k, j in enumerate(order):
        turning = [i for i, name in enumerate(channels[j]) if "rot" in name]
        axes = "".join(channels[j][i][0] for i in turning)
        local = Rotation.identity(frames)
        if axes:
            local = Rotation.from_euler(axes, values[j][:, turning], degrees=True)
        if j == 0:
            positions[:, 0] = offsets[0]
            for i, name in enumerate(channels[0]):
                if "pos" in name:
                    positions[:, 0, "XYZ".index(name[0])] = values[0][:, i]
            world[0] = local
        else:
            above = world[parents[j]]
            positions[:, k] = positions[:, order.index(parents[j])] + above.apply(offsets[j])
            world[j] = above * local
    return text, positions


@pytest.mark.kernels
@settings(max_examples=150, deadline=None)
@given(written_clips())
def test_random_files_give_the_positions_scipy_gives(made: tuple[str, NDArray[np.float64]]) -> None:
    text, positions = made
    np.testing.assert_allclose(parse_bvh(text).positions, positions, rtol=0, atol=1e-9)


@st.composite
def clips(draw: st.DrawFn) -> Clip:
    """Random clips: any parents-first order, several end sites, half turns and gimbal poles included."""
    count, frames = draw(st.integers(1, 8)), draw(st.integers(0, 4))
    parents, ends, names = [-1], [False], ["n0"]
    for j in range(1, count):
        parents.append(draw(st.sampled_from([i for i in range(j) if not ends[i]])))
        ends.append(draw(st.booleans()))
        siblings = sum(ends[i] and parents[i] == parents[j] for i in range(j))
        end = f"{names[parents[j]]}_end" + (f"_{siblings + 1}" if siblings else "")
        names.append(end if ends[j] else f"n{j}")
    angle = st.sampled_from([-180.0, -90.0, 0.0, 90.0, 180.0, 89.99999, 60.0]) | st.floats(-180, 180)
    triples = [[draw(angle) for _ in range(3)] for _ in range(frames * count)]
    rotations = np.zeros((0, count, 4))
    if frames:
        spun = Rotation.from_euler(draw(st.sampled_from(ORDERS)).upper(), triples, degrees=True)
        rotations = spun.as_quat().reshape(frames, count, 4)
    rotations[:, ends] = [0, 0, 0, 1]
    length = st.floats(-2, 2)
    offsets = [[draw(length) for _ in range(3)] for _ in range(count)]
    origins = np.reshape([draw(st.floats(-1e3, 1e3)) for _ in range(3 * frames)], (frames, 3))
    return Clip(Skeleton(names, parents, offsets, ends), rotations, origins, draw(st.floats(0.5, 1000)))


@pytest.mark.kernels
@settings(max_examples=200, deadline=None)
@given(clips(), st.sampled_from(ORDERS), st.sampled_from([1.0, 100.0]))
def test_random_clips_survive_a_round_trip(clip: Clip, order: str, scale: float) -> None:
    again = parse_bvh(format_bvh(clip, scale, order), scale=1 / scale)
    assert (len(again), again.fps) == (len(clip), pytest.approx(clip.fps, rel=1e-10))
    assert sorted(again.skeleton.names) == sorted(clip.skeleton.names)
    places = [again.skeleton.index(name) for name in clip.skeleton.names]
    assert again.skeleton.ends[places].tolist() == clip.skeleton.ends.tolist()
    np.testing.assert_allclose(again.skeleton.offsets[places], clip.skeleton.offsets, atol=1e-9)
    np.testing.assert_allclose(again.positions[:, places], clip.positions, rtol=0, atol=1e-6)


# --- layouts -------------------------------------------------------------------------------------


LAYOUTS: list[Callable[[str], str]] = [
    lambda s: s.replace("\n", "\r\n"),
    lambda s: s.replace("\n", "\r"),
    lambda s: "\ufeff" + s,
    lambda s: s.replace("\t", "        "),
    lambda s: s.replace(" ", "\t \t"),
    lambda s: s + "\n \n\t\n\n",
    lambda s: s.rstrip(),
    lambda s: "\n\n" + s.replace("\n", "\n\n"),
    lambda s: s.lower().replace("hips", "Hips").replace("knee", "Knee"),
    lambda s: s.replace("rotation", "ROTATION").replace("position", "POSITION").replace("End", "END"),
    lambda s: s.replace("End Site", "EndSite"),
    lambda s: s.replace("\n{", " {").replace("\n\t{", "{"),
    lambda s: s.replace("Frames: ", "Frames:").replace("Frame Time: ", "Frame Time:"),
    lambda s: s.replace("Frames: ", "Frames :\t").replace("Frame Time:", "FrameTime :"),
    lambda s: s.replace("Frames:", "Frames").replace("Frame Time:", "FRAME TIME"),
    lambda s: s[: s.index("0.0166667") + 9] + "\n" + "\n".join(s[s.index("0.0166667") + 9 :].split()),
    lambda s: s[: s.index("0.0166667") + 9] + " " + " ".join(s[s.index("0.0166667") + 9 :].split()),
    lambda s: s.replace("9.25", "925e-2").replace("-4.25", "-.425E+1").replace("30", "+3.0e1"),
    lambda s: s.replace("9.25", "0000009.25000000000000000000000000000000000001"),
]


@pytest.mark.kernels
@pytest.mark.parametrize("change", LAYOUTS)
def test_layouts_of_the_same_file_are_the_same_clip(change: Callable[[str], str]) -> None:
    text = change(SAMPLE)
    assert text != SAMPLE
    same(parse_bvh(text), parse_bvh(SAMPLE))
    same(parse_bvh(text.encode()), parse_bvh(SAMPLE))


def test_names_may_hold_blanks_and_are_written_without() -> None:
    text = SAMPLE.replace("JOINT Knee", "JOINT  Left  Knie ä ").replace("ROOT Hips", "ROOT Left_Knie_ä")
    clip = parse_bvh(text)
    assert clip.skeleton.names == ("Left_Knie_ä", "Left Knie ä", "Left Knie ä_end")
    again = parse_bvh(format_bvh(clip))
    assert again.skeleton.names == ("Left_Knie_ä", "Left_Knie_ä_2", "Left_Knie_ä_2_end")


def test_read_and_parse_agree_and_the_clip_is_named_after_the_file(tmp_path: Path) -> None:
    path = tmp_path / "walk.one.bvh"
    path.write_text(SAMPLE)
    clip = read_bvh(path, scale=2)
    same(clip, parse_bvh(SAMPLE, scale=2))
    assert clip.name == "walk.one"


# --- writing -------------------------------------------------------------------------------------


def test_written_text_is_what_it_says(tmp_path: Path) -> None:
    clip = parse_bvh(SAMPLE)
    text = format_bvh(clip, order="YXZ")
    assert write_bvh(clip, tmp_path / "a.bvh", order="yxz").read_text() == text
    assert text.count("CHANNELS 3 Yrotation Xrotation Zrotation") == 1
    assert text.count("End Site") == 1
    assert "Frames: 3\nFrame Time: 0.0166666666667\n0.0000000 9.5000000 0.0000000 " in text


@pytest.mark.kernels
def test_numbers_are_rounded_and_zero_has_no_sign() -> None:
    skeleton = Skeleton(["a"], [-1], [[0, 0, 0]])
    clip = Clip(skeleton, [[[0, 0, 0, 1]]], [[-4e-8, -1234567.89, 0.99999996]], 30)
    assert format_bvh(clip).splitlines()[-1].split()[:3] == ["0.0000000", "-1234567.8900000", "1.0000000"]


@pytest.mark.kernels
def test_written_angles_run_on_through_poles_and_whole_turns() -> None:
    angles = np.linspace(0, 900, 301)  # two and a half turns about the middle axis of zxy, 3 degrees a frame
    rotations = Rotation.from_euler("x", angles[:, None], degrees=True).as_quat()[:, None]
    clip = Clip(Skeleton(["a"], [-1], [[0, 0, 0]]), rotations, np.zeros((301, 3)), 60)
    lines = format_bvh(clip).splitlines()[-301:]
    written = np.array([[float(word) for word in line.split()] for line in lines])
    assert np.abs(np.diff(written, axis=0)).max() == pytest.approx(3, abs=1e-5)
    np.testing.assert_allclose(written[:, 4], angles, atol=1e-5)


def test_an_end_with_children_is_written_as_a_joint() -> None:
    skeleton = Skeleton(["a", "b", "c"], [-1, 0, 1], np.eye(3), [True, True, True])
    clip = Clip(skeleton, np.tile([0.0, 0, 0, 1], (2, 3, 1)), np.zeros((2, 3)), 30)
    again = parse_bvh(format_bvh(clip))
    assert again.skeleton.ends.tolist() == [False, False, True]
    np.testing.assert_allclose(again.positions, clip.positions)


def test_deep_and_wide_trees_are_written_and_read() -> None:
    for parents in (range(-1, 2999), [-1, *[0] * 2999]):
        skeleton = Skeleton([f"n{j}" for j in range(3000)], list(parents), np.ones((3000, 3)))
        clip = Clip(skeleton, np.tile([0.0, 0, 0, 1], (1, 3000, 1)), np.zeros((1, 3)), 30)
        same(parse_bvh(format_bvh(clip)), clip)


@pytest.mark.parametrize("order", ["", "xy", "xyx", "xyzw", "abc"])
def test_unknown_orders_name_the_known_ones(order: str) -> None:
    with pytest.raises(BvhError, match="xyz, xzy, yxz, yzx, zxy, zyx"):
        format_bvh(parse_bvh(SAMPLE), order=order)


@pytest.mark.parametrize("scale", [0.0, -1.0, np.nan, np.inf, 1e300])
def test_senseless_scales_are_refused(scale: float) -> None:
    with pytest.raises(BvhError, match="scale"):
        parse_bvh(SAMPLE, scale=scale)
    with pytest.raises(BvhError, match="scale"):
        format_bvh(parse_bvh(SAMPLE), scale=scale)


def test_a_refused_write_keeps_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "a.bvh"
    path.write_text("old")
    with pytest.raises(BvhError):
        write_bvh(parse_bvh(SAMPLE), path, order="no")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]
