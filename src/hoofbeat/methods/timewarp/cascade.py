"""Cascade: a turn begins at the nose and runs along the body to the root (kernels, H6).

    nose --late--> head --late--> neck ... loin --late--> root

Each joint turns after the one before it with a lag, so that in a steady turn the body lies along its
circle and out of one it straightens from the head on. All that is kept is the angle between neighbours:
it is the lag times the rate at which the hinder one turns.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hoofbeat.maths.jit import kernel
from hoofbeat.maths.quat_loose import about, mul
from hoofbeat.maths.spring import damp
from hoofbeat.methods.shared.turning import TURN_HALFLIFE, grip, sought_turn

ZERO = np.float32(0.0)
ONE = np.float32(1.0)
#: Joints that turn one after the other, from the nose on, and how late each is on the one before [s].
CHAIN = ("Head", "Cervical02", "Cervical03", "Cervical04", "Cervical05", "Cervical06", "Cervical07")
CHAIN += ("Thoracic03", "Thoracic05", "Lumbar01")
NECK_LAG, TRUNK_LAG = 0.03, 0.02
#: The paper moves one joint further each frame; its rate is not stated, taken as 30 Hz.
PAPER_FRAME = 1.0 / 30.0
MPH = 0.44704
#: Its speeds [m/s] and turns [rad/s] below, between and above them, and during a change of gait.
PAPER_SLOW, PAPER_MIDDLE, PAPER_FAST = 5.0 * MPH, 6.0 * MPH, 25.0 * MPH
PAPER_TURNS = (np.radians(0.01 * 30.0), np.radians(0.1 * 30.0), np.radians(0.2 * 30.0))
PAPER_CHANGING = (np.radians(0.05 * 30.0), np.radians(1.15 * 30.0))


@kernel
def paper_turn(speed: Any, changing: Any) -> Any:
    """Turning rate of the paper at a speed [m/s], while the gait changes or not [rad/s]."""
    part = min(max((speed - PAPER_SLOW) / (PAPER_MIDDLE - PAPER_SLOW), 0.0), 1.0)
    if changing:
        return PAPER_CHANGING[0] + part * (PAPER_CHANGING[1] - PAPER_CHANGING[0])
    slow = PAPER_TURNS[0] + part * (PAPER_TURNS[1] - PAPER_TURNS[0])
    return slow if speed <= PAPER_FAST else PAPER_TURNS[2]


@kernel
def turn_nose(state: Any, command: Any, sense: Any, ways: Any, dt: Any) -> None:
    """How fast the nose turns, into `nose` [rad/s]. ways: (lags (K,) [s], largest turn [rad/s], paper).

    A heading is sought by the nose; the body comes after it.
    """
    lags, most, paper = ways
    if paper:
        most = min(most, paper_turn(state["speed"], state["progress"] < 1.0))
    ahead = 0.0
    for k in range(lags.shape[0]):
        ahead += state["spine"][k]
    wanted = sought_turn(command, sense["yaw"] + ahead, grip(state["speed"], most))
    state["nose"] = wanted if paper else damp(state["nose"], wanted, TURN_HALFLIFE, dt)


@kernel
def turn_along(state: Any, ways: Any, dt: Any) -> None:
    """Let the turn run from the nose along the body over dt [s]; `turn` is what reaches the root [rad/s]."""
    lags, _, _ = ways
    rate = state["nose"]
    for k in range(lags.shape[0]):
        # Backward in time: stable at any dt, and what goes in comes out.
        angle = (state["spine"][k] + dt * rate) / (1.0 + dt / lags[k])
        state["spine"][k] = angle
        rate = angle / lags[k]
    state["turn"] = rate


@kernel
def bend_along(state: Any, chain: Any, turned: Any) -> None:
    """Turn the joints of the chain (K,), places in turned (J, 4), about the vertical."""
    for k in range(chain.shape[0]):
        angle = np.float32(state["spine"][k])
        if angle != ZERO:
            n = chain[k]
            x, y, z, w = about(ZERO, ONE, ZERO, angle)
            a, b, c, d = mul(x, y, z, w, turned[n, 0], turned[n, 1], turned[n, 2], turned[n, 3])
            turned[n, 0], turned[n, 1], turned[n, 2], turned[n, 3] = a, b, c, d
