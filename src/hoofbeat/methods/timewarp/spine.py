"""Spine: a turn begins at the nose and runs along the body to the root (kernels, H6).

    nose --late--> head --late--> neck ... loin --late--> root

Each joint turns after the one before it with a lag, so that in a steady turn the body lies along its
circle and out of one it straightens from the head on. All that is kept is the angle between neighbours:
it is the lag times the rate at which the hinder one turns.
"""

from __future__ import annotations

import numpy as np

from hoofbeat.maths.jit import kernel
from hoofbeat.maths.quat_kernels import about, mul
from hoofbeat.maths.spring import damp
from hoofbeat.maths.types import Bool, Floats, Ints, Real, Row
from hoofbeat.maths.vec import UP, put_quat, quat
from hoofbeat.methods.shared.turning import TURN_HALFLIFE, grip, sought_turn
from hoofbeat.methods.timewarp.tables import Turning

ZERO = np.float32(0.0)
MPH = 0.44704
#: Speeds of the paper [m/s] and turns [rad/s] below, between and above them, and during a change of gait.
PAPER_SLOW, PAPER_MIDDLE, PAPER_FAST = 5.0 * MPH, 6.0 * MPH, 25.0 * MPH
PAPER_TURN_SLOW, PAPER_TURN, PAPER_TURN_FAST = (float(np.radians(a * 30.0)) for a in (0.01, 0.1, 0.2))
PAPER_CHANGING_SLOW, PAPER_CHANGING = (float(np.radians(a * 30.0)) for a in (0.05, 1.15))
#: Half-life with which the feet's places follow a turn: a first step does not reach for all of it [s].
SWEEP_HALFLIFE = 0.1


@kernel
def paper_turn(speed: Real, changing: Bool) -> Real:
    """Turning rate of the paper at a speed [m/s], while the gait changes or not [rad/s]."""
    part = min(max((speed - PAPER_SLOW) / (PAPER_MIDDLE - PAPER_SLOW), 0.0), 1.0)
    if changing:
        return PAPER_CHANGING_SLOW + part * (PAPER_CHANGING - PAPER_CHANGING_SLOW)
    slow = PAPER_TURN_SLOW + part * (PAPER_TURN - PAPER_TURN_SLOW)
    return slow if speed <= PAPER_FAST else PAPER_TURN_FAST


@kernel
def turn_nose(state: Row, command: Row, sense: Row, turning: Turning, dt: Real) -> None:
    """How fast the nose turns, into `nose` [rad/s]. A heading is sought by the nose; the body follows it."""
    most, lags = turning.most, turning.lags
    if turning.paper:
        most = min(most, paper_turn(state["speed"], state["progress"] < 1.0))
    ahead = 0.0
    for k in range(lags.shape[0]):
        ahead += state["spine"][k]
    wanted = sought_turn(command, sense["yaw"] + ahead, grip(state["speed"], most))
    state["nose"] = wanted if turning.paper else damp(state["nose"], wanted, TURN_HALFLIFE, dt)


@kernel
def turn_along(state: Row, lags: Floats, dt: Real) -> None:
    """Let the turn run from the nose along the body over dt [s]: `turn` reaches the root [rad/s], and the
    feet's places follow it. lags (K,) [s]."""
    rate = state["nose"]
    for k in range(lags.shape[0]):
        # Backward in time: stable at any dt, and what goes in comes out.
        angle = (state["spine"][k] + dt * rate) / (1.0 + dt / lags[k])
        state["spine"][k] = angle
        rate = angle / lags[k]
    state["turn"] = rate
    state["sweep"] = damp(state["sweep"], rate, SWEEP_HALFLIFE, dt)


@kernel
def bend_along(state: Row, chain: Ints, turned: Floats) -> None:
    """Turn the joints of the chain (K,), places in turned (J, 4), about the vertical."""
    for k in range(chain.shape[0]):
        angle = np.float32(state["spine"][k])
        if angle != ZERO:
            put_quat(turned, chain[k], mul(about(UP, angle), quat(turned, chain[k])))
