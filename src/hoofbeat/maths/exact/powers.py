"""Exponentials, logarithms and powers with the same bits on every machine.

What is said in `circular` holds here too: float32 or float64 numbers, worked out in float64 by operations
that are rounded in one way only, float32 results exact but for their last rounding.
"""

from __future__ import annotations

import math

import numpy as np

from hoofbeat.maths.exact.circular import ROUNDER, wide
from hoofbeat.maths.jit import kernel
from hoofbeat.maths.types import Real

INFINITE, NAN = math.inf, math.nan
LN2, ONE_OVER_LN2 = 0.6931471805599453, 1.4426950408889634
#: ln 2 in two parts; whole numbers below 2**20 times the first are exact.
LN2_1, LN2_2 = 0.6931471803691238, 1.9082149292705877e-10
# (exp r - 1 - r) / r^2 in powers of r, |r| <= ln 2 / 2.
E0, E1, E2, E3 = 0.5000000000000011, 0.16666666666666413, 0.041666666666530704, 0.008333333333494326
E4, E5, E6 = 0.001388888894350576, 0.00019841269506587096, 2.4801493214363328e-05
E7, E8, E9 = 2.7557586550392545e-06, 2.763021080476358e-07, 2.499996197743923e-08
# (ln((1 + s) / (1 - s)) - 2 s) / s^3 in powers of s^2, for numbers in [sqrt(1/2), sqrt(2)]; and of log2.
N1, N2, N3, N4 = 0.6666666666666734, 0.39999999999415664, 0.28571428742188826, 0.22222198591512607
N5, N6, N7 = 0.18183563479623133, 0.15314069567603905, 0.1479578503983968
B1, B2, B3, B4 = 0.9617966939259853, 0.5770780163471552, 0.41219858557468214, 0.32059855705624946
B5, B6, B7 = 0.26233336857741957, 0.22093532221010748, 0.2134580570303582
#: 2 / ln 2, and in two parts of which the first has 26 bits.
TWO_OVER_LN2, TWO_OVER_LN2_1, TWO_OVER_LN2_2 = 2.8853900817779268, 2.885390043258667, 3.851925982253235e-08
#: The largest exponents that are worked out: beyond them all is infinite, or 0.
TOP = 1100.0
SMALLEST_NORMAL, SCALE = 2.0**-1022, 2.0**54

# Bits of float64 numbers as int64.
ROUNDER_BITS = np.float64(ROUNDER).view(np.int64)
SQRT_HALF_BITS = np.float64(math.sqrt(0.5)).view(np.int64)
FRACTION, BIAS = np.int64(52), np.int64(1023)
#: Keeps the first 26 bits of a fraction.
UPPER_HALF = np.int64(-(1 << 27))
ONE = np.int64(1)


@kernel(inline=True)
def _upper(x: Real) -> float:
    """The first 26 bits of x: the product of two such numbers is exact."""
    return float(np.int64(np.float64(x).view(np.int64) & UPPER_HALF).view(np.float64))


@kernel(inline=True)
def _two_to(n: np.int64) -> float:
    """2**n for a whole number n in -1022..1023."""
    return float(np.int64((n + BIAS) << FRACTION).view(np.float64))


@kernel(inline=True)
def _scaled(value: float, rounded: float) -> float:
    """value * 2**k, where `rounded` is k + ROUNDER. In two steps, so that it is rounded but once."""
    n = np.float64(rounded).view(np.int64) - ROUNDER_BITS
    half = n >> ONE
    return value * _two_to(half) * _two_to(n - half)


@kernel(inline=True)
def _grown(r: float, rounded: float) -> float:
    """e**r 2**k for |r| up to ln 2 / 2, where `rounded` is k + ROUNDER."""
    z = r * r
    z4 = z * z
    p = ((E0 + r * E1) + z * (E2 + r * E3)) + z4 * ((E4 + r * E5) + z * (E6 + r * E7) + z4 * (E8 + r * E9))
    return _scaled(1.0 + (r + z * p), rounded)


@kernel
def _exp(x: float) -> float:
    """e**x, float64; see `e_to`."""
    if not abs(x) < TOP:
        return INFINITE if x > 0.0 else (0.0 if x < 0.0 else NAN)
    rounded = x * ONE_OVER_LN2 + ROUNDER
    k = rounded - ROUNDER
    return _grown((x - k * LN2_1) - k * LN2_2, rounded)


@kernel
def _exp2(x: float, more: float) -> float:
    """2**(x + more), float64, where `more` is small beside x; see `exp2`."""
    if not abs(x) < TOP:
        return INFINITE if x > 0.0 else (0.0 if x < 0.0 else NAN)
    rounded = x + ROUNDER
    return _grown(((x - (rounded - ROUNDER)) + more) * LN2, rounded)


@kernel(inline=True)
def e_to(x: Real) -> Real:
    """e**x. Error at most 1.5 ulp; 0 below and infinite above what float64 holds."""
    real = type(x)
    return real(_exp(wide(x)))


@kernel(inline=True)
def exp2(x: Real) -> Real:
    """2**x. Error at most 1.5 ulp, and none at whole numbers."""
    real = type(x)
    return real(_exp2(wide(x), 0.0))


@kernel(inline=True)
def _parts(x: float) -> tuple[float, float]:
    """k and m with x = m 2**k and m in [sqrt(1/2), sqrt(2)), for a finite x above 0."""
    small = x < SMALLEST_NORMAL
    bits = np.float64(x * SCALE if small else x).view(np.int64)
    k = (bits - SQRT_HALF_BITS) >> FRACTION
    m = float(np.int64(bits - (k << FRACTION)).view(np.float64))
    return float(k) - 54.0 if small else float(k), m


@kernel
def _log(x: float) -> float:
    """Natural logarithm, float64; see `ln`."""
    if not 0.0 < x < INFINITE:
        return -INFINITE if x == 0.0 else (x if x == INFINITE else NAN)
    k, m = _parts(x)
    f = m - 1.0
    s = f / (2.0 + f)
    z = s * s
    zz = z * z
    p = z * (((N1 + z * N2) + zz * (N3 + z * N4)) + zz * zz * ((N5 + z * N6) + zz * N7))
    # ln m = 2 s + s p, and 2 s = f - f^2 / 2 + s f^2 / 2, of which f is exact.
    half = 0.5 * f * f
    return k * LN2_1 - ((half - (s * (half + p) + k * LN2_2)) - f)


@kernel
def _log2(x: float) -> tuple[float, float]:
    """log2 x as a float64 and what its rounding left, together to 2**-58 of the larger one of 1 and itself.

    x finite and above 0. Near 1 the error is as small beside the logarithm.
    """
    k, m = _parts(x)
    f = m - 1.0
    d = 2.0 + f
    s = f / d
    # s and d in halves, so that what the division left over is exact.
    s1, d1 = _upper(s), _upper(d)
    s2 = ((f - s1 * d1) - s1 * (f - (d1 - 2.0))) / d
    z = s * s
    zz = z * z
    p = ((B1 + z * B2) + zz * (B3 + z * B4)) + zz * zz * ((B5 + z * B6) + zz * B7)
    high = s1 * TWO_OVER_LN2_1
    low = s1 * TWO_OVER_LN2_2 + (s2 * TWO_OVER_LN2 + s * z * p)
    whole = k + high
    rest = ((k - whole) + high) + low
    result = whole + rest
    return result, (whole - result) + rest


@kernel
def _log2_rounded(x: float) -> float:
    """log2 x, float64; see `log2`."""
    if not 0.0 < x < INFINITE:
        return -INFINITE if x == 0.0 else (x if x == INFINITE else NAN)
    value, _ = _log2(x)
    return value


@kernel(inline=True)
def ln(x: Real) -> Real:
    """Natural logarithm. Error at most 1 ulp; of 0 it is -infinity, of less NaN."""
    real = type(x)
    return real(_log(wide(x)))


@kernel(inline=True)
def log2(x: Real) -> Real:
    """Logarithm to base 2. Error at most 1 ulp, and none at powers of 2; of 0 -infinity, of less NaN."""
    real = type(x)
    return real(_log2_rounded(wide(x)))


@kernel
def _power(x: float, y: float) -> float:
    """x**y, float64; see `power`."""
    if y == 0.0 or x == 1.0:
        return 1.0
    if not 0.0 < x < INFINITE or not abs(y) < INFINITE:
        return _power_at_edge(x, y)
    high, low = _log2(x)
    y = min(max(y, -SCALE), SCALE)  # so far out all is 0 or infinite
    y1, high1 = _upper(y), _upper(high)
    return _exp2(y1 * high1, (y - y1) * high1 + y * ((high - high1) + low))


@kernel
def _power_at_edge(x: float, y: float) -> float:
    """x**y where x is 0, infinite or less than 0, or y is infinite, or one is NaN; y is not 0 and x not 1."""
    if not (x >= 0.0 and abs(y) >= 0.0):
        return NAN
    rises = y > 0.0
    if x < 1.0:
        return 0.0 if rises else INFINITE
    return INFINITE if rises else 0.0


@kernel(inline=True)
def power(x: Real, y: Real) -> Real:
    """x**y for x of 0 or more; a negative x gives NaN.

    Error at most 2 ulp where |y| <= 64, and |y| / 32 ulp beyond. Anything to the power of 0, and 1 to any
    power, is 1; 0 and infinity as IEEE 754 has them.
    """
    real = type(np.minimum(x, y))
    return real(_power(wide(x), wide(y)))
