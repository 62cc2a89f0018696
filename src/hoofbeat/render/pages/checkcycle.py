"""Cycle: the strides of a checked clip laid over each other, as curves of feet and trunk."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hoofbeat.check.markers import SACRUM, WITHERS, Markers, markers_of
from hoofbeat.check.measures.cohort import RECORDED, CohortCurve, cohort_of
from hoofbeat.check.motion import Motion
from hoofbeat.check.report import Report
from hoofbeat.gaits.footfall import mean_phase
from hoofbeat.render.draw.camera import rows_between

#: Points of a stride; the last is the first of the next.
POINTS = 101
#: Most strides laid over each other, evenly chosen.
MOST = 24

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class CycleDrawing:
    """S strides of P points, from one touchdown of the left hind to the next; metres.

    feet (S, P, 4, 2): of LF, RF, LH, RH, forward of the withers (or of the middle of the legs' tops), and up
    from its lowest point; trunk (S, P, 2): heights of withers and croup, `names` says what stands for them;
    stance (4, 2): mean touchdown and duty, in parts of a stride, NaN where not known.
    """

    feet: Floats
    trunk: Floats
    names: tuple[str, str]
    stance: Floats

    @property
    def path(self) -> Floats:
        """Mean path (P, 4, 2) of the feet."""
        return self.feet.mean(axis=0)


@dataclass(frozen=True)
class Beside:
    """The real horses' curves at a clip's size: by marker and axis, mean and spread (100,) [m]."""

    size: float
    curves: dict[tuple[str, str], CohortCurve]

    def mean(self, marker: str, axis: str) -> Floats:
        """Mean curve (P,) [m], its own mean subtracted, the first point again at the end."""
        return _closed(self.curves[marker, axis].mean) * self.size

    def spread(self, marker: str, axis: str) -> Floats:
        """Standard deviation (P,) [m] between the horses."""
        return _closed(self.curves[marker, axis].spread) * self.size


def cycle_drawing(report: Report) -> CycleDrawing | None:
    """The strides of the gait that a clip shows, or None where it shows none."""
    motion, shown = report.motion, report.shown
    if motion is None or not shown:
        return None
    chosen = [shown[i] for i in np.unique(np.linspace(0, len(shown) - 1, MOST).astype(int))]
    markers = markers_of(motion.clip)
    feet, trunk, names = _points(motion, markers)
    share = np.linspace(0, 1, POINTS)
    rows = [np.clip((s.start + share * s.duration) * motion.fps, 0, len(motion) - 1) for s in chosen]
    walked = np.stack([rows_between(feet, frames) for frames in rows])
    walked[..., 1] -= walked[..., 1].mean(axis=0).min(axis=0)
    heights = np.stack([rows_between(trunk, frames) for frames in rows])
    touchdown = np.array([s.touchdown for s in chosen])
    duty = np.array([s.duty for s in chosen])
    return CycleDrawing(walked, heights, names, np.stack([mean_phase(touchdown), _mean(duty)], axis=1))


def beside(report: Report) -> Beside | None:
    """The real horses at the clip's gait and size, or None where they do not speak for it."""
    if report.comparison is None or report.mean is None or report.comparison.gait not in RECORDED:
        return None
    if report.comparison.passed is None:
        return None
    return Beside(report.mean.withers, dict(cohort_of(report.comparison.gait).curves))


def _points(motion: Motion, markers: Markers) -> tuple[Floats, Floats, tuple[str, str]]:
    """Feet (T, 4, 2) forward and up, heights (T, 2) of the trunk fore and hind, and what these are."""
    at = markers.positions
    known = "withers" not in markers.missing
    origin = at[:, WITHERS] if known else motion.tops.mean(axis=1)
    ahead = ((at[:, 3:] - origin[:, None])[..., [0, 2]] * motion.forward[:, None]).sum(axis=2)
    feet = np.stack([ahead, at[:, 3:, 1]], axis=-1)
    both = known and "sacrum" not in markers.missing
    girdles = [motion.tops[:, :2].mean(axis=1), motion.tops[:, 2:].mean(axis=1)]
    fore, hind = (at[:, WITHERS], at[:, SACRUM]) if both else girdles
    floor = float(motion.level.min())
    trunk = np.stack([fore[:, 1], hind[:, 1]], axis=1) - floor
    return feet, trunk, ("withers", "croup") if both else ("shoulders", "hips")


def _closed(curve: Floats) -> Floats:
    return np.append(curve, curve[:1])


def _mean(values: Floats) -> Floats:
    known = np.isfinite(values)
    total = np.where(known, values, 0.0).sum(axis=0)
    return np.where(known.any(axis=0), total / np.maximum(known.sum(axis=0), 1), np.nan)
