"""Choose: which of a network's actions goes with a command, and how it comes to the present.

A horse's actions are its gaits. A dog's are what it does (move, sit, lie ...): its gait follows from speed.
In recordings a change of action appears first at the far end of the trajectory and comes nearer with time.
Here it comes at once into the farther half, and to the present soon after.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hoofbeat.gaits.breeds import DEFAULT_BREED, borders_by_gait
from hoofbeat.gaits.gait import GAITS, lead_of, other_lead
from hoofbeat.maths.jit import kernel
from hoofbeat.maths.spring import damp
from hoofbeat.maths.types import Bool, Int, Row
from hoofbeat.methods.neural.network.description import Description, NetworkFileError
from hoofbeat.methods.neural.network.layout import RATE
from hoofbeat.methods.neural.state import KEPT
from hoofbeat.methods.neural.tables import Rules
from hoofbeat.methods.shared.gait_choice import CREEP, SPOT, SpeedChange, borders_of, by_speed, with_lead

FRAME = 1 / RATE
#: Time of a change of action from the far end of the future to the present [s].
CHANGE = 0.15
#: Slower than this an animal that is to stand gets the action for it [m/s].
HALTED = 0.25
#: Half-life with which it settles then [s].
SETTLES = 0.3
#: Nearer than this to the wanted heading an animal on the spot need not turn [rad].
FACES = 0.1
#: An animal first slows down to this speed [m/s], at which recorded ones set about sitting down, or to the
#: greatest speed of an action in the data; one that is so many times faster later on drops it.
SLOW_ENOUGH, TOO_FAST = 0.35, 3.0
#: An action that is never slower than this [m/s] is one of an animal that goes, such as a jump; it lasts so
#: long [s], and is begun from this part of its least speed on, before which the animal needs a run-up.
GOING, LASTS, RUN_UP = 0.5, 0.8, 0.8
#: The feet make a new gait once the real speed is within this part of the speeds of the gait in the data.
NEARLY = 0.15

#: The action of an animal that goes somewhere, of one that does not, and the gait of that.
MOVE, IDLE, STAND = "move", "idle", "stand"
#: Gaits where actions are none: each up to its border [m/s], named by the real speed; the fastest has none.
#: The paper's dog walks at 0.5, paces at 1.1, trots at 1.9 and canters at 3.3 m/s.
SPEEDS = {STAND: 0.25, "walk": 0.85, "pace": 1.5, "trot": 2.4}
FASTEST = "canter"
#: Acceleration and braking of a horse, as of its teacher, and of a dog [m/s2].
HORSE_CHANGE, DOG_CHANGE = SpeedChange(5.0, 6.0), SpeedChange(6.0, 7.0)
#: The legs of a horse, and of a dog, may bend this much farther than in the data [rad]. A horse pushes off
#: with its hock nearly straight, where a centimetre of the hoof's path is many degrees of the joint: held
#: to a dog's margin, its hooves would slide.
HORSE_BEND, DOG_BEND = np.radians(20.0), np.radians(5.0)

_LEADS = np.dtype([("lead", "i4"), ("other", "i4")])


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """What a command may name. gaits: slowest first; actions; bands (G, 2): speeds that a gait asked for by
    name is held to [m/s]; borders (G, 2): speeds between which each is chosen, or named [m/s]."""

    gaited: bool
    gaits: tuple[str, ...]
    actions: tuple[str, ...]
    bands: NDArray[np.float64]
    borders: NDArray[np.float64]

    @property
    def bend_margin(self) -> float:
        """How much farther than in the data the legs may bend [rad]."""
        return float(HORSE_BEND if self.gaited else DOG_BEND)


def vocabulary_of(description: Description, breed: str = DEFAULT_BREED) -> Vocabulary:
    """The gaits and actions of a network; one that has no gaits nor moves and rests is a NetworkFileError.

    breed: which of its gaits a horse chooses by speed; see `gaits.breeds`.
    """
    names, speeds = description.rig.actions, _action_speeds(description)
    borders = borders_by_gait(breed)
    if MOVE in names and IDLE in names:
        gaits = (*SPEEDS, FASTEST)
        fastest = max(float(speeds[names.index(MOVE), 1]), SPEEDS["trot"])
        edges = [0.0, *SPEEDS.values(), fastest]
        told = np.array([edges[:-1], edges[1:]]).T
        bands = told.copy()
        bands[0] = 0.0
        return Vocabulary(False, gaits, tuple(name for name in names if name != MOVE), bands, told)
    if STAND in names and len(names) > 1 and all(name in GAITS for name in names):
        gaits = tuple(name for name in GAITS if name in names)
        bands = speeds[[names.index(name) for name in gaits]]
        bands[0] = 0.0
        chosen = borders_of(gaits, borders)
        if not (chosen[:, 1] >= 0).any():
            raise NetworkFileError(f"its gaits {', '.join(gaits)} are none that a speed would choose")
        # The fastest gait that a speed chooses has no border above.
        chosen[chosen[:, 1] == chosen[:, 1].max(), 1] = np.inf
        return Vocabulary(True, gaits, (IDLE,), bands, chosen)
    raise NetworkFileError(
        f"its actions are {', '.join(names)}: they must be {MOVE}, {IDLE} and others, or {STAND} and other "
        f"gaits of {', '.join(GAITS)}"
    )


def rules_of(description: Description, vocabulary: Vocabulary, max_turn: float) -> Rules:
    """By which a command becomes an action of a network; max_turn [rad/s]."""
    names, gaits = description.rig.actions, vocabulary.gaits
    leads = np.zeros(len(gaits), _LEADS)
    for n, name in enumerate(gaits):
        other = other_lead(name)
        leads[n] = lead_of(name), gaits.index(other) if other in gaits else n
    if vocabulary.gaited:
        gait_actions = [names.index(name) for name in gaits]
        named, moving, resting = gait_actions[:1], gait_actions[1], gait_actions[0]
    else:
        moving, resting = names.index(MOVE), names.index(IDLE)
        gait_actions = [resting] + [moving] * (len(gaits) - 1)
        named = [names.index(name) for name in vocabulary.actions]
    return Rules(
        vocabulary.gaited,
        leads,
        vocabulary.borders,
        np.array(gait_actions),
        np.array(named),
        moving,
        resting,
        _action_speeds(description),
        HORSE_CHANGE if vocabulary.gaited else DOG_CHANGE,
        float(max_turn),
    )


def _action_speeds(description: Description) -> NDArray[np.float64]:
    return np.array([description.speeds.get(name, (0.0, 0.0)) for name in description.rig.actions])


@kernel
def choose_action(rules: Rules, core: Row, command: Row, led: Bool) -> Bool:
    """Let the action that a command asks for come nearer; returns whether the animal is to move.

    led: its trajectory is given, and it moves whatever the command says of that. `gait` of the row is kept up
    to date.
    """
    moves = led or is_to_move(core, command)
    rests = not moves and core["speed"] < HALTED
    if rules.gaited:
        action = wanted_gait(rules, core, command, moves, rests)
    else:
        core["gait"] = gait_at_speed(rules, core)
        action = rules.resting if rests else rules.moving
        if command["action"] < 0:
            core["asked_for"] = 0.0
        else:
            moves, action = named_action(rules, core, command, moves, action)
    bring_nearer(core, action, rests)
    return moves


@kernel
def is_to_move(core: Row, command: Row) -> Bool:
    """Whether a command asks for steps: some speed, or a turn on the spot."""
    if command["action"] >= 0 or command["gait"] == 0:
        return False
    if command["speed"] > CREEP:
        return True
    if command["has_heading"]:
        # The heading that is sought, as of the last frame.
        return abs(core["wanted_heading"] - core["path"][core["frame"] % KEPT, 2]) > FACES
    return abs(command["turn"]) > SPOT


@kernel
def wanted_gait(rules: Rules, core: Row, command: Row, moves: Bool, rests: Bool) -> Int:
    """The action of the gait to be in: as asked, or by speed; a halting animal goes on until it is slow."""
    if rests:
        core["gait"] = 0
    elif command["gait"] > 0 and moves:
        core["gait"] = command["gait"]
    else:
        speed = command["speed"] if moves else 0.0
        core["gait"] = with_lead(rules.gaits, core, by_speed(rules.borders, core, speed, rules.change))
    return int(rules.gait_actions[core["gait"]])


@kernel
def named_action(rules: Rules, core: Row, command: Row, moves: Bool, action: Int) -> tuple[Bool, Int]:
    """Whether an animal that a command asks for an action is to move, and the action that it is ready for."""
    named = int(rules.named_actions[command["action"]])
    least, most = rules.action_speeds[named, 0], rules.action_speeds[named, 1]
    if least > GOING:
        if core["asked_for"] > 0.0 or core["speed"] >= RUN_UP * least:
            core["asked_for"] += FRAME
        moves = core["asked_for"] <= LASTS
        if moves:
            action = named if core["asked_for"] > 0.0 else rules.moving
    else:
        slow = max(SLOW_ENOUGH, most)
        if core["speed"] < (TOO_FAST * slow if core["next_action"] == named else slow):
            action = named
    return moves, action


@kernel
def bring_nearer(core: Row, action: Int, rests: Bool) -> None:
    """Let an action come from the future to the present, and an animal that rests settle."""
    if action != core["next_action"]:
        core["next_action"] = action
        core["time_left"] = CHANGE if action != core["action"] else 0.0
    stays = rests and action == core["action"]
    core["rest"] = damp(core["rest"], 1.0 if stays else 0.0, SETTLES if stays else 0.0, FRAME)
    core["time_left"] = max(core["time_left"] - FRAME, 0.0)
    if core["time_left"] <= 0.0:
        core["action"] = core["next_action"]


@kernel
def gait_at_speed(rules: Rules, core: Row) -> Int:
    """The gait that goes with the real speed."""
    gait = 0
    while gait + 1 < rules.borders.shape[0] and core["speed"] > rules.borders[gait, 1]:
        gait += 1
    return gait


@kernel
def gait_made(rules: Rules, core: Row, standing: Bool) -> Int:
    """The gait that the feet make now: of actions that are gaits, the one at the present once the animal goes
    about as fast as it is in the data; until then the one before. Others follow from speed."""
    if not rules.gaited:
        return core["gait"]
    if standing:
        return 0
    made = core["made_gait"]
    gait = core["gait"]
    if gait == 0 or rules.gait_actions[gait] != core["action"]:
        return made
    least, most = rules.action_speeds[core["action"], 0], rules.action_speeds[core["action"], 1]
    in_range = (1.0 - NEARLY) * least <= core["speed"] <= (1.0 + NEARLY) * most
    return gait if made == 0 or in_range else made
