"""Facts: clips and skeletons in numbers, for reports."""

from __future__ import annotations

import numpy as np

from hoofbeat.body.clip import Clip, methods_of
from hoofbeat.body.root import TRAVEL, ground_speed, track_of
from hoofbeat.cli.reports import ClipFacts, SkeletonFacts

#: A pose that is longer [m] is that of a file in another unit.
LARGEST_ANIMAL = 10.0


def clip_facts(clip: Clip) -> ClipFacts:
    """The facts about a clip. The path of an in-place clip is the one that was removed."""
    path = clip.extras[TRAVEL] if TRAVEL in clip.extras else track_of(clip).positions
    steps = np.linalg.norm(np.diff(path[:, [0, 2]], axis=0), axis=1)
    distance, speeds = float(steps.sum()), ground_speed(clip)
    labels = clip.extras.get("gait")
    gaits: dict[str, float] = {}
    if labels is not None and labels.ndim == 1:
        names, counts = np.unique(labels.astype(str), return_counts=True)
        first = {name: int(np.argmax(labels.astype(str) == name)) for name in names}
        order = sorted(range(len(names)), key=lambda k: first[names[k]])
        gaits = {str(names[k]): float(counts[k]) / clip.fps for k in order}
    return ClipFacts(
        name=clip.name,
        frames=len(clip),
        fps=clip.fps,
        seconds=clip.seconds,
        distance=distance,
        mean_speed=distance * clip.fps / max(len(clip) - 1, 1),
        top_speed=float(speeds.max(initial=0.0)),
        contacts=clip.contacts is not None,
        in_place=TRAVEL in clip.extras,
        gaits=gaits,
        method=", ".join(methods_of(clip)) or None,
        extras=sorted(clip.extras),
    )


def _hip_height(clip: Clip) -> float | None:
    """Height of the hips over the lower hind toe in the first pose [m], None where it does not stand.

    Not of the rest pose: bones of other programs may be turned at rest.
    """
    if not clip.skeleton.legs or not len(clip):
        return None
    heights, hinds = clip.positions[0, :, 1], clip.skeleton.legs[2:]
    height = np.mean([heights[leg.top] for leg in hinds]) - min(heights[leg.toe] for leg in hinds)
    return float(height) if height > 0 else None


def unit_hint(facts: SkeletonFacts) -> str | None:
    """The --scale that a file seems to need, for people; None where it is that of an animal."""
    longest = max(facts.size)
    scale = next((unit for unit in (0.01, 0.001) if longest * unit <= LARGEST_ANIMAL), None)
    if longest <= LARGEST_ANIMAL or scale is None:
        return None
    unit = {0.01: "centimetres", 0.001: "millimetres"}[scale]
    return f"{longest:.4g} m is long for an animal; if the file is in {unit}, add --scale {scale:g}"


def skeleton_facts(clip: Clip) -> SkeletonFacts:
    """What there is to say about a clip's skeleton."""
    skeleton = clip.skeleton
    ends = int(skeleton.ends.sum())
    # The first pose, not the rest pose: bones of other programs may be turned at rest.
    size = np.ptp(clip.positions[0], axis=0) if len(clip) else np.zeros(3)
    return SkeletonFacts(
        joints=len(skeleton) - ends,
        ends=ends,
        root=skeleton.names[0],
        legs=[leg.name for leg in skeleton.legs],
        hip_height=_hip_height(clip),
        size=[float(v) for v in size],
    )


def clip_line(facts: ClipFacts) -> str:
    """A clip in one line, for people."""
    words = [
        f"{facts.seconds:.2f} s",
        f"{facts.frames} frames at {facts.fps:g} a second",
        f"{facts.distance:.1f} m" + (" (removed)" if facts.in_place else ""),
        f"{facts.mean_speed:.2f} m/s",
    ]
    if facts.gaits:
        words.append(", ".join(f"{name} {seconds:.1f} s" for name, seconds in facts.gaits.items()))
    if facts.method is not None:
        words.append(f"method {facts.method}")
    return f"{facts.name}: {'; '.join(words)}"
