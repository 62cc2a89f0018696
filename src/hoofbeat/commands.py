"""Reader: what a rider writes becomes the rows that kernels take, checked and clamped at this border."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import NDArray

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
    """Turns Command records into COMMAND rows for one method."""

    def __init__(self, method: Method) -> None:
        self._method = method
        self._low = np.asarray(method.bands, float)[:, 0]
        self._high = np.asarray(method.bands, float)[:, 1]
        self._fastest = float(self._high.max())
        self._indices = {name: k for k, name in enumerate(method.gaits)}
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

    def _read_one(self, command: Command, out: NDArray[Any]) -> int:
        """The same as the general way for one character and plain numbers, without small arrays."""
        has_heading = command.heading is not None
        try:
            speed, turn = float(command.speed), float(command.turn)  # type: ignore[arg-type]
            heading = float(command.heading) if has_heading else 0.0  # type: ignore[arg-type]
        except OverflowError:  # a whole number of hundreds of digits
            raise CommandError("speed, turn and heading must be finite; nothing was changed") from None
        for name, value in (("speed", speed), ("turn", turn), ("heading", heading)):
            if not math.isfinite(value):
                raise CommandError(f"{name} must be finite, given {value!r}; nothing was changed")
        gait, action = self._gait_index(command.gait), self._action_index(command.action)  # type: ignore[arg-type]
        low = float(self._low[gait]) if gait > 0 else 0.0
        high = float(self._high[gait]) if gait >= 0 else self._fastest
        most = self._method.max_turn
        held = (
            min(max(speed, low), high),
            min(max(turn, -most), most),
            min(max(heading, -MOST_HEADING), MOST_HEADING),
        )
        out[0] = (*held, has_heading, gait, action)
        return (
            (held[0] != speed) * _BIT["speed"]
            | (held[1] != turn) * _BIT["turn"]
            | (held[2] != heading) * _BIT["heading"]
        )

    def _checked(self, rows: NDArray[Any], out: NDArray[Any]) -> NDArray[Any]:
        if rows.dtype != COMMAND or rows.shape != out.shape:
            raise CommandError(
                f"expected {out.shape} rows of records.COMMAND, given {rows.shape} of {rows.dtype}"
            )
        for name in ("speed", "turn", "heading"):
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
            raise UnknownGait(name, self._method.gaits)
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
        turn = np.clip(rows["turn"], -self._method.max_turn, self._method.max_turn)
        heading = np.clip(rows["heading"], -MOST_HEADING, MOST_HEADING)
        clamped = 0
        for name, value in (("speed", speed), ("turn", turn), ("heading", heading)):
            if (rows[name] != value).any():
                clamped |= _BIT[name]
                rows[name] = value
        return clamped


_PLAIN = (int, float)


def _is_plain(command: object) -> TypeGuard[Command]:
    """A Command of plain numbers and names, asking for nothing that needs more than that."""
    return (
        type(command) is Command
        and type(command.speed) in _PLAIN
        and type(command.turn) in _PLAIN
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
