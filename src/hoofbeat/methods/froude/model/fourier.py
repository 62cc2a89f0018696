"""Curves: one bone's motion over a cycle as a short sum of sinusoids (M2).

    y(t) = mean + sum of amplitude sin 2 pi (k t + phase),   t in cycles

A list is how files write it: `[mean, [k, amplitude, phase], ...]`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hoofbeat.errors import HoofbeatError

Floats = NDArray[np.float64]
Part = tuple[int, float, float]

#: Harmonics that a wave may have, and how many the analysis keeps where nothing is said.
MOST_HARMONICS, HARMONICS = 32, 6


class CurveError(HoofbeatError):
    """A curve whose numbers or text cannot be used."""


@dataclass(frozen=True)
class Wave:
    """A sum of sinusoids: mean, and parts (k, amplitude, phase), amplitude in the unit of the mean."""

    mean: float
    parts: tuple[Part, ...] = ()

    def at(self, t: ArrayLike) -> Floats:
        """Values (...) at times (...) [cycles]."""
        turns = np.asarray(t, np.float64)
        out = np.full(turns.shape, self.mean, np.float64)
        for k, amplitude, phase in self.parts:
            out += amplitude * np.sin(2 * np.pi * (k * turns + phase))
        return out

    def slope(self, t: ArrayLike) -> Floats:
        """Slopes (...) [a cycle] at times (...) [cycles]."""
        turns = np.asarray(t, np.float64)
        out = np.zeros(turns.shape)
        for k, amplitude, phase in self.parts:
            out += 2 * np.pi * k * amplitude * np.cos(2 * np.pi * (k * turns + phase))
        return out

    def shifted(self, later: float) -> Wave:
        """The same wave, everything so much later [cycles]."""
        return Wave(self.mean, tuple((k, a, (p - k * later) % 1.0) for k, a, p in self.parts))


def fourier(samples: ArrayLike, harmonics: int = HARMONICS) -> tuple[Wave, float]:
    """The wave of one cycle's samples (n,), evenly spaced, and the root mean square of what it misses."""
    rows = np.asarray(samples, np.float64)
    if rows.ndim != 1 or len(rows) < 3 or not np.isfinite(rows).all():
        raise CurveError(f"expected at least 3 finite samples of one cycle, given shape {rows.shape}")
    if not 0 <= harmonics <= MOST_HARMONICS:
        raise CurveError(f"harmonics: 0 to {MOST_HARMONICS}, given {harmonics}")
    waves = np.fft.rfft(rows) / len(rows)
    parts: list[Part] = []
    for k in range(1, min(harmonics, (len(rows) - 1) // 2) + 1):
        # a cos + b sin with complex c: 2 |c| cos(2 pi k t + arg c), a sine a quarter turn on.
        phase = float(np.angle(waves[k]) / (2 * np.pi) + 0.25) % 1.0
        parts.append((k, 2 * float(abs(waves[k])), phase))
    wave = Wave(float(waves[0].real), tuple(parts))
    missed = rows - wave.at(np.arange(len(rows)) / len(rows))
    return wave, float(np.sqrt(np.mean(missed**2)))


def wave_of(given: object) -> Wave:
    """A wave from what a file has: a number, or `[mean, [k, amplitude, phase], ...]`."""
    if _is_number(given):
        return Wave(float(given))  # type: ignore[arg-type]
    if not isinstance(given, Sequence) or isinstance(given, str) or not given or not _is_number(given[0]):
        raise CurveError(f"expected [mean, [waves, amplitude, phase], ...], given {given!r:.60}")
    if len(given) - 1 > MOST_HARMONICS:
        raise CurveError(f"{len(given) - 1} parts, at most {MOST_HARMONICS} are allowed")
    parts: list[Part] = []
    for part in given[1:]:
        if not isinstance(part, Sequence) or len(part) != 3 or not all(_is_number(v) for v in part):
            raise CurveError(f"expected [waves, amplitude, phase], given {part!r:.60}")
        k = int(part[0]) if abs(part[0]) < 1e6 else 0
        if k != part[0] or not 1 <= k <= MOST_HARMONICS:
            raise CurveError(
                f"waves a cycle: a whole number from 1 to {MOST_HARMONICS}, given {part[0]!r:.60}"
            )
        parts.append((k, float(part[1]), float(part[2])))
    return Wave(float(given[0]), tuple(parts))


def listed(wave: Wave, digits: int = 4) -> list[object]:
    """The wave as a file writes it; parts that round to nothing are left out."""
    kept = [[k, round(a, digits), round(p, 4)] for k, a, p in wave.parts if round(a, digits) != 0]
    return [round(wave.mean, digits), *kept]


def _is_number(value: object) -> bool:
    return type(value) in (int, float) and -1e9 < value < 1e9  # type: ignore[operator]
