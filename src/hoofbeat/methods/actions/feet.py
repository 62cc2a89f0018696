"""Feet: where each foot is to be, and how it is held, in its stance and in its swing (kernels).

Targets are in character space [m]. `action` is an ACTION row; `widening` is the stride as a part of the
Action's own; `u` runs from 0 to 1 over the stance or over the swing.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hoofbeat.maths.curves import quintic, wrap
from hoofbeat.maths.exact.circular import sincos
from hoofbeat.maths.jit import kernel
from hoofbeat.maths.types import Bool, Floats, Int, Real, Row, Vec3
from hoofbeat.methods.actions.stride import Playing, stride_toe
from hoofbeat.methods.actions.tables import Plans
from hoofbeat.methods.shared.feet import write_contact, write_phase

ZERO = np.float32(0.0)
HALF = np.float32(0.5)
ONE = np.float32(1.0)
TWO = np.float32(2.0)
THREE = np.float32(3.0)
#: From this widening on the feet pass where the Action has them; below, they near the standing ones.
SETTLED = np.float32(0.5)
#: Where in the stance the heel begins to rise, and how much of the flat hoof is gone at lift-off.
BREAKOVER = np.float32(0.45)
ROLLED = np.float32(0.6)
#: Part of the swing in which the leg folds after lift-off, and straightens before touchdown.
FOLD = np.float32(0.5)
#: Part of the swing in which the hoof turns flat for landing.
LEVEL = np.float32(0.45)
#: Part of the swing, at each end, in which the toe reaches its least clearance.
CLEAR = np.float32(0.3)
#: Part of the swing in which the toe rises, and in which it comes down.
RISE, SINK = np.float32(0.45), np.float32(0.5)
#: How much of the ground's own speed a foot keeps as it leaves and has again as it lands.
KEPT = np.float32(0.3)
#: A narrow stride lifts the feet less, down to this part.
LEAST_LIFT = 0.25
#: Least lift of a swinging toe, as a part of how far its foot may travel.
CLEARANCE = 0.07
#: Part of the cycle over which a toe path's slope is computed [cycles].
SLOPE = 0.01
#: How far ahead of a turn on the spot a standing foot is put [s].
LEAD = 0.2


class _Foot(NamedTuple):
    """What is asked of one foot at one moment; float32."""

    target: Vec3  # of the toe [m]
    down: Bool
    strut: Real  # 1 = the leg stands straight, 0 = folded as the pose says
    flat: Real  # 1 = hoof flat on the ground, 0 = as the pose says
    phase: Real  # the leg's own time, 0 = its touchdown


@kernel(inline=True)
def flat_in_stance(u: Real) -> Real:
    """How flat the hoof lies: 1 until the heel rises, little at lift-off."""
    return ONE - ROLLED * quintic((u - BREAKOVER) / (ONE - BREAKOVER))


@kernel
def fill_flat_in_stance(u: Floats, out: Floats) -> None:
    """`flat_in_stance` of each u (K,), into out (K,)."""
    for k in range(u.shape[0]):
        out[k] = flat_in_stance(u[k])


@kernel(inline=True)
def flat_in_swing(u: Real) -> Real:
    """Rolls on to the pose's own angle, then turns flat for the landing."""
    return (ONE - ROLLED) * (ONE - quintic(u / (ONE - LEVEL))) + quintic((u - (ONE - LEVEL)) / LEVEL)


@kernel(inline=True)
def _strut_in_swing(u: Real) -> Real:
    """1 at both ends, where the leg is loaded; 0 between, where it folds as the pose says."""
    return ONE - quintic(u / FOLD) + quintic((u - (ONE - FOLD)) / FOLD)


@kernel(inline=True)
def lift_in_swing(u: Real) -> Real:
    """How much of the pose's own toe height is kept: 0 at both ends."""
    return quintic(u / RISE) * quintic((ONE - u) / SINK)


@kernel(inline=True)
def clear_in_swing(u: Real) -> Real:
    """How much of the least lift a toe has: up soon after it left, down shortly before it lands."""
    return quintic(u / CLEAR) * quintic((ONE - u) / CLEAR)


@kernel(inline=True)
def _duty_of(action: Row, leg: Int, widening: Real) -> Real:
    """Fraction of the cycle the foot is down: as planned, or as far as the leg reaches."""
    return min(action["duty"][leg], action["travel"][leg] / max(widening * action["stride"], 1e-9))


@kernel(inline=True)
def place_of(action: Row, leg: Int, widening: Real) -> tuple[Real, Real]:
    """Toe at mid-stance (sideways, ahead) [m]: nearer to the standing one in a narrow stride."""
    w = quintic(widening / SETTLED)
    x, z = action["rest"][leg, 0], action["rest"][leg, 1]
    return x + w * (action["place"][leg, 0] - x), z + w * (action["place"][leg, 1] - z)


@kernel(inline=True)
def planted_at(place: tuple[Real, Real], stride: Real, bend: Real, since: Real) -> tuple[Real, Real]:
    """Where a planted toe is (sideways, ahead) [m], `since` cycles after mid-stance at `place`.

    The ground passes straight back by `stride` a cycle and, in a turn, swings by `bend` [rad a cycle].
    """
    half = 0.5 * bend * since
    passed = stride * since
    s, c = sincos(half)
    x = place[0] - passed * s
    z = place[1] - passed * c
    # The sine and cosine of twice the angle.
    s, c = 2.0 * s * c, 1.0 - 2.0 * s * s
    return c * x - s * z, s * x + c * z


@kernel(inline=True)
def toe_slope(toes: Floats, leg: Int, phase: Real) -> Real:
    """How fast the toe of an Action's own pose runs ahead [m a cycle]."""
    after = stride_toe(toes, leg, phase + SLOPE)
    before = stride_toe(toes, leg, phase - SLOPE)
    return (after[2] - before[2]) / (2.0 * SLOPE)


@kernel(inline=True)
def standing_toe(action: Row, place: tuple[Real, Real], bend: Real) -> Vec3:
    """Target of a foot that is never lifted: turning on the spot, it is set down ahead of the turn."""
    lead = LEAD / action["duration"][0] * bend
    s, c = sincos(lead)
    x, z = place
    return np.float32(c * x + s * z), ZERO, np.float32(c * z - s * x)


@kernel
def swinging_toe(action: Row, toes: Floats, leg: Int, one: Playing, bend: Real, height: Real) -> Vec3:
    """Target of a foot in the air: the Action's own toe path, bent so that both ends meet the stance in
    place and, partly, in speed. toes (K, 4, 3); height: of the root joint [m]."""
    widening = one.widening
    duty = _duty_of(action, leg, widening)
    centre = action["centre"][leg]
    since = wrap(wrap(one.cycle) - centre + 0.5) - 0.5
    u = np.float32((wrap(since + duty * 0.5) - duty) / (1.0 - duty))
    stride = widening * action["stride"]
    place = place_of(action, leg, widening)
    ahead = place[1]
    here = stride_toe(toes, leg, wrap(one.cycle))
    left = stride_toe(toes, leg, centre + duty * 0.5)
    lands = stride_toe(toes, leg, centre - duty * 0.5)
    left_x, left_z = planted_at(place, stride, bend, duty * 0.5)
    lands_x, lands_z = planted_at(place, stride, bend, -duty * 0.5)
    # Corrections at both ends of the swing, and their slopes, spread over it by a cubic.
    span = KEPT * (1.0 - duty)
    slope_left = -span * (stride + widening * toe_slope(toes, leg, centre + duty * 0.5))
    slope_lands = -span * (stride + widening * toe_slope(toes, leg, centre - duty * 0.5))
    v = ONE - u
    start = v * v * (ONE + TWO * u)
    stop = u * u * (THREE - TWO * u)
    lift = LEAST_LIFT + (1.0 - LEAST_LIFT) * min(widening, 1.0)
    # The Action's own lift, and at least so much that the toe clears the ground.
    least = CLEARANCE * action["travel"][leg] * clear_in_swing(u)
    return (
        np.float32(here[0] + start * (left_x - left[0]) + stop * (lands_x - lands[0])),
        np.float32(max(max(here[1] + height, 0.0) * lift_in_swing(u), least) * lift),
        np.float32(
            ahead
            + widening * (here[2] - ahead)
            + start * (left_z - ahead - widening * (left[2] - ahead))
            + stop * (lands_z - ahead - widening * (lands[2] - ahead))
            + u * v * v * slope_left
            - u * u * v * slope_lands
        ),
    )


@kernel
def foot_of(action: Row, toes: Floats, leg: Int, one: Playing, bend: Real, height: Real) -> _Foot:
    """One foot of an Action; toes (K, 4, 3) of its own pose.

    bend: how far the body turns [rad a cycle]; height: of the root joint [m]. Down, the foot passes back
    with the ground; up, it follows the Action's own toe path.
    """
    duty = _duty_of(action, leg, one.widening)
    place = place_of(action, leg, one.widening)
    if duty >= 1.0:  # standing: the heel never rises
        return _Foot(standing_toe(action, place, bend), True, ONE, ONE, 0.0)
    since = wrap(wrap(one.cycle) - action["centre"][leg] + 0.5) - 0.5
    own = wrap(since + duty * 0.5)
    if abs(since) <= duty * 0.5:
        x, z = planted_at(place, one.widening * action["stride"], bend, since)
        target = (np.float32(x), ZERO, np.float32(z))
        return _Foot(target, True, ONE, flat_in_stance(np.float32(own / duty)), own)
    u = np.float32((own - duty) / (1.0 - duty))
    target = swinging_toe(action, toes, leg, one, bend, height)
    return _Foot(target, False, _strut_in_swing(u), flat_in_swing(u), own)


@kernel(inline=True)
def clear_feet(out: Row) -> None:
    """Every foot down and nothing asked of it, for `add_feet` to add to."""
    for leg in range(4):
        out["strut"][leg] = out["flat"][leg] = out["phase"][leg] = ZERO
        out["contact"][leg] = ONE
        for axis in range(3):
            out["foot"][leg, axis] = ZERO


@kernel
def add_feet(plans: Plans, one: Playing, airborne: Bool, out: Row) -> None:
    """Add one Action's foot targets, strut and flat by its weight to `out`; the heavier one says phase."""
    action, toes = plans.actions[one.action], plans.toes[one.action]
    bend = out["yaw_rate"] * one.duration
    for leg in range(4):
        foot = foot_of(action, toes, leg, one, bend, out["height"])
        for axis in range(3):
            out["foot"][leg, axis] += one.weight * foot.target[axis]
        out["strut"][leg] += one.weight * foot.strut
        out["flat"][leg] += one.weight * foot.flat
        if one.action > 0:
            # While standing and a gait are blended, the gait says which feet are down.
            write_contact(out, leg, foot.down, airborne)
        if one.weight >= HALF:
            write_phase(out, leg, foot.phase)
