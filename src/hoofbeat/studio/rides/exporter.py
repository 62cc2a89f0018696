"""Exporter: a recording becomes a file, in a process of its own, so that the clock never waits for it.

`python -m hoofbeat.studio.rides.exporter` reads one line of JSON on stdin: {"recording": path of the
description, "blocks": path of the frames, "first", "last", "out": path, "in_place",
"coat"}. It writes lines of JSON
on stdout: {"done", "total"} as it goes, and at the end {"bytes"} or {"error"}.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hoofbeat.body.clip import Clip
from hoofbeat.errors import HoofbeatError
from hoofbeat.export import save, wishes_of
from hoofbeat.record import Recorder
from hoofbeat.records import REFUSALS, Frame, Root
from hoofbeat.studio.rides.recording import Recording, read
from hoofbeat.studio.wire.frame import FLAG, block_dtype
from hoofbeat.studio.wire.messages import RATE


def clip_of(recording: Recording, blocks: bytes, first: int, last: int) -> Clip:
    """The frames first to last of a recording as a clip, as a Recorder would have made it."""
    whole = len(blocks) // recording.tape.size * recording.tape.size
    rows = np.frombuffer(blocks[:whole], block_dtype(len(recording.skeleton)))
    recorder = Recorder(recording.skeleton, RATE)
    for k, row in enumerate(rows[first : last + 1], first):
        recorder.method = recording.method_at(k)
        recorder.add(frame_of(row, recording.gaits))
    return recorder.clip(recording.name)


def frame_of(row: NDArray[Any], gaits: tuple[str, ...]) -> Frame:
    """A block (a row of `block_dtype`) as the frame that it was made of."""
    head = row["head"]
    half = float(head["heading"]) / 2
    turn = np.array([0.0, np.sin(half), 0.0, np.cos(half)])
    root = np.array(head["root"])
    return Frame(
        positions=root + row["positions"],
        rotations=row["rotations"],
        root=Root(root, turn),
        contacts=head["contacts"],
        phase=head["phase"],
        foot_phase=head["foot_phase"].astype(np.int8),
        gait=gaits[int(head["gait"])],
        going_to=gaits[int(head["going_to"])],
        speed=float(head["speed"]),
        time=float(head["time"]),
        airborne=bool(int(head["flags"]) & FLAG["airborne"]),
        shortfall=head["shortfall"],
        events=int(head["events"]),
        clamped=(),
        refused=REFUSALS[int(head["refused"])],
    )


def export(job: dict[str, Any]) -> int:
    """Write the file that a job asks for; returns its bytes."""
    recording = read(Path(job["recording"]))
    blocks = Path(job["blocks"]).read_bytes()
    out = Path(job["out"])

    def progress(done: int, total: int) -> None:
        _say({"done": done, "total": total})

    clip = clip_of(recording, blocks, int(job["first"]), int(job["last"]))
    # Only what shows a body can be in a coat.
    coat = {"coat": str(job["coat"])} if "coat" in wishes_of(out) else {}
    save(clip, out, in_place=bool(job["in_place"]), progress=progress, **coat)
    return out.stat().st_size


def _say(facts: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(facts) + "\n")
    sys.stdout.flush()


def main() -> None:
    """Do the job on stdin."""
    if hasattr(os, "nice"):
        os.nice(5)  # riders first
    try:
        _say({"bytes": export(json.loads(sys.stdin.readline()))})
    except (HoofbeatError, OSError, MemoryError) as problem:
        _say({"error": str(problem) or type(problem).__name__})


if __name__ == "__main__":
    main()
