"""Reports: what `--json` prints, one dataclass for each schema of docs/json.md. Units as everywhere."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class FileFacts:
    """A file that was written: its path and size [bytes]."""

    path: str
    bytes: int


@dataclass(frozen=True)
class ClipFacts:
    """A clip in numbers: seconds, metres, m/s; gaits: seconds spent in each; contacts, in_place:
    whether; method: that made it, null where the file does not say."""

    name: str
    frames: int
    fps: float
    seconds: float
    distance: float
    mean_speed: float
    top_speed: float
    contacts: bool
    in_place: bool
    gaits: dict[str, float]
    method: str | None
    extras: list[str]


@dataclass(frozen=True)
class SkeletonFacts:
    """A skeleton in numbers: joints that turn, end sites, the root's name, named legs, height of the hips
    over the lower hind toe in the first pose [m] or null where no legs are named or it does not stand, and
    the size of that pose [m] along x, y and z."""

    joints: int
    ends: int
    root: str
    legs: list[str]
    hip_height: float | None
    size: list[float]


@dataclass(frozen=True)
class SynthReport:
    """hoofbeat synth --json"""

    method: str
    seed: int
    height: float | None
    in_place: bool
    clips: list[ClipFacts]
    files: list[FileFacts]
    notes: list[str]
    schema: str = "hoofbeat.synth/1"


@dataclass(frozen=True)
class PlateReport:
    """hoofbeat plate --json"""

    method: str
    gait: str
    speed: float
    stride_seconds: float
    stride_metres: float
    height: float | None
    poses: int
    files: list[FileFacts]
    notes: list[str]
    schema: str = "hoofbeat.plate/1"


@dataclass(frozen=True)
class InfoReport:
    """hoofbeat info --json of a file with motion"""

    path: str
    bytes: int
    format: str
    skeleton: SkeletonFacts
    clips: list[ClipFacts]
    schema: str = "hoofbeat.info/1"


@dataclass(frozen=True)
class SegmentFacts:
    """One segment of a plan: length in `unit` ("s" or "cycles"), what was asked for, null where not."""

    length: float
    unit: str
    speed: float | None
    froude: float | None
    gait: str | None
    turn: float
    action: str | None


@dataclass(frozen=True)
class PlanReport:
    """hoofbeat info --json of a plan; seconds: of the segments given in seconds"""

    path: str
    name: str
    method: str
    fps: float
    seed: int
    terrain: str
    scene: str | None
    height: float | None
    breed: str | None
    settle: bool
    seconds: float
    segments: list[SegmentFacts] = field(default_factory=list[SegmentFacts])
    schema: str = "hoofbeat.plan/1"


@dataclass(frozen=True)
class ConvertReport:
    """hoofbeat convert --json"""

    source: str
    in_place: bool
    clips: list[ClipFacts]
    files: list[FileFacts]
    schema: str = "hoofbeat.convert/1"


@dataclass(frozen=True)
class ErrorFacts:
    """A file that could not be checked, and why."""

    path: str
    message: str


@dataclass(frozen=True)
class CheckReport:
    """hoofbeat check --json; clips: `path` and what Report.to_dict says, as in docs/check.md"""

    passed: bool
    clips: list[dict[str, Any]]
    errors: list[ErrorFacts]
    files: list[FileFacts]
    schema: str = "hoofbeat.check/1"


@dataclass(frozen=True)
class TrainReport:
    """hoofbeat train --json"""

    network: str
    seeds: list[int]
    epochs: int
    trained: int
    train_loss: list[float]
    test_loss: list[float]
    seconds: float
    files: list[FileFacts]
    schema: str = "hoofbeat.train/1"


@dataclass(frozen=True)
class ClaimFacts:
    """A line that networks are held against, what was measured, and whether it holds, null = not measured."""

    line: str
    measured: str
    holds: bool | None


@dataclass(frozen=True)
class EvaluateReport:
    """hoofbeat evaluate --json; all numbers are in results.json"""

    networks: list[str]
    families: list[str]
    claims: list[ClaimFacts]
    files: list[FileFacts]
    schema: str = "hoofbeat.evaluate/1"


@dataclass(frozen=True)
class EvolveReport:
    """hoofbeat evolve --json; scores: 0 is the best; history: the best of every generation so far"""

    gait: str
    seed: int
    population: int
    generations: int
    resumed_at: int | None
    scored: int
    score: float
    unadjusted: float
    times_better: float
    history: list[float]
    seconds: float
    files: list[FileFacts]
    schema: str = "hoofbeat.evolve/1"


@dataclass(frozen=True)
class FroudeFacts:
    """What similarity predicts at one Froude number: m/s, duty factors, stride length in hip heights and in
    metres, strides a second, and how far feet go under the body in hip heights."""

    froude: float
    speed: float
    gait: str
    duty_fore: float
    duty_hind: float
    relative_stride: float
    stride: float
    frequency: float
    stance_fore: float
    stance_hind: float


@dataclass(frozen=True)
class FroudeReport:
    """hoofbeat froude --json; stages: of FL, HL, HR, FR by transition, with --stages"""

    preset: str
    hip: float
    gravity: float
    rows: list[FroudeFacts]
    stages: dict[str, dict[str, int]] | None
    schema: str = "hoofbeat.froude/1"


@dataclass(frozen=True)
class WarmReport:
    """hoofbeat warm --json; cache: the folder that holds the kernels, null where none can be written"""

    seconds: float
    cache: str | None
    schema: str = "hoofbeat.warm/1"


@dataclass(frozen=True)
class ActionFacts:
    """Time of an action in a dataset: seconds, percent, and the paper's percent (Table 1) or null."""

    name: str
    seconds: float
    percent: float
    paper: float | None


@dataclass(frozen=True)
class SpeedFacts:
    """Time [s] that a dataset spends between two speeds [m/s]."""

    low: float
    high: float
    seconds: float


@dataclass(frozen=True)
class GaitFacts:
    """Speeds of a gait [m/s] (Figure 5): how many strides (frames, for the horse), mean, deviation, range."""

    name: str
    count: int
    mean: float
    deviation: float
    low: float
    high: float


@dataclass(frozen=True)
class LabelFacts:
    """Frames labelled by the authors in six words, in two, and by rule; parts on which the rule agrees."""

    six: int
    two: int
    rule: int
    six_agreed: float
    two_agreed: float


@dataclass(frozen=True)
class LeftOutFacts:
    """Frames of a clip that are not learnt from, and why."""

    clip: str
    reason: str
    frames: int


@dataclass(frozen=True)
class DatasetReport:
    """hoofbeat dataset --json; frames are counted once, neither mirrored nor copied"""

    source: str
    split: str
    nodes: int
    clips: int
    test: list[str]
    seconds: float
    shown: int
    actions: list[ActionFacts]
    speeds: list[SpeedFacts]
    gaits: list[GaitFacts]
    labels: LabelFacts | None
    left_out: list[LeftOutFacts]
    notes: list[str]
    files: list[FileFacts]
    schema: str = "hoofbeat.dataset/2"


@dataclass(frozen=True)
class CoreReport:
    """hoofbeat core info --json; library, level and stamp are null where there is none"""

    library: FileFacts | None
    level: str | None
    stamp: str | None
    kernels: int
    layout: int
    schema: str = "hoofbeat.core/1"


@dataclass(frozen=True)
class TablesReport:
    """hoofbeat core export --json, and hoofbeat core info --json of a table file"""

    method: str
    height: float
    terrain: str
    gaits: list[str]
    skin: dict[str, Any] | None
    version: int
    layout: int
    stamp: str
    fits: bool
    parts: dict[str, int]
    files: list[FileFacts]
    schema: str = "hoofbeat.tables/1"


def file_facts(paths: list[Path]) -> list[FileFacts]:
    """Sizes of files that were just written."""
    return [FileFacts(str(path), path.stat().st_size) for path in paths]
