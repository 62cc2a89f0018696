"""Recorded paths: networks led along the recordings' own paths, so that both do the same at the same moments.

    recording   |---- a window of a clip ----------------------|
    network     stands | comes into its stride | is measured .. |

A network that is commanded to turn on and on does what no recorded animal did: their turns last half a
second. Led along the recorded path, by time, it makes the same turns at the same places, and its feet and
legs are measured in the very frames in which the recording's are (Tables 2 and 3, like with like).
"""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike

import numpy as np
from numpy.typing import NDArray

from hoofbeat.body.labelled import Dataset
from hoofbeat.horse import Herd
from hoofbeat.methods.neural.network.layout import FUTURE, RATE, SAMPLES
from hoofbeat.offline.neural.trials.motions import (
    FEWEST,
    RULES,
    MotionFacts,
    Stretch,
    measured,
    shown_motion,
    stretches_of_dataset,
    stretches_of_run,
)
from hoofbeat.offline.neural.trials.path_following import TAU, method_of
from hoofbeat.offline.neural.trials.runs import Tick, herd_of, orders, repeated, ridden, roots_of, silent

#: How long a network comes into its stride, and how long it is measured [s].
LEAD, SPAN = 2.0, 6.0
#: The wanted speed at a moment is the length of the path over the time after it [s], as in `features`.
AHEAD_TIME = 1.0
#: Windows are sought every so many frames.
EVERY = RATE // 4
#: Any speed that is not nought: where a network goes is given by the path.
MOVES = 0.5

_LEAD, _SPAN, _AHEAD = (round(time * RATE) for time in (LEAD, SPAN, AHEAD_TIME))
#: Frames of the path that a window needs after its last one.
_AFTER = SAMPLES[-1] + _AHEAD + 1

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Windows:
    """W windows of recordings. root (W, LEAD + SPAN + after, 3): x, z [m], heading [rad]; real: what they
    show after the lead; frames: of each motion, the moments (SPAN,) of each window that show it."""

    root: Floats
    real: list[Stretch]
    frames: dict[str, list[NDArray[np.bool_]]]


@dataclass(frozen=True)
class RecordedPathFacts:
    """A network along the windows: distance [cm] and angle [degrees] from where the recording was at the
    same moment, means; motions: as measured in the recording's frames of each."""

    distance: float
    angle: float
    motions: dict[str, MotionFacts]


def windows_of(dataset: Dataset) -> Windows:
    """Windows without gaps in which an animal idles or moves and shows a motion of `RULES` for a while."""
    quiet = [dataset.rig.actions.index(name) for name in ("idle", "move")]
    roots: list[Floats] = []
    real: list[Stretch] = []
    frames: dict[str, list[NDArray[np.bool_]]] = {rule.name: [] for rule in RULES}
    for clip, stretch in zip(dataset.clips, stretches_of_dataset(dataset), strict=True):
        fit = clip.used & np.isin(clip.actions, quiet)
        masks = {rule.name: shown_motion(stretch, rule)[0] for rule in RULES}
        first = 0
        while first + _LEAD + _SPAN + _AFTER <= len(clip):
            part = slice(first + _LEAD, first + _LEAD + _SPAN)
            whole = slice(first, part.stop + _AFTER)
            found = {name: mask[part] for name, mask in masks.items()}
            if fit[whole].all() and max(mask.sum() for mask in found.values()) >= FEWEST:
                roots.append(clip.root[whole])
                real.append(
                    Stretch(stretch.toes[part], stretch.rotations[part], stretch.root[part], fit[part])
                )
                for name, mask in found.items():
                    frames[name].append(mask)
                first += _SPAN
            else:
                first += EVERY
    root = np.stack(roots) if roots else np.zeros((0, _LEAD + _SPAN + _AFTER, 3))
    return Windows(root, real, frames)


def recorded(dataset: Dataset, windows: Windows) -> dict[str, MotionFacts]:
    """What the recordings themselves show in their windows."""
    skeleton = dataset.rig.skeleton
    return {rule.name: measured(windows.real, rule, skeleton, windows.frames[rule.name]) for rule in RULES}


def follow_recorded_paths(
    network: str | PathLike[str], windows: Windows, tick: Tick = silent
) -> RecordedPathFacts | None:
    """A network led along all windows at once; None where there are none."""
    count = len(windows.root)
    if not count:
        return None
    start = windows.root[:, 0]
    herd = herd_of(network, count, tau=TAU, positions=start[:, :2], headings=start[:, 2])
    guide = _Guide(windows.root)
    run = ridden(herd, repeated(orders(count, speed=MOVES), _LEAD + _SPAN), guide, tick).after(_LEAD)
    method_of(herd).steer(None)
    there = windows.root[:, _LEAD + 1 : _LEAD + _SPAN + 1]
    off = run.root - there
    angle = np.abs((off[..., 2] + np.pi) % (2 * np.pi) - np.pi)
    found = stretches_of_run(run)
    return RecordedPathFacts(
        100 * float(np.hypot(off[..., 0], off[..., 1]).mean()),
        float(np.degrees(angle).mean()),
        {rule.name: measured(found, rule, herd.skeleton, windows.frames[rule.name]) for rule in RULES},
    )


class _Guide:
    """Gives every animal the recorded path from the present moment on, in its own root space."""

    def __init__(self, root: Floats) -> None:
        self.root = root
        self.velocity = np.gradient(root[..., :2], axis=1) * RATE
        run = np.hypot(*np.moveaxis(np.diff(root[..., :2], axis=1), -1, 0))
        length = np.concatenate([np.zeros((len(root), 1)), np.cumsum(run, axis=1)], axis=1)
        self.speed = (length[:, _AHEAD:] - length[:, :-_AHEAD]) / AHEAD_TIME
        self.now = 0
        self.samples = np.array(SAMPLES[-FUTURE:])

    def __call__(self, herd: Herd) -> None:
        method_of(herd).steer(self.given(roots_of(herd.frame())))
        self.now += 1

    def given(self, own: Floats) -> Floats:
        """The argument (W, FUTURE, 7) of `NeuralMethod.steer`, for roots (W, 3)."""
        at = self.now + self.samples
        sine, cosine = np.sin(own[:, None, 2]), np.cos(own[:, None, 2])

        def inward(vectors: Floats) -> Floats:
            x, z = vectors[..., 0], vectors[..., 1]
            return np.stack([cosine * x - sine * z, sine * x + cosine * z], axis=-1)

        turned = self.root[:, at, 2] - own[:, None, 2]
        return np.concatenate(
            [
                inward(self.root[:, at, :2] - own[:, None, :2]),
                np.stack([np.sin(turned), np.cos(turned)], axis=-1),
                inward(self.velocity[:, at]),
                self.speed[:, at, None],
            ],
            axis=-1,
        )
