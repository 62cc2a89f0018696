"""Made clips: a horse moved by code, right in every frame, or wrong in one known way.

`clip` makes the 49-joint horse go in any gait at any speed, frame rate, heading and size; `truth` says when
its feet land and leave. Stance toes stand still on y = 0 exactly, the carpus of a foreleg that carries is
straight, stifle and hock flex together. `wrong=` takes one of the faults of `made_wrong` or several.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from hoofbeat.body.clip import Clip
from hoofbeat.body.resample import resampled
from hoofbeat.maths import quat
from made_pose import about, horse, poses, settled, shortage, toes
from made_score import Body, Floats, Foot, Leap, feet_of, foot_of
from made_style import STEADY, Style, style_of, usual_speed
from made_wrong import (
    BAD,
    Fault,
    backward,
    bent,
    enlarged,
    flying,
    hasty,
    lame,
    late,
    lifted,
    mirrored,
    popped,
    sliding,
    stiff,
    sunk,
    swapped,
)

__all__ = [
    "BAD",
    "GAITS",
    "Fault",
    "Score",
    "backward",
    "bent",
    "clip",
    "enlarged",
    "flying",
    "hasty",
    "horse",
    "lame",
    "late",
    "lifted",
    "mirrored",
    "popped",
    "resampled",
    "score_of",
    "sliding",
    "stiff",
    "sunk",
    "swapped",
    "truth",
    "usual_speed",
]

#: What `clip` can make: the steady gaits, and two that change on the way.
GAITS = (*STEADY, "jump", "transition")
#: Speed of the canter before and after a leap, and of the trot after the walk of a transition [m/s].
JUMP_SPEED, TROT_SPEED = 5.5, 2.76
#: How long it takes to change from walk to trot [s].
CHANGE = 2.4
#: The leap, in beats of the canter from a touchdown of the left hind: touchdown and lift-off of the left and
#: right hind before it, when the forelegs land again, and when the hind legs do.
PUSH_LEFT, PUSH_RIGHT, FORE_AGAIN, HIND_AGAIN = (0.80, 1.18), (0.69, 1.12), 2.0, 2.6


@dataclass(frozen=True)
class Score:
    """A whole motion, for any time: the body and its four feet, LF, RF, LH, RH."""

    body: Body
    feet: list[Foot]


def clip(
    gait: str,
    speed: float | None = None,
    fps: float = 60,
    seconds: float = 6,
    heading: float = 0,
    scale: float = 1,
    in_place: bool = False,
    wrong: Fault | Sequence[Fault] = (),
) -> Clip:
    """A clip of one of GAITS, its contacts not said.

    speed [m/s] of the animal as made (None: the gait's usual one; of a transition: that of the trot);
    heading [rad], 0 = +Z, left positive; scale: size, where 1 is 1.295 m at the withers: larger horses move
    alike, but slower by the root of it; in_place: the way forward is taken out; wrong: see made_wrong.
    """
    clock = np.sqrt(scale)
    score = score_of(gait, None if speed is None else speed / clock, seconds / clock, wrong)
    times = np.arange(round(seconds * fps)) / fps / clock
    found = poses(score.body, score.feet, times)
    origins = np.array(found.origins)
    if in_place:
        origins[:, 2] -= score.body.travel(times)
    turn = about(np.array([0.0, 1.0, 0.0]), heading)
    rotations = found.rotations
    rotations[:, 0] = quat.mul(turn, rotations[:, 0])
    return Clip(horse().scaled(scale), rotations, quat.rotate(turn, origins) * scale, fps, name=gait)


def truth(
    gait: str,
    speed: float | None = None,
    fps: float = 60,
    seconds: float = 6,
    scale: float = 1,
    wrong: Fault | Sequence[Fault] = (),
) -> tuple[Floats, Floats, Floats, Floats]:
    """Touchdown and lift-off (M, 2) [s] of every stance of LF, RF, LH, RH in the clip of the same arguments.

    A stance under way at the first frame begins at -inf, one under way at the last ends at inf.
    """
    clock = np.sqrt(scale)
    score = score_of(gait, None if speed is None else speed / clock, seconds / clock, wrong)
    last = (round(seconds * fps) - 1) / fps
    found: list[Floats] = []
    for foot in score.feet:
        down = foot.down * clock
        down = down[(down[:, 1] >= 0) & (down[:, 0] <= last)]
        down[:, 0] = np.where(down[:, 0] < 0, -np.inf, down[:, 0])
        down[:, 1] = np.where(down[:, 1] > last, np.inf, down[:, 1])
        found.append(down)
    lf, rf, lh, rh = found
    return lf, rf, lh, rh


def score_of(gait: str, speed: float | None, seconds: float, wrong: Fault | Sequence[Fault] = ()) -> Score:
    """The motion of a horse of 1.295 m, whatever its frame rate."""
    faults = (wrong,) if callable(wrong) else tuple(wrong)
    if gait == "jump":
        return _jump(JUMP_SPEED if speed is None else speed, seconds, faults)
    if gait == "transition":
        middle = seconds / 2
        first = _style("walk", None, faults)
        second = _style("trot", TROT_SPEED if speed is None else speed, faults)
        body = Body(first, second, (middle - CHANGE / 2, middle + CHANGE / 2))
        return _lowered(Score(body, feet_of(body, toes(), seconds)), seconds)
    style = _style(gait, speed, faults)
    body = Body(style, style)
    return Score(body, feet_of(body, toes(), seconds))


def _style(gait: str, speed: float | None, faults: tuple[Fault, ...]) -> Style:
    usual = usual_speed(gait) if speed is None else float(speed)
    if not faults:
        return _clean(gait, usual)
    style = style_of(gait, usual)
    for fault in faults:
        style = fault(style)
    return settled(style)


@lru_cache(maxsize=256)
def _clean(gait: str, speed: float) -> Style:
    return settled(style_of(gait, speed))


def _jump(speed: float, seconds: float, faults: tuple[Fault, ...]) -> Score:
    """A canter on the left lead, a leap in its middle, and the canter again."""
    style = _style("canter-left", speed, faults)
    beat = style.stride
    body = Body(style, style)
    # A touchdown of the left hind a little before the middle.
    base = (round(seconds / 2 / beat) - 1 - body.start) * beat
    landing = base + (FORE_AGAIN + style.touchdown[1]) * beat
    body = replace(body, leap=Leap(base + PUSH_LEFT[1] * beat, landing, beat))
    feet: list[Foot] = []
    for leg, foot in enumerate(feet_of(body, toes(), seconds)):
        again = FORE_AGAIN if leg < 2 else HIND_AGAIN
        down = foot.down[(foot.down[:, 0] < base + 0.6 * beat) | (foot.down[:, 0] > base + again * beat)]
        if leg >= 2:
            push = base + np.array([PUSH_LEFT if leg == 2 else PUSH_RIGHT]) * beat
            down = np.sort(np.concatenate([down, push]), axis=0)
        feet.append(_leaping(foot_of(body, leg, down, toes()[leg]), beat))
    return _lowered(Score(body, feet), seconds)


def _leaping(foot: Foot, beat: float) -> Foot:
    """The foot, drawn up high in the swing that is longer than a beat of the canter."""
    swing = np.append(foot.down[1:, 0] - foot.down[:-1, 1], 0.0)
    high = swing > beat
    lift = 0.19 if foot.hind else 0.38
    return replace(
        foot, lift=np.where(high, lift, foot.lift), fold=np.where(high, np.radians(100), foot.fold)
    )


def _lowered(score: Score, seconds: float) -> Score:
    """The score with its body so low in the middle that all feet are reached."""
    times = np.linspace(0, seconds, 1201)
    for _ in range(12):
        need = shortage(score.body, score.feet, times)
        if need.max() < 1e-4:
            break
        fore, hind = np.array(score.body.low) + 1.2 * need + 0.004
        score = replace(score, body=replace(score.body, low=(float(fore), float(hind))))
    return score
