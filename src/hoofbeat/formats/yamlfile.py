# PyYAML has no full stubs.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
"""YAML with line numbers: mappings whose every wrong key or value is an error that names its line.

Plain data only: no tags, no aliases (which can blow up in size), bounded length and depth.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, TypeVar, cast

import yaml

from hoofbeat.errors import FileError, nearest

T = TypeVar("T", int, float, str, bool)

#: Plans and scenes are short; more than this is a mistake.
MAX_BYTES = 1 << 20
MAX_DEPTH = 20
#: PyYAML's own parser in C is ten times quicker; it is absent where PyYAML was built without libyaml.
_QUICK: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(frozen=True)
class Mapping:
    """One YAML mapping: values by key with their lines. Ask for keys, then `finish` to refuse the rest."""

    path: str
    line: int
    error: type[FileError]
    values: dict[str, Any]
    lines: dict[str, int]

    def fail(self, message: str, key: str = "") -> FileError:
        """An error at the line of `key` (or of the mapping); raise what it returns."""
        return self.error(message, self.path, self.lines.get(key, self.line))

    def get(self, key: str, kind: type[T], default: T | None = None) -> T:
        """The value of a key as `kind`; without a default the key must be there."""
        if key not in self.values:
            if default is None:
                raise self.fail(f"missing key {key!r}; here are {', '.join(self.values) or 'none'}")
            return default
        value = self.values[key]
        if kind is float and isinstance(value, int) and not isinstance(value, bool):
            value = _as_float(value)
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            raise self.fail(f"{key}: expected {_KINDS[kind]}, given {shown(value)}", key)
        if isinstance(value, float) and not -1e300 < value < 1e300:
            raise self.fail(f"{key}: must be finite, given {value}", key)
        return value

    def numbers(self, key: str, count: int, default: tuple[float, ...] | None = None) -> tuple[float, ...]:
        """A list of exactly `count` finite numbers."""
        if key not in self.values and default is not None:
            return default
        value = self.values.get(key)
        given = cast("list[Any]", value) if isinstance(value, list) else []
        if len(given) != count or not all(type(v) in (int, float) for v in given):
            raise self.fail(f"{key}: expected a list of {count} numbers, given {shown(value)}", key)
        found = tuple(_as_float(v) for v in given)
        if not all(-1e300 < v < 1e300 for v in found):
            raise self.fail(f"{key}: numbers must be finite, given {shown(value)}", key)
        return found

    def mappings(self, key: str) -> list[Mapping]:
        """A list of mappings, at least one."""
        value = self.values.get(key)
        if not isinstance(value, list) or not value or not all(isinstance(v, Mapping) for v in value):
            raise self.fail(f"{key}: expected a list of entries with keys, given {shown(value)}", key)
        return value

    def finish(self, allowed: Iterable[str]) -> None:
        """Refuse every key that is not allowed, naming the nearest one that is."""
        known = tuple(allowed)
        for key in self.values:
            if key not in known:
                near = nearest(key, known)
                hint = f"; did you mean {near!r}?" if near else "."
                raise self.fail(f"unknown key {key!r}{hint} Allowed: {', '.join(known)}", key)


_KINDS: dict[type, str] = {float: "a number", int: "a whole number", str: "a text", bool: "true or false"}


def _as_float(value: float) -> float:
    """The number as float; a whole one beyond its range is infinite, which the caller refuses."""
    try:
        return float(value)
    except OverflowError:
        return math.inf


def shown(value: object) -> str:
    """A value as an error shows it, cut; Python refuses to print a number of thousands of digits."""
    try:
        return "a mapping" if isinstance(value, Mapping) else repr(value)[:60]
    except ValueError:
        return "a number of thousands of digits"


def parse_mapping(data: bytes, path: str, error: type[FileError]) -> Mapping:
    """The mapping at the top of a YAML text; anything else is an `error` with its line."""
    if len(data) > MAX_BYTES:
        raise error(f"has {len(data)} bytes, at most {MAX_BYTES} are read", path)
    try:
        text = data.decode("utf-8-sig")
        if "\0" in text:
            raise error("holds NUL bytes; this is not a text file", path)
        node = _composed(text, path, error)
    except UnicodeDecodeError as problem:
        raise error(f"is not UTF-8 text (byte {problem.start})", path) from None
    except (ValueError, OverflowError) as problem:  # an escape beyond Unicode
        raise error(f"not valid YAML: {problem}", path) from None
    except yaml.MarkedYAMLError as problem:
        mark = problem.problem_mark
        raise error(f"not valid YAML: {problem.problem}", path, mark.line + 1 if mark else 0) from None
    except yaml.YAMLError as problem:
        raise error(f"not valid YAML: {problem}", path) from None
    if not isinstance(node, yaml.MappingNode):
        raise error("expected keys and values at the top (key: value)", path, 1)
    return _mapping(node, path, error, 0)


def _composed(text: str, path: str, error: type[FileError]) -> yaml.Node | None:
    """The nodes of a text, by the quick parser; whatever it refuses is left to the other, for its words."""
    for loader in dict.fromkeys((_QUICK, yaml.SafeLoader)):
        try:
            _check_events(text, path, error, loader)
            return yaml.compose(text, Loader=loader)
        except yaml.YAMLError:
            if loader is yaml.SafeLoader:
                raise
    raise AssertionError("the last loader returns or raises")


def _check_events(text: str, path: str, error: type[FileError], loader: Any) -> None:
    """Refuse aliases, tags and depth as they come: the time to the end grows with the square of the depth."""
    depth = 0
    for event in yaml.parse(text, Loader=loader):
        line = event.start_mark.line + 1
        if isinstance(event, yaml.AliasEvent):
            raise error("aliases (*name) are not allowed", path, line)
        if getattr(event, "tag", None) is not None:
            raise error(f"tags ({event.tag}) are not allowed; write plain values", path, line)
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > MAX_DEPTH:
            raise error(f"is nested deeper than {MAX_DEPTH} levels", path, line)


def _mapping(node: yaml.MappingNode, path: str, error: type[FileError], depth: int) -> Mapping:
    values: dict[str, Any] = {}
    lines: dict[str, int] = {}
    for key_node, value_node in node.value:
        line = key_node.start_mark.line + 1
        if not isinstance(key_node, yaml.ScalarNode):
            raise error("a key must be a single word", path, line)
        if key_node.value in values:
            raise error(f"key {key_node.value!r} stands twice", path, line)
        values[key_node.value] = _value(value_node, path, error, depth + 1)
        lines[key_node.value] = line
    return Mapping(path, node.start_mark.line + 1, error, values, lines)


def _value(node: yaml.Node, path: str, error: type[FileError], depth: int) -> Any:
    if depth > MAX_DEPTH:
        raise error(f"is nested deeper than {MAX_DEPTH} levels", path, node.start_mark.line + 1)
    if isinstance(node, yaml.MappingNode):
        return _mapping(node, path, error, depth)
    if isinstance(node, yaml.SequenceNode):
        return [_value(child, path, error, depth + 1) for child in node.value]
    try:
        return _QUICK("").construct_object(node)
    except (yaml.YAMLError, ValueError) as problem:
        raise error(f"cannot be read: {problem}", path, node.start_mark.line + 1) from None
