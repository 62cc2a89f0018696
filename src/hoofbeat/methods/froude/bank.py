"""Bank: base cycles and adjusters as the tables that the kernels of `froude` read.

A limb's curves are laid out by the part of its stance or of its swing that is over, on a grid of Froude
numbers: the adjuster is run on every row of the grid, and only neighbouring rows are mixed at run time.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hoofbeat.body.size import hip_height
from hoofbeat.body.skeleton import Skeleton
from hoofbeat.errors import HoofbeatError
from hoofbeat.formats.adjusterfile import Adjuster
from hoofbeat.maths.curves import sample_cubic
from hoofbeat.maths.physics import GRAVITY
from hoofbeat.methods.froude.model.inputs import Base, Inputs, first_joints, limbs_of
from hoofbeat.methods.froude.model.limb import (
    DUTY,
    TOUCHDOWN,
    Limbs,
    Wanted,
    measured,
    packed,
    traced,
    wanted_of,
)
from hoofbeat.methods.froude.model.load import POINTS, bounce_under
from hoofbeat.methods.froude.model.similarity import (
    LONGEST_STANCE,
    NATURAL_GAITS,
    SYMMETRICAL,
    Laws,
    Preset,
    predict,
)

Floats = NDArray[np.float64]

#: Rows of the grid of Froude numbers, of a stance or swing, and of the trunk's cycle.
FROUDE_ROWS, PART_ROWS, TRUNK_ROWS = 24, 33, 64
#: Columns of a limb's curves: its six joints [rad], pitch of the hoof against the ground [rad], how far the
#: toe is over the ground, and ahead of the smoothest way from where it leaves to where it lands [m].
CHANNELS = ("scapula", "top", "mid", "low", "fetlock", "hoof", "pitch", "lift", "way")
PITCH, LIFT, WAY = 6, 7, 8
#: Stance and swing are made longer or shorter by at most this part of the stride, towards the predicted duty.
RETIMED = 0.03
#: Feet of canter and gallop, which swing fastest over the ground, rise so much more [hip heights].
RISE = 0.035
#: A standing hoof is level within half of this [rad].
LEVEL = 0.03
#: Duties that a foot can be ridden with.
DUTIES = (0.08, 0.95)


class UnusableAdjuster(HoofbeatError):
    """An adjuster with which a foot never lands, or never leaves the ground."""


@dataclass(frozen=True)
class Bank:
    """Tables of the four families of gaits (V = 4), F rows of Froude numbers, R rows of a part.

    curves (V, F, 2, 2, R + 2, 9) float32: of fore and hind, in stance and swing, CHANNELS at R even
    places from the part's begin to its end, and one place more on either side; joins (V, F, 2, 2, 7)
    float32: values and slopes, for a cycle, of the first seven CHANNELS at touchdown; duty and middle (V,
    F, 2): duty, and z of the middle of the stance [m]; height (V, F, 64) of the root joint [m]; sway (V,
    64) [m]; trunk (V, 64, J, 3): rotation vectors [rad] of `joints`. names: of the gaits; gaits: GAIT
    rows; home (4, 3): toes of the standing animal, and stand: height of its root joint [m]; hip: height
    of its hip [m]; first (4,): first joint of each limb.
    """

    curves: NDArray[np.float32]
    joins: NDArray[np.float32]
    duty: Floats
    middle: Floats
    height: Floats
    sway: Floats
    trunk: NDArray[np.float32]
    joints: NDArray[np.int64]
    froude: Floats
    home: Floats
    stand: float
    hip: float
    first: tuple[int, int, int, int]


def make_bank(inputs: Inputs, preset: Preset, skeleton: Skeleton, model: Skeleton | None = None) -> Bank:
    """The bank of a skeleton; UnusableAdjuster where an adjuster gives no stride.

    model: the skeleton that base cycles and adjusters were made for, if it is another one. Its hoof paths are
    scaled by the height of the hip and laid below the shoulders and hips of this one, whose joints turn as
    its joints do.
    """
    model = model or skeleton
    hip = hip_height(skeleton)
    families = [
        _Family(gait, inputs.bases[gait], inputs.adjusters[gait], model, inputs.laws)
        for gait in NATURAL_GAITS
    ]
    rest = skeleton.rest_positions()
    low = rest[:, 1].min()
    names = [
        n
        for n in skeleton.names
        if any(n == joint for base in inputs.bases.values() for joint, _ in base.trunk)
    ]
    curves, joins, middles = zip(*(family.curves(hip) for family in families), strict=True)
    return Bank(
        curves=np.stack(curves).astype(np.float32),
        joins=np.stack(joins).astype(np.float32),
        duty=np.stack([family.duty for family in families]),
        middle=np.stack(middles) + _tops(skeleton) - _tops(model) * hip / hip_height(model),
        height=np.stack([_heights(family, preset, inputs.laws, hip) - low for family in families]),
        sway=np.stack([hip * family.base.carried["sway"].at(_phases()) for family in families]),
        trunk=np.stack([_trunk(family.base, names) for family in families]).astype(np.float32),
        joints=np.array([skeleton.index(name) for name in names], np.int64),
        froude=np.stack([family.wanted.froude for family in families]),
        home=rest[[leg.toe for leg in skeleton.legs]] - np.array([0.0, low, 0.0]),
        stand=float(-low),
        hip=hip,
        first=first_joints(skeleton),
    )


def _tops(skeleton: Skeleton) -> Floats:
    """How far ahead of the root joint (2,) shoulders and hips are at rest [m]."""
    ahead = skeleton.rest_positions()[[leg.top for leg in skeleton.legs], 2]
    return np.array([ahead[:2].mean(), ahead[2:].mean()])


def _phases() -> Floats:
    return np.arange(TRUNK_ROWS) / TRUNK_ROWS


class _Family:
    """One gait, traced: its limbs on the grid of Froude numbers."""

    def __init__(
        self, gait: str, base: Base, adjuster: Adjuster, skeleton: Skeleton, laws: Mapping[str, Laws]
    ) -> None:
        self.gait, self.base = gait, base
        self.rise = 0.0 if gait in SYMMETRICAL else RISE
        self.limbs: Limbs = limbs_of(base, gait, skeleton)
        grid = np.geomspace(max(adjuster.froude[0], 1e-3), adjuster.froude[1], FROUDE_ROWS)
        self.wanted: Wanted = wanted_of(self.limbs, grid, laws)
        found = measured(self.limbs, packed([adjuster]), self.wanted)[0]
        self.stands, self.touchdown = found[..., DUTY], found[..., TOUCHDOWN]
        #: What is ridden: stance and swing of the curves, retimed by a little towards the law.
        self.duty = self.stands + np.clip(self.wanted.duty - self.stands, -RETIMED, RETIMED)
        self.angles, self.toes = traced(self.limbs, adjuster, self.wanted)
        wrong = (self.stands < DUTIES[0]) | (self.stands > DUTIES[1])
        if wrong.any():
            row, limb = np.argwhere(wrong)[0]
            raise UnusableAdjuster(
                f"with the adjuster of the {gait} the {('fore', 'hind')[limb]} foot stands "
                f"{self.stands[row, limb]:.2f} of the stride at Froude number {grid[row]:.3g}; a gait needs "
                f"{DUTIES[0]} to {DUTIES[1]}: score it, and change its amplitudes"
            )

    def curves(self, hip: float) -> tuple[Floats, Floats, Floats]:
        """Curves (F, 2, 2, R + 2, 9), joins (F, 2, 2, 7) and middles (F, 2) of this family, in metres."""
        out = np.zeros((FROUDE_ROWS, 2, 2, PART_ROWS + 2, len(CHANNELS)))
        joins, middle = np.zeros((FROUDE_ROWS, 2, 2, 7)), np.zeros((FROUDE_ROWS, 2))
        for f in range(FROUDE_ROWS):
            for limb in range(2):
                cycle = self._cycle(f, limb, hip)
                lands, stands = self.touchdown[f, limb], self.stands[f, limb]
                for part, begin, lasts in ((0, lands, stands), (1, lands + stands, 1 - stands)):
                    places = begin + lasts * np.arange(-1, PART_ROWS + 1) / (PART_ROWS - 1)
                    out[f, limb, part] = sample_cubic(cycle, places)
                near = sample_cubic(cycle[:, :7], lands + np.array([-0.005, 0.0, 0.005]))
                joins[f, limb] = near[1], (near[2] - near[0]) / 0.01
                _level(out[f, limb, :, :, PITCH])
                joins[f, limb, :, PITCH] = 0.0, 0.5 * joins[f, limb, 1, PITCH]
                ends = sample_cubic(cycle[:, WAY], lands + np.array([0.0, stands]))
                middle[f, limb] = ends.mean()
                out[f, limb, 0, :, [LIFT, WAY]] = 0.0
                out[f, limb, 1, :, LIFT] += self.rise * hip * _arch() - _line(out[f, limb, 1, :, LIFT])
                out[f, limb, 1, :, WAY] = _over_smoothest(out[f, limb, 1, :, WAY])
        return out, joins, middle

    def _cycle(self, f: int, limb: int, hip: float) -> Floats:
        """CHANNELS (S, 9) of a limb over its cycle, the toe in metres."""
        angles = self.angles[f, limb]
        pitch = self.limbs.carriage[limb, 0] + angles.sum(axis=1)
        return np.concatenate([angles, pitch[:, None], hip * self.toes[f, limb]], axis=1)


def _level(pitch: Floats) -> None:
    """Make pitches (2, R + 2) of a hoof in stance and swing land level and stay so until the heel rises.

    What it lands with is taken off, less and less away from the landing; in stance no toe points up.
    """
    q = np.clip(np.arange(-1, pitch.shape[1] - 1) / (pitch.shape[1] - 3), 0.0, 1.0)
    near = q * q * (3 - 2 * q)
    lands = float(pitch[0, 1])
    pitch[0] -= lands * (1 - near)
    pitch[1] -= lands * near
    pitch[0] = 0.5 * (pitch[0] + np.hypot(pitch[0], LEVEL) - LEVEL)


def _arch() -> Floats:
    """From 0 to 1 and back over a swing (R + 2,)."""
    return np.sin(np.pi * np.arange(-1, PART_ROWS + 1) / (PART_ROWS - 1))


def _line(rows: Floats) -> Floats:
    """The straight line (R + 2,) from a swing's first value to its last."""
    q = np.arange(-1, len(rows) - 1) / (len(rows) - 3)
    return (1 - q) * rows[1] + q * rows[-2]


def _over_smoothest(rows: Floats) -> Floats:
    """A swing's values (R + 2,) less the cubic that leaves and arrives with the same values and slopes."""
    count = len(rows) - 3
    q = np.arange(-1, len(rows) - 1) / count
    first, last = rows[1], rows[-2]
    leaves, arrives = (rows[2] - rows[0]) * count / 2, (rows[-1] - rows[-3]) * count / 2
    b = q * q * (3 - 2 * q)
    cubic = (1 - b) * first + b * last + q * (1 - q) ** 2 * leaves + q * q * (q - 1) * arrives
    out = rows - cubic
    out[1] = out[-2] = 0.0
    # Value and slope are nothing at both ends, so that the curve is even about them.
    out[0], out[-1] = out[2], out[-3]
    return out


def _heights(family: _Family, preset: Preset, laws: Mapping[str, Laws], hip: float) -> Floats:
    """Height (F, 64) of the root joint about its place at rest [m].

    The base cycle's, as much lower as its legs need, with the bounce of the stride that is ridden: what the
    ground bears at its own duty and stride time (methods/froude/model/load.py), so that flights obey gravity.
    """
    base, t = family.base, _phases()
    own = bounce_under(
        base.load, base.touchdown, np.repeat(base.duty, 2).tolist(), base.stride * np.sqrt(hip / GRAVITY)
    )
    out = np.zeros((FROUDE_ROWS, TRUNK_ROWS))
    told = predict(family.wanted.froude, family.gait, hip, laws=laws)
    strides = np.minimum(told.relative_stride, LONGEST_STANCE / np.maximum(told.duty_fore, told.duty_hind))
    times = strides * hip / told.speed
    for f in range(FROUDE_ROWS):
        bounce = bounce_under(
            base.load, preset.touchdown[family.gait], np.repeat(family.duty[f], 2).tolist(), times[f]
        )
        change = sample_cubic((bounce.height - own.height).reshape(POINTS), t)
        out[f] = hip * (base.carried["height"].at(t) - family.wanted.lowered[f]) + change
    return out


def _trunk(base: Base, names: list[str]) -> Floats:
    """Rotation vectors (64, J, 3) [rad] of the named joints."""
    out = np.zeros((TRUNK_ROWS, len(names), 3))
    for (joint, axis), wave in base.trunk.items():
        if joint in names:
            out[:, names.index(joint), axis] = np.radians(wave.at(_phases()))
    return out


def tables_of(bank: Bank) -> tuple[Any, ...]:
    """What the kernels take."""
    return (
        bank.curves,
        bank.joins,
        bank.duty,
        bank.middle,
        bank.height,
        bank.sway,
        bank.trunk,
        bank.home,
        bank.stand,
        bank.hip,
    )
