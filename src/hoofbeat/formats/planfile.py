"""Plan files: what to ride, written down. Segments one after the other, each with a length and a command.

    method: timewarp           # every line above `segments` may be left out
    fps: 60
    seed: 1
    terrain: flat
    segments:
      - {for: 2 s, speed: 1.6}
      - {for: 3 cycles, gait: trot, turn: 20 deg/s}
      - {for: 2 s, froude: 2.0}

docs/plans.md describes every key.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any

import yaml

from hoofbeat.body.size import HeightError, checked_height
from hoofbeat.errors import FileError, nearest
from hoofbeat.formats import files, yamlfile
from hoofbeat.shipped import DEFAULT_METHOD

_KEYS = (
    "name",
    "method",
    "fps",
    "seed",
    "terrain",
    "scene",
    "height",
    "breed",
    "options",
    "settle",
    "segments",
)
_SEGMENT_KEYS = ("for", "speed", "froude", "gait", "turn", "heading", "extension", "action")

#: No plan is longer [s], nor has more segments; the engine's own steps are 1/1000 to 1/10 s.
MAX_SECONDS, MAX_SEGMENTS, MAX_CYCLES = 3600.0, 10_000, 10_000.0
FPS_RANGE = (10.0, 1000.0)
#: Larger numbers are a wrong unit: [m/s], v2 / (g h), [rad/s], [rad].
MAX_SPEED, MAX_FROUDE, MAX_TURN, MAX_HEADING = 100.0, 1000.0, 100.0, 1000.0
MAX_SEED = 2**32 - 1
MAX_NAME = 200
MAX_OPTIONS = 20

Option = str | float | bool

LENGTHS = {"s": 1.0, "ms": 0.001, "min": 60.0, "cycles": 1.0, "cycle": 1.0, "strides": 1.0, "stride": 1.0}
CYCLES = ("cycles", "cycle", "strides", "stride")
SPEEDS = {"": 1.0, "m/s": 1.0, "km/h": 1 / 3.6}
HEIGHTS = {"": 1.0, "m": 1.0, "cm": 0.01}
TURNS = {"": 1.0, "rad/s": 1.0, "deg/s": math.pi / 180}
HEADINGS = {"": 1.0, "rad": 1.0, "deg": math.pi / 180}
PLAIN = {"": 1.0}
#: Numbers of a segment and their units.
_UNITS = {"speed": SPEEDS, "froude": PLAIN, "turn": TURNS, "heading": HEADINGS, "extension": PLAIN}
#: Characters of a number with its unit.
MAX_QUANTITY = 200
_QUANTITY = re.compile(r"\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,4})?)\s*([^\s\d.+-]*)\s*")


class PlanError(FileError):
    """A plan with a wrong key, value or unit, or one that asks for what the method does not have."""


@dataclass(frozen=True)
class Segment:
    """One stretch of a plan.

    length: how long, in `unit`, "s" or "cycles" (strides of the left hind); speed [m/s] or froude
    (v² / (g h), h the height of the hip) or neither; gait pins one, and without a speed the middle of
    its band is ridden; turn [rad/s, left positive], or heading [rad, left positive], counted from where the
    horse faces as the plan begins; extension from -1, collected, to 1, extended; action: a name of the
    method's. `line` is where it stands in its file, 0 = nowhere.
    """

    length: float
    unit: str = "s"
    speed: float | None = None
    froude: float | None = None
    gait: str | None = None
    turn: float = 0.0
    action: str | None = None
    heading: float | None = None
    extension: float = 0.0
    line: int = field(default=0, compare=False, repr=False)

    def __post_init__(self) -> None:
        for name in ("length", "speed", "froude", "turn", "heading", "extension"):
            value = getattr(self, name)
            if value is not None:
                object.__setattr__(self, name, float(value))
        problem = _wrong_length(self) or _wrong_motion(self)
        if problem:
            raise PlanError(problem)


@dataclass(frozen=True)
class Plan:
    """A ride to synthesise: segments in order, and what holds for all of them.

    method: a name; fps: frames a second, each one step; seed: of the engine's noise; terrain: a name;
    scene: a scene file, relative to the plan's folder, or None; settle: ride the first command until it
    is steady and begin at a touchdown of the left hind, instead of standing; name: of the clip; height: of
    the animal's withers [m], None = the method's own; breed: whose gaits a speed chooses from, a name of
    `gaits.breeds`, None = the method's own; options: those of the method, by name. `path` is the file the
    plan was read from, `lines` where its keys stand there.
    """

    segments: tuple[Segment, ...]
    method: str = DEFAULT_METHOD
    fps: float = 60.0
    seed: int = 0
    terrain: str = "flat"
    scene: str | None = None
    settle: bool = False
    name: str = "ride"
    height: float | None = None
    breed: str | None = None
    options: Mapping[str, Option] = field(default_factory=dict[str, Option])
    path: str = field(default="<memory>", compare=False, repr=False)
    lines: Mapping[str, int] = field(default_factory=dict[str, int], compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "segments", tuple(self.segments))
        object.__setattr__(self, "options", dict(self.options))
        object.__setattr__(self, "fps", float(self.fps))
        problem = _wrong_plan(self)
        if problem:
            raise self.fail(problem[1], key=problem[0])
        if self.height is not None:
            object.__setattr__(self, "height", float(self.height))

    @property
    def seconds(self) -> float:
        """Sum of the segments given in seconds; those in cycles are as long as they come to be."""
        return math.fsum(s.length for s in self.segments if s.unit == "s")

    def fail(self, message: str, segment: Segment | None = None, key: str = "") -> PlanError:
        """An error at a segment or at a key of this plan; raise what it returns. What is wrong with a key
        that was left out is reported for the plan's first line."""
        if segment is None:
            line = self.lines.get(key) or min(self.lines.values(), default=0)
            return PlanError(message, self.path, line)
        number = next(k for k, one in enumerate(self.segments, 1) if one is segment)
        return PlanError(f"segment {number}: {message}", self.path, segment.line)

    def scene_path(self) -> Path | None:
        """Where the scene file lies, or None for the method's own."""
        if self.scene is None:
            return None
        folder = Path() if self.path == "<memory>" else Path(self.path).parent
        return folder / self.scene


def _wrong_length(segment: Segment) -> str | None:
    if segment.unit not in ("s", "cycles"):
        return f"unit: expected s or cycles, given {segment.unit!r}"
    most = MAX_SECONDS if segment.unit == "s" else MAX_CYCLES
    if not 0 < segment.length <= most:
        return f"for: must be above 0 and at most {most:g} {segment.unit}, given {segment.length:g}"
    return None


def _wrong_motion(segment: Segment) -> str | None:
    limits = (
        ("speed", 0.0, MAX_SPEED, "m/s"),
        ("froude", 0.0, MAX_FROUDE, ""),
        ("turn", -MAX_TURN, MAX_TURN, "rad/s"),
        ("heading", -MAX_HEADING, MAX_HEADING, "rad"),
        ("extension", -1.0, 1.0, ""),
    )
    for name, least, most, unit in limits:
        value = getattr(segment, name)
        if value is not None and not least <= value <= most:
            return f"{name}: must be {least:g} to {most:g} {unit}".rstrip() + f", given {value:g}"
    if segment.speed is not None and segment.froude is not None:
        return "speed and froude say the same thing; give one of them"
    if segment.turn and segment.heading is not None:
        return "turn: a heading is turned to as fast as the method does it; give turn or heading"
    if segment.speed is None and segment.froude is None and segment.gait is None and segment.action is None:
        return "how to move is missing; give speed, froude, gait or action (speed: 0 stands)"
    standing = segment.speed == 0 or segment.froude == 0 or segment.gait == "stand"
    if segment.unit == "cycles" and standing:
        return "for: a standing horse makes no strides; give the time in seconds, as in 3 s"
    return None


def _wrong_plan(plan: Plan) -> tuple[str, str] | None:
    """The key that is wrong and what is wrong with it."""
    if not 1 <= len(plan.segments) <= MAX_SEGMENTS:
        return "segments", f"segments: expected 1 to {MAX_SEGMENTS}, given {len(plan.segments)}"
    if not FPS_RANGE[0] <= plan.fps <= FPS_RANGE[1]:
        return "fps", f"fps: must be {FPS_RANGE[0]:g} to {FPS_RANGE[1]:g}, given {plan.fps:g}"
    if not 0 <= plan.seed <= MAX_SEED:
        return "seed", f"seed: must be 0 to {MAX_SEED}, given {plan.seed}"
    for key in ("name", "method", "terrain", "scene", "breed"):
        words = getattr(plan, key)
        if words is not None and not (0 < len(words) <= MAX_NAME and words.isprintable()):
            return key, f"{key}: expected 1 to {MAX_NAME} printable characters, given {words[:60]!r}"
    try:
        checked_height(1.0 if plan.height is None else plan.height)
    except HeightError as problem:
        return "height", f"height: {str(problem).removeprefix('height ')}"
    if len(plan.options) > MAX_OPTIONS:
        return "options", f"options: expected at most {MAX_OPTIONS}, given {len(plan.options)}"
    if plan.seconds > MAX_SECONDS:
        return "segments", f"segments: {plan.seconds:g} s together, at most {MAX_SECONDS:g} s are ridden"
    return None


def read_plan(path: str | PathLike[str]) -> Plan:
    """Read a plan file; a wrong line is a PlanError that names the file, the line and what is allowed."""
    return parse_plan(files.read_bytes(path, yamlfile.MAX_BYTES, PlanError), path)


def parse_plan(data: bytes | str, path: str | PathLike[str] = "<memory>") -> Plan:
    """The plan in a YAML text; `path` is used in errors and to find the scene file."""
    raw = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
    top = yamlfile.parse_mapping(raw, str(path), PlanError)
    top.finish(_KEYS)
    entries = top.mappings("segments")
    segments = tuple(_segment(entry) for entry in entries[: MAX_SEGMENTS + 1])
    fields: dict[str, Any] = {"path": str(path), "lines": top.lines}
    kinds: dict[str, Any] = {"fps": float, "seed": int, "settle": bool}
    if "height" in top.values:
        height, unit = _quantity(top, "height", HEIGHTS)
        fields["height"] = height * HEIGHTS[unit]
    if "options" in top.values:
        fields["options"], inside = _options(top)
        fields["lines"] = top.lines | {f"options.{key}": line for key, line in inside.items()}
    for key in top.values:
        if key not in ("segments", "height", "options"):
            fields[key] = top.get(key, kinds.get(key, str))
    return Plan(segments, **fields)


def _options(top: yamlfile.Mapping) -> tuple[dict[str, Option], dict[str, int]]:
    """Options of the method itself, words, numbers, true or false, and the line of each."""
    given = top.values["options"]
    if not isinstance(given, yamlfile.Mapping):
        raise top.fail(f"options: expected names and values, given {yamlfile.shown(given)}", "options")
    for key, value in given.values.items():
        if not isinstance(value, str | int | float) or not (isinstance(value, str) or abs(value) < 1e300):
            raise given.fail(f"{key}: expected a word or a number, given {yamlfile.shown(value)}", key)
        if len(key) > MAX_NAME or (isinstance(value, str) and len(value) > MAX_NAME):
            raise given.fail(f"{key[:60]}: over {MAX_NAME} characters", key)
    return dict(given.values), given.lines


def _segment(entry: yamlfile.Mapping) -> Segment:
    entry.finish(_SEGMENT_KEYS)
    if "for" not in entry.values:
        raise entry.fail("missing key 'for'; say how long, as in for: 3 s or for: 3 cycles")
    length, unit = _quantity(entry, "for", LENGTHS)
    cycles = unit in CYCLES
    fields: dict[str, Any] = {"unit": "cycles" if cycles else "s", "line": entry.line}
    for key, units in _UNITS.items():
        if key in entry.values:
            value, given = _quantity(entry, key, units)
            fields[key] = value * units[given]
    for key in ("gait", "action"):
        if key in entry.values:
            fields[key] = entry.get(key, str)
    try:
        return Segment(length if cycles else length * LENGTHS[unit], **fields)
    except PlanError as problem:
        key = problem.reason.partition(":")[0]
        raise entry.fail(problem.reason, key) from None


def _quantity(entry: yamlfile.Mapping, key: str, units: Mapping[str, float]) -> tuple[float, str]:
    """A number with one of the units; "" among them means that a bare number will do."""
    value = entry.values[key]
    example = f"3 {next(iter(units)) or [*units, ''][1]}".strip()
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise entry.fail(f"{key}: expected a number with its unit, as in {example}", key)
    # Longer texts are no quantities, and the search would try every way to cut them.
    short = isinstance(value, str) and len(value) <= MAX_QUANTITY
    found = _QUANTITY.fullmatch(value) if isinstance(value, str) and short else None
    if isinstance(value, str) and found is None:
        raise entry.fail(f"{key}: expected a number with a unit, as in {example}, given {value[:60]!r}", key)
    number = float(found[1]) if found else _as_float(value)
    unit = found[2] if found else ""
    if not math.isfinite(number):
        raise entry.fail(f"{key}: must be finite, given {yamlfile.shown(value)}", key)
    if unit not in units:
        near = nearest(unit, units)
        hint = f"; did you mean {near}?" if near else "."
        listed = ", ".join(name or "none" for name in units)
        given = f"unit {unit[:20]!r}" if unit else "no unit"
        raise entry.fail(f"{key}: {given} given{hint} Known: {listed}", key)
    return number, unit


def _as_float(value: Any) -> float:
    """A YAML number; a whole one too large for a float becomes infinite."""
    try:
        return float(value)
    except OverflowError:
        return math.inf


def write_plan(plan: Plan, path: str | PathLike[str]) -> Path:
    """Write a plan as YAML that `read_plan` reads back as an equal plan."""
    return files.write_bytes(path, format_plan(plan).encode(), PlanError)


def format_plan(plan: Plan) -> str:
    """A plan as YAML text."""
    lines = [f"{key}: {_scalar(getattr(plan, key))}" for key in ("name", "method")]
    lines += [f"fps: {plan.fps!r}", f"seed: {plan.seed}", f"terrain: {_scalar(plan.terrain)}"]
    if plan.scene is not None:
        lines.append(f"scene: {_scalar(plan.scene)}")
    if plan.height is not None:
        lines.append(f"height: {plan.height!r}")
    if plan.breed is not None:
        lines.append(f"breed: {_scalar(plan.breed)}")
    if plan.options:
        lines.append("options:")
        lines += [f"  {_scalar(key)}: {_scalar(value)}" for key, value in plan.options.items()]
    if plan.settle:
        lines.append("settle: true")
    lines.append("segments:")
    for segment in plan.segments:
        lines.append(f"  - for: {segment.length!r} {segment.unit}")
        for key in _SEGMENT_KEYS[1:]:
            value = getattr(segment, key)
            if value is None or (key in ("turn", "extension") and value == 0):
                continue
            words = repr(value) if isinstance(value, float) else _scalar(value)
            lines.append(f"    {key}: {words}")
    return "\n".join(lines) + "\n"


def _scalar(value: str | float) -> str:
    """One YAML word, quoted and escaped where it would be read as something else."""
    return str(yaml.safe_dump(value, width=10**6)).removesuffix("\n").removesuffix("\n...")
