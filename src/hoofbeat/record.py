"""Recorder: frames in, a Clip out."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hoofbeat.body.clip import METHOD, Clip
from hoofbeat.body.skeleton import Skeleton
from hoofbeat.errors import ClipError
from hoofbeat.maths import quat
from hoofbeat.records import Frame

#: Frames a recorder holds at most: five hours at 60 Hz, about 20 GB, is a forgotten recorder.
MAX_FRAMES = 1_000_000


class Recorder:
    """Keeps copies of a horse's frames; `clip()` stacks them. For a herd, give the character's index.

    method: the name of the method that makes the frames; the clip keeps it and files say it ("" = unknown).
    It may be set anew between frames, where another method takes over.
    """

    def __init__(
        self,
        skeleton: Skeleton,
        fps: float = 60.0,
        character: int | None = None,
        *,
        method: str = "",
    ) -> None:
        self.skeleton = skeleton
        self.fps = float(fps)
        self.character = character
        self.method = method
        self._rows: list[dict[str, Any]] = []

    def __len__(self) -> int:
        return len(self._rows)

    def add(self, frame: Frame) -> None:
        """Copy one frame."""
        self._check(frame)
        if len(self._rows) >= MAX_FRAMES:
            raise ClipError(f"a recording holds at most {MAX_FRAMES} frames; make a clip and start a new one")
        self._rows.append(_row(frame, self.character) | {METHOD: self.method})

    def _check(self, frame: Frame) -> None:
        """Refuse what is no frame, and herd frames without (or with a wrong) character."""
        if not isinstance(frame, Frame):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise ClipError(f"expected a Frame, given {type(frame).__name__}")
        herd = frame.positions.ndim == 3
        if herd != (self.character is not None):
            raise ClipError(
                "a herd's frame needs Recorder(character=k), a horse's frame none; given "
                f"{'a herd' if herd else 'a horse'} and character={self.character}"
            )
        if self.character is not None and not 0 <= self.character < len(frame.positions):
            raise ClipError(f"character must be 0 to {len(frame.positions) - 1}, given {self.character}")

    def clip(self, name: str = "ride") -> Clip:
        """The frames so far as a Clip; extras: root, yaw, phase, speed, gait, airborne, shortfall, events,
        and method where it is known."""
        if not self._rows:
            raise ClipError("nothing was recorded; add frames first")
        stacked = {key: np.array([row[key] for row in self._rows]) for key in self._rows[0]}
        rotations = stacked.pop("rotations").astype(np.float64)
        # The clip's root turns from pelvis to world; a frame's is relative to the heading.
        heading = stacked.pop("heading")
        stacked["yaw"] = np.unwrap(2 * np.arctan2(heading[:, 1], heading[:, 3]))
        rotations[:, 0] = quat.mul(heading, rotations[:, 0])
        rotations = quat.normalize(rotations)
        if not any(row[METHOD] for row in self._rows):
            del stacked[METHOD]
        return Clip(
            self.skeleton,
            rotations,
            stacked.pop("origin"),
            self.fps,
            stacked.pop("contacts"),
            name,
            stacked,
        )


def _row(frame: Frame, character: int | None) -> dict[str, Any]:
    def pick(array: Any) -> Any:
        return array if character is None else array[character]

    positions: NDArray[np.float64] = pick(frame.positions)
    return {
        "rotations": np.array(pick(frame.rotations)),
        "heading": np.array(pick(frame.root.rotation)),
        "origin": np.array(positions[0]),
        "root": np.array(pick(frame.root.position)),
        "contacts": np.array(pick(frame.contacts)),
        "phase": np.array(pick(frame.phase)),
        "speed": float(pick(frame.speed)),
        "gait": pick(frame.gait),
        "airborne": bool(pick(frame.airborne)),
        "shortfall": np.array(pick(frame.shortfall)),
        "events": int(pick(frame.events)),
    }
