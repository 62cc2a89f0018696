"""Pose: the curves of limbs and trunk at a moment, joined where gaits change (kernels).

In a transition a leg's curve is the mean of both gaits', with its ends moved to join what it comes from
and goes to, in value and slope (Figure 9): the piecewise curve of `model/piecewise`, with one cubic over
the cycle.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hoofbeat.maths.curves import cubic_weights, smoothstep
from hoofbeat.maths.exact.circular import sincos
from hoofbeat.maths.jit import kernel
from hoofbeat.maths.quat_kernels import IDENTITY, about, mul
from hoofbeat.maths.types import Bool, Floats, Int, Quat, Real, Row, Vec3
from hoofbeat.maths.vec import AHEAD, LEFT, ORIGIN, length, put, put_quat, quat, scale, vec
from hoofbeat.methods.froude.model.cycles import CHANNELS, JOINED, JOINTS
from hoofbeat.methods.froude.pace import Pace, PacePlace, cycle_share, trunk_phase
from hoofbeat.methods.froude.state import Scratch
from hoofbeat.methods.froude.tables import Tables

ZERO = np.float32(0.0)
HALF = np.float32(0.5)
ONE = np.float32(1.0)
TWO = np.float32(2.0)
THREE = np.float32(3.0)
TINY = np.float32(1e-6)
COUNT = len(CHANNELS)


class PoseMoment(NamedTuple):
    """Where a limb is in its cycle: own phase in [0, 1], whether it swings, and the part of its stance or
    swing that is over."""

    phase: Real
    swings: Bool
    over: Real


@kernel
def add_limb(
    rows: Floats, limb: Int, place: PacePlace, moment: PoseMoment, weight: Real, out: Floats
) -> None:
    """Add `weight` times the channels (9,) of a limb in a family's curves (F, 2, 2, R + 2, 9)."""
    part = 1 if moment.swings else 0
    last = rows.shape[3] - 3
    x = min(max(moment.over, 0.0), 1.0) * last
    n = min(int(x), last - 1)
    f = np.float32(x - n)
    a = f * (f * (ONE - HALF * f) - HALF)
    b = f * f * (THREE * HALF * f - (TWO + HALF)) + ONE
    c = f * (f * (TWO - THREE * HALF * f) + HALF)
    d = f * f * (HALF * f - HALF)
    for side in range(2):
        share = np.float32(weight * (place.weight if side == 1 else 1.0 - place.weight))
        if share == ZERO:
            continue
        table = rows[place.row + side, limb, part]
        for k in range(COUNT):
            value = a * table[n, k] + b * table[n + 1, k] + c * table[n + 2, k] + d * table[n + 3, k]
            out[k] += share * value


@kernel
def add_join(rows: Floats, limb: Int, place: PacePlace, sign: Real, scratch: Scratch) -> None:
    """Add `sign` times a limb's values and slopes at touchdown, of a family's joins (F, 2, 2, 7)."""
    for side in range(2):
        share = np.float32(sign * (place.weight if side == 1 else 1.0 - place.weight))
        for k in range(JOINED):
            scratch.value[k] += share * rows[place.row + side, limb, 0, k]
            scratch.slope[k] += share * rows[place.row + side, limb, 1, k]


@kernel
def sample_limb(
    curves: Floats, joins: Floats, state: Row, leg: Int, pace: Pace, moment: PoseMoment, scratch: Scratch
) -> None:
    """The channels of a leg at a moment of its cycle, into the scratch memory."""
    out, limb = scratch.channels, leg // 2
    for k in range(COUNT):
        out[k] = ZERO
    begins, ends = state["share"][leg, 0], state["share"][leg, 1]
    mean = cycle_share(state, leg)
    to, source = pace.to, pace.source
    if state["source"] == state["gait"] or mean >= 1.0:
        add_limb(curves[to.family], limb, to, moment, 1.0, out)
        return
    add_limb(curves[source.family], limb, source, moment, 1.0 - mean, out)
    if ends == begins:
        return
    add_limb(curves[to.family], limb, to, moment, mean, out)
    for k in range(JOINED):
        scratch.value[k] = scratch.slope[k] = ZERO
    add_join(joins[source.family], limb, source, 1.0, scratch)
    add_join(joins[to.family], limb, to, -1.0, scratch)
    x, y = moment.phase, 1.0 - moment.phase
    b = smoothstep(x)
    first, last = mean - begins, mean - ends
    at = np.float32((1.0 - b) * first + b * last)
    along = np.float32(x * y * (y * first - x * last))
    for k in range(JOINED):
        out[k] += at * scratch.value[k] + along * scratch.slope[k]


@kernel(inline=True)
def pose_leg(joints: Floats, channels: Floats, moving: Real, rotations: Floats) -> None:
    """Turn the joints (6,) of a leg about the leftward axis as its channels say."""
    share = np.float32(moving)
    for k in range(JOINTS):
        if joints[k] >= 0:
            put_quat(rotations, joints[k], about(LEFT, share * channels[k]))


@kernel
def _add_trunk(trunk: Floats, gait: Row, phase: Real, weight: Real, out: Floats) -> None:
    """Add `weight` times a gait's rotation vectors, of trunk (V, 64, J, 3), to out (J, 3); phase: after the
    left hind lands."""
    table = trunk[gait["family"]]
    i, j, k, m, a, b, c, d = cubic_weights(table.shape[0], np.float32(phase + gait["shift"]))
    other = np.float32(gait["mirror"])
    share = np.float32(weight)
    for n in range(table.shape[1]):
        for axis in range(3):
            value = (
                a * table[i, n, axis] + b * table[j, n, axis] + c * table[k, n, axis] + d * table[m, n, axis]
            )
            out[n, axis] += share * (value if axis == 0 else other * value)


@kernel(inline=True)
def pose_trunk(tables: Tables, state: Row, pace: Pace, scratch: Scratch, rotations: Floats) -> None:
    """Back, neck, head and tail; the lean turns the root joint."""
    joints, turned = tables.trunk_joints, scratch.trunk
    for n in range(joints.shape[0]):
        put(turned, n, ORIGIN)
    phase = trunk_phase(state)
    _add_trunk(tables.trunk, tables.gaits[int(state["gait"])], phase, pace.moving * pace.share, turned)
    if state["source"] != state["gait"]:
        source = tables.gaits[int(state["source"])]
        _add_trunk(tables.trunk, source, phase, pace.moving * (1.0 - pace.share), turned)
    for n in range(joints.shape[0]):
        put_quat(rotations, joints[n], rotation_of(vec(turned, n)))
    if state["lean"] != 0.0:
        lean = about(AHEAD, np.float32(-state["lean"]))
        put_quat(rotations, 0, mul(lean, quat(rotations, 0)))


@kernel(inline=True)
def rotation_of(v: Vec3) -> Quat:
    """The rotation of a rotation vector [rad]."""
    angle = length(v)
    sine, cosine = sincos(HALF * angle)
    s = sine / angle if angle > TINY else HALF
    x, y, z = scale(v, s)
    return x, y, z, cosine


@kernel
def pose_standing(rotations: Floats) -> None:
    """The rest pose: rotations (J, 4)."""
    for n in range(rotations.shape[0]):
        put_quat(rotations, n, IDENTITY)
