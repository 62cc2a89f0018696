"""BVH in: the joint tree and the frames of a motion capture file, as a Clip.

What the format leaves open is settled here as most writers mean it: position channels REPLACE the
joint's OFFSET (so a root's are world positions), rotations are in degrees, applied in the order of
the channels about axes that turn along. Numbers are read by a kernel straight from the bytes.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from os import PathLike, fspath
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hoofbeat.body.clip import Clip
from hoofbeat.body.skeleton import MAX_JOINTS, Skeleton
from hoofbeat.errors import BvhError
from hoofbeat.formats.files import MAX_BYTES, read_bytes
from hoofbeat.maths.exact.circular import sincos
from hoofbeat.maths.jit import kernel
from hoofbeat.maths.types import Floats as Array
from hoofbeat.maths.types import Ints

Floats = NDArray[np.float64]

#: Lengths beyond this [m] are a broken file, not an animal; it keeps sums and squares finite.
MAX_LENGTH = 1e9
#: Frames times nodes that are read at most: 1 GiB of quaternions.
MAX_POSES = 2**25
#: So many poses any file may ask for; more only if it has a byte for each, lest a few lines fill the memory.
FREE_POSES = 2**20
#: A position channel of an inner joint may wander by this part of a bone before it counts as motion.
BONE_TOLERANCE = 1e-4

_TOKEN = re.compile(rb"[{}]|[^\s{}]++")
_LABEL = re.compile(rb"[^\r\n{}]*+")
_FRAMES = re.compile(rb"\s*+frames\s*+:?+\s*+(\S++)", re.IGNORECASE)
_FRAME_TIME = re.compile(rb"\s*+frame\s*+time\s*+:?+\s*+(\S++)", re.IGNORECASE)
_NUMBER = re.compile(rb"[+-]?(?:\d++(?:\.\d*+)?|\.\d++)(?:[eE][+-]?\d{1,9})?")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_CHANNELS = {
    f"{axis}{kind}".encode(): (kind == "ROTATION", index)
    for kind in ("POSITION", "ROTATION")
    for index, axis in enumerate("XYZ")
}
_CHANNEL_NAMES = {value: key.decode().capitalize() for key, value in _CHANNELS.items()}
_MAX_LABEL = 256
_MAX_DIGITS = 400

# What `scan_numbers` found.
_COMPLETE, _SURPLUS, _WRONG = 0, 1, 2
_POWERS = np.array([float(f"1e{k}") for k in range(309)])
_MANTISSA_FULL = 10**17  # one more digit still fits 63 bits; further ones cannot change a double
_HALF_DEGREE = np.pi / 360


def read_bvh(path: str | PathLike[str], scale: float = 1.0, max_bytes: int = MAX_BYTES) -> Clip:
    """Read a BVH file. `scale` is metres per file unit (0.01 for a file in centimetres).

    The clip's nodes are the joints and end sites in file order; an end site is named
    `<parent>_end`. `skeleton.offsets[0]` keeps the root's OFFSET; `origins` are the root's
    position channels. A file that is wrong anywhere raises a BvhError with its line.
    """
    return parse_bvh(read_bytes(path, max_bytes, BvhError), fspath(path), scale)


def parse_bvh(text: str | bytes, name: str = "<memory>", scale: float = 1.0) -> Clip:
    """Read a BVH from memory; `name` stands for the path in errors. Otherwise as `read_bvh`."""
    if not (np.isfinite(scale) and scale > 0):
        raise BvhError(f"scale must be a positive number (metres per file unit), given {scale}", name)
    data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else bytes(text)
    scanner = _Scanner(data, name)
    nodes = _hierarchy(scanner)
    frames, fps = _motion_head(scanner, len(nodes))
    columns = _columns(nodes)
    values = _values(scanner, nodes, columns, frames)
    offsets, origins = _places(scanner, nodes, columns, values, scale)
    rotations = np.empty((frames, len(nodes), 4))
    turn_kernel(values, columns.turns, columns.axes, rotations)
    ends = [node.end for node in nodes]
    names = unique_names([node.label for node in nodes], ends)
    skeleton = Skeleton(names, [node.parent for node in nodes], offsets, ends)
    return Clip(skeleton, rotations, origins, fps, name=Path(name).stem)


def unique_names(given: Sequence[str], ends: Sequence[bool]) -> list[str]:
    """Names that all differ: a repeated one gets _2, _3, ...; joints choose before end sites."""
    found = list(given)
    taken = set(given)
    seen: set[str] = set()
    counters: dict[str, int] = {}
    for i in sorted(range(len(given)), key=ends.__getitem__):
        if given[i] in seen:
            number = counters.get(given[i], 2)
            while f"{given[i]}_{number}" in taken:
                number += 1
            counters[given[i]] = number + 1
            found[i] = f"{given[i]}_{number}"
            taken.add(found[i])
        seen.add(given[i])
    return found


class _Scanner:
    """Reads the words of the head one by one; knows where it is, to say so in errors."""

    def __init__(self, data: bytes, name: str) -> None:
        self.data = data
        self.name = name
        self.position = 3 if data.startswith(b"\xef\xbb\xbf") else 0  # a byte order mark is harmless
        self.at = self.position  # where the last word began

    def fail(self, message: str, at: int | None = None) -> BvhError:
        """The error for what stands at byte `at` (the last word), with its line."""
        where = self.at if at is None else at
        newline = b"\n" if b"\n" in self.data else b"\r"
        return BvhError(message, self.name, self.data.count(newline, 0, where) + 1)

    def shown(self, at: int) -> str:
        """The word at a byte, short and printable, for messages."""
        word = self.data[at : at + 60].split(None, 1)
        return ascii(word[0][:40].decode("latin-1")) if word else "the end of the file"

    def word(self, wanted: str) -> bytes:
        """The next word or brace; the end of the file is an error that names what was wanted."""
        match = _TOKEN.search(self.data, self.position)
        if match is None:
            self.at = len(self.data.rstrip())
            raise self.fail(f"the file ends where {wanted} should come; it may be cut short")
        self.at, self.position = match.span()
        return match.group()

    def expect(self, wanted: str, hint: str = "") -> None:
        if self.word(wanted).upper() != wanted.encode():
            raise self.fail(f"found {self.shown(self.at)} where {wanted} should come{hint}")

    def number(self, wanted: str) -> float:
        word = self.word(wanted)
        value = _decimal(word)
        if not np.isfinite(value):
            raise self.fail(f"{wanted} must be a finite number, found {self.shown(self.at)}")
        return value

    def label(self, wanted: str, needed: bool = True) -> str:
        """A name: the rest of the line up to a brace, so that it may hold blanks."""
        if needed and self.word(wanted) in (b"{", b"}"):
            raise self.fail(f"{wanted} is missing before {self.shown(self.at)}")
        match = _LABEL.match(self.data, self.at if needed else self.position)
        assert match is not None  # the pattern matches nothing too
        self.position = match.end()
        raw = b" ".join(match.group().split(None, _MAX_LABEL))
        try:
            text = raw.decode()
        except UnicodeDecodeError:
            raise self.fail(f"{wanted} is not UTF-8 text; save the file as UTF-8") from None
        if _CONTROL.search(text) or len(text) > _MAX_LABEL:
            raise self.fail(f"{wanted} must be at most {_MAX_LABEL} printable characters")
        return text


def _decimal(word: bytes) -> float:
    """The number a word of the head stands for; NaN if it is none."""
    return float(word) if len(word) <= _MAX_DIGITS and _NUMBER.fullmatch(word) else np.nan


@dataclass
class _Node:
    """A joint or end site as it is written: offset in file units, channels as (turns, axis)."""

    label: str
    parent: int
    end: bool
    at: int
    offset: list[float] = field(default_factory=list[float])
    channels: list[tuple[bool, int]] | None = None


def _hierarchy(scanner: _Scanner) -> list[_Node]:
    """The nodes of the one tree, parents first, up to and including the word MOTION."""
    scanner.expect("HIERARCHY", "; is this a BVH file?")
    scanner.expect("ROOT")
    nodes = [_opened(scanner, [], -1, False)]
    path = [0]
    while path:
        node = nodes[path[-1]]
        word = scanner.word("the closing brace of " + node.label).upper()
        if word == b"}":
            if not node.offset:
                raise scanner.fail(f"{node.label} has no OFFSET", node.at)
            path.pop()
        elif word == b"OFFSET" and not node.offset:
            node.offset = [scanner.number(f"OFFSET {axis} of {node.label}") for axis in "XYZ"]
        elif word == b"CHANNELS" and node.channels is None and not node.end:
            node.channels = _channels(scanner, node.label)
        elif word in (b"JOINT", b"END", b"ENDSITE") and not node.end:
            if word == b"END":
                scanner.expect("SITE")
            nodes.append(_opened(scanner, nodes, path[-1], word != b"JOINT"))
            path.append(len(nodes) - 1)
        else:
            allowed = "one OFFSET and }" if node.end else "one OFFSET, one CHANNELS, JOINT, End Site and }"
            raise scanner.fail(f"found {scanner.shown(scanner.at)} inside {node.label}; allowed: {allowed}")
    if scanner.word("MOTION").upper() == b"ROOT":
        raise scanner.fail("a second ROOT; only files with one skeleton can be read, so split this one")
    if scanner.data[scanner.at : scanner.position].upper() != b"MOTION":
        raise scanner.fail(f"found {scanner.shown(scanner.at)} where MOTION should come; count the braces")
    return nodes


def _opened(scanner: _Scanner, nodes: list[_Node], parent: int, end: bool) -> _Node:
    """A new node, its name and opening brace read."""
    at = scanner.at
    if len(nodes) >= MAX_JOINTS:
        raise scanner.fail(f"more than {MAX_JOINTS} joints; this is not an animal")
    label = scanner.label("the name of an end site" if end else "the name of a joint", needed=not end)
    if end and not label:
        label = nodes[parent].label + "_end"
    scanner.expect("{")
    return _Node(label, parent, end, at)


def _channels(scanner: _Scanner, label: str) -> list[tuple[bool, int]]:
    count = scanner.word(f"the number of channels of {label}")
    if count not in (b"0", b"1", b"2", b"3", b"4", b"5", b"6"):
        raise scanner.fail(f"{label} can have 0 to 6 channels, found {scanner.shown(scanner.at)}")
    found: list[tuple[bool, int]] = []
    for _ in range(int(count)):
        channel = _CHANNELS.get(scanner.word(f"a channel of {label}").upper())
        if channel is None:
            known = ", ".join(_CHANNEL_NAMES.values())
            raise scanner.fail(f"unknown channel {scanner.shown(scanner.at)} of {label}. Known: {known}")
        # An axis may turn twice (an order such as ZXZ), but a position can be given only once.
        if (channel in found and not channel[0]) or sum(turns for turns, _ in found) + channel[0] > 3:
            raise scanner.fail(f"{label} has {_CHANNEL_NAMES[channel]} once too often")
        found.append(channel)
    return found


def _motion_head(scanner: _Scanner, nodes: int) -> tuple[int, float]:
    """Number of frames, and frames a second."""
    frames = _after(scanner, _FRAMES, "Frames:")
    if not re.fullmatch(rb"\d{1,12}", frames):
        raise scanner.fail(f"Frames: must be a whole number, found {scanner.shown(scanner.at)}")
    limit = min(MAX_POSES, max(FREE_POSES, len(scanner.data)))
    if int(frames) * nodes > limit:
        raise scanner.fail(f"{int(frames)} frames of {nodes} nodes are too many; {limit} poses may be read")
    frame_time = _after(scanner, _FRAME_TIME, "Frame Time:")
    seconds = _decimal(frame_time)
    if not 1e-4 <= seconds <= 1e6:
        raise scanner.fail(f"Frame Time: must be 0.0001 to 1e6 seconds, found {scanner.shown(scanner.at)}")
    return int(frames), _rate(frame_time, seconds)


def _after(scanner: _Scanner, pattern: re.Pattern[bytes], keyword: str) -> bytes:
    match = pattern.match(scanner.data, scanner.position)
    if match is None:
        scanner.word(f"{keyword} and its value")
        raise scanner.fail(f"found {scanner.shown(scanner.at)} where {keyword} and its value should come")
    scanner.at, scanner.position = match.span(1)
    return match.group(1)


def _rate(text: bytes, seconds: float) -> float:
    """Frames a second; a whole number where the digits given mean one (0.0166667 is 60 Hz)."""
    whole = float(round(1 / seconds))
    digit = 10.0 ** int(Decimal(text.decode()).as_tuple().exponent)
    # 5e-4 is half the step from 30 to 29.97: television rates stay what they are.
    meant = whole > 0 and abs(1 / whole - seconds) <= digit and abs(whole * seconds - 1) < 5e-4
    return whole if meant else 1 / seconds


@dataclass(frozen=True)
class _Columns:
    """Which column of a frame drives what. turns, axes (J, 3), -1 = none; moves (node, axis, column)."""

    count: int
    turns: NDArray[np.int64]
    axes: NDArray[np.int64]
    moves: list[tuple[int, int, int]]


def _columns(nodes: list[_Node]) -> _Columns:
    turns = np.full((len(nodes), 3), -1, np.int64)
    axes = np.zeros((len(nodes), 3), np.int64)
    moves: list[tuple[int, int, int]] = []
    column = 0
    for j, node in enumerate(nodes):
        turn = 0
        for is_turn, axis in node.channels or ():
            if is_turn:
                turns[j, turn], axes[j, turn] = column, axis
                turn += 1
            else:
                moves.append((j, axis, column))
            column += 1
    return _Columns(column, turns, axes, moves)


def _values(scanner: _Scanner, nodes: list[_Node], columns: _Columns, frames: int) -> Floats:
    """All numbers of the motion, (frames, columns), in file units and degrees."""
    start, wanted = scanner.position, frames * columns.count
    # A number and its blank are two bytes: without this check a short file could ask for any memory.
    plausible = wanted <= (len(scanner.data) - start + 1) // 2
    values = np.empty(wanted if plausible else 0)
    found, count, at = scan_numbers(np.frombuffer(scanner.data, np.uint8), start, values)
    if found == _WRONG:
        comma = "; write decimals with a point" if "," in scanner.shown(at) else ""
        where = _value_label(nodes, columns.count, count)
        raise scanner.fail(f"{scanner.shown(at)} in {where} is not a finite number{comma}", at)
    rule = f"{frames} frames of {columns.count} channels need {wanted} values"
    if not plausible or count < wanted:
        have = f"there are {count}" if plausible else "the file is too short for them"
        raise scanner.fail(f"{rule}, but {have}; it may be cut short", len(scanner.data.rstrip()))
    if found == _SURPLUS:
        raise scanner.fail(f"{rule}, but then follows {scanner.shown(at)}; check Frames: or CHANNELS", at)
    return values.reshape(frames, columns.count)


def _value_label(nodes: list[_Node], columns: int, index: int) -> str:
    """Frame (from 0), channel and joint of the value with this index, for messages."""
    column = index % columns
    names = [(node.label, c) for node in nodes for c in node.channels or ()]
    return f"frame {index // columns}, {_CHANNEL_NAMES[names[column][1]]} of {names[column][0]},"


@np.errstate(over="ignore", invalid="ignore")  # what overflows fails the checks on MAX_LENGTH
def _places(
    scanner: _Scanner, nodes: list[_Node], columns: _Columns, values: Floats, scale: float
) -> tuple[Floats, Floats]:
    """Offsets (J, 3) and root positions (T, 3), both in metres."""
    offsets = np.array([node.offset for node in nodes])
    mean_bone = float(np.linalg.norm(offsets[1:], axis=1).mean()) if len(nodes) > 1 else 0.0
    origins = np.tile(offsets[0], (len(values), 1))
    for j, axis, column in columns.moves:
        if j == 0:
            origins[:, axis] = values[:, column]
        elif len(values):
            offsets[j, axis] = values[0, column]
    for j, _, column in columns.moves:
        if j and len(values):
            allowed = BONE_TOLERANCE * max(float(np.linalg.norm(offsets[j])), mean_bone)
            wander = np.abs(values[:, column] - values[0, column])
            if wander.max() > allowed:
                index = int(np.argmax(wander > allowed)) * columns.count + column
                where = _value_label(nodes, columns.count, index)
                message = f"{where} moves the bone: only the root may move here; remove or hold this channel"
                raise scanner.fail(message, _byte_of(scanner, index))
    offsets, origins = offsets * scale, origins * scale
    limit = f"is beyond {MAX_LENGTH:g} m; check the file and scale"
    if (far := ~(np.abs(offsets) <= MAX_LENGTH)).any():
        node = nodes[int(np.argmax(far.any(axis=1)))]
        raise scanner.fail(f"the OFFSET of {node.label} {limit}", node.at)
    if (far := ~(np.abs(origins) <= MAX_LENGTH)).any():
        frame = int(np.argmax(far.any(axis=1)))
        raise scanner.fail(f"frame {frame}: the root {limit}", _byte_of(scanner, frame * columns.count))
    return offsets, origins


def _byte_of(scanner: _Scanner, index: int) -> int:
    """Where the value with this index stands; read again, since it is needed only for an error."""
    _, _, at = scan_numbers(np.frombuffer(scanner.data, np.uint8), scanner.position, np.empty(index))
    return at


@kernel
def turn_kernel(values: Array, columns: Ints, axes: Ints, out: Array) -> None:
    """Angles [deg] in values (T, C) to local rotations out (T, J, 4) xyzw; columns, axes (J, 3)."""
    for t in range(out.shape[0]):
        for j in range(out.shape[1]):
            x, y, z, w = 0.0, 0.0, 0.0, 1.0
            for k in range(3):
                if columns[j, k] < 0:
                    break
                half = values[t, columns[j, k]] * _HALF_DEGREE
                s, c = sincos(half)
                if axes[j, k] == 0:
                    x, y, z, w = x * c + w * s, y * c + z * s, z * c - y * s, w * c - x * s
                elif axes[j, k] == 1:
                    x, y, z, w = x * c - z * s, y * c + w * s, z * c + x * s, w * c - y * s
                else:
                    x, y, z, w = x * c + y * s, y * c - x * s, z * c + w * s, w * c - z * s
            out[t, j, 0], out[t, j, 1], out[t, j, 2], out[t, j, 3] = x, y, z, w


@kernel
def scan_numbers(text: Array, start: int, out: Array) -> tuple[int, int, int]:
    """Decimal numbers in text (bytes as uint8) from `start` into out (float64), to within 1e-15.

    Returns (found, count, at): found 0 = the text ended, 1 = more text after `out` was full, 2 = a
    word that is not a finite number; count = numbers read; at = the byte where it stopped.
    """
    size = text.size
    i = start
    count = 0
    while True:
        while i < size and (text[i] == 32 or 9 <= text[i] <= 13):
            i += 1
        if i >= size:
            return _COMPLETE, count, i
        begin = i
        if count == out.size:
            return _SURPLUS, count, begin
        negative = text[i] == 45
        if negative or text[i] == 43:
            i += 1
        mantissa, power, digits, fraction = np.int64(0), 0, 0, 0
        while i < size and (48 <= text[i] <= 57 or (text[i] == 46 and fraction == 0)):
            if text[i] == 46:
                fraction = 1
            else:
                digits += 1
                if mantissa < _MANTISSA_FULL:
                    mantissa = mantissa * 10 + (np.int64(text[i]) - 48)
                    power -= fraction
                else:
                    power += 1 - fraction
            i += 1
        if digits > 0 and i < size and (text[i] == 101 or text[i] == 69):
            i += 1
            below = i < size and text[i] == 45
            if below or (i < size and text[i] == 43):
                i += 1
            digits, exponent = 0, 0
            while i < size and 48 <= text[i] <= 57:
                digits += 1
                if exponent < 100_000_000:  # far beyond any double; the digits of one file cannot undo it
                    exponent = exponent * 10 + (np.int64(text[i]) - 48)
                i += 1
            power += -exponent if below else exponent
        value = np.float64(mantissa)
        if power < -308:
            value = value / _POWERS[308] / _POWERS[min(-power - 308, 308)]
        elif power < 0:
            value = value / _POWERS[-power]
        elif mantissa > 0:
            value = value * _POWERS[power] if power <= 308 else np.inf
        ends = i >= size or text[i] == 32 or 9 <= text[i] <= 13
        if digits == 0 or not ends or np.isinf(value):
            return _WRONG, count, begin
        out[count] = -value if negative else value
        count += 1
