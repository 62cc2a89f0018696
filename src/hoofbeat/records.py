"""Command, Sense, Step, Frame: the only records that cross layers, one row a character.

The frozen dataclasses are what people write and read; the structured arrays are what kernels take,
one row a character. Character space: origin on the ground under the root, +Z ahead, X to the left.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from hoofbeat.body.skeleton import LEGS

Vector = Sequence[float] | NDArray[Any]
Many = float | Sequence[float] | NDArray[Any]


@dataclass(frozen=True)
class Command:
    """What the rider wants. In a herd every field may also be an array with one value a character.

    speed [m/s], backward when negative, and sideways [m/s, left positive]: the velocity over the ground apart
    from the facing; turn [rad/s, left positive], or heading [rad, 0 = +Z, left positive] instead of
    turn; gait None = chosen by speed, a name pins it and clamps the speed to its band; extension from -1,
    collected, to 1, extended: shorter and higher or longer strides at the same speed; action None
    or a name such as "idle"; look, a point (3,) [m] or None; push (3,) [m/s] or None; jump (height,
    distance) [m] or None; mood a name or None.
    """

    speed: Many = 0.0
    turn: Many = 0.0
    heading: Many | None = None
    gait: str | Sequence[str | None] | None = None
    action: str | None = None
    look: Vector | None = None
    push: Vector | None = None
    jump: Vector | None = None
    mood: str | None = None
    extension: Many = 0.0
    sideways: Many = 0.0


#: Changes with any row below but those of methods: snapshots, the wire and the compiled core ask for it.
LAYOUT_VERSION = 2

#: One command as kernels see it. `gait`, `action` and `mood` are indices of names, -1 = none.
COMMAND = np.dtype(
    [
        ("speed", "f8"),  # ahead, negative = backward [m/s]
        ("sideways", "f8"),  # to the left [m/s]
        ("turn", "f8"),  # left positive [rad/s]
        ("heading", "f8"),  # wanted instead of a turn, world [rad]
        ("extension", "f8"),  # -1 = collected, 1 = extended
        ("look", "f8", 3),  # point to look at, world [m]
        ("push", "f8", 3),  # change of velocity by a push, world [m/s]; none = 0
        ("jump", "f8", 2),  # height and distance [m]
        ("gait", "i4"),
        ("action", "i4"),
        ("mood", "i4"),
        ("has_heading", "?"),
        ("has_look", "?"),
        ("has_jump", "?"),
        ("clamped", "i4"),  # bits of CLAMPS: what was brought into range, written by the clamping kernel
    ],
    align=True,
)

#: One obstacle ahead, as a method senses it: a box across the path. kind 0 = none.
OBSTACLE = np.dtype(
    [
        ("kind", "i4"),
        ("distance", "f4"),  # from the root to its near face, along the heading [m]
        ("aside", "f4"),  # of its middle, to the left [m]
        ("height", "f4"),  # above the ground before it [m]
        ("spread", "f4"),  # from its near to its far face [m]
        ("width", "f4"),  # [m]
        ("angle", "f4"),  # of its own heading against the animal's, left positive [rad]
    ],
    align=True,
)
#: Obstacles that a method senses at once.
SENSED_OBSTACLES = 2

#: All that a method may know of the world, one step old. Heights [m] above the root's ground point.
SENSE = np.dtype(
    [
        ("ground_height", "f8"),  # world height of the ground under the root [m]
        ("ground_normal", "f4", 3),  # character space
        ("landing_height", "f4", 4),  # ground at the four predicted landings [m]
        ("landing_normal", "f4", (4, 3)),
        ("path_pitch", "f4"),  # slope along the path, up positive [rad]
        ("obstacle", OBSTACLE, SENSED_OBSTACLES),  # the next ones, nearest first
        ("velocity", "f8", 3),  # real root velocity, character space [m/s]
        ("yaw", "f8"),  # heading [rad], 0 = +Z, left positive
        ("airborne", "?"),
        ("air_height", "f4"),  # root joint above the ground [m]
        ("shortfall", "f4", 4),  # how far each leg misses its target [m]
    ],
    align=True,
)

#: Event bits of a step.
TOUCHDOWN = 1  # shifted left by the leg index
LIFTOFF = 16  # shifted left by the leg index
TAKEOFF = 256
LANDING = 512
#: A step whose `hoof` is this has its legs, joint by joint, as the pose says; they are moved no more than
#: their targets are off the pose's own toes.
POSED = 2

#: What a method asks for in one step, besides the local rotations. Character space at the step's end.
STEP = np.dtype(
    [
        ("height", "f8"),  # root joint above the ground [m]
        ("forward", "f8"),  # velocity over the ground [m/s]
        ("sideways", "f8"),
        ("yaw_rate", "f8"),  # while grounded [rad/s]
        ("takeoff", "f8"),  # time into the step at which the body leaves the ground [s], -1 = not
        ("landing", "f8"),  # time into the step from which it may land [s], -1 = not
        ("flight_time", "f8"),  # planned time in the air of a take-off [s]
        ("launch_height", "f8"),  # root joint at take-off [m]
        ("landing_height", "f8"),  # root joint at landing [m]
        ("foot", "f4", (4, 3)),  # toe targets [m]
        ("contact", "f4", 4),  # 1 = planted
        ("strut", "f4", 4),  # 1 = the leg stands straight as a strut, 0 = folded as the pose says
        ("flat", "f4", 4),  # 1 = hoof flat on the ground, 0 = hoof as the pose says
        ("hoof", "i4"),  # 1 = held as `pitch` and `sink` say, 0 = as the pose and `flat` say, or POSED
        ("pitch", "f4", 4),  # of the hoof against level ground, heel up [rad]
        ("sink", "f4", 4),  # of the fetlock below standing, the hoof held [rad]
        ("phase", "f4", 4),  # each leg's own time, 0 = its touchdown
        ("gait", "i4"),  # that the feet make
        ("going_to", "i4"),  # gait that it changes to; the same where nothing changes
        ("refused", "i4"),  # index of REFUSALS: why a request is not followed, 0 = nothing is refused
        ("standing", "?"),  # a foot far from its target may be stepped after it
        ("events", "i4"),
    ],
    align=True,
)

#: Why a request is not followed; STEP and FRAME hold an index.
REFUSALS = ("", "this method does not jump")
#: What a foot does (H4): it stands, it lands in this step, it swings or flies.
STANCE, STRIKING, FLIGHT = 0, 1, 2
FOOT_PHASES = ("stance", "striking", "flight")

#: One character as it is shown, besides its positions and rotations; of the animal's own size.
FRAME = np.dtype(
    [
        ("root", "f8", 3),  # on the ground, world [m]
        ("yaw", "f8"),  # heading [rad], 0 = +Z, left positive
        ("speed", "f8"),  # over the ground [m/s]
        ("time", "f8"),  # since the start [s]
        ("contact", "f4", 4),  # 1 = on the ground
        ("phase", "f4", 4),  # each leg's own time, 0 = its touchdown
        ("shortfall", "f4", 4),  # how far each leg misses its target [m]
        ("foot_phase", "i1", 4),  # STANCE, STRIKING or FLIGHT
        ("gait", "i4"),
        ("going_to", "i4"),
        ("refused", "i4"),
        ("events", "i4"),
        ("clamped", "i4"),
        ("airborne", "?"),
    ],
    align=True,
)


@dataclass(frozen=True)
class Steps:
    """What N characters are asked to do in one step: local rotations (N, J, 4) float32 and STEP rows."""

    rotations: NDArray[np.float32]
    rows: NDArray[Any]

    @staticmethod
    def empty(count: int, nodes: int) -> Steps:
        """Room for `count` characters, with identity rotations."""
        rotations = np.zeros((count, nodes, 4), np.float32)
        rotations[..., 3] = 1
        return Steps(rotations, np.zeros(count, STEP))


#: Bits of `Frame.clamped`, in order.
CLAMPS = (
    "speed",
    "turn",
    "heading",
    "gait",
    "action",
    "look",
    "push",
    "jump",
    "mood",
    "dt",
    "extension",
    "sideways",
)


@dataclass(frozen=True)
class Root:
    """The ground-projected root: position (3,) float64 world [m], rotation (4,) xyzw world from character."""

    position: NDArray[np.float64]
    rotation: NDArray[np.float64]


class FrameSource(Protocol):
    """What a frame is made of: a function for each of its fields."""

    positions: Callable[[], NDArray[np.float64]]
    rotations: Callable[[], NDArray[np.float32]]


@dataclass(frozen=True, eq=False)
class Frame:
    """One moment of one horse, or of a herd with a leading N on every array.

    positions (J, 3) float64 world [m]; rotations (J, 4) float32 xyzw local, rotations[0] is the pelvis
    relative to `root`; contacts (4,) in [0, 1] and phase (4,) in [0, 1) for LF, RF, LH, RH; foot_phase
    (4,): STANCE, STRIKING or FLIGHT; gait, the name of what the feet do, and going_to, the gait it changes
    to (tuples of names in a herd); speed [m/s] over the ground; time [s]; airborne; shortfall (4,) [m],
    how far each toe misses its target; events, bits of this step; clamped names what was clamped; refused
    says why a request is not followed, "" where all is (a tuple in a herd).

    A frame of a horse is one copied block of memory: each field is made when it is first read.
    """

    positions: NDArray[np.float64]
    rotations: NDArray[np.float32]
    root: Root
    contacts: NDArray[np.float32]
    phase: NDArray[np.float32]
    foot_phase: NDArray[np.int8]
    gait: str | tuple[str, ...]
    going_to: str | tuple[str, ...]
    speed: Any
    time: float
    airborne: Any
    shortfall: NDArray[np.float32]
    events: Any
    clamped: tuple[str, ...]
    refused: str | tuple[str, ...]

    @classmethod
    def of(cls, moment: FrameSource) -> Frame:
        """The frame of a moment, whose fields are made when they are read."""
        frame = cls.__new__(cls)
        frame.__dict__["_moment"] = moment
        return frame

    def __getattr__(self, name: str) -> Any:
        moment = self.__dict__.get("_moment")
        if moment is None or name not in Frame.__dataclass_fields__:
            raise AttributeError(f"a Frame has no {name!r}")
        value = self.__dict__[name] = getattr(moment, name)()
        return value

    def __repr__(self) -> str:
        if not isinstance(self.gait, str):
            counts = {name: self.gait.count(name) for name in dict.fromkeys(self.gait)}
            shown = ", ".join(f"{count} {name}" for name, count in counts.items())
            return f"Frame({self.time:.2f} s: {len(self.gait)} characters: {shown or 'none'})"
        x, _, z = self.root.position
        down = [leg for leg, contact in zip(LEGS, self.contacts, strict=True) if contact > 0.5]
        words = f"{self.gait} at {float(self.speed):.2f} m/s, root at x {x:.2f} z {z:.2f} m"
        feet = f"{' '.join(down)} down" if down else "no foot down"
        held = f", clamped {' '.join(self.clamped)}" if self.clamped else ""
        return f"Frame({self.time:.2f} s: {words}, {feet}{held})"
