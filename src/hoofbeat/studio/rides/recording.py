"""Recording: frame blocks of a ride one after the other, with all that is needed to make a clip of them.

    <id>.json    what it is: name, gaits, skeleton, which frames are kept, what was commanded
    <id>.frames  the blocks, appended as they come: what was written is there even if the server dies

Without a folder the blocks stay in memory and end with the server.
"""

from __future__ import annotations

import json
import secrets
import threading
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from hoofbeat.body.skeleton import Leg, Skeleton
from hoofbeat.errors import HoofbeatError
from hoofbeat.formats.files import read_bytes, write_bytes
from hoofbeat.formats.planfile import Plan
from hoofbeat.gaits.breeds import DEFAULT_BREED
from hoofbeat.records import LAYOUT_VERSION
from hoofbeat.studio.rides.command_log import Held, kept, segments_of
from hoofbeat.studio.rides.horse import HorseSpec
from hoofbeat.studio.wire.frame import block_bytes, decode
from hoofbeat.studio.wire.messages import MAX_FRAMES, NAME, RATE, RecordingFacts

#: A description is a skeleton and the commands of ten minutes.
MAX_DESCRIPTION = 4 * 1024 * 1024
SCHEMA = "hoofbeat.recording/1"
#: A horse slower than this stands [m/s].
MOVING = 0.1


class RecordingError(HoofbeatError):
    """A recording that cannot be read, trimmed as asked, or is full."""


@dataclass
class Tape:
    """Blocks of one size: `add` keeps them at hand, `flush` appends them to the file."""

    size: int
    path: Path | None = None
    frames: int = 0
    _memory: bytearray = field(default_factory=bytearray)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, block: bytes) -> None:
        """One more block."""
        self._memory += block
        self.frames += 1

    def flush(self) -> None:
        """Append what is at hand to the file; may be called from another thread than `add`."""
        if self.path is None:
            return
        with self._lock:
            ready = bytes(self._memory)
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with self.path.open("ab") as file:
                file.write(ready)
            del self._memory[: len(ready)]

    def read(self) -> bytes:
        """All blocks."""
        with self._lock:
            whole = b"" if self.path is None or not self.path.exists() else self.path.read_bytes()
            return whole + bytes(self._memory)

    def block(self, k: int) -> bytes:
        """One block."""
        with self._lock:
            start = k * self.size
            written = self.path.stat().st_size if self.path is not None and self.path.exists() else 0
            if self.path is None or start >= written:
                return bytes(self._memory[start - written : start - written + self.size])
            with self.path.open("rb") as file:
                file.seek(start)
                return file.read(self.size)


@dataclass
class Recording:
    """One recording. method: of the horse that it began with; `methods` holds (frame, method) where another
    horse took over. `log` holds (frames, speed, turn, ...): for how long, and the fields of Held; heading:
    where the horse faced as it began [rad]."""

    id: str
    name: str
    method: str
    height: float | None
    terrain: str
    seed: int
    gaits: tuple[str, ...]
    skeleton: Skeleton
    tape: Tape
    folder: Path | None = None
    first: int = 0
    last: int = -1
    done: bool = False
    moving: bool = False
    heading: float = 0.0
    breed: str = DEFAULT_BREED
    log: list[list[Any]] = field(default_factory=list[list[Any]])
    methods: list[list[Any]] = field(default_factory=list[list[Any]])

    @property
    def frames(self) -> int:
        """Frames so far, those that were trimmed included."""
        return self.tape.frames

    @property
    def full(self) -> bool:
        """Whether it is as long as it may be."""
        return self.frames >= MAX_FRAMES

    def method_at(self, frame: int) -> str:
        """The method that made a frame."""
        return next((name for start, name in reversed(self.methods) if start <= frame), self.method)

    def add(self, block: bytes, command: Held, method: str) -> None:
        """One more frame, made by this method under this command."""
        if method != self.method_at(self.frames):
            self.methods.append([self.frames, method])
        self.tape.add(block)
        if self.log and tuple(self.log[-1][1:]) == command:
            self.log[-1][0] += 1
        else:
            self.log.append([1, *command])

    def finish(self) -> None:
        """No more frames come."""
        self.done, self.last = True, max(self.frames - 1, 0)

    def trim(self, first: int | None, last: int | None) -> None:
        """Keep the frames first to last; None leaves that end as it is."""
        a = self.first if first is None else first
        b = self.last if last is None else last
        if not self.done:
            raise RecordingError("the recording is still being made; end it before trimming")
        if not 0 <= a <= b < self.frames:
            raise RecordingError(
                f"frames to keep must be 0 to {self.frames - 1}, first <= last, given {a} to {b}"
            )
        self.first, self.last = a, b

    def facts(self) -> RecordingFacts:
        """The message for the page."""
        last = self.last if self.done else max(self.frames - 1, 0)
        return RecordingFacts(
            id=self.id,
            name=self.name,
            frames=self.frames,
            first=self.first,
            last=last,
            rate=RATE,
            method=self.method,
            done=self.done,
            saved=self.folder is not None,
        )

    def description(self) -> dict[str, Any]:
        """Everything but the blocks, as JSON."""
        bones = self.skeleton
        plain = (
            "id",
            "name",
            "method",
            "height",
            "terrain",
            "seed",
            "first",
            "last",
            "done",
            "moving",
            "heading",
            "breed",
            "log",
            "methods",
        )
        return {
            "schema": SCHEMA,
            "layout": LAYOUT_VERSION,
            **{name: getattr(self, name) for name in plain},
            "gaits": list(self.gaits),
            "skeleton": {
                "names": list(bones.names),
                "parents": bones.parents.tolist(),
                "offsets": bones.offsets.tolist(),
                "ends": bones.ends.tolist(),
                "legs": [asdict(leg) for leg in bones.legs],
            },
        }

    def save(self) -> None:
        """Put blocks and description on disk."""
        if self.folder is None:
            return
        self.tape.flush()
        text = json.dumps(self.description(), allow_nan=False)
        write_bytes(self.folder / f"{self.id}.json", text.encode())

    def remove(self) -> None:
        """Delete it from the disk."""
        if self.folder is not None:
            for ending in ("json", "frames"):
                (self.folder / f"{self.id}.{ending}").unlink(missing_ok=True)

    def plan(self) -> Plan:
        """What was commanded in the frames that are kept, as a plan; it begins at pace where they do."""
        facing, moving = self.heading, self.moving
        if self.first:  # where the frame before left the horse
            before = decode(self.tape.block(self.first - 1))["head"]
            facing, moving = float(before["heading"]), float(before["speed"]) > MOVING
        log = kept(self.log, self.first, self.last + 1 if self.done else self.frames)
        if not log:  # a server that died may have kept frames without their commands
            raise RecordingError("what was commanded in these frames was not kept; keep earlier ones")
        return Plan(
            segments_of(log, facing),
            self.method,
            float(RATE),
            self.seed,
            self.terrain,
            settle=moving,
            name=self.name or "ride",
            height=self.height,
            options=HorseSpec(self.method, breed=self.breed).options(),
        )


def start_recording(folder: Path | None, name: str, skeleton: Skeleton, **known: Any) -> Recording:
    """A new recording, in a folder or in memory."""
    made = secrets.token_hex(8)
    path = None if folder is None else folder / f"{made}.frames"
    tape = Tape(block_bytes(len(skeleton)), path)
    return Recording(made, name[:NAME], skeleton=skeleton, tape=tape, folder=folder, **known)


def read(path: Path) -> Recording:
    """The recording whose description stands at `path`; one that was cut off ends where its blocks do."""
    try:
        facts = json.loads(read_bytes(path, MAX_DESCRIPTION))
        if facts.pop("schema") != SCHEMA:
            raise ValueError("schema")
        if facts.pop("layout", 1) != LAYOUT_VERSION:
            raise ValueError("its frames were laid out by another version of hoofbeat")
        bones = facts.pop("skeleton")
        legs = [Leg(**leg) for leg in bones.pop("legs")]
        skeleton = Skeleton(**bones, legs=legs)
        facts["gaits"] = tuple(facts["gaits"])
        frames = path.with_suffix(".frames")
        tape = Tape(block_bytes(len(skeleton)), frames)
        tape.frames = frames.stat().st_size // tape.size if frames.exists() else 0
        found = Recording(skeleton=skeleton, tape=tape, folder=path.parent, **facts)
    except (KeyError, TypeError, ValueError, AttributeError, HoofbeatError) as problem:
        raise RecordingError(f"{path.name} is no recording: {problem}") from problem
    if not found.done:
        found.finish()
    found.last = min(found.last, max(tape.frames - 1, 0))
    return found
