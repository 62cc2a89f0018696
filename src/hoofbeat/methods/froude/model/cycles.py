"""Cycles: one gait's base cycle and adjuster as curves on a grid of Froude numbers.

A limb's curves are laid out by the part of its stance or of its swing that is over: the adjuster is run on
every row of the grid, and only neighbouring rows are mixed at run time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from hoofbeat.body.skeleton import Skeleton
from hoofbeat.errors import HoofbeatError
from hoofbeat.formats.adjusterfile import Adjuster
from hoofbeat.maths.curves import sample_cubic
from hoofbeat.maths.physics import GRAVITY
from hoofbeat.methods.froude.model.fourier import Floats
from hoofbeat.methods.froude.model.inputs import Base, limbs_of
from hoofbeat.methods.froude.model.limb import DUTY, TOUCHDOWN, measured_limb, packed, traced, wanted_of
from hoofbeat.methods.froude.model.load import POINTS, bounce_under
from hoofbeat.methods.froude.model.similarity import LONGEST_STANCE, SYMMETRICAL, Laws, predict

#: Rows of the grid of Froude numbers, of a stance or swing, and of the trunk's cycle.
FROUDE_ROWS, PART_ROWS, TRUNK_ROWS = 24, 33, 64
#: Columns of a limb's curves: its six joints [rad], pitch of the hoof against the ground [rad], how far the
#: toe is over the ground, and ahead of the smoothest path from where it leaves to where it lands [m].
CHANNELS = ("scapula", "top", "mid", "low", "fetlock", "hoof", "pitch", "lift", "ahead")
#: Joints of a limb, and the columns after them.
JOINTS, HOOF, PITCH, LIFT, AHEAD = 6, 5, 6, 7, 8
#: Columns that are joined where gaits change: joints and pitch.
JOINED = 7
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


class GaitCycle:
    """One gait's limbs, traced on the grid of Froude numbers.

    base: its base cycle; rows: of the grid; wanted: what similarity asks of its limbs; stands (F, 2): duty
    of the adjusted curves, fore and hind, and touchdown (F, 2): when that stance begins [cycles]; duty
    (F, 2): duty ridden, nearer to the law; angles (F, 2, S, 6) [rad] and toes (F, 2, S, 2) [hip heights] of
    the limbs.
    """

    def __init__(
        self,
        gait: str,
        base: Base,
        adjuster: Adjuster,
        skeleton: Skeleton,
        laws: Mapping[str, Laws],
        rows: int = FROUDE_ROWS,
    ) -> None:
        self.gait, self.base = gait, base
        self.rise = 0.0 if gait in SYMMETRICAL else RISE
        self.limbs = limbs_of(base, gait, skeleton)
        grid = np.geomspace(max(adjuster.froude[0], 1e-3), adjuster.froude[1], rows)
        self.wanted = wanted_of(self.limbs, grid, laws)
        found = measured_limb(self.limbs, packed([adjuster]), self.wanted)[0]
        self.stands, self.touchdown = found[..., DUTY], found[..., TOUCHDOWN]
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
        """Curves (F, 2, 2, R + 2, 9), joins (F, 2, 2, 7) and middles (F, 2) for a hip [m], in metres."""
        rows = len(self.wanted.froude)
        out = np.zeros((rows, 2, 2, PART_ROWS + 2, len(CHANNELS)))
        joins, middle = np.zeros((rows, 2, 2, JOINED)), np.zeros((rows, 2))
        for f in range(rows):
            for limb in range(2):
                cycle = self._channels(f, limb, hip)
                lands, stands = self.touchdown[f, limb], self.stands[f, limb]
                for part, begin, lasts in ((0, lands, stands), (1, lands + stands, 1 - stands)):
                    places = begin + lasts * np.arange(-1, PART_ROWS + 1) / (PART_ROWS - 1)
                    out[f, limb, part] = sample_cubic(cycle, places)
                near = sample_cubic(cycle[:, :JOINED], lands + np.array([-0.005, 0.0, 0.005]))
                joins[f, limb] = near[1], (near[2] - near[0]) / 0.01
                _level(out[f, limb, :, :, PITCH])
                joins[f, limb, :, PITCH] = 0.0, 0.5 * joins[f, limb, 1, PITCH]
                ends = sample_cubic(cycle[:, AHEAD], lands + np.array([0.0, stands]))
                middle[f, limb] = ends.mean()
                out[f, limb, 0, :, [LIFT, AHEAD]] = 0.0
                out[f, limb, 1, :, LIFT] += self.rise * hip * _arch() - _line(out[f, limb, 1, :, LIFT])
                out[f, limb, 1, :, AHEAD] = _over_smoothest(out[f, limb, 1, :, AHEAD])
        return out, joins, middle

    def _channels(self, f: int, limb: int, hip: float) -> Floats:
        """CHANNELS (S, 9) of a limb over its cycle, the toe in metres."""
        angles = self.angles[f, limb]
        pitch = self.limbs.carriage[limb, 0] + angles.sum(axis=1)
        return np.concatenate([angles, pitch[:, None], hip * self.toes[f, limb]], axis=1)

    def sway(self, hip: float) -> Floats:
        """How far (64,) the root joint sways to the left [m]."""
        return hip * self.base.trunk_waves["sway"].at(trunk_phases())

    def height(self, touchdown: Sequence[float], laws: Mapping[str, Laws], hip: float) -> Floats:
        """Height (F, 64) of the root joint about its place at rest [m]; touchdown (4,) as it is ridden.

        The base cycle's, as much lower as its legs need, with the bounce of the stride that is ridden: what
        the ground bears at its own duty and stride time (`load`), so that flights obey gravity.
        """
        base, t = self.base, trunk_phases()
        stride = base.stride * np.sqrt(hip / GRAVITY)
        own = bounce_under(base.load, base.touchdown, np.repeat(base.duty, 2).tolist(), stride)
        out = np.zeros((len(self.wanted.froude), TRUNK_ROWS))
        predicted = predict(self.wanted.froude, self.gait, hip, laws=laws)
        strides = np.minimum(
            predicted.relative_stride, LONGEST_STANCE / np.maximum(predicted.duty_fore, predicted.duty_hind)
        )
        times = strides * hip / predicted.speed
        for f in range(len(out)):
            bounce = bounce_under(base.load, touchdown, np.repeat(self.duty[f], 2).tolist(), times[f])
            change = sample_cubic((bounce.height - own.height).reshape(POINTS), t)
            out[f] = hip * (base.trunk_waves["height"].at(t) - self.wanted.lowered[f]) + change
        return out

    def trunk(self, names: Sequence[str]) -> Floats:
        """Rotation vectors (64, J, 3) [rad] of the named joints."""
        out = np.zeros((TRUNK_ROWS, len(names), 3))
        for (joint, axis), wave in self.base.trunk.items():
            if joint in names:
                out[:, names.index(joint), axis] = np.radians(wave.at(trunk_phases()))
        return out


def trunk_phases() -> Floats:
    """Phases (64,) of the trunk's tables [strides]."""
    return np.arange(TRUNK_ROWS) / TRUNK_ROWS


def _level(pitch: Floats) -> None:
    """Make pitches (2, R + 2) of a hoof in stance and swing land level and stay so until the heel rises.

    Its pitch at landing is subtracted, ever less away from the landing; in stance no toe points up.
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
