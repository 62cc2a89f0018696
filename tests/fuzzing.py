"""Damaged files for the readers. Case `index` of a seed is always the same bytes and can be replayed.

PYTHONPATH=src:tests python -c "import fuzzing; fuzzing.replay('gltf', 1, 4711)"
"""

from __future__ import annotations

import contextlib
import faulthandler
import io
import random
import re
import signal
import struct
import time
import warnings
import zipfile
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import IO

from hoofbeat.errors import ExpressionError, FileError, GltfWarning, SceneFileError
from hoofbeat.formats.actionfile import JointAliasWarning, parse_action
from hoofbeat.formats.bvh.reader import parse_bvh
from hoofbeat.formats.gltf.reader.load import parse_gltf
from hoofbeat.formats.npz import parse_npz
from hoofbeat.formats.planfile import parse_plan
from hoofbeat.formats.yamlfile import parse_mapping

CORPUS = Path(__file__).resolve().parent / "corpus"
#: A damaged file is cut here [bytes]: a million must be done in minutes.
MAX_SIZE = 1 << 15
#: No case may take longer [s]. One that no signal can stop is killed after HANG, with its process; its name
#: is in `running.txt`.
SLOW, HANG = 5.0, 120.0
#: Windows has no timers; there only HANG ends a case.
TIMERS = hasattr(signal, "setitimer")

ENDINGS = {
    "bvh": ".bvh",
    "glb": ".glb",
    "gltf": ".gltf",
    "npz": ".npz",
    "plan": ".plan.yaml",
    "scene": ".scene.yaml",
    "action": ".action",
}
JOINTS = ("Root", "Femur", "Tail", "EFRearHoofLeft", "Spine")

_NUMBER = re.compile(rb"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
_WORD = re.compile(rb"[A-Za-z_]\w*")
_NUMBERS = (
    b"0 -0 1 -1 2 3 7 255 256 65535 65536 1000000 -2147483648 2147483647 2147483648 4294967295 4294967296 "
    b"9007199254740993 9223372036854775807 9223372036854775808 -9223372036854775809 18446744073709551616 "
    b"1e309 -1e309 1e308 -1e308 1e154 1e-320 5e-324 1e-400 1e39 nan NaN inf -inf Infinity .nan .inf 0x7f 0b1 "
    b"0o7 1_000 1:30 1e 1e+ . - + 1.5.2 2001-01-01 5120 5121 5125 5126 0.5 1.0000001 -0.0"
).split() + [b"9" * 400, b"0" * 5000, b"1" * 5000, "\u0663".encode(), "\u00b2".encode(), b""]
_WORDS = (
    b"null true false {} [] [[]] {{}} [{}] '' \"\" ~ ? : - -- --- ... & * ! | > % @ # , \\ \\u0000 "
    b"\\ud800 \\U00110000 "
    b"<<: !!python/object &a *a HIERARCHY MOTION ROOT JOINT End Site OFFSET CHANNELS Frames: Frame Time: "
    b"Xposition Yrotation { } ( ) DURATION_DATA FLIGHT_DATA noise rcos1 rsin1 bias t "
    b"segments for speed gait name "
    b"SCALAR VEC3 VEC4 MAT4 CUBICSPLINE STEP LINEAR rotation translation scale weights matrix nodes skins "
    b"animations sparse byteStride byteOffset bufferView data:,x data:;base64, ../x.bin extras"
).split() + [
    b"[" * 600,
    b"{" * 600,
    b"(" * 600,
    b'{"a":' * 600,
    b"- " * 300,
    b"a" * 3000,
    b"\n",
    b"\t",
    b"\r",
]
_WORDS += [
    b"\0",
    b"\xff",
    b"\xef\xbb\xbf",
    b"\xed\xa0\x80",
    "\u2028".encode(),
    "\u00e9".encode(),
    "\U0001f40e".encode(),
]


@cache
def corpus(kind: str) -> tuple[bytes, ...]:
    """The seed files of one format; those that are read stand three times, so most cases begin whole."""
    paths = sorted(CORPUS.glob(f"*{ENDINGS[kind]}"))
    return tuple(path.read_bytes() for path in paths for _ in range(1 if path.name.startswith("bad-") else 3))


@cache
def _everything() -> tuple[bytes, ...]:
    return tuple(data for kind in ENDINGS for data in corpus(kind))


def case(kind: str, seed: int, index: int) -> bytes:
    """The bytes of one case."""
    rng = random.Random(f"{kind} {seed} {index}")
    data = rng.choice(corpus(kind))
    steps = rng.choice((1, 1, 1, 2, 2, 3, 5))
    if kind == "npz" and rng.random() < 0.6:
        return _damaged_zip(data, steps, rng)
    if kind == "glb" and rng.random() < 0.6:
        return _damaged_glb(data, steps, rng)
    return _damaged(data, steps, rng, corpus(kind))


def _damaged(data: bytes, steps: int, rng: random.Random, others: tuple[bytes, ...]) -> bytes:
    for _ in range(steps):
        change = rng.choice(_CHANGES)
        if change is _spliced:
            data = _spliced(data, rng, _everything() if rng.random() < 0.1 else others)
        else:
            data = change(data, rng)
    return data[:MAX_SIZE]


def _at(data: bytes, rng: random.Random) -> int:
    return rng.randrange(len(data) + 1)


def _slice(data: bytes, rng: random.Random) -> tuple[int, int]:
    start = _at(data, rng)
    return start, min(len(data), start + int(2 ** rng.uniform(0, 10)))


def _flipped(data: bytes, rng: random.Random) -> bytes:
    if not data:
        return data
    found = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 8))):
        at = rng.randrange(len(found))
        found[at] = found[at] ^ (1 << rng.randrange(8)) if rng.random() < 0.6 else rng.randrange(256)
    return bytes(found)


def _cut(data: bytes, rng: random.Random) -> bytes:
    return data[: _at(data, rng)]


def _headless(data: bytes, rng: random.Random) -> bytes:
    return data[_at(data, rng) :]


def _inserted(data: bytes, rng: random.Random) -> bytes:
    at = _at(data, rng)
    return data[:at] + rng.randbytes(rng.choice((1, 2, 4, 30))) + data[at:]


def _deleted(data: bytes, rng: random.Random) -> bytes:
    start, stop = _slice(data, rng)
    return data[:start] + data[stop:]


def _repeated(data: bytes, rng: random.Random) -> bytes:
    start, stop = _slice(data, rng)
    return data[:stop] + data[start:stop] * rng.choice((1, 1, 2, 10, 60)) + data[stop:]


def _spliced(data: bytes, rng: random.Random, others: tuple[bytes, ...] = ()) -> bytes:
    other = rng.choice(others or _everything())
    if rng.random() < 0.5:
        return data[: _at(data, rng)] + other[_at(other, rng) :]
    at, (start, stop) = _at(data, rng), _slice(other, rng)
    return data[:at] + other[start:stop] + data[at:]


def _replaced(data: bytes, rng: random.Random, what: re.Pattern[bytes], by: Iterable[bytes]) -> bytes:
    found = what.search(data, _at(data, rng)) or what.search(data)
    if found is None:
        return data
    return data[: found.start()] + rng.choice(tuple(by)) + data[found.end() :]


def _number(data: bytes, rng: random.Random) -> bytes:
    return _replaced(data, rng, _NUMBER, _NUMBERS)


def _word(data: bytes, rng: random.Random) -> bytes:
    return _replaced(data, rng, _WORD, _WORDS)


def _other_word(data: bytes, rng: random.Random) -> bytes:
    """One word of the file in the place of another."""
    found = _WORD.search(data, _at(data, rng))
    return _replaced(data, rng, _WORD, (found[0],)) if found else data


def _word_inserted(data: bytes, rng: random.Random) -> bytes:
    at = _at(data, rng)
    return data[:at] + rng.choice(_WORDS) + data[at:]


def _lines(data: bytes, rng: random.Random) -> bytes:
    """One line elsewhere, or other line ends."""
    lines = data.split(b"\n")
    if rng.random() < 0.2:
        return rng.choice((b"\r\n", b"\r", b" ", b"\n\n")).join(lines)
    line = lines.pop(rng.randrange(len(lines)))
    lines.insert(rng.randrange(len(lines) + 1), line)
    return b"\n".join(lines)


def _packed(data: bytes, rng: random.Random) -> bytes:
    """A whole or real number in binary, aligned, where binary files hold theirs."""
    value = rng.choice(
        (0, 1, 0x7F, 0x80, 0xFFFF, 2**31 - 1, 2**31, 2**32 - 1, len(data), rng.getrandbits(32))
    )
    real = rng.choice((0.0, -1.0, 1e-40, 3e38, float("nan"), float("inf"), float("-inf")))
    new = rng.choice((struct.pack("<I", value), struct.pack("<f", real), struct.pack("<d", real)))
    at = _at(data, rng) & ~3
    return data[:at] + new + data[at + len(new) :]


_CHANGES: tuple[Callable[..., bytes], ...] = (
    *(_flipped, _flipped, _cut, _headless, _inserted, _deleted, _repeated, _spliced),
    *(_number, _number, _number, _word, _other_word, _word_inserted, _lines, _packed),
)


@cache
def _zip_parts(data: bytes) -> dict[str, bytes]:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return {name: archive.read(name) for name in archive.namelist()}
    except (zipfile.BadZipFile, OSError):
        return {}


def _damaged_zip(data: bytes, steps: int, rng: random.Random) -> bytes:
    """Damage inside the members of a zip file that is whole again, past its checksums."""
    parts = dict(_zip_parts(data))
    if not parts:
        return _damaged(data, steps, rng, corpus("npz"))
    others = tuple(parts.values())
    for _ in range(steps):
        name, what = rng.choice(list(parts)), rng.random()
        if what < 0.08:
            del parts[name]
        elif what < 0.16:
            parts[rng.choice(list(parts))] = parts[name]
        elif what < 0.2:
            parts[f"extra.{rng.choice(('a', '', '../b', 'a b'))}.npy"] = parts[name]
        else:
            parts[name] = _damaged(parts[name], 1, rng, others)
        if not parts:
            break
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive:
        for name, part in parts.items():
            archive.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), part)
    return out.getvalue()


def _damaged_glb(data: bytes, steps: int, rng: random.Random) -> bytes:
    """Damage in the JSON or the buffer of a .glb whose lengths are right again."""
    if len(data) < 20:
        return _damaged(data, steps, rng, corpus("glb"))
    length = min(struct.unpack_from("<I", data, 12)[0], len(data))
    text, blob = data[20 : 20 + length], data[28 + length :]
    if rng.random() < 0.8:
        text = _damaged(text, steps, rng, corpus("gltf"))
    else:
        blob = _damaged(blob, steps, rng, (blob,))
    text, blob = text + b" " * (-len(text) % 4), blob + b"\0" * (-len(blob) % 4)
    body = struct.pack("<II", len(text), 0x4E4F534A) + text + struct.pack("<II", len(blob), 0x004E4942) + blob
    return struct.pack("<4sII", b"glTF", 2, 12 + len(body)) + body


class TooLong(BaseException):
    """Raised inside a reader that takes longer than SLOW; no `except Exception` keeps it."""


def _too_long(*_: object) -> None:
    raise TooLong


def parse(kind: str, data: bytes) -> None:
    """Give bytes to the reader of a format."""
    if kind == "bvh":
        parse_bvh(data, "fuzz.bvh")
    elif kind in ("glb", "gltf"):
        parse_gltf(data, "fuzz.gltf")
    elif kind == "npz":
        parse_npz(data, "fuzz.npz")
    elif kind == "plan":
        parse_plan(data, "fuzz.yaml")
    elif kind == "scene":
        parse_mapping(data, "fuzz.scene.yaml", SceneFileError)
    else:
        text = data.decode("utf-8", "replace")
        parse_action(text, "fuzz.action")
        parse_action(text, "fuzz.action", JOINTS)


def problem_of(kind: str, data: bytes) -> str:
    """What is wrong with how bytes were read; "" for a result, an error of the file's, or a known warning.

    Warnings must already be errors.
    """
    before = time.perf_counter()
    try:
        if TIMERS:
            signal.setitimer(signal.ITIMER_REAL, 1.2 * SLOW)
        parse(kind, data)
    except (FileError, ExpressionError):
        pass
    except TooLong:
        pass
    except Exception as problem:  # what this test looks for
        return f"{type(problem).__name__}: {str(problem)[:200]}"
    finally:
        if TIMERS:
            signal.setitimer(signal.ITIMER_REAL, 0)
    seconds = time.perf_counter() - before
    return f"took {seconds:.1f} s, at most {SLOW:g} s are allowed" if seconds > SLOW else ""


def strict() -> None:
    """Make every warning an error except those that the readers document; call inside catch_warnings."""
    warnings.simplefilter("error")
    warnings.simplefilter("ignore", GltfWarning)
    warnings.simplefilter("ignore", JointAliasWarning)


def run(kind: str, seed: int, indices: range, folder: Path, most: int = 5) -> list[str]:
    """Read cases; what went wrong, each with how to replay it and where its bytes were kept."""
    for data in corpus(kind):  # first calls compile, which is no fault of a case
        with contextlib.suppress(FileError), warnings.catch_warnings():
            strict()
            parse(kind, data)
    before = signal.signal(signal.SIGALRM, _too_long) if TIMERS else None
    try:
        with warnings.catch_warnings(), open(folder / "hang.txt", "wb") as hang:
            strict()
            return _run(kind, seed, indices, folder, most, hang)
    finally:
        faulthandler.cancel_dump_traceback_later()
        if TIMERS:
            signal.signal(signal.SIGALRM, before)


def _run(kind: str, seed: int, indices: range, folder: Path, most: int, hang: IO[bytes]) -> list[str]:
    found: list[str] = []
    with open(folder / "running.txt", "wb", 0) as place:
        for index in indices:
            if (index - indices.start) % 500 == 0:
                faulthandler.dump_traceback_later(HANG, exit=True, file=hang)
            place.seek(0)
            place.write(f"{kind} {seed} {index}".ljust(60).encode())
            data = case(kind, seed, index)
            problem = problem_of(kind, data)
            if problem:
                kept = folder / f"{kind}-{seed}-{index}{ENDINGS[kind]}"
                kept.write_bytes(data)
                found.append(f"fuzzing.replay({kind!r}, {seed}, {index}): {problem} (bytes in {kept})")
                if len(found) == most:
                    break
    return found


def replay(kind: str, seed: int, index: int) -> None:
    """Read one case again, warnings as errors, with its traceback."""
    with warnings.catch_warnings():
        strict()
        parse(kind, case(kind, seed, index))
