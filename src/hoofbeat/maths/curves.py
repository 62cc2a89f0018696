"""Shaping curves and periodic tables.

Scalar kernels for inner loops come first: they are pasted into the caller and work in the precision
of their arguments; `wrap`, `smoothstep` and `quintic` also take arrays, compiled or not. Array functions
for authoring follow; their tables hold one cycle, (n, ...), evenly spaced, the first row not repeated
at the end. Phases are in cycles and may be any finite number.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hoofbeat.maths.exact.powers import log2, power
from hoofbeat.maths.jit import kernel
from hoofbeat.maths.types import Numbers

Floats = NDArray[np.float64]

ZERO = np.float32(0.0)
HALF = np.float32(0.5)
ONE = np.float32(1.0)
ONE_AND_HALF = np.float32(1.5)
TWO = np.float32(2.0)
TWO_AND_HALF = np.float32(2.5)
SIX = np.float32(6.0)
TEN = np.float32(10.0)
FIFTEEN = np.float32(15.0)
#: Parameters of bias and gain are held inside these: at 0 and 1 the exponent is not finite.
PARAMETER_LOW = np.float32(1e-3)
PARAMETER_HIGH = np.float32(1.0 - 1e-3)


@kernel(inline=True)
def wrap(x: Numbers) -> Any:
    """x in cycles brought into [0, 1); a tiny negative number, which would round to 1, gives 0."""
    f = x - np.floor(x)
    return f * (f < ONE)


@kernel(inline=True)
def bias_exponent(b: Numbers) -> Any:
    """The power that bias with parameter b raises to: ln b / ln 0.5, b held inside [0.001, 0.999]."""
    return -log2(np.minimum(np.maximum(b, PARAMETER_LOW), PARAMETER_HIGH))


@kernel(inline=True)
def power_bias(t: Numbers, exponent: Numbers) -> Any:
    """Bias by a known exponent: t ** exponent, negative t taken as 0."""
    return power(np.maximum(t, ZERO), exponent)


@kernel(inline=True)
def power_gain(t: Numbers, exponent: Numbers) -> Any:
    """Gain by a known exponent, ln(1 - g) / ln 0.5; t held inside [0, 1]. Symmetric about (1/2, 1/2)."""
    t = np.minimum(np.maximum(t, ZERO), ONE)
    h = HALF * power(TWO * np.minimum(t, ONE - t), exponent)
    return h + (t >= HALF) * (ONE - TWO * h)


@kernel(inline=True)
def bias(t: Numbers, b: Numbers) -> Any:
    """t ** (ln b / ln 0.5): 0 stays 0, 1 stays 1, 1/2 becomes b. Negative t counts as 0."""
    return power_bias(t, bias_exponent(b))


@kernel(inline=True)
def gain(t: Numbers, g: Numbers) -> Any:
    """bias(2t, 1 - g) / 2 for t below 1/2, mirrored about (1/2, 1/2) above; t held inside [0, 1].

    g = 1/2 is the straight line; g > 1/2 is steep in the middle and flat at both ends.
    """
    return power_gain(t, bias_exponent(ONE - g))


@kernel(inline=True)
def phase_difference(later: Numbers, earlier: Numbers) -> Any:
    """How far one phase is after another, the shorter way: in [-0.5, 0.5) cycles."""
    return wrap(later - earlier + 0.5) - 0.5


def phase_differences(later: ArrayLike, earlier: ArrayLike) -> Floats:
    """`phase_difference` of arrays or numbers, for code that is not compiled."""
    return (np.asarray(later, np.float64) - np.asarray(earlier, np.float64) + 0.5) % 1.0 - 0.5


@kernel(inline=True)
def smoothstep(x: Numbers) -> Any:
    """3x^2 - 2x^3: from 0 to 1 with level ends; x in [0, 1], float64."""
    return x * x * (3.0 - 2.0 * x)


@kernel(inline=True)
def quintic(t: Numbers) -> Any:
    """Smooth step 6t^5 - 15t^4 + 10t^3; slope and curvature are zero at 0 and 1. t held in [0, 1]."""
    t = np.minimum(np.maximum(t, ZERO), ONE)
    # In float32 the polynomial may round to a little above 1 just before its end.
    return np.minimum(t * t * t * (t * (t * SIX - FIFTEEN) + TEN), ONE)


@kernel(inline=True)
def linear_weights(n: int, phase: Numbers) -> Any:
    """(i0, i1, w0, w1): rows of a periodic table of n rows and their weights at `phase` [cycles]."""
    x = wrap(phase) * np.float32(n)
    whole = np.floor(x)
    f = x - whole
    i = int(whole) % n
    return i, (i + 1) % n, ONE - f, f


@kernel(inline=True)
def cubic_weights(n: int, phase: Numbers) -> Any:
    """(i0, i1, i2, i3, w0, w1, w2, w3): Catmull-Rom over a periodic table of n rows at `phase`.

    The curve passes through the rows (row i at phase i / n) with a continuous slope. One call
    serves every channel of the table.
    """
    x = wrap(phase) * np.float32(n)
    whole = np.floor(x)
    f = x - whole
    i = int(whole) % n
    w0 = f * (f * (ONE - HALF * f) - HALF)
    w1 = f * f * (ONE_AND_HALF * f - TWO_AND_HALF) + ONE
    w2 = f * (f * (TWO - ONE_AND_HALF * f) + HALF)
    w3 = f * f * (HALF * f - HALF)
    return (i + n - 1) % n, i, (i + 1) % n, (i + 2) % n, w0, w1, w2, w3


@kernel(inline=True)
def linear_at(table: Floats, phase: Numbers) -> Any:
    """One value of a periodic table (n,) at `phase` [cycles], joined by straight lines."""
    i, j, u, v = linear_weights(table.shape[0], phase)
    return u * table[i] + v * table[j]


@kernel(inline=True)
def cubic_at(table: Floats, phase: Numbers) -> Any:
    """One value of a periodic table (n,) at `phase` [cycles], by Catmull-Rom; see `cubic_weights`."""
    i, j, k, m, a, b, c, d = cubic_weights(table.shape[0], phase)
    return a * table[i] + b * table[j] + c * table[k] + d * table[m]


def sample_linear(table: ArrayLike, phase: ArrayLike) -> Floats:
    """A periodic table (n, ...) at phases (...) [cycles], by straight lines: (*phase, *row)."""
    rows, turns = np.asarray(table, np.float64), np.asarray(phase, np.float64)
    n = len(rows)
    x = turns % 1.0 * n
    i = np.floor(x).astype(np.int64)
    f = _column(x - i, rows)
    return (1 - f) * rows[i % n] + f * rows[(i + 1) % n]


def sample_cubic(table: ArrayLike, phase: ArrayLike) -> Floats:
    """A periodic table (n, ...) at phases (...) [cycles], by Catmull-Rom: (*phase, *row).

    The curve passes through the rows, row i at phase i / n, with a continuous slope.
    """
    rows, turns = np.asarray(table, np.float64), np.asarray(phase, np.float64)
    n = len(rows)
    x = turns % 1.0 * n
    i = np.floor(x).astype(np.int64)
    f = _column(x - i, rows)
    before, a, b, after = rows[(i - 1) % n], rows[i % n], rows[(i + 1) % n], rows[(i + 2) % n]
    rise, bend, twist = b - before, 2 * before - 5 * a + 4 * b - after, 3 * (a - b) + after - before
    return a + 0.5 * f * (rise + f * (bend + f * twist))


def _column(f: Floats, rows: Floats) -> Floats:
    """Fractions with one trailing axis for each axis of a row, so that they spread over channels."""
    return f.reshape(f.shape + (1,) * (rows.ndim - 1))


def low_pass(table: ArrayLike, width: float) -> Floats:
    """A periodic table (n, ...) smoothed round the cycle by a bell `width` wide at half its height.

    width [cycles], 0 or more; 0 changes nothing. The mean is kept and nothing rings: the bell is a
    Gaussian, applied as exact factors on the harmonics.
    """
    rows = np.asarray(table, np.float64)
    sigma = _checked_width(width) / np.sqrt(8 * np.log(2))
    harmonics = np.arange(len(rows) // 2 + 1)
    factors = np.exp(-0.5 * (2 * np.pi * sigma * harmonics) ** 2)
    return np.fft.irfft(np.fft.rfft(rows, axis=0) * _column(factors, rows), n=len(rows), axis=0)


def circular_min(table: ArrayLike, width: float) -> Floats:
    """The least value of a periodic table (n, ...) within half a `width` [cycles] to either side."""
    rows = np.asarray(table, np.float64)
    # A little leeway for rounding: a width of exactly 2k rows reaches k rows to each side.
    reach = min(int(_checked_width(width) * len(rows) / 2 + 1e-9), len(rows) // 2)
    return np.min([np.roll(rows, k, axis=0) for k in range(-reach, reach + 1)], axis=0)


def _checked_width(width: float) -> float:
    if not 0 <= width < np.inf:
        raise ValueError(f"a filter's width is 0 or more cycles, given {width}")
    return float(width)
