"""Action files (R2): one periodic motion as ranges and expressions for each joint, editable by hand.

    DURATION_DATA 0.6 0.9 0.9              shortest, longest and default cycle [s]
    FLIGHT_DATA 0.21 0.36 0.21 0.86        pairs of length and start [cycles]; 0 0 = no flight
    {
    {30,0,0} {-30,0,0} {.5 rcos1 .45 bias,0,0} FemurLeft
    } Horse_Action_TROT

A joint's line holds its angles [degrees] about x, y, z where the expression gives 0, those where it
gives 1, the three expressions (`maths.program`), and its name. Blank lines and lines that start
with # are passed over; blanks, tabs and either line ending are free.
"""

from __future__ import annotations

import difflib
import math
import re
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

from hoofbeat.errors import ActionFileError, ExpressionError
from hoofbeat.formats.files import read_bytes, write_bytes
from hoofbeat.maths.expressions.program import NUMBER, Expression, compile_expression

#: Bounds on what is read; an Action of a horse has 2 kB, 49 joints and at most two flights.
MAX_BYTES = 1024 * 1024
MAX_JOINTS = 4096
MAX_FLIGHTS = 8
#: Cycles outside these are a slip of the pen [s], angles beyond this too [degrees].
MIN_DURATION = 0.01
MAX_DURATION = 3600.0
MAX_ANGLE = 3600.0
#: How many joint names an error lists, nearest first.
LISTED = 64
#: The thesis' files shorten the rear hooves' names; the long ones are in its skeleton.
ALIAS, ALIAS_OF = "EFHoof", "EFRearHoof"

Triple = tuple[float, float, float]


class JointAliasWarning(UserWarning):
    """A joint was given by its alias; the Action holds the skeleton's own name."""


@dataclass(frozen=True)
class ActionJoint:
    """One joint's motion about x, y, z: low + (high - low) * expression, angles in degrees."""

    joint: str
    low: Triple
    high: Triple
    expressions: tuple[Expression, Expression, Expression]

    def __post_init__(self) -> None:
        _set_triple(self, "low")
        _set_triple(self, "high")
        object.__setattr__(self, "expressions", tuple(self.expressions))
        if len(self.expressions) != 3:
            raise ActionFileError(f"joint {self.joint}: give 3 expressions, for x, y and z")
        problem = _joint_problem(self.joint)
        if problem:
            raise ActionFileError(problem)


@dataclass(frozen=True)
class Action:
    """A periodic motion.

    durations: shortest, longest and default cycle [s]; flights: (length, start) of each time in the
    air [cycles], empty when there is none; joints in the file's order, each at most once.
    """

    name: str
    durations: Triple
    flights: tuple[tuple[float, float], ...]
    joints: tuple[ActionJoint, ...]

    def __post_init__(self) -> None:
        _set_triple(self, "durations")
        flights = tuple((float(length), float(start)) for length, start in self.flights)
        object.__setattr__(self, "flights", flights)
        object.__setattr__(self, "joints", tuple(self.joints))
        problem = _name_problem(self.name) or _duration_problem(self.durations) or _flight_problem(flights)
        if problem:
            raise ActionFileError(problem)
        if len(self.joints) > MAX_JOINTS:
            raise ActionFileError(f"{len(self.joints)} joints, at most {MAX_JOINTS} are allowed")
        names = [j.joint for j in self.joints]
        if len(set(names)) < len(names):
            twice = next(n for n in names if names.count(n) > 1)
            raise ActionFileError(f"joint {twice} is given twice; keep one")


def _set_triple(record: Action | ActionJoint, name: str) -> None:
    values = tuple(float(v) for v in getattr(record, name))
    object.__setattr__(record, name, values)
    if len(values) != 3:
        raise ActionFileError(f"{name}: {len(values)} numbers, 3 are needed")
    if name != "durations":
        for value in values:
            if not abs(value) <= MAX_ANGLE:
                raise ActionFileError(_angle_problem(value))


def _angle_problem(value: float) -> str:
    return f"an angle of {value:g} degrees; angles are finite and at most {MAX_ANGLE:g} degrees in size"


def _joint_problem(joint: str) -> str:
    if re.fullmatch(r"[^\s{}]+", joint) and joint.isprintable():
        return ""
    return f"joint name {joint[:80]!r}: a name is one word that can be printed, without braces"


def _name_problem(name: str) -> str:
    if name and name == " ".join(name.split()) and name.isprintable() and not set(name) & set("{}"):
        return ""
    return f"{name[:80]!r} cannot name an Action: a name is not empty and has no braces or line breaks"


def _duration_problem(durations: Sequence[float]) -> str:
    low, high, default = durations
    given = f"DURATION_DATA {low:g} {high:g} {default:g}"
    if not all(MIN_DURATION <= d <= MAX_DURATION for d in durations):
        return f"{given}: durations lie between {MIN_DURATION:g} and {MAX_DURATION:g} s"
    if low > high:
        return f"{given}: the first, shortest, is above the second, longest"
    if not low <= default <= high:
        return f"{given}: the third, the default, lies outside the first two, shortest and longest"
    return ""


def _flight_problem(flights: Sequence[tuple[float, float]]) -> str:
    if len(flights) > MAX_FLIGHTS:
        return f"FLIGHT_DATA has {len(flights)} flights, at most {MAX_FLIGHTS} are allowed"
    for length, start in flights:
        if not (0 < length <= 1 and 0 <= start <= 1):
            return (
                f"FLIGHT_DATA: flight of length {length:g} from {start:g}; both are fractions of the cycle, "
                "from 0 to 1 (write 0 0 for no flight)"
            )
    return ""


def read_action(path: str | PathLike[str], joints: Iterable[str] | None = None) -> Action:
    """Read an Action file; see `parse_action`."""
    data = read_bytes(path, MAX_BYTES, ActionFileError)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        line = data.count(b"\n", 0, problem.start) + 1
        raise ActionFileError("this is not UTF-8 text; is it an Action file?", path, line) from None
    return _Parser(path, joints).parse(text)


def write_action(action: Action, path: str | PathLike[str]) -> Path:
    """Write an Action file atomically: the old file stays whole until the new one is."""
    return write_bytes(path, format_action(action).encode(), ActionFileError)


def format_action(action: Action) -> str:
    """The Action as the text of a file; `parse_action` gives an equal Action back."""
    flights = action.flights or ((0.0, 0.0),)
    lines = [
        "DURATION_DATA " + " ".join(_number(d) for d in action.durations),
        "FLIGHT_DATA " + " ".join(_number(value) for flight in flights for value in flight),
        "{",
    ]
    for j in action.joints:
        low, high = (",".join(_number(v) for v in values) for values in (j.low, j.high))
        words = ",".join(" ".join(e.text.split()) or "0" for e in j.expressions)
        lines.append(f"{{{low}}} {{{high}}} {{{words}}} {j.joint}")
    return "\n".join([*lines, f"}} {action.name}", ""])


def _number(value: float) -> str:
    """The shortest text that reads back as the same number, whole numbers without a point."""
    return repr(value + 0.0).removesuffix(".0")  # + 0.0 turns -0 into 0


def parse_action(
    text: str, name: str | PathLike[str] = "<memory>", joints: Iterable[str] | None = None
) -> Action:
    """The Action in the text of a file; `name` is the file's name for messages.

    With `joints`, the names a skeleton has, every joint must be one of them; `EFHoof...` is then
    read as `EFRearHoof...` where only that exists, with a JointAliasWarning. Anything wrong is an
    ActionFileError with the line.
    """
    return _Parser(name, joints).parse(text)


_JOINT_LINE = re.compile(r"\{([^{}]*)\}\s*\{([^{}]*)\}\s*\{([^{}]*)\}\s*([^\s{}]+)")


class _Parser:
    """One reading of one file; holds what was found so far and where it is."""

    def __init__(self, path: str | PathLike[str], known: Iterable[str] | None) -> None:
        self.path = path
        self.known = None if known is None else dict.fromkeys(known)  # a set that keeps its order
        self.line = 0
        self.durations: Triple | None = None
        self.flights: tuple[tuple[float, float], ...] | None = None
        self.joints: dict[str, ActionJoint] = {}
        self.aliases: list[str] = []
        self.name = ""
        self.step: Callable[[str], None] = self._header

    def parse(self, text: str) -> Action:
        if len(text) > MAX_BYTES:
            raise self._error(f"{len(text)} characters, at most {MAX_BYTES} are read")
        lines = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")
        for self.line, raw in enumerate(lines, 1):
            odd = re.search(r"[\x00-\x08\x0b\x0e-\x1f\x7f]", raw)
            if odd:
                raise self._error(f"column {odd.start() + 1}: byte {ord(odd[0])}; is it an Action file?")
            if raw.strip() and not raw.lstrip().startswith("#"):
                self.step(raw.rstrip())
        if self.durations is None or self.step != self._after:
            missing = "the closing line `} NAME`" if self.durations else "DURATION_DATA"
            raise self._error(f"the file ends without {missing}; is it cut short?")
        if self.aliases:
            warnings.warn(f"{self.path}: {', '.join(self.aliases)}", JointAliasWarning, stacklevel=3)
        return Action(self.name, self.durations, self.flights or (), tuple(self.joints.values()))

    def _error(self, reason: str) -> ActionFileError:
        return ActionFileError(reason, self.path, self.line)

    def _header(self, raw: str) -> None:
        """Lines up to the opening brace."""
        key = raw.split()[0]
        if raw.strip() == "{":
            if self.durations is None:
                raise self._error("DURATION_DATA (shortest longest default [s]) must come before the joints")
            self.step = self._body
        elif key == "DURATION_DATA" and self.durations is None:
            values = self._numbers(raw)
            if len(values) != 3:
                raise self._error(f"DURATION_DATA: {len(values)} numbers; give shortest, longest, default")
            self._refuse(_duration_problem(values))
            self.durations = (values[0], values[1], values[2])
        elif key == "FLIGHT_DATA" and self.flights is None:
            values = self._numbers(raw)
            if len(values) % 2 or not values:
                raise self._error(f"FLIGHT_DATA: {len(values)} numbers; give pairs of length and start")
            pairs = zip(values[::2], values[1::2], strict=True)
            self.flights = tuple(pair for pair in pairs if pair != (0, 0))
            self._refuse(_flight_problem(self.flights))
        elif key in ("DURATION_DATA", "FLIGHT_DATA"):
            raise self._error(f"{key} is given twice; keep one")
        else:
            raise self._error(f"{raw.strip()[:40]!r}: expected DURATION_DATA, FLIGHT_DATA or {{")

    def _numbers(self, raw: str) -> list[float]:
        """All numbers after the first word of a line."""
        return [self._value(m[0], m.start()) for m in list(re.finditer(r"\S+", raw))[1:]]

    def _body(self, raw: str) -> None:
        """One joint's line, or the closing one."""
        line = raw.lstrip()
        if line.startswith("}"):
            self.name = " ".join(line[1:].split())
            self._refuse(_name_problem(self.name))
            self.step = self._after
            return
        match = _JOINT_LINE.fullmatch(line)
        if not match:
            raise self._error(self._braces_problem(line))
        margin = len(raw) - len(line)
        low, high = (self._angles(match[g], margin + match.start(g)) for g in (1, 2))
        x, y, z = self._axes(match[3], margin + match.start(3), "expressions")
        self._refuse(_joint_problem(match[4]))
        joint = self._known_joint(match[4])
        if joint in self.joints:
            raise self._error(f"joint {joint} is given twice; keep one")
        if len(self.joints) == MAX_JOINTS:
            raise self._error(f"more than {MAX_JOINTS} joints")
        words = (self._expression(*x), self._expression(*y), self._expression(*z))
        self.joints[joint] = ActionJoint(joint, low, high, words)

    def _after(self, raw: str) -> None:
        raise self._error(f"{raw.strip()[:40]!r} comes after the closing line; a file holds one Action")

    def _refuse(self, problem: str) -> None:
        if problem:
            raise self._error(problem)

    def _braces_problem(self, line: str) -> str:
        wanted = "expected {low} {high} {expressions} Joint, or } NAME to close"
        opened, closed = line.count("{"), line.count("}")
        if opened == closed == 3 and line.startswith("{"):
            after = line.rpartition("}")[2].strip()
            return f"one joint name must follow the third brace, found {after[:40]!r}; {wanted}"
        return f"{opened} opening and {closed} closing braces, 3 of each are needed; {wanted}"

    def _axes(self, inside: str, start: int, what: str) -> list[tuple[str, int]]:
        """The three parts between commas, each with the index in the line where it starts."""
        parts = inside.split(",")
        if len(parts) != 3:
            raise self._error(f"column {start + 1}: {len(parts)} {what}; give 3 with commas between")
        starts = [start, start + len(parts[0]) + 1, start + len(parts[0]) + len(parts[1]) + 2]
        return list(zip(parts, starts, strict=True))

    def _angles(self, inside: str, start: int) -> Triple:
        x, y, z = (self._angle(part, at) for part, at in self._axes(inside, start, "angles"))
        return x, y, z

    def _angle(self, part: str, at: int) -> float:
        at += len(part) - len(part.lstrip())
        value = self._value(part.strip(), at)
        if abs(value) > MAX_ANGLE:
            raise self._error(f"column {at + 1}: {_angle_problem(value)}")
        return value

    def _value(self, word: str, at: int) -> float:
        value = float(word) if NUMBER.fullmatch(word) else math.nan
        if not math.isfinite(value):
            raise self._error(f"column {at + 1}: {word[:40]!r} is not a finite number")
        return value

    def _expression(self, text: str, at: int) -> Expression:
        try:
            return compile_expression(text.strip())
        except ExpressionError as problem:
            column = at + len(text) - len(text.lstrip()) + problem.column
            raise self._error(f"column {column}: {problem.reason} (in {problem.text[:80]!r})") from None

    def _known_joint(self, joint: str) -> str:
        """The skeleton's own name of a joint; without a skeleton, the name as given."""
        if self.known is None or joint in self.known:
            return joint
        full = ALIAS_OF + joint.removeprefix(ALIAS)
        if joint.startswith(ALIAS) and full in self.known:
            self.aliases.append(f"line {self.line}: joint {joint} read as {full}")
            return full
        near = sorted(self.known, key=lambda known: _likeness(joint, known), reverse=True)
        more = f" and {len(near) - LISTED} more" if len(near) > LISTED else ""
        listed = ", ".join(near[:LISTED]) or "none"
        raise self._error(f"unknown joint {joint[:80]!r}; known, nearest first: {listed}{more}")


def _likeness(a: str, b: str) -> float:
    # Cut first: the comparison needs quadratic time, and a file may hold a name of a million letters.
    return difflib.SequenceMatcher(None, a[:80].lower(), b[:80].lower()).ratio()
