"""Reader: what a rider writes becomes the rows that kernels take, checked and clamped at this border."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import NDArray

from hoofbeat.body.size import Size
from hoofbeat.errors import CommandError, UnknownAction, UnknownGait
from hoofbeat.gaits.gait import ALIASES, LEADS
from hoofbeat.methods.method import Method
from hoofbeat.records import CLAMPS, COMMAND, Command

_BIT = {name: 1 << k for k, name in enumerate(CLAMPS)}
#: Fields that no layer follows yet: asking for one is reported as clamped, never silently dropped.
UNFOLLOWED = ("look", "push", "jump", "mood")
#: Beyond this a heading has lost its meaning in float64 [rad].
MOST_HEADING = 1e6


class Reader:
    """Turns Command records into COMMAND rows for one method, and for an animal of one size.

    bands (G, 2) [m/s] and max_turn [rad/s] are the ranges that commands are held to: the method's own, for
    an animal of that size. Rows are filled as the rider means them; `inward` is what the method takes.
    """

    def __init__(self, method: Method, size: Size | None = None) -> None:
        self._method = method
        self._size = size or Size()
        self.bands, self.max_turn = _ranges(method, self._size)
        self._low, self._high = self.bands[:, 0], self.bands[:, 1]
        self._fastest = float(self._high.max())
        self._indices = {name: k for k, name in enumerate(method.gaits)}
        #: Extension goes from minus this to this.
        self._stretch = 1.0 if method.extends else 0.0
        self.standing = np.zeros((), COMMAND)
        self.standing["gait"] = self.standing["action"] = -1

    def read(self, command: Command | NDArray[Any], out: NDArray[Any]) -> int:
        """Fill out (N,); returns the bits of CLAMPS that were clamped. On an error `out` is untouched."""
        if len(out) == 1 and _is_plain(command):
            return self._read_one(command, out)
        if isinstance(command, np.ndarray):
            rows, clamped = self._checked(command, out), 0
        elif isinstance(command, Command):
            rows, clamped = self._rows(command, len(out)), _unfollowed(command)
        else:
            raise CommandError(f"expected a Command, given {type(command).__name__}")
        clamped |= self._clamp(rows)
        out[:] = rows
        return clamped

    def inward(self, rows: NDArray[Any]) -> None:
        """Rows as the rider means them become, in place, those for the method's own animal."""
        if not self._size.own:
            rows["speed"] /= self._size.pace
            rows["turn"] *= self._size.pace

    def _read_one(self, command: Command, out: NDArray[Any]) -> int:
        """The same as the general way for one character and plain numbers, without small arrays."""
        has_heading = command.heading is not None
        try:
            speed, turn = float(command.speed), float(command.turn)  # type: ignore[arg-type]
            heading = float(command.heading) if has_heading else 0.0  # type: ignore[arg-type]
            asked = float(command.extension)  # type: ignore[arg-type]
        except OverflowError:  # a whole number of hundreds of digits
            raise CommandError("speed, turn and heading must be finite; nothing was changed") from None
        for name, value in (("speed", speed), ("turn", turn), ("heading", heading), ("extension", asked)):
            if not math.isfinite(value):
                raise CommandError(f"{name} must be finite, given {value!r}; nothing was changed")
        gait, action = self._gait_index(command.gait), self._action_index(command.action)  # type: ignore[arg-type]
        low = float(self._low[gait]) if gait > 0 else 0.0
        high = float(self._high[gait]) if gait >= 0 else self._fastest
        most = self.max_turn
        held = (
            min(max(speed, low), high),
            min(max(turn, -most), most),
            min(max(heading, -MOST_HEADING), MOST_HEADING),
        )
        extension = min(max(asked, -self._stretch), self._stretch)
        out[0] = (*held, has_heading, extension, gait, action)
        return (
            (extension != asked) * _BIT["extension"]
            | (held[0] != speed) * _BIT["speed"]
            | (held[1] != turn) * _BIT["turn"]
            | (held[2] != heading) * _BIT["heading"]
        )

    def _checked(self, rows: NDArray[Any], out: NDArray[Any]) -> NDArray[Any]:
        if rows.dtype != COMMAND or rows.shape != out.shape:
            raise CommandError(
                f"expected {out.shape} rows of records.COMMAND, given {rows.shape} of {rows.dtype}"
            )
        for name in ("speed", "turn", "heading", "extension"):
            if not np.isfinite(rows[name]).all():
                raise CommandError(f"{name} must be finite, given NaN or infinity; nothing was changed")
        for name, known in (("gait", self._method.gaits), ("action", self._method.actions)):
            wild = (rows[name] < -1) | (rows[name] >= len(known))
            if wild.any():
                kind = UnknownGait if name == "gait" else UnknownAction
                raise kind(int(rows[name][wild][0]), known)
        return rows.copy()

    def _rows(self, command: Command, count: int) -> NDArray[Any]:
        rows = np.zeros(count, COMMAND)
        rows["speed"] = _finite("speed", command.speed, count)
        rows["turn"] = _finite("turn", command.turn, count)
        rows["extension"] = _finite("extension", command.extension, count)
        if command.heading is not None:
            rows["heading"] = _finite("heading", command.heading, count)
            rows["has_heading"] = True
        for name, size in (("look", 3), ("push", 3), ("jump", 2)):
            given = getattr(command, name)
            if given is not None:
                _finite_vector(name, given, size, count)
        rows["gait"] = self._gait_indices(command.gait, count)
        rows["action"] = self._action_index(command.action)
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
            raise UnknownGait(name, [*self._method.gaits, *bare])
        return found

    def _action_index(self, name: str | None) -> int:
        if name is None:
            return -1
        if name not in self._method.actions:
            raise UnknownAction(name, self._method.actions)
        return self._method.actions.index(name)

    def _clamp(self, rows: NDArray[Any]) -> int:
        """Bring every value into its range; a pinned gait holds the speed to its band."""
        pinned = rows["gait"]
        low = np.where(pinned > 0, self._low[pinned], 0.0)
        high = np.where(pinned >= 0, self._high[pinned], self._fastest)
        speed = np.clip(rows["speed"], low, high)
        turn = np.clip(rows["turn"], -self.max_turn, self.max_turn)
        heading = np.clip(rows["heading"], -MOST_HEADING, MOST_HEADING)
        extension = np.clip(rows["extension"], -self._stretch, self._stretch)
        clamped = 0
        held = (("speed", speed), ("turn", turn), ("heading", heading), ("extension", extension))
        for name, value in held:
            if (rows[name] != value).any():
                clamped |= _BIT[name]
                rows[name] = value
        return clamped


def _ranges(method: Method, size: Size) -> tuple[NDArray[np.float64], float]:
    """Bands [m/s] and largest turn [rad/s] of a method for an animal of a size.

    Each is rounded so that what lies within, brought back to the method's own animal, lies within there.
    """
    own = np.asarray(method.bands, float)
    if size.own:
        return own, method.max_turn
    bands = own * size.pace
    low = np.where(bands[:, 0] / size.pace < own[:, 0], np.nextafter(bands[:, 0], np.inf), bands[:, 0])
    high = np.where(bands[:, 1] / size.pace > own[:, 1], np.nextafter(bands[:, 1], 0.0), bands[:, 1])
    turn = method.max_turn / size.pace
    turn = math.nextafter(turn, 0.0) if turn * size.pace > method.max_turn else turn
    return np.stack([low, high], axis=1), turn


_PLAIN = (int, float)


def _is_plain(command: object) -> TypeGuard[Command]:
    """A Command of plain numbers and names, asking for nothing that needs more than that."""
    return (
        type(command) is Command
        and type(command.speed) in _PLAIN
        and type(command.turn) in _PLAIN
        and type(command.extension) in _PLAIN
        and (command.heading is None or type(command.heading) in _PLAIN)
        and (command.gait is None or type(command.gait) is str)
        and command.look is None
        and command.push is None
        and command.jump is None
        and command.mood is None
    )


def _finite(name: str, value: Any, count: int) -> Any:
    """A number or N numbers, all finite."""
    try:
        array = np.asarray(value, np.float64)
    except (TypeError, ValueError, OverflowError):
        raise CommandError(f"{name}: expected a number or {count} numbers, given {value!r}") from None
    if array.shape not in ((), (count,)):
        raise CommandError(f"{name}: expected a number or {count} numbers, given shape {array.shape}")
    if not np.isfinite(array).all():
        raise CommandError(f"{name} must be finite, given {value!r}; nothing was changed")
    return array


def _finite_vector(name: str, value: Any, size: int, count: int) -> None:
    try:
        array = np.asarray(value, np.float64)
    except (TypeError, ValueError, OverflowError):
        raise CommandError(f"{name}: expected {size} numbers, given {value!r}") from None
    if array.shape not in ((size,), (count, size)) or not np.isfinite(array).all():
        raise CommandError(f"{name}: expected {size} finite numbers, given {value!r}; nothing was changed")


def _unfollowed(command: Command) -> int:
    return sum(_BIT[name] for name in UNFOLLOWED if getattr(command, name) is not None)
