"""Labels: the action of every frame of a recording, by its authors where they labelled it, else by a rule.

The authors of the dog's recordings labelled some clips twice: the earlier version knows six actions, the
later one only idle from move. A later label therefore decides between these two where the rule sees neither
sitting, lying, standing on the hind legs nor jumping.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hoofbeat.check.activity import RISEN, STATES, activity, states_of
from hoofbeat.check.motion import Motion
from hoofbeat.errors import FileError
from hoofbeat.formats import files
from hoofbeat.formats.arrays import MAX_INFLATED, read_arrays

#: Every action; codes count from 0. "stand" is on the hind legs, as the paper has it.
ACTIONS = ("idle", "move", "jump", "sit", "lie", "stand")
IDLE, MOVE, JUMP = range(3)
STAND = ACTIONS.index("stand")
#: The authors' words, and the check's, for these.
STYLES = {"Idle": "idle", "Move": "move", "Sit": "sit", "Rest": "lie", "Stand": "stand", "Jump": "jump"}
RULES = {"hind-legs": "stand"}
#: The file of labels that may lie beside the clips, and its versions, the one that counts first.
FILE, VERSIONS = "author_labels.npz", ("2020", "2022")
#: A style counts from this value on; idle and move share what others leave.
STYLE_ON = 0.5
#: Fore feet higher than this are held up [leg lengths]; an action shorter than the second is noise [s].
FORE_UP, BLIP = 0.3, 0.1
#: Labels, the authors' and the rule's, change in the middle of a motion: an animal sets about sitting down,
#: lying down or getting up this much earlier [s]. A key asks for the beginning.
LEAD = 0.35

Codes = NDArray[np.int8]


class LabelsError(FileError):
    """A file of labels that cannot be read, or that does not fit its clip."""


@dataclass(frozen=True, eq=False)
class Labels:
    """Actions (T,) of a clip, and their origin: "authors", "authors, two words" or "rule".

    agreed of compared frames: the rule gives the label of the authors; ranges (R, 2): first frame and end of
    what the authors trained on, None where they give none.
    """

    actions: Codes
    origin: str
    agreed: int = 0
    compared: int = 0
    ranges: NDArray[np.int64] | None = None


def read_labels(folder: Path) -> dict[str, NDArray[Any]]:
    """The authors' labels beside the clips, or none."""
    path = folder / FILE
    if not path.is_file():
        return {}
    return read_arrays(files.read_bytes(path, error=LabelsError), path, MAX_INFLATED, LabelsError, 4096)


def labels_of(name: str, motion: Motion, table: Mapping[str, NDArray[Any]], path: Path) -> Labels:
    """The actions of a clip; `path` is that of the labels, for errors."""
    ruled = derived(motion)
    ranges = _ranges(name, len(motion), table, path)
    for version in VERSIONS:
        key = f"{name}_{version}"
        values, styles = table.get(f"{key}/style_values"), table.get(f"{key}/styles")
        if values is None or styles is None or not len(values):
            continue
        if values.shape != (len(motion), len(styles)) or not np.isfinite(values).all():
            raise LabelsError(f"{key}: labels {values.shape} for {len(motion)} frames; another clip's?", path)
        words = [str(word) for word in styles.tolist()]
        labelled = _labelled(words, values)
        if "Sit" in words:
            agreed = int((labelled == ruled).sum())
            return Labels(steadied(labelled, motion.fps), "authors", agreed, len(labelled), ranges)
        moves = np.where(activity(motion), MOVE, IDLE)
        agreed = int((labelled == moves).sum())
        plain = (ruled == IDLE) | (ruled == MOVE)
        both = steadied(np.where(plain, labelled, ruled), motion.fps)
        return Labels(both, "authors, two words", agreed, len(labelled), ranges)
    return Labels(steadied(ruled, motion.fps), "rule", ranges=ranges)


def derived(motion: Motion) -> Codes:
    """The action of each frame by rule: that of the check, and "stand" also where an animal that sits holds
    both fore feet up, as a dog that begs."""
    names = [RULES.get(state, state) for state in STATES]
    codes = np.array([ACTIONS.index(state) for state in names], np.int8)[states_of(motion)]
    trunk = motion.tops[:, :2].mean(axis=1) - motion.tops[:, 2:].mean(axis=1)
    slope = np.arctan2(trunk[:, 1], np.hypot(trunk[:, 0], trunk[:, 2]))
    raised = motion.height[:, :2].min(axis=1) > FORE_UP * motion.leg
    codes[raised & (slope > RISEN) & (codes != JUMP)] = STAND
    return codes


def steadied(actions: Codes, fps: float) -> Codes:
    """Actions (T,) without those shorter than BLIP: the one before goes on, or the one after begins."""
    out = actions.copy()
    edges = np.flatnonzero(np.diff(out)) + 1
    starts, stops = [0, *edges.tolist()], [*edges.tolist(), len(out)]
    for start, stop in zip(starts, stops, strict=True):
        if stop - start < BLIP * fps and len(starts) > 1:
            out[start:stop] = out[start - 1] if start else out[stop]
    return out


def set_about(actions: Codes, fps: float) -> Codes:
    """Actions (T,) as an animal sets about them: changes of posture come LEAD earlier, those between idle
    and move stay. An action shorter than that keeps its first frame."""
    out, lead = actions.copy(), round(LEAD * fps)
    edges = [0, *(np.flatnonzero(np.diff(actions)) + 1).tolist()]
    for edge in changes_of(actions).tolist():
        begun = edges[edges.index(edge) - 1]  # of the action before, which keeps a frame
        out[max(edge - lead, begun + 1) : edge] = actions[edge]
    return out


def changes_of(actions: Codes) -> NDArray[np.int64]:
    """Frames in which a posture changes: all changes of actions (T,) but those between idle and move."""
    edges = np.flatnonzero(np.diff(actions)) + 1
    plain = (actions[edges] <= MOVE) & (actions[edges - 1] <= MOVE)
    return edges[~plain]


def _labelled(words: list[str], values: NDArray[Any]) -> Codes:
    """The action of each frame: the label other than idle and move, else the larger of these."""
    idle, move = (values[:, words.index(word)] for word in ("Idle", "Move"))
    labelled = np.where(move > idle, MOVE, IDLE).astype(np.int8)
    for word, action in STYLES.items():
        if word in words and action not in ("idle", "move"):
            labelled[values[:, words.index(word)] > STYLE_ON] = ACTIONS.index(action)
    return labelled


def _ranges(
    name: str, frames: int, table: Mapping[str, NDArray[Any]], path: Path
) -> NDArray[np.int64] | None:
    for version in VERSIONS:
        found = table.get(f"{name}_{version}/sequences")
        if found is not None and len(found):
            ranges = np.asarray(found, np.int64).reshape(-1, 2) - np.array([1, 0])
            if ranges.min() < 0 or ranges.max() > frames:
                raise LabelsError(
                    f"{name}: ranges {found.tolist()} for {frames} frames; another clip's?", path
                )
            return ranges
    return None
