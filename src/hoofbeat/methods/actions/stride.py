"""Stride: pace, body height and foot targets of one Action at one moment (kernels).

Arguments named `row` are ACTION rows. Foot targets are in character space [m].
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hoofbeat.maths.curves import linear_weights, quintic, wrap
from hoofbeat.maths.jit import kernel
from hoofbeat.methods.actions.gesture import (
    SETTLED,
    clear_in_swing,
    flat_in_stance,
    flat_in_swing,
    lift_in_swing,
    strut_in_swing,
)

ZERO = np.float32(0.0)
HALF = np.float32(0.5)
ONE = np.float32(1.0)
TWO = np.float32(2.0)
THREE = np.float32(3.0)
#: How much of the ground's own speed a foot keeps as it leaves and has again as it lands.
KEPT = np.float32(0.3)
#: A narrow stride lifts the feet less, down to this part.
LEAST_LIFT = 0.25
#: Least lift of a swinging toe, as a part of how far its foot may travel.
CLEARANCE = 0.07
#: Over how much of the cycle a toe path's slope is taken [cycles].
SLOPE = 0.01
#: In choosing the first step: how the body gathers speed [m/s2], the room kept before a foot is out of
#: reach [m], and what it costs [m2] to begin late in a swing.
GATHERING, ROOM, LATER = 2.0, 0.25, 1.5
#: How far ahead of a turn on the spot a standing foot is put [s].
LEAD = 0.2


@kernel(inline=True)
def pace_of(row: Any, speed: Any) -> Any:
    """Cycle time [s] and stride scale for a speed [m/s]: stride = scale * row.stride = speed * time."""
    low, high = row["speed"][0], row["speed"][1]
    along = min(max((speed - low) / max(high - low, 1e-9), 0.0), 1.0)
    slow, fast = 1.0 / row["duration"][0], 1.0 / row["duration"][1]
    duration = 1.0 / (slow + (fast - slow) * along ** row["power"])
    return duration, speed * duration / row["stride"]


@kernel(inline=True)
def top_speed(row: Any) -> Any:
    """Fastest speed [m/s] at which the stride is still within its widening."""
    return row["scale_max"] * row["stride"] / row["duration"][1]


@kernel
def height_of(heights: Any, bounce: Any, row: Any, phase: Any, duration: Any, scale: Any) -> Any:
    """Root joint above the ground [m], grounded. heights (S, K), bounce (K,) of this Action."""
    levels = heights.shape[0]
    x = min(max(scale / row["scale_max"], 0.0), 1.0) * (levels - 1)
    level = min(int(x), levels - 2)
    f = x - level
    i, j, u, v = linear_weights(heights.shape[1], phase)
    a = u * heights[level, i] + v * heights[level, j]
    b = u * heights[level + 1, i] + v * heights[level + 1, j]
    return a + f * (b - a) + duration * duration * (u * bounce[i] + v * bounce[j])


@kernel(inline=True)
def duty_of(row: Any, leg: Any, scale: Any) -> Any:
    """Fraction of the cycle the foot is down: as planned, or as far as the leg reaches."""
    return min(row["duty"][leg], row["travel"][leg] / max(scale * row["stride"], 1e-9))


@kernel(inline=True)
def place_of(row: Any, leg: Any, scale: Any) -> Any:
    """Toe at mid-stance (sideways, ahead) [m]: nearer to the standing one in a narrow stride."""
    w = quintic(scale / SETTLED)
    x, z = row["rest"][leg, 0], row["rest"][leg, 1]
    return x + w * (row["place"][leg, 0] - x), z + w * (row["place"][leg, 1] - z)


@kernel(inline=True)
def planted_at(place: Any, stride: Any, bend: Any, since: Any) -> Any:
    """Where a planted toe is (sideways, ahead) [m], `since` cycles after mid-stance at `place`.

    The ground passes straight back by `stride` a cycle and, in a turn, swings by `bend` [rad a cycle].
    """
    half = 0.5 * bend * since
    way = stride * since
    s, c = np.sin(half), np.cos(half)
    x = place[0] - way * s
    z = place[1] - way * c
    # The sine and cosine of twice the angle.
    s, c = 2.0 * s * c, 1.0 - 2.0 * s * s
    return c * x - s * z, s * x + c * z


@kernel
def foot_of(row: Any, toes: Any, leg: Any, phase: Any, scale: Any, bend: Any, height: Any, out: Any) -> Any:
    """Target, contact, strut and flat of one leg; writes out (3,), returns contact, strut, flat, own phase.

    toes (K, 4, 3) of this Action; bend: how far the body turns [rad a cycle]. Down, the foot passes back
    with the ground; up, it follows the Action's own toe path, bent so that both ends meet the stance
    in place and, partly, in speed.
    """
    duty = duty_of(row, leg, scale)
    since = wrap(phase - row["centre"][leg] + 0.5) - 0.5
    own = wrap(since + duty * 0.5)
    stride = scale * row["stride"]
    place = place_of(row, leg, scale)
    ahead = place[1]
    if duty >= 1.0:  # standing: the foot is never lifted, the heel never rises
        # Turning on the spot, the feet are set down ahead of the turn.
        lead = LEAD / row["duration"][0] * bend
        s, c = np.sin(lead), np.cos(lead)
        aside = place[0]
        out[0], out[1], out[2] = c * aside + s * ahead, ZERO, c * ahead - s * aside
        return True, ONE, ONE, ZERO * own
    if abs(since) <= duty * 0.5:
        out[0], out[2] = planted_at(place, stride, bend, since)
        out[1] = ZERO
        return True, ONE, flat_in_stance(np.float32(own / duty)), own

    u = np.float32((own - duty) / (1.0 - duty))
    here = _toe(toes, leg, phase)
    left = _toe(toes, leg, row["centre"][leg] + duty * 0.5)
    lands = _toe(toes, leg, row["centre"][leg] - duty * 0.5)
    left_x, left_z = planted_at(place, stride, bend, duty * 0.5)
    lands_x, lands_z = planted_at(place, stride, bend, -duty * 0.5)
    # Corrections at both ends of the swing, and their slopes, carried across by a cubic.
    span = KEPT * (1.0 - duty)
    slope_left = -span * (stride + scale * _slope(toes, leg, row["centre"][leg] + duty * 0.5))
    slope_lands = -span * (stride + scale * _slope(toes, leg, row["centre"][leg] - duty * 0.5))
    v = ONE - u
    start = v * v * (ONE + TWO * u)
    stop = u * u * (THREE - TWO * u)
    out[0] = here[0] + start * (left_x - left[0]) + stop * (lands_x - lands[0])
    lift = LEAST_LIFT + (1.0 - LEAST_LIFT) * min(scale, 1.0)
    # The Action's own lift, and at least so much that the toe clears the ground.
    least = CLEARANCE * row["travel"][leg] * clear_in_swing(u)
    out[1] = max(max(here[1] + height, 0.0) * lift_in_swing(u), least) * lift
    out[2] = (
        ahead
        + scale * (here[2] - ahead)
        + start * (left_z - ahead - scale * (left[2] - ahead))
        + stop * (lands_z - ahead - scale * (lands[2] - ahead))
        + u * v * v * slope_left
        - u * u * v * slope_lands
    )
    return False, strut_in_swing(u), flat_in_swing(u), own


@kernel(inline=True)
def _toe(toes: Any, leg: Any, phase: Any) -> Any:
    i, j, u, v = linear_weights(toes.shape[0], phase)
    return (
        u * toes[i, leg, 0] + v * toes[j, leg, 0],
        u * toes[i, leg, 1] + v * toes[j, leg, 1],
        u * toes[i, leg, 2] + v * toes[j, leg, 2],
    )


@kernel(inline=True)
def _slope(toes: Any, leg: Any, phase: Any) -> Any:
    """How fast the toe runs ahead [m a cycle]."""
    after = _toe(toes, leg, phase + SLOPE)
    before = _toe(toes, leg, phase - SLOPE)
    return (after[2] - before[2]) / (2.0 * SLOPE)


@kernel
def mismatch(toes_a: Any, phase_a: Any, toes_b: Any, phase_b: Any) -> Any:
    """Sum over the legs of the squared distance [m2] between two Actions' toes."""
    total = 0.0
    for leg in range(4):
        a = _toe(toes_a, leg, phase_a)
        b = _toe(toes_b, leg, phase_b)
        total += (a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2 + (a[2] - b[2]) ** 2
    return total


@kernel
def nearest_phase(toes_a: Any, phase_a: Any, toes_b: Any) -> Any:
    """The phase of b whose toes are nearest to those of a at phase_a."""
    best, least = 0.0, 1e30
    for k in range(64):
        found = mismatch(toes_a, phase_a, toes_b, k / 64.0)
        if found < least:
            best, least = k / 64.0, found
    return best


@kernel
def starting_phase(row: Any, stand: Any) -> Any:
    """The phase of a gait at which a horse that stands (row of the standing Action) best sets off.

    Each planted foot waits for its turn while the body gathers speed; the phase is the one that
    leaves the feet least behind, and lifts its first foot early in its swing.
    """
    best, least = 0.0, 1e30
    for k in range(64):
        found = 0.0
        for leg in range(4):
            duty = row["duty"][leg]
            own = wrap(k / 64.0 - row["centre"][leg] + 0.5 * duty)
            if own < duty:
                wait = (duty - own) * row["duration"][0]
                behind = row["place"][leg, 1] - stand["place"][leg, 1] + 0.5 * GATHERING * wait * wait
                found += max(behind - 0.5 * row["travel"][leg] + ROOM, 0.0) ** 2
            else:
                found += LATER * (own - duty) ** 2
        if found < least:
            best, least = k / 64.0, found
    return best
