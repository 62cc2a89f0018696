"""Pictures say what the clip says: marks where contacts are, the near side in front, metres of the world."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from hoofbeat.body.clip import Clip
from hoofbeat.body.legs.find import find_legs
from hoofbeat.body.root import ground_speed
from hoofbeat.body.skeleton import Leg, Skeleton
from hoofbeat.errors import ClipError, FileError
from hoofbeat.formats.bvh.reader import read_bvh
from hoofbeat.render import (
    THEMES,
    VIEWS,
    Look,
    PictureError,
    Reel,
    UnknownTheme,
    UnknownView,
    contact_sheet,
    draw_pose,
    footfall_picture,
    moving_picture,
)
from hoofbeat.render.draw.animal import spot_of
from hoofbeat.render.draw.camera import follow_track, smooth_track, still_track
from hoofbeat.render.draw.canvas import Canvas, capsules, outline_of
from hoofbeat.render.draw.figure import HEAD, NECK, SPINE, TAIL, figure_of
from hoofbeat.render.draw.layout import SheetLayout, layout_of
from hoofbeat.render.draw.scene import gait_labels, scene_of, stances
from hoofbeat.render.draw.shot import shot_of
from hoofbeat.render.pages.footfall import ROWS, Strip, bars_of, paint_bars
from hoofbeat.render.pages.sheet import GAP

LIGHT = THEMES["light"]
FPS = 60.0


def skeleton_of(legs: bool = True) -> Skeleton:
    """A plain horse: trunk, neck and head, tail, and four legs of five bones."""
    names, parents, offsets = ["pelvis"], [-1], [(0.0, 0.0, 0.0)]

    def add(name: str, parent: str, *offset: float) -> None:
        names.append(name)
        parents.append(names.index(parent))
        offsets.append((offset[0], offset[1], offset[2]))

    for name, parent, *offset in (
        ("loin", "pelvis", 0, 0, 0.4), ("withers", "loin", 0, 0.05, 0.6), ("neck", "withers", 0, 0.25, 0.25),
        ("poll", "neck", 0, 0.25, 0.2), ("muzzle", "poll", 0, -0.3, 0.3), ("tail", "pelvis", 0, -0.02, -0.25),
        ("tail_tip", "tail", 0, -0.5, -0.1),
    ):  # fmt: skip
        add(str(name), str(parent), *(float(v) for v in offset))
    for leg in ("LF", "RF", "LH", "RH"):
        parent, down, ahead = ("withers", -0.35, 0.15) if leg[1] == "F" else ("pelvis", -0.10, -0.05)
        add(f"{leg}_top", parent, 0.16 if leg[0] == "L" else -0.16, down, ahead)
        for bone, (y, z) in zip(("mid", "low", "pastern", "toe"), LEG_BONES[parent], strict=True):
            add(f"{leg}_{bone}", names[-1], 0.0, y, z)
    index = names.index
    found = [Leg(k, *(index(f"{k}_{bone}") for bone in ("top", "mid", "low", "pastern", "toe")))
             for k in ("LF", "RF", "LH", "RH")]  # fmt: skip
    ends = [n in ("muzzle", "tail_tip") or n.endswith("_toe") for n in names]
    return Skeleton(names, parents, offsets, ends, found if legs else ())


# Bones from the top down to the toe (y, z) [m]; both kinds end 1.2 m below the pelvis.
LEG_BONES = {
    "withers": ((-0.25, -0.15), (-0.38, 0.05), (-0.20, 0.0), (-0.07, 0.05)),
    "pelvis": ((-0.35, 0.12), (-0.35, -0.15), (-0.30, 0.0), (-0.10, 0.05)),
}
HORSE = skeleton_of()
HEIGHT = 1.2


def clip_of(
    seconds: float = 1.0, speed: float = 1.5, skeleton: Skeleton = HORSE, sink: float = 0.0, **extras: Any
) -> Clip:
    """Legs swing by a sine about their tops; each leg is down in its own half of every second."""
    count = round(seconds * FPS)
    time = np.arange(count) / FPS
    rotations = np.zeros((count, len(skeleton), 4))
    rotations[..., 3] = 1.0
    for k, leg in enumerate(HORSE.legs):
        half = 0.15 * np.sin(2 * np.pi * (time + k / 4))
        rotations[:, leg.top] = np.stack([np.sin(half), 0 * half, 0 * half, np.cos(half)], axis=-1)
    origins = np.stack([0 * time, 0 * time + HEIGHT - sink, speed * time], axis=-1)
    contacts = np.stack([(time + k / 4) % 1.0 < 0.5 for k in range(4)], axis=1).astype(float)
    return Clip(skeleton, rotations, origins, FPS, contacts, "test", extras)


def still_clip(contacts: tuple[int, int, int, int], sink: float = 0.0, frames: int = 1) -> Clip:
    """A standing horse, all toes `sink` below the ground, with the contacts it is said to have."""
    rotations = np.zeros((frames, len(HORSE), 4))
    rotations[..., 3] = 1.0
    origins = np.tile([0.0, HEIGHT - sink, 0.0], (frames, 1))
    return Clip(HORSE, rotations, origins, FPS, np.tile(np.array(contacts, float), (frames, 1)), "still")


def painted(
    clip: Clip, view: str, frame: int = 0, look: Look | None = None
) -> tuple[Image.Image, SheetLayout]:
    scene = scene_of(clip, np.array([float(frame)]), look or Look())
    layout = layout_of(scene, view, 640)
    canvas = Canvas(layout.width, layout.height, scene.look.theme.paper)
    layout.paint(canvas, 0)
    return canvas.finish(), layout


def count_colour(image: Image.Image, colour: tuple[int, int, int], slack: int = 3) -> int:
    pixels = np.asarray(image.convert("RGB"), np.int64)
    return int((np.abs(pixels - colour).max(axis=-1) <= slack).sum())


def near_colour(
    image: Image.Image, spot: tuple[float, float], colour: tuple[int, int, int], slack: int = 6
) -> bool:
    pixel: Any = image.getpixel((round(spot[0]), round(spot[1])))
    return max(abs(a - b) for a, b in zip(pixel, colour, strict=True)) <= slack


# ---- files ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("view", VIEWS)
def test_sheet_has_the_size_asked_for(tmp_path: Path, view: str) -> None:
    path = contact_sheet(clip_of(), tmp_path / "a.png", frames=5, view=view, columns=3, cell=200)
    with Image.open(path) as image:
        assert image.format == "PNG"
        assert image.width == 3 * 200 + 4 * GAP
        two_rows = image.height
    contact_sheet(clip_of(), path, frames=[0, -1, 7], view=view, columns=3, cell=200)
    with Image.open(path) as image:
        assert image.height < two_rows


@pytest.mark.parametrize("ending", [".webp", ".gif"])
def test_moving_picture_has_frames_size_and_duration(tmp_path: Path, ending: str) -> None:
    path = moving_picture(clip_of(0.5), tmp_path / f"a{ending}", fps=24, width=320, slow=2.0)
    with Image.open(path) as image:
        frames, total = int(getattr(image, "n_frames", 1)), 0
        for i in range(frames):
            image.seek(i)
            image.load()
            total += image.info["duration"]
        assert (frames, image.width) == (24, 320)
        assert total == pytest.approx(1000, abs=10)
        assert image.info["loop"] == 0


def test_moving_frames_differ_and_front_stands_beside_side() -> None:
    reel = Reel(clip_of(), "both", fps=10, width=320)
    first, second = np.asarray(reel.frame(0)), np.asarray(reel.frame(1))
    assert first.shape == second.shape == (reel.size[1], 320, 3)
    assert reel.size[1] % 2 == 0
    assert (first != second).any(axis=-1).mean() > 0.01
    side, front = reel.layout.panels
    assert side.scale == front.scale
    assert side.centre_y == front.centre_y
    assert front.x == side.width


def test_pictures_are_the_same_every_time(tmp_path: Path) -> None:
    clip = clip_of(0.2)
    one = contact_sheet(clip, tmp_path / "a.png", 2, cell=160).read_bytes()
    assert contact_sheet(clip_of(0.2), tmp_path / "b.png", 2, cell=160).read_bytes() == one
    one = moving_picture(clip, tmp_path / "a.webp", width=160).read_bytes()
    assert moving_picture(clip_of(0.2), tmp_path / "b.webp", width=160).read_bytes() == one


@pytest.mark.parametrize("ending", [".webp", ".gif"])
def test_progress_counts_every_frame_once(tmp_path: Path, ending: str) -> None:
    seen: list[tuple[int, int]] = []
    moving_picture(clip_of(0.2), tmp_path / f"a{ending}", width=96, progress=lambda *pair: seen.append(pair))
    assert seen == [(i + 1, 6) for i in range(6)]


def test_a_failed_picture_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "ride.webp"
    path.write_bytes(b"old")

    def stop(done: int, total: int) -> None:
        if done > total / 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        moving_picture(clip_of(0.3), path, width=96, progress=stop)
    assert path.read_bytes() == b"old"
    assert [p.name for p in tmp_path.iterdir()] == ["ride.webp"]
    with pytest.raises(FileError, match="does not exist"):
        contact_sheet(clip_of(0.1), tmp_path / "no" / "a.png", 1, cell=64)


def test_one_frame_is_enough(tmp_path: Path) -> None:
    clip = still_clip((1, 1, 1, 1))
    for ending in ("webp", "gif"):
        with Image.open(moving_picture(clip, tmp_path / f"a.{ending}", width=128)) as image:
            assert getattr(image, "n_frames", 1) == 1
    assert contact_sheet(clip, tmp_path / "a.png", frames=8).exists()
    assert footfall_picture(clip, tmp_path / "b.png").exists()
    assert ground_speed(clip).tolist() == [0.0]


# ---- what is refused ----------------------------------------------------------------------------------

DRAW: dict[str, Callable[..., object]] = {
    "sheet": lambda clip, folder, **kw: contact_sheet(clip, folder / "a.png", **kw),
    "moving": lambda clip, folder, **kw: moving_picture(clip, folder / "a.webp", **kw),
    "pose": lambda clip, _folder, **kw: draw_pose(clip, **kw),
}


@pytest.mark.parametrize("kind", DRAW)
def test_views_and_themes_are_listed(tmp_path: Path, kind: str) -> None:
    with pytest.raises(UnknownView, match="did you mean 'side'.*side, front, both, top"):
        DRAW[kind](clip_of(0.1), tmp_path, view="sidee")
    with pytest.raises(UnknownTheme, match="light, dark"):
        DRAW[kind](clip_of(0.1), tmp_path, theme="blue")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("kind", [*DRAW, "footfall"])
def test_empty_clip_is_refused(tmp_path: Path, kind: str) -> None:
    empty = Clip(HORSE, np.zeros((0, len(HORSE), 4)), np.zeros((0, 3)), FPS, np.zeros((0, 4)), "empty")
    draw = DRAW.get(kind, lambda clip, folder: footfall_picture(clip, folder / "a.png"))
    with pytest.raises(ClipError, match="no frames"):
        draw(empty, tmp_path)


@pytest.mark.parametrize(
    ("kind", "bad"),
    [
        ("sheet", {"frames": 0}),
        ("sheet", {"frames": [99]}),
        ("sheet", {"frames": ["one"]}),
        ("sheet", {"frames": []}),
        ("sheet", {"columns": 0}),
        ("sheet", {"cell": 1}),
        ("moving", {"fps": float("nan")}),
        ("moving", {"fps": 0}),
        ("moving", {"slow": -1}),
        ("moving", {"width": 10**9}),
        ("moving", {"slow": 100.0, "fps": 100.0, "width": 100.5}),
        ("pose", {"frame": -99}),
        ("pose", {"ground": lambda x, z: (x + z) * np.nan}),
        ("pose", {"ground": lambda x, z: np.append(x, z)}),
    ],
)
def test_bad_wishes_are_refused_by_name(tmp_path: Path, kind: str, bad: dict[str, Any]) -> None:
    with pytest.raises(PictureError):
        DRAW[kind](clip_of(0.2), tmp_path, **bad)
    assert list(tmp_path.iterdir()) == []


def test_wrong_endings_and_missing_contacts_are_refused(tmp_path: Path) -> None:
    clip = clip_of(0.1)
    with pytest.raises(ClipError, match=r"\.webp or \.gif or \.mp4"):
        moving_picture(clip, tmp_path / "a.avi")
    with pytest.raises(ClipError, match=r"\.png"):
        contact_sheet(clip, tmp_path / "a.jpg")
    unknown = Clip(HORSE, clip.rotations, clip.origins, FPS)
    with pytest.raises(ClipError, match="no contacts"):
        footfall_picture(unknown, tmp_path / "a.png")
    assert moving_picture(unknown, tmp_path / "a.webp", width=96).exists()
    with pytest.raises(PictureError, match="centimetres"):
        draw_pose(Clip(HORSE.scaled(1e5), clip.rotations, clip.origins * 1e5, FPS))


# ---- what the picture says -----------------------------------------------------------------------------


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("view", ["side", "front", "top"])
def test_discs_are_where_contacts_are(view: str, theme: str) -> None:
    look = Look(THEMES[theme])
    for k in range(4):
        contacts = tuple(int(i == k) for i in range(4))
        image, layout = painted(still_clip(contacts), view, look=look)  # type: ignore[arg-type]
        shot, panel = layout.shots[0], layout.panels[0]
        spots = [spot_of(shot, 0, panel, i) for i in range(4)]
        if view == "top":  # beside the hoof, which covers the middle of its disc
            spots = [(x + 0.035 * panel.scale, y) for x, y in spots]
        marked = [near_colour(image, spots[i], look.theme.legs[i]) for i in range(4)]
        assert marked == [i == k for i in range(4)]


def test_a_contact_in_the_air_is_a_ring() -> None:
    image, layout = painted(still_clip((0, 1, 0, 0), sink=-0.2), "side")
    x, y = spot_of(layout.shots[0], 0, layout.panels[0], 1)
    assert not near_colour(image, (x, y), LIGHT.legs[1])
    across = [near_colour(image, (x + d, y), LIGHT.legs[1], slack=60) for d in range(-20, 21)]
    assert 2 <= sum(across) <= 8


@pytest.mark.parametrize(("sink", "marked"), [(0.001, False), (0.003, True), (0.05, True), (-0.1, False)])
def test_toes_below_the_ground_raise_the_alarm(sink: float, marked: bool) -> None:
    image, _ = painted(still_clip((1, 1, 1, 1), sink=sink), "side")
    assert (count_colour(image, LIGHT.alarm) > 20) == marked


def test_ground_function_lifts_the_ground() -> None:
    hill = Look(ground=lambda x, z: 0.3 + 0 * (x + z))
    image, layout = painted(still_clip((1, 1, 1, 1), sink=-0.3), "side", look=hill)
    assert count_colour(image, LIGHT.alarm) == 0
    assert np.abs(layout.shots[0].scene.height).max() < 1e-6
    sunk, _ = painted(still_clip((1, 1, 1, 1)), "side", look=hill)
    assert count_colour(sunk, LIGHT.alarm) > 20


def test_near_side_covers_the_far_side() -> None:
    image, layout = painted(still_clip((0, 0, 0, 0)), "side")
    shot, panel = layout.shots[0], layout.panels[0]
    assert shot.near[0].tolist() == [False, True, False, True]
    for k in (1, 3):  # both legs of a pair stand in one place: only the near one is seen
        leg = HORSE.legs[k]
        middle = (shot.joints[0, leg.low] + shot.joints[0, leg.pastern]) / 2
        assert near_colour(image, tuple(panel.pixels(middle)), LIGHT.ink)
    apart, layout = painted(clip_of(), "side", frame=22)
    shot, panel = layout.shots[0], layout.panels[0]
    leg = HORSE.legs[0]
    middle = (shot.joints[0, leg.low] + shot.joints[0, leg.pastern]) / 2
    assert near_colour(apart, tuple(panel.pixels(middle)), LIGHT.faint)
    assert shot_of(layout.shots[0].scene, "front").near[0].tolist() == [True, True, False, False]


def test_hull_can_be_left_out() -> None:
    assert count_colour(draw_pose(clip_of(), 3), LIGHT.flesh) > 5000
    assert count_colour(draw_pose(clip_of(), 3, hull=False), LIGHT.flesh) < 50


@pytest.mark.parametrize("view", VIEWS)
def test_skeleton_without_named_legs_draws(view: str) -> None:
    image = draw_pose(clip_of(skeleton=skeleton_of(legs=False)), 3, view)
    assert count_colour(image, LIGHT.ink) > 300
    assert sum(count_colour(image, colour) for colour in LIGHT.legs) == 0


def test_the_smallest_skeleton_draws(tmp_path: Path) -> None:
    dot = Skeleton(["root"], [-1], [(0, 0, 0)])
    clip = Clip(dot, np.tile([0.0, 0, 0, 1], (3, 1, 1)), np.zeros((3, 3)), FPS, np.ones((3, 4)))
    for view in VIEWS:
        assert contact_sheet(clip, tmp_path / "a.png", view=view, cell=96).exists()


def test_bars_are_filled_where_feet_are_down() -> None:
    clip = clip_of()
    strip = Strip(40.0, 0.0, 400.0, 0.0, 1.0, 1.0)
    canvas = Canvas(420, 100, LIGHT.paper)
    paint_bars(canvas, bars_of(clip), strip, LIGHT)
    image = canvas.finish()
    assert clip.contacts is not None
    assert [("LF", "RF", "LH", "RH")[k] for k in ROWS] == ["LH", "LF", "RF", "RH"]
    for row, k in enumerate(ROWS):
        for frame in range(2, 60, 5):
            spot = (strip.x((frame + 0.5) / FPS), strip.rows_top + (row + 0.5) * strip.row)
            down = bool(clip.contacts[frame, k])
            assert near_colour(image, spot, LIGHT.legs[k] if down else LIGHT.row)


def test_footfall_picture_has_its_size_and_all_colours(tmp_path: Path) -> None:
    gaits = np.array(["walk"] * 60 + ["trot"] * 60)
    with Image.open(footfall_picture(clip_of(2.0, gait=gaits), tmp_path / "a.png", width=500)) as image:
        assert image.width == 500
        shares = [count_colour(image, colour) for colour in LIGHT.legs]
    assert max(shares) < 1.25 * min(shares)  # every leg is down for half the time


def test_stances_and_contacts_agree() -> None:
    clip = clip_of(2.3)
    for k in range(4):
        rebuilt = np.zeros(len(clip))
        for first, last in stances(clip, k):
            rebuilt[first : last + 1] = 1.0
        assert clip.contacts is not None
        assert (rebuilt == clip.contacts[:, k]).all()


def test_speed_and_gait_come_from_the_clip() -> None:
    assert ground_speed(clip_of(speed=2.5)) == pytest.approx(2.5)
    assert ground_speed(clip_of(speed=2.5, speed_extra=np.zeros(60))) == pytest.approx(2.5)
    given_speed = Clip(HORSE, clip_of().rotations, clip_of().origins, FPS, extras={"speed": np.full(60, 7.0)})
    assert ground_speed(given_speed) == pytest.approx(7.0)
    assert gait_labels(clip_of(gait=np.array(["pace"] * 60)))[0] == "pace"
    numbered = clip_of(gait=np.array([0] * 30 + [1] * 29 + [9]))
    labels = gait_labels(numbered, ("walk", "trot"))
    assert [labels[0], labels[30], labels[59]] == ["walk", "trot", ""]
    assert [g[2] for g in bars_of(numbered, ("walk", "trot")).gaits] == ["walk", "trot", ""]


# ---- camera and shapes --------------------------------------------------------------------------------


def test_axes_of_the_views() -> None:
    track = still_track(figure_of(HORSE, clip_of().positions[0]), clip_of().positions, FPS, None)
    for view, seen in {"side": (2, 1, 0, -1), "front": (0, 1, 2, 1), "top": (2, 0, 1, 1)}.items():
        right, up, out = track.axes(view)[0]
        assert right[seen[0]] == pytest.approx(1)
        assert up[seen[1]] == pytest.approx(1)
        assert out[seen[2]] == pytest.approx(seen[3])
        assert np.cross(right, up) == pytest.approx(out)  # right-handed towards the eye: nothing is mirrored


def test_camera_follows_and_ticks_are_world_metres() -> None:
    clip = clip_of(2.0, speed=3.0)
    track = follow_track(figure_of(HORSE, clip.positions[0]), clip.positions, FPS, None)
    assert track.yaw == pytest.approx(0)
    assert track.travel[:, 0] == pytest.approx(clip.origins[:, 2], abs=1e-9)
    flat = track.project(clip.positions, "side")
    assert np.ptp(flat[:, 0, 0]) < 1e-9  # the pelvis stays in its place
    assert flat[:, 0, 1] == pytest.approx(HEIGHT)


def test_a_turning_animal_is_shown_from_its_right_side_throughout() -> None:
    clip = clip_of(3.0)
    yaw = np.linspace(0, np.pi, len(clip))
    rotations = clip.rotations.copy()
    rotations[:, 0] = np.stack([0 * yaw, np.sin(yaw / 2), 0 * yaw, np.cos(yaw / 2)], axis=-1)
    steps = 1.5 / FPS * np.stack([np.sin(yaw), 0 * yaw, np.cos(yaw)], axis=-1)
    origins = np.cumsum(steps, axis=0) + [0.0, HEIGHT, 0.0]
    turned = Clip(HORSE, rotations, origins, FPS, clip.contacts)
    scene = scene_of(turned, np.arange(len(turned), dtype=np.float64), Look())
    shot = shot_of(scene, "side")
    assert (shot.near == [False, True, False, True]).all()
    forward = shot.joints[:, HORSE.index("withers"), 0] - shot.joints[:, 0, 0]
    assert forward == pytest.approx(1.0, abs=0.03)
    assert scene.track.travel[-1, 0] == pytest.approx(4.5, abs=0.1)  # ticks count the way along the path


def test_straight_motion_passes_smoothing_unchanged() -> None:
    for count in (1, 2, 5, 200):
        line = np.stack([np.arange(count) * 0.7 - 3, np.full(count, 2.0)], axis=1)
        assert smooth_track(line, 12.0) == pytest.approx(line)


numbers = st.floats(-100, 100)


@given(numbers, numbers, numbers, numbers, st.floats(0.1, 50), st.floats(0.1, 50))
def test_capsule_holds_both_discs(ax: float, ay: float, bx: float, by: float, ra: float, rb: float) -> None:
    shape = capsules(np.array([[ax, ay]]), np.array([[bx, by]]), np.array([ra]), np.array([rb]))[0]
    assert np.isfinite(shape).all()
    hull = outline_of(shape)
    edge = np.roll(hull, -1, axis=0) - hull
    turn = np.linspace(0, 2 * np.pi, 24)
    for x, y, r in ((ax, ay, ra), (bx, by, rb)):
        rim = np.stack([x + r * np.cos(turn), y + r * np.sin(turn)], axis=1)
        gap = rim[:, None] - hull[None]
        side = edge[None, :, 0] * gap[..., 1] - edge[None, :, 1] * gap[..., 0]
        outside = -side / np.maximum(np.linalg.norm(edge, axis=1), 1e-9)
        long = np.linalg.norm(edge, axis=1) > 1e-6
        assert outside[:, long].max() < 0.03 * max(ra, rb) + 1e-6  # a polygon cuts its arcs a little short


@given(st.integers(1, 400), st.floats(1, 100), st.sampled_from([1, 10]))
def test_frame_times_add_up(count: int, fps: float, step: int) -> None:
    reel = Reel.__new__(Reel)
    reel.fps = fps
    reel.scene = range(count)  # type: ignore[assignment]
    times = reel.milliseconds(step)
    assert len(times) == count
    assert all(t >= step and t % step == 0 for t in times)
    assert abs(sum(times) - 1000 * count / fps) <= max(step, 1) or step > 1000 / fps


def test_parts_of_the_figure() -> None:
    figure = figure_of(HORSE, clip_of().positions[0])
    assert [HORSE.names[j] for j in figure.neck] == ["withers", "neck", "poll", "muzzle"]
    assert [HORSE.names[j] for j in figure.tail] == ["pelvis", "tail", "tail_tip"]
    wanted = {"loin": SPINE, "neck": NECK, "muzzle": HEAD, "tail": TAIL, "RH_low": 3}
    assert {name: int(figure.part[HORSE.index(name)]) for name in wanted} == wanted


@pytest.mark.data
@pytest.mark.parametrize("name", ["dog/D1_010_KAN01_002.bvh", "thesis/horse.bvh"])
def test_real_skeletons_draw(data_dir: Path, tmp_path: Path, name: str) -> None:
    clip = read_bvh(data_dir / name, scale=0.01 if "dog" in name else 1.0)
    skeleton = clip.skeleton.with_legs(find_legs(clip.skeleton))
    named = Clip(skeleton, clip.rotations, clip.origins, clip.fps)
    figure = figure_of(skeleton, named.positions[0])
    assert skeleton.names[figure.neck[-1]] == "Head_end"
    assert "Tail" in skeleton.names[figure.tail[-1]]
    with Image.open(contact_sheet(named, tmp_path / "a.png", 4, "both", cell=240)) as image:
        assert count_colour(image, LIGHT.flesh) > 2000
