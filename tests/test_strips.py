"""Footfall strips of pictures: full, legible, in their own colours. What figures say fits on them."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from PIL import Image

import made
from hoofbeat.body.clip import Clip
from hoofbeat.body.contacts import with_contacts
from hoofbeat.check import check
from hoofbeat.export import save
from hoofbeat.methods.froude.model.similarity import PAPER_HIP
from hoofbeat.render import Reel, contact_sheet, notebook_png
from hoofbeat.render.draw.canvas import Canvas
from hoofbeat.render.draw.scene import Look, scene_of
from hoofbeat.render.draw.theme import DARK, LIGHT, THEMES, Colour, font
from hoofbeat.render.film import film, moving
from hoofbeat.render.film.encode import write_moving
from hoofbeat.render.pages import sheet
from hoofbeat.render.pages.footfall import accents_of, range_about
from hoofbeat.render.plots.froude import FIGURES

Box = tuple[float, float, float, float]


class Witness(Canvas):
    """A canvas that keeps where its texts are: words and left, top, right, bottom [px]."""

    made: list[Witness] = []

    def __init__(self, width: int, height: int, paper: Colour, factor: int = 3) -> None:
        super().__init__(width, height, paper, factor)
        self.boxes: list[tuple[str, Box]] = []
        Witness.made.append(self)

    def text(self, x: float, y: float, words: str, size: int, colour: Colour, anchor: str = "ls") -> None:
        left, top, right, bottom = font(size).getbbox(words, anchor=anchor)
        self.boxes.append((words, (x + left, y + top, x + right, y + bottom)))
        super().text(x, y, words, size, colour, anchor)

    def finish(self, fine: bool = True) -> Image.Image:
        self.image = super().finish(fine)
        return self.image


@pytest.fixture
def witness(monkeypatch: pytest.MonkeyPatch) -> type[Witness]:
    monkeypatch.setattr(Witness, "made", [])
    for module in (sheet, moving, film):
        monkeypatch.setattr(module, "Canvas", Witness)
    return Witness


def ride(seconds: float | None = None) -> Clip:
    """A clip that says it changes its gait twice, so that its pages have three names."""
    clip = with_contacts(made.clip("trot"))
    count = len(clip) if seconds is None else round(seconds * clip.fps)
    names = np.repeat(["trot", "canter-left", "gallop-right"], -(-count // 3))[:count]
    contacts = None if clip.contacts is None else clip.contacts[:count]
    return Clip(
        clip.skeleton, clip.rotations[:count], clip.origins[:count], clip.fps, contacts, "r", {"gait": names}
    )


def over(a: Box, b: Box) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


@pytest.mark.parametrize("poses", [3, 8, 12])
def test_no_gait_name_is_under_a_numbered_mark(witness: type[Witness], tmp_path: Path, poses: int) -> None:
    contact_sheet(ride(), tmp_path / "a.png", poses)
    page = witness.made[0]
    names = [box for words, box in page.boxes if words in ("trot", "canter-left", "gallop-right")]
    marks = [box for words, box in page.boxes if words.isdecimal()]
    assert len(names) == 3 and len(marks) == poses
    assert not any(over(name, mark) for name in names for mark in marks)


@pytest.mark.parametrize("width", [240, 640])
@pytest.mark.parametrize("seconds", [0.6, None])
def test_a_moving_pictures_strip_is_full_and_nothing_of_it_is_cut_off(
    witness: type[Witness], width: int, seconds: float | None
) -> None:
    reel = Reel(ride(seconds), fps=10, width=width)
    for i in (0, len(reel) // 2, len(reel) - 1):
        reel.frame(i)
        check_strip(witness.made[-1], width)


@pytest.mark.parametrize("size", [(200, 112), (640, 360)])
@pytest.mark.parametrize("seconds", [0.6, None])
def test_a_films_strip_is_full_and_nothing_of_it_is_cut_off(
    witness: type[Witness], size: tuple[int, int], seconds: float | None
) -> None:
    """Of a film of the skinned animal, which lays its bars over the picture."""
    clip = ride(seconds)
    scene = scene_of(clip, np.linspace(0, len(clip) - 1.0, 5), Look())
    bars = film.Overlay(scene, size)
    for i in range(len(scene)):
        bars.lay(np.zeros((size[1], size[0], 4), np.uint8), i)
        check_strip(witness.made[-1], size[0])


def check_strip(page: Witness, width: int) -> None:
    """Its words and its time axis are on the page, and bars begin beside the names of the legs."""
    axis = [box for words, box in page.boxes if words.endswith(" s")]
    assert len(axis) >= 2
    for _, (left, top, right, bottom) in page.boxes:
        assert left >= 0 and top >= 0 and right <= page.width and bottom <= page.height
    row = next(box for words, box in page.boxes if words == "LH")
    middle, end = round((row[1] + row[3]) / 2), round(row[2])
    beside = np.asarray(page.image)[middle, end : end + round(0.04 * width)]
    assert (np.abs(beside.astype(int) - LIGHT.paper).max(axis=1) > 2).any()  # its bar begins here


@given(st.floats(0, 1), st.floats(0.01, 60))
def test_the_range_of_bars_is_in_the_clip_and_holds_the_present(share: float, seconds: float) -> None:
    now = share * seconds
    start, stop = range_about(now, seconds)
    assert 0 <= start <= now <= stop + 1e-9 and stop <= seconds + 1e-9
    assert stop - start == pytest.approx(min(3.0, seconds))


class Blinking:
    """Frames of many greys of which one alone, in no sample of the palette, shows the accents."""

    size, fps = (120, 40), 10.0

    def __init__(self, colours: Sequence[Colour]) -> None:
        self.colours = colours

    def __len__(self) -> int:
        return 30

    def frame(self, i: int) -> Image.Image:
        return Image.fromarray(self.pixels(i))

    def pixels(self, i: int) -> NDArray[np.uint8]:
        # No two frames alike: a GIF would join them.
        ramp = np.roll(np.linspace(0, 255, self.size[0] * self.size[1]), 7 * i).reshape(self.size[::-1])
        found = np.stack([ramp, ramp[::-1], ramp[:, ::-1]], axis=-1).astype(np.uint8)
        if i == 5:
            for k, colour in enumerate(self.colours):
                found[:8, 8 * k : 8 * k + 8] = colour
        return found

    def accents(self) -> Sequence[Colour]:
        return self.colours


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_accents_keep_their_colour_in_a_gif(tmp_path: Path, theme: Any) -> None:
    colours = (*accents_of(theme), theme.alarm)
    with Image.open(write_moving(Blinking(colours), tmp_path / "a.gif")) as image:
        image.seek(5)
        pixels = np.asarray(image.convert("RGB"))
    assert [tuple(pixels[4, 8 * k + 4]) for k in range(len(colours))] == list(colours)


def test_a_moving_picture_names_the_colours_of_its_bars_as_accents() -> None:
    for theme in THEMES.values():
        reel = Reel(ride(), fps=5, look=moving.Look(theme))
        image = np.asarray(reel.frame(10, factor=1)).reshape(-1, 3)
        colours, count = np.unique(image[-200 * reel.size[0] // 3 :], axis=0, return_counts=True)
        present = {tuple(colour) for colour in colours[count > 30].tolist()}
        assert len(present & set(reel.accents())) >= 8


def drawn(name: str) -> Any:
    figures = pytest.importorskip("matplotlib.figure")
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    figure = figures.Figure(figsize=(7.2, 3.6), layout="constrained", dpi=130)
    FIGURES[name](figure, PAPER_HIP)
    FigureCanvasAgg(figure).draw()
    return figure


def test_the_segments_over_figure_8_are_on_the_page() -> None:
    figure = drawn("fig8")
    axes = figure.axes[0]
    for title in (axes.title, axes._left_title, axes._right_title):
        box = title.get_window_extent()
        assert box.x0 >= 0 and box.x1 <= figure.bbox.x1 and box.y1 <= figure.bbox.y1
    assert axes._left_title.get_text().count("c ") == 12


def test_no_curve_of_figure_9_goes_through_its_legend() -> None:
    figure = drawn("fig9")
    axes = figure.axes[0]
    box = axes.get_legend().get_window_extent()
    assert box.x1 <= figure.bbox.x1 + 1 and box.y1 <= figure.bbox.y1
    for line in axes.lines:
        points = line.get_transform().transform(line.get_xydata())
        fine = np.concatenate([np.linspace(a, b, 20) for a, b in pairwise(points)])
        inside = (fine >= (box.x0, box.y0)).all(axis=1) & (fine <= (box.x1, box.y1)).all(axis=1)
        assert not inside.any(), line.get_label()


# ---- notebooks and what a check costs -------------------------------------------------------------------


def test_a_clip_has_a_notebook_picture_with_bars_even_where_it_says_no_contacts(tmp_path: Path) -> None:
    clip = made.clip("walk")
    plain = Clip(clip.skeleton, clip.rotations, clip.origins, clip.fps, None, clip.name)
    target = tmp_path / "a.png"
    target.write_bytes(notebook_png(plain))
    with Image.open(target) as image:
        assert image.format == "PNG" and 600 < image.width < 1400
        pixels = np.asarray(image.convert("RGB"))[-110:]
    for colour in LIGHT.legs:
        assert (pixels == colour).all(axis=-1).sum() > 300


def test_a_report_says_what_matters_and_has_a_table_for_notebooks() -> None:
    report = check(made.clip("trot", wrong=made.sliding()), "trot")
    assert repr(report).startswith("<Report ") and report.headline in repr(report)
    assert len(repr(report)) < 300
    page = report._repr_html_()
    assert page.count("<tr") == page.count("</tr>") > len(report.measures)
    for measure in report.measures:
        assert f"<td>{measure.name}</td>" in page
    assert page.count("FAIL") == len(report.failing) > 0


def test_a_check_without_a_picture_loads_nothing_that_draws(tmp_path: Path) -> None:
    save(made.clip("walk"), tmp_path / "a.npz")
    code = (
        "import sys\nfrom hoofbeat.cli.app import app\n"
        f"app(['check', {str(tmp_path / 'a.npz')!r}, '--quiet'], standalone_mode=False)\n"
        "print(sorted(name for name in sys.modules if name.startswith(('hoofbeat.render', 'PIL', 'OpenGL'))))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.splitlines()[-1] == "[]", done.stdout + done.stderr
