"""Choose: the Action to be in, and how the speed follows the command (kernels).

The thesis's rule R7: the cycle time changes inside its limits, then the gait.
"""

from __future__ import annotations

from hoofbeat.maths.jit import kernel
from hoofbeat.maths.types import Bool, Int, Real, Row, Rows
from hoofbeat.methods.actions.stride import top_speed

#: A border between gaits is crossed this much beyond it, so that a speed on it does not flutter.
HYSTERESIS = 0.02
#: Slower than this the horse stands [m/s].
CREEP = 0.01
#: Bits of all four feet: set down since the horse slowed below SQUARING [m/s], so that it stands square.
FOUR_FEET = 15
SQUARING = 0.4
#: Part of the acceleration allowed next to a stand, and the speed from which all of it is [m/s].
GENTLE, BRISK = 0.4, 2.0


@kernel
def next_action(actions: Rows, state: Row, pinned: Int, speed: Real) -> Int:
    """The Action to be in: the present one, or its neighbour. pinned: index or -1; speed: wanted [m/s]."""
    now = state["action"]
    last = actions.shape[0] - 1
    if now == 0:
        return 1 if speed > CREEP else 0
    if now == 1 and speed <= CREEP and state["speed"] <= CREEP and state["squared"] == FOUR_FEET:
        return 0
    if pinned > 0:
        return now + 1 if pinned > now else now - 1 if pinned < now and now > 1 else now
    if now < last and state["speed"] > actions[now]["speed"][1] * (1.0 + HYSTERESIS):
        return now + 1
    if now > 1 and state["speed"] < actions[now]["speed"][0] * (1.0 - HYSTERESIS):
        return now - 1
    return now


@kernel
def final_action(actions: Rows, state: Row, pinned: Int, speed: Real) -> Int:
    """The Action that the command leads to in the end, however many lie between. speed: wanted [m/s]."""
    if speed <= CREEP:
        return 0
    if pinned > 0:
        return pinned
    found = max(state["action"], 1)
    while found < actions.shape[0] - 1 and speed > actions[found]["speed"][1] * (1.0 + HYSTERESIS):
        found += 1
    while found > 1 and speed < actions[found]["speed"][0] * (1.0 - HYSTERESIS):
        found -= 1
    return found


@kernel(inline=True)
def grounded_time(step: Row, flying: Bool, dt: Real) -> Real:
    """How much of a step of dt was spent on the ground [s]. flying: whether it began in the air."""
    pushed = 0.0 if flying else dt
    pushed = step["takeoff"] if step["takeoff"] >= 0.0 else pushed
    return dt - step["landing"] if step["landing"] >= 0.0 else pushed


@kernel
def change_speed(actions: Rows, state: Row, wanted: Real, most: tuple[Real, Real], dt: Real) -> None:
    """Move the speed towards the wanted one over dt [s] on the ground, never beyond the Action's stride.

    actions: ACTION rows; most: acceleration and braking [m/s2].
    """
    moving: Int = max(state["action"], state["next"])
    fastest = top_speed(actions[moving]) if moving > 0 else 0.0
    target = min(wanted, fastest)
    speed = state["speed"]
    # Out of a stand, and into one, the legs need a step for the body not to leave them behind.
    gently = min(GENTLE + (1.0 - GENTLE) * speed / BRISK, 1.0)
    up, down = most[0] * gently, most[1] * gently
    state["speed"] = min(speed + up * dt, target) if target > speed else max(speed - down * dt, target)
