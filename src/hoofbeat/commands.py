"""Reader: what a rider writes becomes the rows that kernels take, checked and clamped at this border."""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hoofbeat.body.size import Size
from hoofbeat.errors import CommandError, UnknownAction, UnknownGait
from hoofbeat.gaits.gait import ALIASES, LEADS
from hoofbeat.methods.method import Method
from hoofbeat.records import CLAMPS, COMMAND, Command
from hoofbeat.world.limits import CommandLimits, clamp_commands

#: The numbers of a command, in the order of COMMAND.
_NUMBERS = ("speed", "sideways", "turn", "heading", "extension")
#: What each of them is, for errors.
_MEANINGS = {
    "speed": "a number of metres a second, as in speed=3.0",
    "sideways": "a number of metres a second to the left, as in sideways=0.5",
    "turn": "a number of radians a second, left positive, as in turn=0.3",
    "heading": "a number of radians, left positive, as in heading=1.57",
    "extension": "a number from -1, collected, to 1, extended, as in extension=0.5",
}
_MOOD = 1 << CLAMPS.index("mood")
#: A COMMAND row packed at once; look, push and jump are eight zeros.
_ROW = struct.Struct("=5d8d3i3?xi4x")
_NOTHING = (0.0,) * 8
assert _ROW.size == COMMAND.itemsize


class Reader:
    """Turns Command records into COMMAND rows for one method, and for an animal of one size.

    `limits` are the ranges that commands are held to: the method's own, for an animal of that size. Rows are
    filled as the rider means them.
    """

    def __init__(self, method: Method, size: Size | None = None) -> None:
        self._method = method
        self._size = size or Size()
        bands, turn = _ranges(method, self._size)
        bands.setflags(write=False)
        self.limits = CommandLimits(
            bands=bands,
            fastest=float(bands[:, 1].max()),
            turn=float(turn),
            extension=1.0 if method.extends else 0.0,
            backward=0.0,
            sideways=0.0,
            follows=0,
        )
        self._indices = {name: k for k, name in enumerate(method.gaits)}
        self.standing = np.zeros((), COMMAND)
        self.standing["gait"] = self.standing["action"] = self.standing["mood"] = -1

    def read(self, command: Command | NDArray[Any], out: NDArray[Any]) -> None:
        """Fill out (N,) as it is asked for, within limits or not. On an error `out` is untouched."""
        if len(out) == 1 and self._read_plain(command, out):
            return
        if isinstance(command, np.ndarray):
            out[:] = self._checked(command, out)
        elif isinstance(command, Command):
            out[:] = self._rows(command, len(out))
        else:
            raise CommandError(
                f"expected a Command, as hb.Command(speed=3.0), given {type(command).__name__}"
            )

    def hold(self, rows: NDArray[Any]) -> None:
        """Bring rows within the limits; `clamped` says of what."""
        clamp_commands(self.limits, rows)

    def _read_plain(self, command: object, out: NDArray[Any]) -> bool:
        """Fill out (1,) from a command of plain numbers and names, without small arrays; False where it is
        not one, and then nothing is changed."""
        if type(command) is not Command or not (
            command.look is command.push is command.jump is command.mood is None
        ):
            return False
        if command.gait is not None and type(command.gait) is not str:
            return False
        speed, sideways, turn = command.speed, command.sideways, command.turn
        heading, extension = command.heading, command.extension
        if heading is None:
            has_heading, heading = False, 0.0
        else:
            has_heading = True
        for value in (speed, sideways, turn, heading, extension):
            if type(value) is not float and type(value) is not int:
                return False
        try:
            if not isfinite(speed + sideways + turn + heading + extension):  # type: ignore[operator]
                return False
        except OverflowError:  # a whole number of hundreds of digits
            return False
        gait = -1 if command.gait is None else self._gait_index(command.gait)  # type: ignore[arg-type]
        action = -1 if command.action is None else self._action_index(command.action)
        numbers = (speed, sideways, turn, heading, extension)
        _ROW.pack_into(out.data, 0, *numbers, *_NOTHING, gait, action, -1, has_heading, False, False, 0)
        return True

    def _checked(self, rows: NDArray[Any], out: NDArray[Any]) -> NDArray[Any]:
        if rows.dtype != COMMAND or rows.shape != out.shape:
            raise CommandError(
                f"expected {out.shape} rows of records.COMMAND, given {rows.shape} of {rows.dtype}"
            )
        for name in (*_NUMBERS, "look", "push", "jump"):
            if not np.isfinite(rows[name]).all():
                raise CommandError(f"{name} must be finite, given NaN or infinity; nothing was changed")
        for name, known in (("gait", self._method.gaits), ("action", self._method.actions)):
            wild = (rows[name] < -1) | (rows[name] >= len(known))
            if wild.any():
                kind = UnknownGait if name == "gait" else UnknownAction
                raise kind(int(rows[name][wild][0]), known)
        found = rows.copy()
        found["clamped"] = 0
        return found

    def _rows(self, command: Command, count: int) -> NDArray[Any]:
        rows = np.zeros(count, COMMAND)
        for name in _NUMBERS:
            given = getattr(command, name)
            if given is not None or name != "heading":
                rows[name] = _finite(name, given, count)
        rows["has_heading"] = command.heading is not None
        for name, size in (("look", 3), ("push", 3), ("jump", 2)):
            given = getattr(command, name)
            if given is not None:
                rows[name] = _finite_vector(name, given, size, count)
        rows["has_look"], rows["has_jump"] = command.look is not None, command.jump is not None
        rows["gait"] = self._gait_indices(command.gait, count)
        rows["action"] = self._action_index(command.action)
        rows["mood"] = -1  # no layer has moods yet
        if command.mood is not None:
            rows["clamped"] = _MOOD
        return rows

    def _gait_indices(self, gait: Any, count: int) -> Any:
        if gait is None or isinstance(gait, str):
            return self._gait_index(gait)
        if not isinstance(gait, Sequence | np.ndarray):
            raise CommandError(f"gait: expected a name or {count} of them, given {gait!r}")
        if len(gait) != count:
            raise CommandError(f"gait: expected one name or {count} of them, given {len(gait)}")
        return [self._gait_index(one) for one in gait]

    def _gait_index(self, name: str | None) -> int:
        if name is None:
            return -1
        if not isinstance(name, str):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise CommandError(f"gait: expected a name, given {name!r}")
        found = self._indices.get(name, self._indices.get(LEADS.get(name) or ALIASES.get(name, name)))
        if found is None:
            bare = [word for word, led in LEADS.items() if led in self._indices]
            aliases = [word for word, gait in ALIASES.items() if gait in self._indices]
            raise UnknownGait(name, [*self._method.gaits, *bare], aliases)
        return found

    def _action_index(self, name: str | None) -> int:
        if name is None:
            return -1
        if name not in self._method.actions:
            raise UnknownAction(name, self._method.actions)
        return self._method.actions.index(name)


def _ranges(method: Method, size: Size) -> tuple[NDArray[np.float64], float]:
    """Bands [m/s] and largest turn [rad/s] of a method for an animal of a size.

    Each is rounded so that what lies within, brought back to the method's own animal, lies within there.
    """
    own = np.array(method.bands, float)
    if size.own:
        return own, method.max_turn
    bands = own * size.pace
    low = np.where(bands[:, 0] / size.pace < own[:, 0], np.nextafter(bands[:, 0], np.inf), bands[:, 0])
    high = np.where(bands[:, 1] / size.pace > own[:, 1], np.nextafter(bands[:, 1], 0.0), bands[:, 1])
    turn = method.max_turn / size.pace
    turn = math.nextafter(turn, 0.0) if turn * size.pace > method.max_turn else turn
    return np.stack([low, high], axis=1), turn


def _finite(name: str, value: Any, count: int) -> Any:
    """A number or N numbers, all finite."""
    try:
        array = np.asarray(value, np.float64)
    except (TypeError, ValueError, OverflowError):
        several = f", or {count} of them" if count > 1 else ""
        raise CommandError(f"{name} is {_MEANINGS[name]}{several}; given {value!r:.60}") from None
    if array.shape not in ((), (count,)):
        raise CommandError(f"{name}: expected a number or {count} numbers, given shape {array.shape}")
    if not np.isfinite(array).all():
        raise CommandError(f"{name} must be finite, given {value!r}; nothing was changed")
    return array


def _finite_vector(name: str, value: Any, size: int, count: int) -> NDArray[np.float64]:
    try:
        array = np.asarray(value, np.float64)
    except (TypeError, ValueError, OverflowError):
        raise CommandError(f"{name}: expected {size} numbers, given {value!r}") from None
    if array.shape not in ((size,), (count, size)) or not np.isfinite(array).all():
        raise CommandError(f"{name}: expected {size} finite numbers, given {value!r}; nothing was changed")
    return array
