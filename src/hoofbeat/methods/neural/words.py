"""Words: the gaits and actions of a network, and the rules by which a command becomes one of its actions.

A horse's actions are its gaits. A dog's are what it does (move, sit, lie ...): its gait follows from speed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hoofbeat.gaits.breeds import borders_by_gait
from hoofbeat.gaits.gait import GAITS, other_lead
from hoofbeat.methods.neural.network.card import Card, NetworkFileError
from hoofbeat.methods.shared.gait_choice import borders_of

#: The action of an animal that goes somewhere, of one that does not, and the gait of that.
MOVE, IDLE, STAND = "move", "idle", "stand"
#: Gaits where actions are none: each up to its border [m/s], told by the real speed; the fastest has none.
#: The paper's dog walks at 0.5, paces at 1.1, trots at 1.9 and canters at 3.3 m/s.
SPEEDS = {STAND: 0.25, "walk": 0.85, "pace": 1.5, "trot": 2.4}
FASTEST = "canter"
#: Gains and brakes of a horse, as of its teacher, and of a dog [m/s2].
HORSE, DOG = (5.0, 6.0), (6.0, 7.0)
#: The legs of a horse, and of a dog, may bend this much more or less than was ever seen [rad]. A horse pushes
#: off with its hock nearly straight, where a centimetre of the hoof's way is many degrees of the joint: held
#: to a dog's room, its hooves would slide.
HORSE_BENT, DOG_BENT = np.radians(20.0), np.radians(5.0)

_LEADS = np.dtype([("lead", "i4"), ("other", "i4")])


@dataclass(frozen=True, eq=False)
class Words:
    """gaits: slowest first; actions that a command may name; bands (G, 2) [m/s] of the gaits; borders (G, 2)
    between which each is chosen, or told; acts (G,) and asked (M,): the network's action of each gait and
    name; pair (2,): that of moving and of resting; speeds (A, 2) [m/s] of the network's actions."""

    gaited: bool
    gaits: tuple[str, ...]
    actions: tuple[str, ...]
    bands: NDArray[np.float64]
    borders: NDArray[np.float64]
    acts: NDArray[np.int64]
    asked: NDArray[np.int64]
    pair: NDArray[np.int64]
    speeds: NDArray[np.float64]

    @property
    def bent(self) -> float:
        """How much more or less than was seen the legs may bend [rad]."""
        return float(HORSE_BENT if self.gaited else DOG_BENT)

    def rules(self, turn: float) -> tuple[Any, ...]:
        """What `wish.wanted_action` takes; turn: the fastest [rad/s]."""
        leads = np.zeros(len(self.gaits), _LEADS)
        for n, name in enumerate(self.gaits):
            other = other_lead(name)
            leads[n] = (
                1 if name.endswith("left") else -1 if name.endswith("right") else 0,
                self.gaits.index(other) if other in self.gaits else n,
            )
        limits = np.array([*(HORSE if self.gaited else DOG), turn])
        return (
            self.gaited,
            self.acts,
            self.asked,
            self.pair,
            leads,
            self.borders,
            self.speeds,
            limits,
        )


def words_of(card: Card) -> Words:
    """The words of a network; one that neither has gaits nor moves and rests is a NetworkFileError."""
    names = card.rig.actions
    speeds = np.array([card.speeds.get(name, (0.0, 0.0)) for name in names])
    if MOVE in names and IDLE in names:
        return _doing(names, speeds)
    if STAND in names and len(names) > 1 and all(name in GAITS for name in names):
        return _going(names, speeds)
    raise NetworkFileError(
        f"its actions are {', '.join(names)}: they must be {MOVE}, {IDLE} and others, or {STAND} and other "
        f"gaits of {', '.join(GAITS)}"
    )


def _doing(names: tuple[str, ...], speeds: NDArray[np.float64]) -> Words:
    gaits = (*SPEEDS, FASTEST)
    fastest = max(float(speeds[names.index(MOVE), 1]), SPEEDS["trot"])
    edges = [0.0, *SPEEDS.values(), fastest]
    borders = np.array([edges[:-1], edges[1:]]).T
    bands = borders.copy()
    bands[0] = 0.0
    actions = tuple(name for name in names if name != MOVE)
    move, idle = names.index(MOVE), names.index(IDLE)
    acts = np.array([idle] + [move] * (len(gaits) - 1))
    asked = np.array([names.index(name) for name in actions])
    return Words(False, gaits, actions, bands, borders, acts, asked, np.array([move, idle]), speeds)


def _going(names: tuple[str, ...], speeds: NDArray[np.float64]) -> Words:
    gaits = tuple(name for name in GAITS if name in names)
    acts = np.array([names.index(name) for name in gaits])
    bands = speeds[acts].copy()
    bands[0] = 0.0
    borders = borders_of(gaits, borders_by_gait("all"))
    if not (borders[:, 1] >= 0).any():
        raise NetworkFileError(f"its gaits {', '.join(gaits)} are none that a speed would choose")
    # The fastest gait that a speed chooses has no border above.
    borders[borders[:, 1] == borders[:, 1].max(), 1] = np.inf
    rest = int(acts[0])
    return Words(
        True, gaits, (IDLE,), bands, borders, acts, np.array([rest]), np.array([int(acts[1]), rest]), speeds
    )
