"""glTF JSON: objects that know where they stand in the file, and typed, bounded access to them.

JSON of a stranger is read with limits, since a few bytes of it can become many in memory; every value
is checked for its type when it is asked for, and a wrong one is an error that names its place.
"""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import Any, NoReturn, cast

from hoofbeat.errors import GltfError

#: Values that the JSON of one file may hold, counted by its commas and brackets (about 150 MB in memory).
MAX_VALUES = 2_000_000
#: Longest name that is kept; the rest is cut off.
MAX_NAME = 256
#: Numbers beyond this are refused: squares and sums of them stay finite.
MAX_NUMBER = 1e30


@dataclass(frozen=True)
class Item:
    """A JSON object, the file it is from, and where it stands there, as in `accessors[3]`."""

    values: dict[str, Any]
    path: str
    place: str

    def fail(self, message: str, key: str = "") -> GltfError:
        """The error for this object or one of its keys; raise what it returns."""
        dot = "." if self.place and key else ""
        where = f"{self.place}{dot}{key}"
        return GltfError(f"{where}: {message}" if where else message, self.path)

    def has(self, key: str) -> bool:
        """Whether the key is there."""
        return key in self.values

    def _wrong(self, key: str, wanted: str) -> GltfError:
        if key not in self.values:
            return self.fail(f"is missing; it must be {wanted}", key)
        return self.fail(f"must be {wanted}, found {shown_value(self.values[key])}", key)

    def _list(self, key: str) -> list[Any]:
        """The list under a key, [] where there is none; what is no list fails every check as [None]."""
        value = self.values.get(key, [])
        return cast("list[Any]", value) if isinstance(value, list) else [None]

    def whole(self, key: str, low: int, high: int, default: int | None = None) -> int:
        """A whole number from low to high; without a default the key must be there."""
        if key not in self.values and default is not None:
            return default
        value = self.values.get(key)
        # 3.0 is a whole number in JSON; True is a bool, which Python counts among the integers.
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if type(value) is not int or not low <= value <= high:
            raise self._wrong(key, f"a whole number from {low} to {high}")
        return value

    def index(self, key: str, count: int, what: str) -> int:
        """An index into the `count` objects of the list `what`."""
        if not count:
            raise self.fail(f"points to {what}, but the file has none", key)
        return self.whole(key, 0, count - 1)

    def flag(self, key: str) -> bool:
        """True or false; a missing key is false."""
        value = self.values.get(key, False)
        if not isinstance(value, bool):
            raise self._wrong(key, "true or false")
        return value

    def text(self, key: str, default: str | None = None) -> str:
        """A string; without a default the key must be there."""
        value = self.values.get(key, default)
        if not isinstance(value, str):
            raise self._wrong(key, "a string")
        return value

    def name(self) -> str:
        """The object's name, printable and of bounded length; empty where there is none."""
        text = self.text("name", "")[:MAX_NAME]
        return "".join(c if c.isprintable() else "_" for c in text)

    def numbers(self, key: str, count: int, default: tuple[float, ...]) -> tuple[float, ...]:
        """A list of `count` finite numbers."""
        if key not in self.values:
            return default
        given = self._list(key)
        if len(given) != count or not all(_is_number(v) for v in given):
            raise self._wrong(key, f"a list of {count} finite numbers")
        return tuple(float(v) for v in given)

    def indices(self, key: str, count: int, what: str) -> list[int]:
        """A list of different indices into the list `what`; a missing one is empty."""
        given = self._list(key)
        if not all(type(v) is int and 0 <= v < count for v in given):
            raise self._wrong(key, f"a list of indices into {what}, which has {count}")
        if len(set(given)) != len(given):
            raise self.fail("has the same index twice", key)
        return given

    def texts(self, key: str) -> list[str]:
        """A list of strings; a missing one is empty."""
        given = self._list(key)
        if not all(isinstance(v, str) for v in given):
            raise self._wrong(key, "a list of strings")
        return given

    def item(self, key: str) -> Item:
        """The object under a key."""
        value = self.values.get(key)
        if not isinstance(value, dict):
            raise self._wrong(key, "an object")
        dot = "." if self.place else ""
        return Item(cast("dict[str, Any]", value), self.path, f"{self.place}{dot}{key}")

    def items(self, key: str) -> list[Item]:
        """The objects of a list; a missing list is empty."""
        given = self._list(key)
        if not all(isinstance(v, dict) for v in given):
            raise self._wrong(key, "a list of objects")
        dot = "." if self.place else ""
        return [Item(v, self.path, f"{self.place}{dot}{key}[{i}]") for i, v in enumerate(given)]


def parse_json(data: bytes, path: str) -> Item:
    """The JSON of a file as an Item; anything that is not one bounded, finite object is a GltfError."""
    if data.count(b",") + data.count(b"[") + data.count(b"{") > MAX_VALUES:
        raise GltfError(f"the JSON has more than {MAX_VALUES} values; this is too large a scene", path)
    try:
        value = json.loads(data.decode("utf-8-sig"), parse_constant=_constant)
    except UnicodeDecodeError as problem:
        raise GltfError(f"the JSON is not UTF-8 text (byte {problem.start}); is this a glTF?", path) from None
    except json.JSONDecodeError as problem:
        message = f"the JSON is broken at column {problem.colno}: {problem.msg}; it may be cut short"
        raise GltfError(message, path, problem.lineno) from None
    except RecursionError:
        raise GltfError("the JSON is nested too deeply; this is no glTF", path) from None
    except ValueError as problem:  # NaN, Infinity, or an integer of thousands of digits
        raise GltfError(f"the JSON has a number that cannot be read: {problem}", path) from None
    if not isinstance(value, dict):
        raise GltfError(f"the JSON must be an object, found {shown_value(value)}; is this a glTF?", path)
    return Item(cast("dict[str, Any]", value), path, "")


def shown_value(value: object) -> str:
    """A value of the file, short and printable, for messages."""
    if isinstance(value, dict):
        return f"an object of {len(cast('dict[str, Any]', value))} keys"
    if isinstance(value, list):
        items = cast("list[Any]", value)
        simple = len(items) <= 4 and all(isinstance(v, int | float | str | None) for v in items)
        return f"[{', '.join(shown_value(v) for v in items)}]" if simple else f"a list of {len(items)}"
    if isinstance(value, int) and abs(value) > 10**40:
        return "a huge number"
    text = ascii(value) if isinstance(value, str) else json.dumps(value)
    return text if len(text) <= 43 else f"{text[:40]}..."


def _is_number(value: object) -> bool:
    if type(value) not in (int, float):
        return False
    number = cast("float", value)
    # Compared before math.isfinite, which cannot take an integer beyond 1e308.
    return -MAX_NUMBER <= number <= MAX_NUMBER and math.isfinite(number)


def _constant(word: str) -> NoReturn:
    raise ValueError(f"{word} is not JSON")
