"""Wish: which of a network's actions goes with a command, and how it comes to the present (kernels).

In recordings a change of action is seen first at the far end of the way and comes nearer with time. Here it
comes at once into the farther half of the way, and to the present soon after.
"""

from __future__ import annotations

from typing import Any

from hoofbeat.maths.jit import kernel
from hoofbeat.maths.spring import damp
from hoofbeat.methods.neural.network.layout import RATE
from hoofbeat.methods.neural.rows import KEPT
from hoofbeat.methods.shared.gait_choice import CREEP, SPOT, by_speed, with_lead

TICK = 1 / RATE
#: How long a change of action takes from the future to the present [s].
CHANGE = 0.15
#: Slower than this an animal that is to stand is told so [m/s].
HALTED = 0.25
#: Half-life with which it settles then [s].
SETTLES = 0.3
#: Nearer than this to the wanted heading an animal on the spot need not turn [rad].
FACES = 0.1
#: An animal first slows down to this speed [m/s], at which recorded ones set about sitting down, or to the
#: greatest speed that an action was seen at; one that is so many times faster later on lets go of it.
SLOW_ENOUGH, TOO_FAST = 0.35, 3.0
#: An action that is never slower than this [m/s] is a way of going, such as a jump; it lasts so long [s], and
#: is begun from this part of its least speed on, before which the animal takes a run-up.
GOING, LASTS, RUN_UP = 0.5, 0.8, 0.8


@kernel
def wanted_action(rules: Any, core: Any, command: Any, led: Any) -> Any:
    """Let the action that a command asks for come nearer; returns whether the animal is to move.

    led: its way is given, and it moves whatever the command says of that.
    rules: (gaited: whether actions are gaits; acts (G,): the action of each gait; asked (M,): of each name
    that a command may say; pair (2,): actions that move and that stand; gaits (G,) with lead and other;
    borders (G, 2); speeds (A, 2) of the actions; limits (3,): acceleration, braking [m/s2] and turn [rad/s]).
    `gait` of the row is kept up to date.
    """
    gaited, _, asked, pair, _, borders, speeds, _ = rules
    moves = led or is_to_move(core, command)
    rests = not moves and core["speed"] < HALTED
    if gaited:
        act = wanted_gait(rules, core, command, moves, rests)
    else:
        told_gait(borders, core)
        act = pair[1] if rests else pair[0]
        if command["action"] < 0:
            core["asked"] = 0.0
        else:
            said = asked[command["action"]]
            slow = max(SLOW_ENOUGH, speeds[said, 1])
            if speeds[said, 0] > GOING:
                if core["asked"] > 0.0 or core["speed"] >= RUN_UP * speeds[said, 0]:
                    core["asked"] += TICK
                moves = core["asked"] <= LASTS
                if moves:
                    act = said if core["asked"] > 0.0 else pair[0]
            elif core["speed"] < (TOO_FAST * slow if core["coming"] == said else slow):
                act = said
    if act != core["coming"]:
        core["coming"] = act
        core["left"] = CHANGE if act != core["act"] else 0.0
    stays = rests and act == core["act"]
    core["rest"] = damp(core["rest"], 1.0 if stays else 0.0, SETTLES if stays else 0.0, TICK)
    core["left"] = max(core["left"] - TICK, 0.0)
    if core["left"] <= 0.0:
        core["act"] = core["coming"]
    return moves


@kernel
def is_to_move(core: Any, command: Any) -> Any:
    """Whether a command asks for steps: some speed, or a turn on the spot."""
    if command["action"] >= 0 or command["gait"] == 0:
        return False
    if command["speed"] > CREEP:
        return True
    if command["has_heading"]:
        # The heading that is sought, as of the last frame.
        return abs(core["aim"] - core["way"][core["ticks"] % KEPT, 2]) > FACES
    return abs(command["turn"]) > SPOT


@kernel
def wanted_gait(rules: Any, core: Any, command: Any, moves: Any, rests: Any) -> Any:
    """The action of the gait to be in: as asked, or by speed; a halting animal goes on until it is slow."""
    _, acts, _, _, gaits, borders, _, limits = rules
    if rests:
        core["gait"] = 0
    elif command["gait"] > 0 and moves:
        core["gait"] = command["gait"]
    else:
        speed = command["speed"] if moves else 0.0
        core["gait"] = with_lead(gaits, core, by_speed(borders, core, speed, limits))
    return acts[core["gait"]]


@kernel
def told_gait(borders: Any, core: Any) -> None:
    """The gait that goes with the real speed."""
    now = 0
    while now + 1 < borders.shape[0] and core["speed"] > borders[now, 1]:
        now += 1
    core["gait"] = now
