"""Faults of made clips: each spoils a good horse in one known way, and names what follows from it.

The first kind are given to `made.clip(wrong=...)` and change how the motion is made, so that all else stays
right; the second kind change a finished clip.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from hoofbeat.body.clip import Clip
from hoofbeat.body.skeleton import LEGS, Skeleton
from hoofbeat.maths import quat
from made_style import HEAD, WITHERS, Style, wave

Fault = Callable[[Style], Style]
FORE = ("LF", "RF")


def _where(legs: tuple[str, ...], value: float) -> NDArray[np.float64]:
    return np.array([value if name in legs else 0.0 for name in LEGS])


def swapped(one: str = "LF", other: str = "RF") -> Fault:
    """Two legs land at each other's times: the forelegs, so that each hind goes with the wrong fore."""

    def fault(style: Style) -> Style:
        order = list(range(4))
        a, b = LEGS.index(one), LEGS.index(other)
        order[a], order[b] = b, a
        return replace(style, touchdown=style.touchdown[order])

    return fault


def late(leg: str = "LF", by: float = 0.1) -> Fault:
    """One leg does all it does later, by a part of the stride."""
    return lambda style: replace(style, touchdown=style.touchdown + _where((leg,), by))


def sliding(*legs: str, by: float = 0.02) -> Fault:
    """Feet slip forward in every stance [m]; none named: the left fore."""
    return lambda style: replace(style, slide=_where(legs or ("LF",), by))


def bent(*legs: str, by: float = 25.0) -> Fault:
    """The carpus is bent in stance [deg], the foot still planted; none named: both forelegs."""
    return lambda style: replace(style, bend=np.radians(_where(legs or FORE, by)))


def sunk(*legs: str, by: float = 0.01) -> Fault:
    """Feet stand and swing so much too low [m]; none named: the left fore."""
    return lambda style: replace(style, level=-_where(legs or ("LF",), by))


def stiff() -> Fault:
    """Trunk and head only glide forward."""
    return lambda style: replace(style, curves=np.zeros_like(style.curves))


def lame(leg: str = "LF", by: float = 1.0) -> Fault:
    """A limp: the leg stands for a shorter time, and withers and head nod away from it."""

    def fault(style: Style) -> Style:
        k = LEGS.index(leg)
        middle = float(style.touchdown[k] + style.duty[k] / 2)
        curves = np.array(style.curves)
        curves[WITHERS] += wave(0.012 * by, middle, 1)
        curves[HEAD] += wave(0.04 * by, middle, 1)
        return replace(style, curves=curves, duty=style.duty - _where((leg,), 0.07 * by))

    return fault


def hasty(by: float = 0.6, when: float = 3.0) -> Fault:
    """The body goes faster from one frame to the next, by so much [m/s] at a time [s]."""
    return lambda style: replace(style, step=(by, when))


def flying() -> Fault:
    """The gallop of painters: the long flight comes after the hind legs, the animal stretched."""
    return lambda style: replace(style, touchdown=np.array([0.56, 0.66, 0.0, 0.10]))


#: A horse as bad as those of some packs: flies after its hind legs, slides, and carries on bent knees.
BAD: tuple[Fault, ...] = (flying(), sliding(*LEGS, by=0.08), bent())


def lifted(clip: Clip, by: float = 0.02) -> Clip:
    """All of it so much higher [m]; negative: in the ground."""
    return _with(clip, origins=clip.origins + [0.0, by, 0.0])


def backward(clip: Clip) -> Clip:
    """Time runs backward."""
    return _with(clip, rotations=clip.rotations[::-1], origins=clip.origins[::-1])


def mirrored(clip: Clip) -> Clip:
    """x is taken for -x, as in an import with the wrong hand: left legs lie on the right."""
    s = clip.skeleton
    flip = np.array([-1.0, 1.0, 1.0])
    skeleton = Skeleton(s.names, s.parents, s.offsets * flip, s.ends, s.legs)
    rotations = clip.rotations * np.array([1.0, -1.0, -1.0, 1.0])
    return _with(clip, skeleton=skeleton, rotations=rotations, origins=clip.origins * flip)


def enlarged(clip: Clip, by: float = 100.0) -> Clip:
    """All lengths times a factor, as in another unit."""
    return _with(clip, skeleton=clip.skeleton.scaled(by), origins=clip.origins * by)


def popped(clip: Clip, joint: str = "Cervical05", by: float = 20.0, frame: int | None = None) -> Clip:
    """One joint is off by an angle [deg] in a single frame (None: in the middle)."""
    rotations = np.array(clip.rotations)
    at = len(clip) // 2 if frame is None else frame
    j = clip.skeleton.index(joint)
    turn = quat.from_axis_angle(np.array([1.0, 0.0, 0.0]), np.radians(by))
    rotations[at, j] = quat.mul(rotations[at, j], turn)
    return _with(clip, rotations=rotations)


def _with(
    clip: Clip,
    skeleton: Skeleton | None = None,
    rotations: NDArray[np.float64] | None = None,
    origins: NDArray[np.float64] | None = None,
) -> Clip:
    return Clip(
        clip.skeleton if skeleton is None else skeleton,
        clip.rotations if rotations is None else rotations,
        clip.origins if origins is None else origins,
        clip.fps,
        name=clip.name,
    )
