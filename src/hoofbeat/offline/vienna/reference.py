"""Vienna: the cohort of ten real horses for `check.measures.cohort`, built from mean strides.

    python -m hoofbeat.offline.vienna.reference DIR -o vienna_reference.json [--table table.md]

DIR is a folder `horse_vienna` with mean_strides.npz: mean strides of trials (N, 100, 7, 3) [m], x forward and
y left of the withers, z up, from the touchdown of the left hind. A horse is the mean of its trials, each
over its withers height. Trials whose left and right hooves are exchanged are left out (three of 168: a left
hoof that lies right of its fellow). The same input gives the same bytes. Raw trials can be read too.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hoofbeat.check.markers import MARKERS, POINTS, WITHERS, Markers
from hoofbeat.check.measures.cohort import AXES, RECORDED, Bounds, CurveDifference, difference_of
from hoofbeat.errors import FileError
from hoofbeat.formats import files
from hoofbeat.maths.physics import GRAVITY
from hoofbeat.offline.vienna.table import tables

#: Limits before any is widened: correlation of a hoof and of another marker, amplitude.
HOOF_CORRELATION, CORRELATION, AMPLITUDE = 0.9, 0.8, (0.65, 1.6)
#: Horses that may fail at a gait; limits other than distances are widened in these steps.
SET_ASIDE, STEP = 2, 0.05
#: Curves and limits of distance are rounded to this, 0.1 mm of a horse with withers at 1.3 m; the rest finer.
GRAIN, FINE = 4, 5
#: A hoof on the belt is less than this [m] above its low percentile and goes back at this part of the belt's
#: speed or faster.
LOW_HOOF, WITH_BELT, LOW_PERCENTILE = 0.05, 0.6, 5.0
#: Most rows of a raw trial: ten minutes at 120 frames a second.
MAX_ROWS = 72_000

Floats = NDArray[np.float64]
Curve = tuple[str, str]
CURVES: tuple[Curve, ...] = tuple((marker, axis) for marker, axes in AXES.items() for axis in axes)

ABOUT = (
    "Mean strides of ten horses at walk and trot, and how far each horse is from the mean of the others: "
    "derived from the Vienna Horse Data Collection. Licence CC BY-SA 4.0; see LICENSE.md beside this file."
)
UNITS = (
    "mean, spread (standard deviation between horses) and distance in withers heights; 100 points from the "
    "touchdown of the left hind; x forward and y left of the withers, z up; mean over the stride taken off. "
    "distance, correlation and amplitude: horses 1 to 10, each against the mean of the other nine."
)


def horses(folder: str | PathLike[str], gait: str) -> tuple[Floats, Floats]:
    """Curves (10, 100, 7, 3) [withers heights] of the horses at a gait; speed [m/s] and Froude number (N, 2)
    of the trials they are means of."""
    path = Path(folder) / "mean_strides.npz"
    try:
        with np.load(path, allow_pickle=False) as data:
            cycles = np.asarray(data["cycles"], np.float64)
            horse, gaits, speed = data["horse"], data["gait"], np.asarray(data["speed_mps"], np.float64)
    except (OSError, KeyError, ValueError) as problem:
        raise FileError(
            f"no mean strides can be read: {problem}; give the folder horse_vienna", path
        ) from None
    if cycles.shape != (len(horse), POINTS, len(MARKERS), 3) or not np.isfinite(cycles).all():
        raise FileError(f"cycles must be finite and (N, 100, 7, 3), their shape is {cycles.shape}", path)
    aside = cycles[:, :, 3:, 1].mean(axis=1)  # (N, 4): LF, RF, LH, RH
    chosen = (gaits == gait) & (aside[:, 0] > aside[:, 1]) & (aside[:, 2] > aside[:, 3])
    withers = cycles[:, :, WITHERS, 2].mean(axis=1)
    scaled = cycles / withers[:, None, None, None]
    means = [scaled[chosen & (horse == number)].mean(axis=0) for number in np.unique(horse)]
    froude = speed**2 / (GRAVITY * withers)
    return np.stack(means), np.stack([speed, froude], axis=1)[chosen]


def curve_of(strides: Floats, curve: Curve) -> Floats:
    """One curve (..., 100) of strides (..., 100, 7, 3), its mean subtracted."""
    values = strides[..., MARKERS.index(curve[0]), "xyz".index(curve[1])]
    return values - values.mean(axis=-1, keepdims=True)


def left_out(strides: Floats) -> dict[Curve, list[CurveDifference]]:
    """Every horse of strides (H, 100, 7, 3) against the mean of the others, curve by curve."""
    others = (strides.sum(axis=0) - strides) / (len(strides) - 1)
    return {
        curve: [
            difference_of(a, b)
            for a, b in zip(curve_of(strides, curve), curve_of(others, curve), strict=True)
        ]
        for curve in CURVES
    }


def partners(curve: Curve) -> list[Curve]:
    """The curves that share a limit: left and right hooves."""
    marker, axis = curve
    return [curve] if len(marker) > 2 else [(side + marker[1], axis) for side in "LR"]


def start_bounds(found: dict[Curve, list[CurveDifference]]) -> dict[Curve, Bounds]:
    """The limits before they are widened."""
    out: dict[Curve, Bounds] = {}
    for curve in CURVES:
        second = max(sorted(h.distance for h in found[c])[-2] for c in partners(curve))
        out[curve] = Bounds(second, CORRELATION if len(curve[0]) > 2 else HOOF_CORRELATION, AMPLITUDE)
    return out


def _broken(found: CurveDifference, limit: Bounds) -> int:
    low, high = limit.amplitude
    kept = (
        found.distance <= limit.distance,
        found.correlation >= limit.correlation,
        low <= found.amplitude <= high,
    )
    return 3 - sum(kept)


def _farthest(found: dict[Curve, list[CurveDifference]]) -> tuple[int, ...]:
    """The horses (from 1) that break most of the starting limits; of equals the lower number."""
    start = start_bounds(found)
    broken = [sum(_broken(found[c][h], start[c]) for c in CURVES) for h in range(len(found[CURVES[0]]))]
    order = sorted(range(len(broken)), key=lambda h: (-broken[h], h))
    return tuple(sorted(h + 1 for h in order[:SET_ASIDE]))


def limits(found: dict[Curve, list[CurveDifference]], set_aside: Sequence[int]) -> dict[Curve, Bounds]:
    """The starting limits, widened until every horse that is not set aside passes when left out."""
    out: dict[Curve, Bounds] = {}
    for curve, start in start_bounds(found).items():
        kept = [h for c in partners(curve) for n, h in enumerate(found[c], 1) if n not in set_aside]
        # Twice rounded, because 0.65 / 0.05 is not quite 13.
        down, up = (
            (lambda v: math.floor(round(v / STEP, 6)) * STEP),
            (lambda v: math.ceil(round(v / STEP, 6)) * STEP),
        )
        distance = max(start.distance, *(h.distance for h in kept))
        low = min(start.amplitude[0], down(min(h.amplitude for h in kept)))
        high = max(start.amplitude[1], up(max(h.amplitude for h in kept)))
        correlation = min(start.correlation, down(min(h.correlation for h in kept)))
        rounded = math.ceil(round(distance * 10**GRAIN, 6)) / 10**GRAIN
        out[curve] = Bounds(rounded, round(correlation, 2), (round(low, 2), round(high, 2)))
    return out


def build(folder: str | PathLike[str]) -> dict[str, Any]:
    """The reference document of a folder `horse_vienna`."""
    gaits = {gait: _gait(*horses(folder, gait)) for gait in RECORDED}
    return {"about": ABOUT, "units": UNITS, "gaits": gaits}


def _gait(strides: Floats, trials: Floats) -> dict[str, Any]:
    found = left_out(strides)
    aside = _farthest(found)
    bounds = limits(found, aside)
    curves: dict[str, dict[str, Any]] = {marker: {} for marker in AXES}
    for curve in CURVES:
        each = curve_of(strides, curve)
        limit = bounds[curve]
        curves[curve[0]][curve[1]] = {
            "mean": _rounded(each.mean(axis=0), GRAIN),
            "spread": _rounded(each.std(axis=0), GRAIN),
            "distance": _rounded([h.distance for h in found[curve]], FINE),
            "correlation": _rounded([h.correlation for h in found[curve]], 3),
            "amplitude": _rounded([h.amplitude for h in found[curve]], 3),
            "limits": {
                "distance": limit.distance,
                "correlation": limit.correlation,
                "amplitude": list(limit.amplitude),
            },
        }
    speed, froude = ([f(trials[:, i]) for f in (np.min, np.mean, np.max)] for i in (0, 1))
    return {
        "horses": len(strides),
        "trials": len(trials),
        "speed_mps": _rounded(speed, 3),
        "froude": _rounded(froude, 4),
        "set_aside": list(aside),
        "curves": curves,
    }


def _rounded(values: Any, digits: int) -> list[float]:
    # Adding zero turns -0.0 into 0.0.
    return [round(float(value), digits) + 0.0 for value in values]


def document_bytes(document: dict[str, Any]) -> bytes:
    """A reference document as JSON: a line for every list, a key a line."""

    def text(value: Any, indent: str) -> str:
        if not isinstance(value, dict):
            return json.dumps(value)
        inner = ",\n".join(f"{indent} {json.dumps(k)}: {text(v, indent + ' ')}" for k, v in value.items())
        return f"{{\n{inner}\n{indent}}}"

    return (text(document, "") + "\n").encode()


def read_trial(path: str | PathLike[str], fps: float) -> Markers:
    """A raw trial: 21 columns, x y z [m] of the seven markers; the Markers have Y up, +Z forward, X left.

    Of the path over the ground only what is relative to the withers was measured: the publishers added an
    estimate of the belt's motion frame by frame. fps is 60 in session 1, 120 in sessions 2 and 3.
    """
    lines = files.read_bytes(path, max_bytes=64 * 1024 * 1024).decode("ascii", "replace").splitlines()
    if not 1 <= len(lines) <= MAX_ROWS:
        raise FileError(f"a trial has 1 to {MAX_ROWS} rows, this one has {len(lines)}", path)
    rows = np.empty((len(lines), 3 * len(MARKERS)))
    for number, line in enumerate(lines, 1):
        try:
            rows[number - 1] = [float(cell) for cell in line.split(",")]
        except ValueError:
            raise FileError(f"{rows.shape[1]} numbers between commas are needed", path, number) from None
    if not np.isfinite(rows).all():
        line = int(np.argmax(~np.isfinite(rows).all(axis=1))) + 1
        raise FileError("a number is not finite", path, line)
    return Markers(rows.reshape(-1, len(MARKERS), 3)[..., [1, 2, 0]], fps, MappingProxyType({}), "Vienna")


def on_belt(markers: Markers) -> tuple[Markers, float, Floats]:
    """A raw trial on the spot: withers kept in place, the belt's speed [m/s], and contacts (T, 4), 0 or 1.

    A hoof is down while it is low and goes back with the belt; the belt's speed is the mean of those hooves'.
    """
    positions = np.array(markers.positions)
    positions[..., [0, 2]] -= positions[:, WITHERS, None][..., [0, 2]]
    hooves = positions[:, 3:]
    height = hooves[..., 1] - np.percentile(hooves[..., 1], LOW_PERCENTILE, axis=0)
    back = -np.gradient(hooves[..., 2], axis=0) * markers.fps
    low = height < LOW_HOOF
    belt = float(np.median(back[height < 0.4 * LOW_HOOF]))
    belt = float(back[low & (back > WITH_BELT * belt)].mean())
    down = low & (back > WITH_BELT * belt)
    belt = float(back[down].mean())
    steady = Markers(positions, markers.fps, markers.missing, markers.horse)
    return steady, belt, down.astype(np.float64)


def main(arguments: Sequence[str] | None = None) -> None:
    """Command line: build the reference file and, on request, its tables."""
    parser = argparse.ArgumentParser(
        prog="python -m hoofbeat.offline.vienna.reference",
        description="Cohort of ten real horses for `hoofbeat check`",
    )
    parser.add_argument("folder", help="the folder horse_vienna")
    parser.add_argument("-o", "--output", required=True, help="the reference file to write")
    parser.add_argument("--table", help="a Markdown file for the leave-one-out tables")
    given = parser.parse_args(arguments)
    document = build(given.folder)
    files.write_bytes(given.output, document_bytes(document))
    if given.table:
        files.write_bytes(given.table, tables(document).encode())


if __name__ == "__main__":
    main()
