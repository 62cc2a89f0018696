"""Contacts: which feet are on the ground in a clip that does not say so, from toe height and speed.

A foot is down while its toe is near its own stance level and moves with the ground. The ground stands
still in most clips; in one that runs on the spot it passes backward under the feet, and its velocity is
the one that most low feet share. All limits grow with the animal as dynamic similarity has it: heights
with its leg length L, speeds with sqrt(g L), times with sqrt(L / g).
"""

from __future__ import annotations

import itertools
import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hoofbeat.body.clip import Clip
from hoofbeat.body.legs.chains import bone_length, is_above, nodes_of
from hoofbeat.body.skeleton import Leg, Skeleton
from hoofbeat.body.stances import frames_down, runs, timed, velocity_span
from hoofbeat.errors import ClipError
from hoofbeat.maths.physics import GRAVITY

#: A foot's stance level is this percentile of its toe's heights: low, yet above a few bad frames.
LEVEL_PERCENTILE = 5.0
#: A foot whose level lies this far above the lowest one is held up, and never stands [leg lengths].
HELD_UP = 0.1
#: A stance holds a frame below the first height and stays below the second [leg lengths].
SURE_HEIGHT, HEIGHT = 0.05, 0.08
#: A stance holds a frame slower than the first speed and stays below the second [sqrt(g L)]: a foot that
#: lands brakes from several times the second within a frame or two.
SURE_SPEED, SPEED = 0.1, 0.3
#: Feet whose speeds differ by less than this share one ground [sqrt(g L)].
SHARED_SPEED = 0.075
#: Shorter stances and swings are noise [sqrt(L / g)]: 31 ms for a horse with legs of 1.18 m.
BLIP = 0.09
#: A foot that stays below SURE_HEIGHT and moves less than this over the ground has slipped, not stepped
#: [leg lengths].
SLIP = 0.15
#: Feet that go backward at this part of the ground's speed go with it; they count as standing within so many
#: times what half of them stray, and within this part of its speed.
BACKWARD, STRAYS, MOST_STRAY = 0.2, 2.5, 0.8
#: Half the window in which the ground's velocity is sought, about half a stride [sqrt(L / g)].
WINDOW = 1.5
#: A body on the spot surges within its stride: the ground's velocity is known to this part of it.
SURGE = 0.1
#: The ground moves only when so many times more low feet go with it than stand still.
MOVES = 1.5
#: Windows that decide whether the ground moves, and velocities compared in one.
SAMPLED_WINDOWS, SAMPLED_SPEEDS = 64, 200

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]


def with_contacts(clip: Clip) -> Clip:
    """The same clip with contacts found from its toes; those that it had are replaced."""
    if len(clip.skeleton.legs) != 4:
        raise ClipError(
            f"clip {clip.name!r} has no named legs; name them with Skeleton.with_legs(find_legs(...))"
        )
    toes = clip.positions[:, [leg.toe for leg in clip.skeleton.legs]]
    contacts = contacts_of(toes, clip.fps, leg_length(clip.skeleton))
    return Clip(clip.skeleton, clip.rotations, clip.origins, clip.fps, contacts, clip.name, dict(clip.extras))


def leg_length(skeleton: Skeleton) -> float:
    """Length of the bones of a hind leg [m], hip to toe, mean of both; it does not depend on the pose.

    A toe that is not below its leg in the tree counts as one more bone, as long as the mean of the others.
    """
    total = sum(_bones(skeleton, leg) for leg in skeleton.legs[2:])
    if not total > 0:
        raise ClipError("the skeleton has no named hind legs, or their bones have no length")
    return total / 2


def _bones(skeleton: Skeleton, leg: Leg) -> float:
    """Length of a leg's bones [m]; see `leg_length`."""
    if is_above(skeleton, leg.top, leg.toe):
        return bone_length(skeleton, leg.top, leg.toe)
    nodes = nodes_of(leg)
    linked = [pair for pair in itertools.pairwise(nodes) if is_above(skeleton, *pair)]
    length = sum(bone_length(skeleton, upper, lower) for upper, lower in linked)
    return length * (len(nodes) - 1) / max(len(linked), 1)


def contacts_of(toes: ArrayLike, fps: float, leg: float, ground: ArrayLike | None = None) -> Floats:
    """Contacts (T, 4), each 0 or 1, of toe positions (T, 4, 3) [m], world, Y up.

    leg: length of a leg [m]; ground: height of the ground under each toe (T, 4) [m], or None for level
    ground, where each foot has its own stance level. A single frame is judged by height alone.
    """
    toes = _checked(toes, fps, leg)
    if not len(toes):
        return np.zeros((0, 4))
    if len(toes) == 1:
        return (_heights(toes, leg, ground) < SURE_HEIGHT * leg).astype(np.float64)
    return frames_down(stances_of(toes, fps, leg, ground), len(toes), fps).astype(np.float64)


def stances_of(toes: ArrayLike, fps: float, leg: float, ground: ArrayLike | None = None) -> list[Floats]:
    """Touchdown and lift-off (M, 2) [s] of every stance of each foot, timed between frames.

    The arguments are those of `contacts_of`. A stance that has begun before the first frame begins at -inf,
    one that lasts beyond the last ends at inf.
    """
    toes = _checked(toes, fps, leg)
    if not len(toes):
        return [np.zeros((0, 2)) for _ in range(4)]
    height = _heights(toes, leg, ground)
    before, after = _velocities(toes, fps, leg)
    moving = _ground_velocity(height, 0.5 * (before + after), fps, leg)  # (T, 2)
    # A planted toe is still against one neighbour at least: that keeps the first and the last frame.
    speed = np.minimum(_norm(before - moving[:, None]), _norm(after - moving[:, None]))  # (T, 4)
    limit = np.maximum(SPEED * math.sqrt(GRAVITY * leg), SURGE * _norm(moving))[:, None]
    limit = np.maximum(limit, _slipping(height, 0.5 * (before + after), moving, leg))
    sure = (height < SURE_HEIGHT * leg) & (speed < SURE_SPEED / SPEED * limit)
    down = _runs_with(sure, (height < HEIGHT * leg) & (speed < limit))
    shortest = math.ceil(BLIP * math.sqrt(leg / GRAVITY) * fps)
    footing = toes.copy()
    footing[..., [0, 2]] -= displacement(moving, fps)[:, None]
    down = _without_blips(_without_slips(down, height, footing, leg), shortest)
    return [timed(down[:, foot], footing[:, foot], fps, leg) for foot in range(4)]


def displacement(velocity: Floats, fps: float) -> Floats:
    """How far (T, 2) [m] a ground of velocity (T, 2) [m/s] has moved since the first frame."""
    steps = 0.5 * (velocity[1:] + velocity[:-1]) / fps
    return np.concatenate([np.zeros((1, 2)), np.cumsum(steps, axis=0)])


def ground_velocity(toes: ArrayLike, fps: float, leg: float) -> Floats:
    """Velocity (T, 2) [m/s] along x and z of the ground under toes (T, 4, 3) [m]; leg length [m].

    Zero where the animal travels over ground that stands still; on the spot, minus its travel.
    """
    toes = _checked(toes, fps, leg)
    if not len(toes):
        return np.zeros((0, 2))
    before, after = _velocities(toes, fps, leg)
    return _ground_velocity(_heights(toes, leg, None), 0.5 * (before + after), fps, leg)


def stance_levels(toes: Floats, leg: float) -> Floats:
    """Height (4,) [m] at which each of toes (T, 4, 3) [m] stands on level ground; leg length [m]."""
    level = np.percentile(toes[..., 1], LEVEL_PERCENTILE, axis=0)
    return np.minimum(level, level.min() + HELD_UP * leg)


def _checked(toes: ArrayLike, fps: float, leg: float) -> Floats:
    array = np.asarray(toes, np.float64)
    if array.ndim != 3 or array.shape[1:] != (4, 3):
        raise ClipError(f"toes must be (T, 4, 3), given {array.shape}")
    if not np.isfinite(array).all():
        raise ClipError("toes contain NaN or infinity")
    for name, value in (("fps", fps), ("leg length", leg)):
        if not (math.isfinite(value) and value > 0):
            raise ClipError(f"{name} must be a positive number, given {value}")
    return array


def _norm(vectors: Floats) -> Floats:
    return np.hypot(vectors[..., 0], vectors[..., 1])


def _heights(toes: Floats, leg: float, ground: ArrayLike | None) -> Floats:
    """Heights (T, 4) [m] of the toes above where they stand."""
    if ground is None:
        return toes[..., 1] - stance_levels(toes, leg)
    under = np.asarray(ground, np.float64)
    if under.shape != toes.shape[:2] or not np.isfinite(under).all():
        raise ClipError(f"ground must be finite and of shape {toes.shape[:2]}, given {under.shape}")
    return toes[..., 1] - under


def _velocities(toes: Floats, fps: float, leg: float) -> tuple[Floats, Floats]:
    """Velocities (T, 4, 2) [m/s] over the ground, from the frames before and to the frames after each."""
    count = len(toes)
    span = min(velocity_span(fps, leg), count - 1)
    if span == 0:
        still = np.zeros((count, 4, 2))
        return still, still
    steps = (toes[span:, :, [0, 2]] - toes[:-span, :, [0, 2]]) * (fps / span)
    before = np.concatenate([np.repeat(steps[:1], span, axis=0), steps])
    after = np.concatenate([steps, np.repeat(steps[-1:], span, axis=0)])
    return before, after


def _ground_velocity(height: Floats, velocity: Floats, fps: float, leg: float) -> Floats:
    """Velocity (T, 2) [m/s] of the ground, zero unless the low feet clearly say that it moves."""
    frames = np.arange(len(height))
    low = height < SURE_HEIGHT * leg
    near = SHARED_SPEED * math.sqrt(GRAVITY * leg)
    half = max(1, round(WINDOW * math.sqrt(leg / GRAVITY) * fps))
    centres: list[int] = []
    windows: list[Floats] = []
    for centre in range(0, len(height), half):
        part = slice(max(centre - half, 0), centre + half + 1)
        if low[part].any():
            centres.append(centre)
            windows.append(_at_most(velocity[part][low[part]], SAMPLED_SPEEDS))  # (M, 2)
    if not _moves(windows, near):
        return np.zeros((len(height), 2))
    found = np.array([_densest(values, near) for values in windows])
    return np.stack([np.interp(frames, centres, found[:, axis]) for axis in (0, 1)], axis=1)


def _slipping(height: Floats, velocity: Floats, moving: Floats, leg: float) -> float:
    """How far [m/s] low feet that go backward stray from a ground that moves; 0 where it stands still.

    A clip on the spot whose feet do not keep the speed of any ground still has stances.
    """
    pace = _norm(moving)[:, None]
    if not pace.any():
        return 0.0
    along = (velocity * moving[:, None]).sum(axis=2)  # (T, 4)
    back = (height < SURE_HEIGHT * leg) & (along > BACKWARD * pace * pace) & (pace > 0)
    if not back.any():
        return 0.0
    stray = np.median(_norm(velocity - moving[:, None])[back])
    return float(min(STRAYS * stray, MOST_STRAY * pace.max()))


def _at_most(values: Floats, count: int) -> Floats:
    """The values, or `count` of them evenly spread."""
    if len(values) <= count:
        return values
    return values[np.linspace(0, len(values) - 1, count).astype(np.int64)]


def _moves(windows: list[Floats], near: float) -> bool:
    """Whether clearly more low feet share a velocity than stand still."""
    sharing = standing = 0
    for values in windows[:: math.ceil(len(windows) / SAMPLED_WINDOWS) or 1]:
        shared = _densest(values, near)
        within = max(near, SURGE * float(np.hypot(*shared)))
        sharing += int((_norm(values - shared) < within).sum())
        standing += int((_norm(values) < within).sum())
    return sharing > MOVES * standing


def _densest(values: Floats, near: float) -> Floats:
    """Mean (2,) of the values (M, 2) around the one that has most others near it."""
    reach = max(near, SURGE * float(_norm(values).mean()))
    close = _norm(values[:, None] - values[None]) < reach  # (M, M)
    return values[close[np.argmax(close.sum(axis=1))]].mean(axis=0)


def _runs_with(sure: Bools, loose: Bools) -> Bools:
    """The runs of `loose` (T, 4) that hold a frame of `sure`: hysteresis, the same in either direction."""
    out = np.zeros_like(loose)
    for leg in range(loose.shape[1]):
        for start, stop in runs(loose[:, leg]):
            out[start:stop, leg] = sure[start:stop, leg].any()
    return out


def _without_slips(down: Bools, height: Floats, footing: Floats, leg: float) -> Bools:
    """Stances (T, 4) joined where the foot stayed low and near between; footing (T, 4, 3): relative to the
    ground."""
    out = down.copy()
    for foot in range(out.shape[1]):
        for start, stop in runs(~out[:, foot]):
            if start == 0 or stop == len(out) or height[start:stop, foot].max() > SURE_HEIGHT * leg:
                continue
            if np.linalg.norm(footing[stop, foot] - footing[start - 1, foot]) < SLIP * leg:
                out[start:stop, foot] = True
    return out


def _without_blips(down: Bools, shortest: int) -> Bools:
    """Gaps, then stances, of fewer than `shortest` frames removed; those cut off by an end are kept."""
    out = down.copy()
    for value in (False, True):
        for leg in range(out.shape[1]):
            for start, stop in runs(out[:, leg] == value):
                if stop - start < shortest and start > 0 and stop < len(out):
                    out[start:stop, leg] = not value
    return out
