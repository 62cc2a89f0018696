"""Skinned pictures show the animal where the clip has it; what is missing is named, or drawn instead."""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from hoofbeat.body.clip import Clip
from hoofbeat.body.mesh.shipped import dress_of
from hoofbeat.body.mesh.skin import UnknownCoat, UnknownLevel, animals, load_skin
from hoofbeat.export import save, wishes_of
from hoofbeat.formats.bvh.reader import read_bvh
from hoofbeat.formats.scenefile import THESIS_HORSE, read_scene
from hoofbeat.maths import quat
from hoofbeat.render.draw.theme import PictureError
from hoofbeat.render.film.film import Film, Setting
from hoofbeat.render.gl import context
from hoofbeat.render.gl.context import GraphicsError, missing
from hoofbeat.render.gl.lens import CAMERAS, UnknownCamera, camera_preset, fitted_lens
from hoofbeat.render.gl.light import LIGHTS, UnknownLight
from hoofbeat.render.picture import UnknownFigure, Wish, dressed, save_picture, shows_skin

SMALL = (160, 90)
needs_gl = pytest.mark.skipif(bool(missing()), reason=missing() or "drawn without a screen")


@cache
def standing(turn: float = 0.0, at: tuple[float, float] = (0.0, 0.0), frames: int = 3) -> Clip:
    """The horse at rest, here and facing there; no method is needed."""
    skeleton = read_scene(THESIS_HORSE).skeleton
    rotations = quat.identity((frames, len(skeleton)))
    rotations[:, 0] = quat.from_axis_angle(np.array([0.0, 1.0, 0.0]), np.full(frames, turn))
    height = -float(skeleton.rest_positions()[:, 1].min())
    origins = np.tile([at[0], height, at[1]], (frames, 1))
    return Clip(skeleton, rotations, origins, 30.0, np.ones((frames, 4)), "standing")


def seen(film: Film, i: int = 0) -> np.ndarray:
    return film.silhouette(i)[0] > 127


def apart(a: np.ndarray, b: np.ndarray) -> float:
    """One less the shared part of two silhouettes."""
    return 1 - float((a & b).sum() / (a | b).sum())


# ---- cameras -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", CAMERAS)
@pytest.mark.parametrize("aspect", [0.6, 1.0, 16 / 9, 2.4])
def test_a_fitted_camera_holds_every_point(name: str, aspect: float) -> None:
    points = np.random.default_rng(1).uniform((-0.4, 0.0, -1.4), (0.4, 1.9, 1.2), (500, 3))
    preset = camera_preset(name)
    rig = fitted_lens(preset, points, aspect, 0.1)
    # Left, up and forward are x, y and z of an animal that heads for +Z.
    flat = rig.at(0.0, aspect).pixels(points, (2, 2)) - 1
    assert np.abs(flat).max() <= preset.fill + 0.05
    assert max(np.ptp(flat[:, 0]), np.ptp(flat[:, 1])) > 1.3 * preset.fill


def test_an_unknown_camera_lists_the_cameras() -> None:
    with pytest.raises(UnknownCamera, match="did you mean 'chase'"):
        camera_preset("chse")


# ---- the picture ---------------------------------------------------------------------------------------


@needs_gl
@pytest.mark.parametrize("camera", CAMERAS)
def test_every_camera_shows_the_whole_animal(camera: str) -> None:
    with Film(standing(), Setting(camera, SMALL, words=False)) as film:
        mask, picture = seen(film), film.pixels(0)
    assert mask.any() and not (mask[0].any() or mask[-1].any() or mask[:, 0].any() or mask[:, -1].any())
    assert 0.02 < mask.mean() < 0.6
    # The bay is darker than the studio, everywhere.
    grey = picture[..., :3].mean(axis=-1)
    assert grey[mask].mean() < grey[~mask].mean() - 40


@needs_gl
@pytest.mark.parametrize("animal", animals())
def test_no_animal_is_cut_off(animal: str) -> None:
    skeleton = load_skin(animal, "low").skeleton
    place = np.array([[0.0, -float(skeleton.rest_positions()[:, 1].min()), 0.0]])
    clip = Clip(skeleton, quat.identity((1, len(skeleton))), place, 30.0)
    with Film(clip, Setting("three-quarter", SMALL, words=False)) as film:
        mask = seen(film)
    assert mask.any() and not (mask[0].any() or mask[-1].any() or mask[:, 0].any() or mask[:, -1].any())


@needs_gl
def test_seen_from_the_side_it_goes_to_the_right() -> None:
    with Film(standing(), Setting("side", SMALL, words=False)) as film:
        mask = seen(film)
    rows, columns = np.nonzero(mask)
    highest = columns[rows < rows.min() + 4].mean()  # the ears
    assert highest > columns.mean() + 0.15 * np.ptp(columns)
    assert rows.max() > 60  # the hooves are low in the picture: it is not upside down


@needs_gl
def test_the_picture_does_not_depend_on_where_the_animal_is() -> None:
    with Film(standing(), Setting("three-quarter", SMALL, words=False)) as film:
        here = film.pixels(0).astype(int)
    far = standing(0.0, (5000.0, -35_000.0))  # whole squares of five metres away
    with Film(far, Setting("three-quarter", SMALL, words=False)) as film:
        there = film.pixels(0).astype(int)
    assert np.abs(here - there).mean() < 0.2
    turned = standing(2.0, (3.0, 1.0))  # the camera goes with it
    with Film(turned, Setting("three-quarter", SMALL, words=False)) as film:
        other = seen(film)
    with Film(standing(), Setting("three-quarter", SMALL, words=False)) as film:
        assert apart(seen(film), other) < 0.03


@needs_gl
def test_the_animal_darkens_the_ground_below_it() -> None:
    with Film(standing(), Setting("side", (320, 180), words=False)) as film:
        mask, picture = seen(film), film.pixels(0)[..., :3].mean(axis=-1)
    low = np.nonzero(mask)[0].max()
    columns = np.nonzero(mask[low - 3])[0]
    near = picture[low + 1, columns.min() : columns.max()].min()
    assert near < np.median(picture[low + 1]) - 20


@needs_gl
def test_levels_and_sizes_show_the_same_animal() -> None:
    masks = []
    for level in ("low", "medium", "high"):
        with Film(standing(), Setting("side", SMALL, level=level, words=False)) as film:
            masks.append(seen(film))
    assert apart(masks[0], masks[2]) < 0.06 and apart(masks[1], masks[2]) < 0.04
    small = standing()
    pony = Clip(small.skeleton.scaled(0.5), small.rotations, small.origins * 0.5, 30.0)
    with Film(pony, Setting("side", SMALL, words=False)) as film:
        assert apart(seen(film), masks[1]) < 0.05


@needs_gl
def test_smooth_edges_have_tones_between() -> None:
    tones = []
    for smooth in (False, True):
        with Film(standing(), Setting("side", SMALL, smooth=smooth, words=False)) as film:
            alpha = film._stage.cutout(film._poses.at(0), film._rig.at(0.0, SMALL[0] / SMALL[1]))[..., 3]
            tones.append(len(np.unique(alpha)))
    assert tones[0] == 2 and tones[1] > 3


@needs_gl
def test_coats_and_themes_differ_and_unknown_ones_are_named() -> None:
    means = set()
    for coat in ("bay", "grey", "black"):
        for theme in LIGHTS:
            with Film(standing(), Setting("side", SMALL, coat, theme=theme, words=False)) as film:
                means.add(round(float(film.pixels(0)[seen(film)][:, :3].mean())))
    assert len(means) == 6
    for setting, error in (
        (Setting(coat="green"), UnknownCoat),
        (Setting(level="huge"), UnknownLevel),
        (Setting(theme="drak"), UnknownLight),
        (Setting(camera="sid"), UnknownCamera),
        (Setting(size=(63, 64)), PictureError),
        (Setting(size=(641, 360)), PictureError),
        (Setting(size=(64.5, 64)), PictureError),  # pyright: ignore[reportArgumentType]
    ):
        with pytest.raises(error):
            Film(standing(), setting)


@needs_gl
def test_words_and_bars_lie_over_the_picture() -> None:
    with (
        Film(standing(), Setting("side", (320, 180))) as film,
        Film(standing(), Setting("side", (320, 180), words=False)) as bare,
    ):
        changed = np.abs(film.pixels(0).astype(int) - bare.pixels(0)).max(axis=-1) > 8
        drawn = film.pixels(0)[..., :3].reshape(-1, 3).astype(int)
        for colour in list(film.accents())[4:]:  # the pale bars of all legs, which are still to come
            assert np.abs(drawn - np.array(colour)).max(axis=1).min() <= 1
    assert changed[:40, :100].any() and changed[-30:, 20:120].mean() > 0.5


# ---- the rule ------------------------------------------------------------------------------------------


def without_gl(monkeypatch: pytest.MonkeyPatch, module: bool) -> None:
    """As on a machine without moderngl, or with it and without EGL."""
    missing.cache_clear()
    if not module:
        monkeypatch.setitem(sys.modules, "moderngl", None)
        return
    moderngl = pytest.importorskip("moderngl")

    def fail(**_: object) -> None:
        raise Exception("libEGL.so.1: cannot open shared object file")  # noqa: TRY002 - as moderngl does

    monkeypatch.setattr(moderngl, "create_context", fail)


@pytest.mark.parametrize("module", [False, True])
def test_without_opengl_pictures_are_drawn_and_a_skin_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: bool
) -> None:
    without_gl(monkeypatch, module)
    try:
        wanted = "libegl1 libegl-mesa0 libgl1-mesa-dri" if module else r"pip install 'hoofbeat\[render\]'"
        clip = standing(frames=4)
        assert not shows_skin(clip.skeleton, Wish())
        for wish in (Wish("skin"), Wish(coat="grey"), Wish(camera="chase")):
            with pytest.raises(GraphicsError, match=wanted):
                save_picture(clip, tmp_path / "no.webp", wish)
        with pytest.raises(GraphicsError, match=wanted):
            context.open_context()
        for name in ("a.png", "a.webp", "a.gif"):
            with Image.open(clip.save(tmp_path / name)) as picture:
                assert picture.width > 200
        with dressed(clip.skeleton, Wish()) as dress:
            assert dress is None
        assert sorted(path.name for path in tmp_path.iterdir()) == ["a.gif", "a.png", "a.webp"]
    finally:
        missing.cache_clear()


@needs_gl
def test_our_horse_is_skinned_and_other_skeletons_are_drawn(tmp_path: Path) -> None:
    horse = standing().skeleton
    assert shows_skin(horse, Wish()) and shows_skin(horse.scaled(1.3), Wish())
    assert not shows_skin(horse, Wish("drawn"))
    other = read_bvh(Path(__file__).parent / "corpus" / "hand.bvh")
    assert not shows_skin(other.skeleton, Wish()) and dress_of(other.skeleton) is None
    with pytest.raises(GraphicsError, match=", ".join(animals())):
        shows_skin(other.skeleton, Wish("skin"))
    with pytest.raises(GraphicsError, match="leave one of them out"):
        shows_skin(horse, Wish("drawn", coat="grey"))
    with pytest.raises(UnknownFigure, match="did you mean 'skin'"):
        shows_skin(horse, Wish("skim"))
    assert save_picture(other, tmp_path / "hand.webp").exists()


@needs_gl
@pytest.mark.parametrize(
    ("name", "wishes"),
    [
        ("a.png", {"poses": 1, "size": (320, 180)}),
        ("a.png", {"poses": 2}),
        ("a.webp", {"size": SMALL, "camera": "chase"}),
        ("a.gif", {"size": SMALL, "coat": "pinto"}),
    ],
)
def test_every_picture_of_the_skin_is_written(tmp_path: Path, name: str, wishes: dict[str, object]) -> None:
    told: list[tuple[int, int]] = []
    path = save(standing(), tmp_path / name, False, lambda *pair: told.append(pair), **wishes)
    with Image.open(path) as picture:
        assert "size" not in wishes or picture.size == wishes["size"]
        if name != "a.png":
            assert told and told[-1][0] == told[-1][1]
        assert np.ptp(np.asarray(picture.convert("L"))) > 60


@needs_gl
def test_a_page_of_poses_is_skinned_and_has_flat_views_only(tmp_path: Path) -> None:
    skinned = save_picture(standing(), tmp_path / "a.png", Wish(poses=1 + 1, camera="side"))
    drawn = save_picture(standing(), tmp_path / "b.png", Wish("drawn", "side", poses=2))
    with Image.open(skinned) as a, Image.open(drawn) as b:
        assert a.size == b.size
        dark = [float((np.asarray(image.convert("L")) < 110).mean()) for image in (a, b)]
    assert dark[0] > 2 * dark[1]  # flesh, not strokes
    with pytest.raises(PictureError, match="ask for 1 pose"):
        save_picture(standing(), tmp_path / "c.png", Wish(camera="chase"))


def test_wishes_are_those_of_the_file() -> None:
    assert wishes_of("a.mp4") == wishes_of("a.PNG") and "camera" in wishes_of("a.gif")
    assert wishes_of("a.glb") == wishes_of("a.usda") == ("coat", "level") and wishes_of("a.bvh") == ()
