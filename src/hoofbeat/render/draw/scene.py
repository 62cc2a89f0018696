"""Scene: a clip sampled at the moments to draw, with everything a picture says about each of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from hoofbeat.body.clip import Clip
from hoofbeat.body.root import ground_speed
from hoofbeat.errors import ClipError
from hoofbeat.render.draw.camera import (
    CameraTrack,
    Ground,
    follow_track,
    heights,
    rows_between,
    still_track,
)
from hoofbeat.render.draw.figure import DrawnFigure, body_axes, figure_of, unit_vector
from hoofbeat.render.draw.hull import Hull, hull_of
from hoofbeat.render.draw.theme import LIGHT, Theme

if TYPE_CHECKING:
    from hoofbeat.render.draw.canvas import Canvas
    from hoofbeat.render.draw.panel import Panel
    from hoofbeat.render.draw.shot import Shot

#: A leg is on the ground where its contact is above this.
CONTACT = 0.5
#: Toe positions kept for each hoof print; the ends and enough between to show a slip.
PRINT_POINTS = 8
#: Poses compared for a typical one.
POSES_COMPARED = 64
#: Length and half width of the sole of a hoof, in parts of the leg's length.
SOLE, HALF_WIDTH = 0.085, 0.034
#: The front wall of a hoof stands at this angle on its sole [rad].
WALL = np.radians(52.0)
#: The band at the top is this much shorter and narrower than the sole.
CORONET = 0.72
#: Length of the front wall, in parts of the leg's length.
WALL_LENGTH = 0.07


class Dress(Protocol):
    """Paints the animal of moment m into a panel; canvas, shot and panel are those of this folder."""

    def paint(self, canvas: Canvas, shot: Shot, m: int, panel: Panel) -> None:
        """Over what the canvas holds."""
        ...


@dataclass(frozen=True)
class Look:
    """How pictures are drawn: theme, whether with the hull, over which ground, with which gait names; dress:
    what paints the animal instead of hull and bones (None = those)."""

    theme: Theme = LIGHT
    hull: bool = True
    ground: Ground | None = None
    gait_names: Sequence[str] = ()
    dress: Dress | None = None


@dataclass(frozen=True)
class DrawnScene:
    """M moments of a clip.

    frames (M,) fractional frame numbers; positions (M, J, 3), balls (M, B, 3) of the hull and corners of
    the hooves (M, 4, 8, 3) [m], world; contacts (M, 4) bool or None; height (M, 4) [m] of each toe above
    the ground; speed (M,) [m/s]; gait (M,) words.
    """

    clip: Clip
    look: Look
    figure: DrawnFigure
    hull: Hull
    frames: NDArray[np.float64]
    positions: NDArray[np.float64]
    balls: NDArray[np.float64]
    hooves: NDArray[np.float64]
    track: CameraTrack
    contacts: NDArray[np.bool_] | None
    height: NDArray[np.float64]
    speed: NDArray[np.float64]
    gait: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.frames)

    @property
    def seconds(self) -> NDArray[np.float64]:
        """Time of each moment (M,) [s] since the clip's first frame."""
        return self.frames / self.clip.fps

    @cached_property
    def prints(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
        """Stances of the whole clip: leg (R,), frames (R, P) and toe positions (R, P, 3) [m] along each."""
        rows = [(k, first, last) for k in range(4) for first, last in stances(self.clip, k)]
        table = np.array(rows, np.int64).reshape(-1, 3)
        share = np.linspace(0, 1, PRINT_POINTS)
        picked = np.round(table[:, 1:2] + (table[:, 2:] - table[:, 1:2]) * share).astype(np.int64)
        if not len(table):
            return table[:, 0], picked, np.zeros((0, PRINT_POINTS, 3))
        return table[:, 0], picked, self.clip.positions[picked, self.figure.toes[table[:, 0]][:, None]]


def scene_of(clip: Clip, frames: NDArray[np.float64], look: Look, follow: bool = True) -> DrawnScene:
    """Sample a clip at fractional frame numbers (M,)."""
    need_frames(clip)
    positions = clip.positions
    figure = figure_of(clip.skeleton, typical_pose(clip))
    hull = hull_of(figure)
    stand = follow_track if follow else still_track
    track = stand(figure, positions, clip.fps, look.ground).at(frames)
    here = rows_between(positions, frames)
    toes = here[:, figure.toes]
    contacts = None
    if clip.contacts is not None and figure.has_legs:
        contacts = clip.contacts[_whole(frames, len(clip))] > CONTACT
    return DrawnScene(
        clip=clip,
        look=look,
        figure=figure,
        hull=hull,
        frames=frames,
        positions=here,
        balls=hull.centres(figure, here),
        hooves=hooves_of(figure, here, look.ground),
        track=track,
        contacts=contacts,
        height=toes[..., 1] - heights(look.ground, toes),
        speed=rows_between(ground_speed(clip), frames),
        gait=_gaits(clip, look, frames),
    )


def need_frames(clip: Clip) -> None:
    """Refuse a clip without frames."""
    if len(clip) == 0:
        raise ClipError(f"clip {clip.name!r} has no frames, so there is nothing to draw; give at least one")


def typical_pose(clip: Clip) -> NDArray[np.float64]:
    """The pose (J, 3) of a clip whose back is of middling length: what proportions are read from."""
    legs = clip.skeleton.legs
    picked = np.unique(np.linspace(0, len(clip) - 1, POSES_COMPARED).astype(np.int64))
    poses = clip.positions[picked]
    if not legs:
        return poses[0]
    backs = sum(poses[:, leg.top] for leg in legs[:2]) - sum(poses[:, leg.top] for leg in legs[2:])
    order = np.argsort(np.linalg.norm(np.asarray(backs), axis=1), kind="stable")
    return poses[order[len(order) // 2]]


def stances(clip: Clip, leg: int) -> list[tuple[int, int]]:
    """First and last frame of every stance of a leg (0..3 = LF, RF, LH, RH); empty without contacts."""
    if clip.contacts is None or not clip.skeleton.legs:
        return []
    down = np.concatenate([[False], clip.contacts[:, leg] > CONTACT, [False]])
    turns = np.flatnonzero(down[1:] != down[:-1])
    return [(int(a), int(b) - 1) for a, b in zip(turns[::2], turns[1::2], strict=True)]


def gait_labels(clip: Clip, names: Sequence[str] = ()) -> list[str]:
    """Gait name of every frame (T,) from the extra `gait` (words, or indices into `names`); "" if unknown."""
    given = clip.extras.get("gait")
    if given is None or given.ndim != 1:
        return [""] * len(clip)
    if np.issubdtype(given.dtype, np.number):
        return [names[int(g)] if 0 <= g < len(names) else "" for g in given]
    return [str(g) for g in given]


def _gaits(clip: Clip, look: Look, frames: NDArray[np.float64]) -> tuple[str, ...]:
    labels = gait_labels(clip, look.gait_names)
    return tuple(labels[i] for i in _whole(frames, len(clip)))


def _whole(frames: NDArray[np.float64], count: int) -> NDArray[np.int64]:
    """The frame that holds at each moment: a contact or a gait lasts until the next frame."""
    return np.clip(np.floor(frames + 1e-6).astype(np.int64), 0, count - 1)


def hooves_of(
    figure: DrawnFigure, positions: NDArray[np.float64], ground: Ground | None
) -> NDArray[np.float64]:
    """Corners (M, 4, 8, 3) [m], world, for positions (M, J, 3); (M, 0, 8, 3) without legs.

    The toe is where the skeleton says. The heel is drawn by rule, so it is kept out of the ground:
    what looks like a hoof in the ground is one whose toe is.
    """
    if not figure.has_legs:
        return np.zeros((len(positions), 0, 8, 3))
    left = body_axes(figure, positions)[0]
    return np.stack([_hoof(figure, positions, left, k, ground) for k in range(4)], axis=1)


def _hoof(
    figure: DrawnFigure,
    positions: NDArray[np.float64],
    left: NDArray[np.float64],
    k: int,
    ground: Ground | None,
) -> NDArray[np.float64]:
    leg, length = figure.skeleton.legs[k], float(figure.leg_lengths[k])
    toe, above = positions[:, leg.toe], positions[:, figure.skeleton.parents[leg.toe]]
    bone = toe - above
    down = unit_vector(bone - left * (bone * left).sum(axis=1, keepdims=True), (0.0, -1.0, 0.0))
    sole, width = (SOLE, HALF_WIDTH) if leg.pastern >= 0 else (0.7 * SOLE, 0.8 * HALF_WIDTH)
    back = -down * np.cos(WALL) + np.cross(left, down) * np.sin(WALL)
    heel = toe + back * sole * length
    floor = np.minimum(heights(ground, heel), toe[:, 1])
    heel[:, 1] = np.maximum(heel[:, 1], floor)
    along = unit_vector(heel - toe, (0.0, 0.0, -1.0))
    # The shape is rigid: the front wall stands on the sole wherever the heel was kept.
    wall = along * np.cos(WALL) + np.cross(left, along) * np.sin(WALL)
    high_toe = toe + wall * WALL_LENGTH * length
    side = left * width * length
    high_heel = high_toe + (heel - toe) * CORONET
    corners = [toe + side, toe - side, heel + side, heel - side]
    corners += [p + s * CORONET * side for p in (high_toe, high_heel) for s in (1.0, -1.0)]
    return np.stack(corners, axis=1)
