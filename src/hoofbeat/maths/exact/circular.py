"""Sines, arctangents and lengths with the same bits on every machine.

Only what IEEE 754 rounds in one way is used: + - * /, square roots, comparisons, conversions, and those in a
fixed order. A math library's own functions differ between systems in their last digits.

Arguments are numbers, float32 or float64, no arrays; the result has the precision of the argument. All is
worked out in float64, so a float32 result is the exact one rounded, but for a case in 10**7: its error is at
most 0.501 ulp. The errors stated below are those of float64. They were measured (tests/test_exact.py).

Polynomials are minimax ones, found by the Remez exchange, of the relative error of the function.
"""

from __future__ import annotations

import math

import numpy as np

from hoofbeat.maths.jit import kernel
from hoofbeat.maths.types import Real

# In float64 whatever they meet: Python floats, so that plain Python rounds as compiled code does.
#: Added and taken away again, it rounds a number below 2**51 to a whole one, ties to even.
ROUNDER = 1.5 * 2.0**52
TWO_OVER_PI = 0.6366197723675814
#: pi / 2 in three parts; whole numbers below 2**20 times one of the first two are exact.
HALF_PI_1, HALF_PI_2, HALF_PI_3 = 1.5707963267341256, 6.077100506303966e-11, 2.0222662487959506e-21
#: Larger angles count as 0 [rad].
FARTHEST = 2.0**40
# (sin r - r) / r^3 and (cos r - 1 + r^2 / 2) / r^4 in powers of r^2, |r| <= pi / 4.
S1, S2, S3 = -0.1666666666666663, 0.008333333333322108, -0.00019841269829580144
S4, S5, S6 = 2.7557313618007293e-06, -2.5050747216422923e-08, 1.5896197527478841e-10
C1, C2, C3 = 0.041666666666666595, -0.001388888888887304, 2.4801587288841407e-05
C4, C5, C6 = -2.7557314176242773e-07, 2.0875700416476104e-09, -1.135851397178025e-11
# The same, of fewer terms.
P1, P2, P3, P4 = -0.16666666640776154, 0.008333329302410276, -0.0001983931148365191, 2.718114103942167e-06
Q1, Q2, Q3, Q4 = 0.04166666661945432, -0.0013888883496845344, 2.4799459298721046e-05, -2.720568340571693e-07
# And that of the sine for |r| <= pi / 2.
R1, R2, R3 = -0.1666666662610802, 0.008333331106784877, -0.0001984086796505925
R4, R5 = 2.7525371527741864e-06, -2.388867663694073e-08
# (arctan t - t) / t^3 in powers of t^2, |t| <= tan(1/2).
A1, A2, A3, A4 = -0.3333333333333317, 0.19999999999955853, -0.1428571428157636, 0.11111110915301801
A5, A6, A7, A8 = -0.09090903608223681, 0.07692208618519275, -0.06665449952947895, 0.058718788188923975
A9, A10, A11, A12 = -0.05198892139370354, 0.044793044600753694, -0.03460569017953424, 0.02031649391469531
A13 = -0.006403238156257145
#: From half a radian on an angle is taken from pi / 4: its units in the last place are larger there.
TAN_HALF = 0.5463024898437905
#: pi / 4 in two parts; whole numbers below 2**20 times the first are exact.
QUARTER_PI_1, QUARTER_PI_2 = 0.7853981633670628, 3.038550253253096e-11
INFINITE = math.inf
#: Squares of what lies between these neither overflow nor lose digits, nor do sums of such numbers.
SMALL, LARGE = 2.0**-480, 2.0**480
#: Times one of these, which changes no digit, the others lie there too.
TINY_PART, HUGE_PART = 2.0**-600, 2.0**600


@kernel(inline=True)
def wide(x: Real) -> float:
    """x as a float64: a compiled float() leaves a float32 as it is, a plain np.float64 warns of NaN."""
    return float(np.float64(x))


@kernel(inline=True)
def is_single(x: Real) -> bool:
    """Whether x is a float32: known when a kernel is compiled, which then keeps only one way."""
    real = type(x)
    return real(1.0) + real(1e-9) == real(1.0)


@kernel(inline=True)
def _within_eighth(r: float) -> tuple[float, float]:
    """Sine and cosine of |r| <= pi / 4."""
    z = r * r
    zz = z * z
    s = r + (r * z) * ((S1 + z * S2) + zz * ((S3 + z * S4) + zz * (S5 + z * S6)))
    half = 0.5 * z
    w = 1.0 - half
    c = w + (((1.0 - w) - half) + zz * ((C1 + z * C2) + zz * ((C3 + z * C4) + zz * (C5 + z * C6))))
    return s if r != 0.0 else r, c  # keeps -0


@kernel(inline=True)
def _within_eighth_single(r: float) -> tuple[float, float]:
    """The same to 2**-37 of each, more than a float32 holds."""
    z = r * r
    zz = z * z
    s = r + (r * z) * ((P1 + z * P2) + zz * (P3 + z * P4))
    c = (1.0 - 0.5 * z) + zz * ((Q1 + z * Q2) + zz * (Q3 + z * Q4))
    return s if r != 0.0 else r, c


@kernel(inline=True)
def _around(d: float, s: float, c: float) -> tuple[float, float]:
    """Sine and cosine of d quarters of a turn, -2 to 2, and the angle whose sine is s and cosine c."""
    odd = d * d == 1.0
    sine = c if odd else s
    cosine = s if odd else c
    return -sine if abs(d - 0.5) > 1.0 else sine, -cosine if abs(d + 0.5) > 1.0 else cosine


@kernel(inline=True)
def _reduced(x: float) -> tuple[float, float]:
    """d and r: x is r, at most pi / 4 either way, and d quarters of a turn, -2 to 2; whole turns left out."""
    x = x if abs(x) <= FARTHEST else x * 0.0
    k = (x * TWO_OVER_PI + ROUNDER) - ROUNDER
    d = k - 4.0 * ((k * 0.25 + ROUNDER) - ROUNDER)
    near = x - k * HALF_PI_1
    low = k * HALF_PI_2
    r = near - low
    return d, r - (k * HALF_PI_3 - ((near - r) - low))


@kernel
def _sincos(x: float) -> tuple[float, float]:
    """Sine and cosine of x [rad], float64; see `sincos`."""
    if abs(x) <= QUARTER_PI_1:  # most angles of a step are
        return _within_eighth(x)
    d, r = _reduced(x)
    s, c = _within_eighth(r)
    return _around(d, s, c)


@kernel
def _sincos_single(x: float) -> tuple[float, float]:
    """Sine and cosine of a float32 x [rad], as float64; see `sincos`."""
    if abs(x) <= QUARTER_PI_1:
        return _within_eighth_single(x)
    d, r = _reduced(x)
    s, c = _within_eighth_single(r)
    return _around(d, s, c)


@kernel
def _sin_single(x: float) -> float:
    """Sine of a float32 x [rad], as float64: without a choice between two ways for a quarter of a turn."""
    if not abs(x) <= HALF_PI_1:
        s, _ = _sincos_single(x)
        return s
    z = x * x
    zz = z * z
    s = x + (x * z) * ((R1 + z * R2) + zz * ((R3 + z * R4) + zz * R5))
    return s if x != 0.0 else x


@kernel(inline=True)
def sincos(x: Real) -> tuple[Real, Real]:
    """Sine and cosine of x [rad].

    Error at most 2 ulp for |x| <= 1e6; to 2**40 that of an angle wrong by 2**-52 of itself; a larger one
    counts as 0. Infinity and NaN give NaN. sin(-x) is -sin(x) and cos(-x) is cos(x) to the bit.
    """
    real = type(x)
    s, c = _sincos_single(wide(x)) if is_single(x) else _sincos(wide(x))
    return real(s), real(c)


@kernel(inline=True)
def sin(x: Real) -> Real:
    """Sine of x [rad]; as `sincos`, and as dear."""
    real = type(x)
    if is_single(x):
        return real(_sin_single(wide(x)))
    s, _ = _sincos(wide(x))
    return real(s)


@kernel(inline=True)
def cos(x: Real) -> Real:
    """Cosine of x [rad]; as `sincos`, and as dear."""
    real = type(x)
    _, c = _sincos_single(wide(x)) if is_single(x) else _sincos(wide(x))
    return real(c)


@kernel(inline=True)
def tan(x: Real) -> Real:
    """Tangent of x [rad]. Error at most 3.5 ulp for |x| <= 1e6; beyond as `sincos`."""
    real = type(x)
    s, c = _sincos_single(wide(x)) if is_single(x) else _sincos(wide(x))
    return real(s / c)


@kernel
def _nearer(a: float, b: float) -> tuple[float, float]:
    """Two very large or small lengths, both times one power of two; of infinite ones the direction."""
    if a == INFINITE or b == INFINITE:
        return 1.0 if a == INFINITE else a * 0.0, 1.0 if b == INFINITE else b * 0.0
    part = 0.25 if max(a, b) > 1.0 else HUGE_PART
    return a * part, b * part


@kernel
def _arctan2(y: float, x: float) -> float:
    """Angle of (x, y), float64; see `arctan2`."""
    a, b = abs(y), abs(x)
    if not SMALL < max(a, b) < LARGE:
        a, b = _nearer(a, b)
    steep = a > b
    less = b if steep else a
    more = a if steep else b
    # arctan q = pi / 4 + arctan((q - 1) / (q + 1)).
    diagonal = less > TAN_HALF * more
    top = less - more if diagonal else less
    bottom = less + more if diagonal else more
    t = top / (bottom if bottom != 0.0 else 1.0)
    z = t * t
    zz = z * z
    z4 = zz * zz
    p = ((A1 + z * A2) + zz * (A3 + z * A4)) + z4 * ((A5 + z * A6) + zz * (A7 + z * A8))
    p = p + (z4 * z4) * ((A9 + z * A10) + zz * (A11 + z * A12) + z4 * A13)
    angle = t + (t * z) * p
    # The angle from the x axis: eighths of a turn, and what is to be added or taken off.
    eighths = 1.0 if diagonal else 0.0
    eighths = 2.0 - eighths if steep else eighths
    angle = -angle if steep else angle
    back = np.copysign(1.0, x) < 0.0
    eighths = 4.0 - eighths if back else eighths
    angle = -angle if back else angle
    return float(np.copysign(eighths * QUARTER_PI_1 + (eighths * QUARTER_PI_2 + angle), y))


@kernel(inline=True)
def arctan2(y: Real, x: Real) -> Real:
    """Angle [rad] of the direction (x, y) from the x axis, in [-pi, pi], with the sign of y.

    Error at most 2 ulp. Signed zeros and infinities as IEEE 754 has them: arctan2(0, -0) is pi.
    """
    real = type(np.minimum(y, x))
    return real(_arctan2(wide(y), wide(x)))


@kernel(inline=True)
def arctan(x: Real) -> Real:
    """Angle [rad] whose tangent is x, in [-pi / 2, pi / 2]. Error at most 2 ulp."""
    real = type(x)
    return real(_arctan2(wide(x), 1.0))


@kernel(inline=True)
def arccos(x: Real) -> Real:
    """Angle [rad] whose cosine is x, in [0, pi]. Error at most 3 ulp; outside [-1, 1] NaN."""
    real = type(x)
    return real(_arccos(wide(x)))


@kernel
def _arccos(x: float) -> float:
    """Angle whose cosine is x, float64; see `arccos`."""
    if not abs(x) <= 1.0:
        return math.nan
    return _arctan2(float(np.sqrt((1.0 - x) * (1.0 + x))), x)


@kernel(inline=True)
def hypot(x: Real, y: Real) -> Real:
    """Length of (x, y). Error at most 1.5 ulp; infinite where one of them is."""
    real = type(np.minimum(x, y))
    return real(_hypot(wide(x), wide(y)))


@kernel
def _hypot(x: float, y: float) -> float:
    """Length of (x, y), float64; see `hypot`."""
    more = max(abs(x), abs(y))
    if SMALL < more < LARGE:
        return float(np.sqrt(x * x + y * y))
    if abs(x) == INFINITE or abs(y) == INFINITE:
        return INFINITE
    part = TINY_PART if more > 1.0 else HUGE_PART
    x, y = x * part, y * part
    return float(np.sqrt(x * x + y * y)) / part
