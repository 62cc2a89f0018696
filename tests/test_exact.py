"""Our own sines, powers and the like: how exact they are, and the laws they keep to the last bit."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from hoofbeat.maths.exact.circular import FARTHEST, arccos, arctan, arctan2, cos, hypot, sin, sincos, tan
from hoofbeat.maths.exact.powers import e_to, exp2, ln, log2, power
from hoofbeat.maths.jit import kernel

pytestmark = pytest.mark.kernels

#: What the docstrings promise for float64 [ulp], and NumPy's function of the same.
PROMISED = {
    "sin": (2.0, np.sin),
    "cos": (2.0, np.cos),
    "tan": (3.5, np.tan),
    "arctan": (2.0, np.arctan),
    "arccos": (3.0, np.arccos),
    "exp": (1.5, np.exp),
    "exp2": (1.5, np.exp2),
    "log": (1.0, np.log),
    "log2": (1.0, np.log2),
    "arctan2": (2.0, np.arctan2),
    "hypot": (1.5, np.hypot),
    "power": (2.0, np.power),
}
ONE_NUMBER = tuple(PROMISED)[:9]
TWO_NUMBERS = tuple(PROMISED)[9:]
#: And for float32, whatever the function.
SINGLE = 0.501
#: The largest angle for which the promise holds [rad], and the largest exponent of `power`.
ANGLE, EXPONENT = 1e6, 64.0
#: The oracle: 64 bits of fraction or more. Where a system has none, only the laws are tested.
WIDE = np.finfo(np.longdouble).nmant >= 63

TWOS = [2.0**k for k in (-1074, -1073, -1023, -1022, -600, -53, -26, -1, 0, 1, 26, 40, 479, 480, 481, 1023)]
EDGES = [
    0.25,
    0.4999999999999999,
    0.75,
    np.sqrt(0.5),
    np.sqrt(2.0),
    1.5,
    3.0,
    10.0,
    700.0,
    709.78,
    709.79,
    744.0,
]
EDGES += [745.2, 759.0, 800.0, 1023.5, 1074.0, 1075.0, 1e6, 1e15, 1.7e308]
HALF_TURNS = [k * np.pi / 4 for k in (*range(1, 20), 99, 1234, 99999, 1273239)]
SPECIAL = [0.0, *TWOS, *EDGES, *HALF_TURNS]
SPECIAL += [np.nextafter(x, away) for x in (*TWOS[3:-1], *HALF_TURNS) for away in (0.0, np.inf)]
SPECIAL += [-x for x in SPECIAL] + [np.inf, -np.inf, np.nan]


@kernel
def every(xs, ys, out):
    """All functions: out[k, i] of xs[i] and ys[i], in the order of PROMISED."""
    for i in range(xs.shape[0]):
        x, y = xs[i], ys[i]
        out[0, i], out[1, i] = sincos(x)
        out[2, i], out[3, i], out[4, i] = tan(x), arctan(x), arccos(x)
        out[5, i], out[6, i], out[7, i], out[8, i] = e_to(x), exp2(x), ln(x), log2(x)
        out[9, i], out[10, i], out[11, i] = arctan2(y, x), hypot(x, y), power(abs(x), y)


def results(xs, ys=None):
    """Name: results of that function for xs and, of two numbers, ys."""
    xs = np.asarray(xs)
    ys = np.ones_like(xs) if ys is None else np.asarray(ys, xs.dtype)
    out = np.empty((len(PROMISED), len(xs)), xs.dtype)
    with np.errstate(over="ignore"):  # float32 results that are infinite, where nothing is compiled
        every(xs, ys, out)
    return dict(zip(PROMISED, out, strict=True))


def reference(name, xs, ys=None):
    """What NumPy says, in long double."""
    x = np.asarray(xs).astype(np.longdouble)
    y = np.ones_like(x) if ys is None else np.asarray(ys).astype(np.longdouble)
    function = PROMISED[name][1]
    with np.errstate(all="ignore"):
        if name in ONE_NUMBER:
            return function(x)
        return function(y, x) if name == "arctan2" else function(abs(x) if name == "power" else x, y)


def ulps(got, wanted):
    """By how many units in the last place results are off; NaN and infinity must be met."""
    with np.errstate(all="ignore"):
        rounded = wanted.astype(got.dtype)
        off = np.abs(got.astype(np.longdouble) - wanted) / np.spacing(np.abs(rounded))
    same = (got == rounded) | (np.isnan(got) & np.isnan(rounded))
    off = np.where(np.isfinite(rounded) & np.isfinite(got), off, np.inf)
    return np.where(same, np.fmin(off, 0.5), off)


def samples(seed, count, dtype=np.float64):
    """Random numbers, most as the engine meets them, some of every size; and exponents for `power`."""
    rng = np.random.default_rng(seed)
    least, most = (-120, 120) if dtype == np.float32 else (-1074, 1023)
    sizes = 2.0 ** rng.uniform(least, most, count)
    kinds = (
        rng.uniform(-1, 1, count),
        rng.uniform(-10, 10, count),
        rng.uniform(-745, 745, count),
        rng.uniform(-ANGLE, ANGLE, count),
        rng.integers(-600_000, 600_000, count) * (np.pi / 2),
        1 + rng.choice([-1, 1], count) * 2.0 ** rng.uniform(-50, -1, count),
        sizes * rng.choice([-1, 1], count),
    )
    xs = np.concatenate(kinds).astype(dtype)
    ys = np.concatenate([rng.permutation(x) for x in kinds]).astype(dtype)
    exponents = rng.uniform(-EXPONENT, EXPONENT, len(xs)).astype(dtype)
    return xs, ys, exponents


def worst(xs, ys, exponents):
    """Name: the largest error [ulp] where a promise is made."""
    got = results(xs, ys)
    got["power"] = results(xs, exponents)["power"]
    found = {}
    for name in PROMISED:
        held = np.abs(xs) <= ANGLE if name in ("sin", "cos", "tan") else np.ones(len(xs), bool)
        off = ulps(got[name][held], reference(name, xs, exponents if name == "power" else ys)[held])
        found[name] = float(off.max())
    return found


@pytest.mark.skipif(not WIDE, reason="long double is no wider than double here")
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_errors_are_as_promised(dtype):
    found = worst(*samples(1, 500, dtype))
    promised = {name: bound if dtype == np.float64 else SINGLE for name, (bound, _) in PROMISED.items()}
    assert {name: off for name, off in found.items() if off > promised[name]} == {}


@pytest.mark.slow
@pytest.mark.skipif(not WIDE, reason="long double is no wider than double here")
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_errors_are_as_promised_for_millions(dtype):
    for seed in range(10):
        found = worst(*samples(seed, 150_000, dtype))
        promised = {name: bound if dtype == np.float64 else SINGLE for name, (bound, _) in PROMISED.items()}
        assert {name: off for name, off in found.items() if off > promised[name]} == {}


@pytest.mark.skipif(not WIDE, reason="long double is no wider than double here")
def test_special_numbers_are_as_ieee_754_has_them():
    xs = np.array(SPECIAL)
    got = results(xs)
    for name in ONE_NUMBER:
        held = np.abs(xs) <= ANGLE if name in ("sin", "cos", "tan") else np.ones(len(xs), bool)
        off = ulps(got[name][held], reference(name, xs)[held])
        assert off.max() <= PROMISED[name][0], (name, xs[held][off.argmax()])


@pytest.mark.skipif(not WIDE, reason="long double is no wider than double here")
def test_special_pairs_are_as_ieee_754_has_them():
    pairs = np.array(list(itertools.product(SPECIAL[::2] + SPECIAL[-3:] + [0.0, -0.0], repeat=2)))
    xs, ys = np.ascontiguousarray(pairs.T)
    got = results(xs, ys)
    for name in TWO_NUMBERS:
        # An exponent as large as that magnifies every error; where it matters is told by its docstring.
        held = np.abs(ys) <= EXPONENT if name == "power" else np.ones(len(xs), bool)
        off = ulps(got[name][held], reference(name, xs, ys)[held])
        assert off.max() <= PROMISED[name][0], (name, xs[held][off.argmax()], ys[held][off.argmax()])
    number = ~(np.isnan(xs) | np.isnan(ys))
    assert (np.signbit(got["arctan2"]) == np.signbit(ys))[number].all()


def test_powers_at_the_edges():
    edges = [0.0, 0.5, 1.0, 2.0, np.inf, np.nan, 1e-310, 1e308]
    exponents = [0.0, -0.0, 1.0, -1.0, 0.5, 1e3, -1e3, 1e300, -1e300, np.inf, -np.inf, np.nan]
    xs, ys = np.array(list(itertools.product(edges, exponents))).T.copy()
    with np.errstate(all="ignore"):
        wanted = np.power(xs, ys)
    np.testing.assert_allclose(results(xs, ys)["power"], wanted, rtol=1e-13)
    for x in (-1.0, -0.5, -np.inf):
        assert np.isnan(power(x, 2.0)) and power(x, 0.0) == 1


def test_large_angles_stay_bounded():
    xs = np.concatenate([10.0 ** np.linspace(6, 12, 200), [FARTHEST]])
    got = results(xs)
    for name in ("sin", "cos"):
        assert (np.abs(got[name] - reference(name, xs)) <= np.maximum(xs * 2.0**-52, 1e-15)).all()
    s, c = sincos(2 * FARTHEST)
    assert (s, c) == (0, 1)


def test_halves_of_the_line_are_mirror_images_to_the_bit():
    xs, ys, _ = samples(2, 200)
    got, mirrored = results(xs, ys), results(-xs, -ys)
    for name, sign in (("sin", -1), ("cos", 1), ("tan", -1), ("arctan", -1), ("hypot", 1)):
        assert (sign * got[name]).tobytes() == mirrored[name].tobytes(), name
    assert got["arctan2"].tobytes() == (-results(xs, -ys)["arctan2"]).tobytes()
    zeros = results(np.array([0.0, -0.0]))
    for name in ("sin", "tan", "arctan"):
        assert zeros[name].tolist() == [0, 0] and np.signbit(zeros[name]).tolist() == [False, True], name


def test_sine_and_cosine_lie_on_the_circle_and_one_alone_is_the_same():
    xs, _, _ = samples(3, 200)
    xs = xs[np.abs(xs) < 1e12]
    got = results(xs)
    assert np.abs(got["sin"] ** 2 + got["cos"] ** 2 - 1).max() < 5e-16
    for x in xs[::40]:
        assert (sin(x), cos(x)) == sincos(x)


def test_functions_undo_each_other():
    xs = np.random.default_rng(4).uniform(-10, 10, 500)
    got = results(xs)
    assert results(got["exp"])["log"] == pytest.approx(xs, abs=1e-15 * 10, rel=1e-15)
    assert results(got["exp2"])["log2"] == pytest.approx(xs, abs=1e-15 * 10, rel=1e-15)
    inside = xs[np.abs(xs) < 3.1]
    got = results(inside)
    assert results(got["cos"], got["sin"])["arctan2"] == pytest.approx(inside, abs=1e-15)
    assert results(got["cos"])["arccos"] == pytest.approx(np.abs(inside), abs=1e-14)
    steep = inside[np.abs(inside) < 1.57]
    assert results(results(steep)["tan"])["arctan"] == pytest.approx(steep, rel=1e-15)


def test_whole_exponents_are_exact():
    whole = np.arange(-1074.0, 1024.0)
    with np.errstate(all="ignore"):
        wanted = np.ldexp(1.0, whole.astype(int))
    assert results(whole)["exp2"].tolist() == wanted.tolist()
    assert results(wanted)["log2"].tolist() == whole.tolist()
    assert results(np.full(len(whole), 2.0), whole)["power"].tolist() == wanted.tolist()
    for x in np.random.default_rng(5).uniform(0, 1, 20):
        assert power(x, 1.0) == x and power(x, 0.0) == 1 and e_to(0.0) == 1 and ln(1.0) == 0


def test_what_rises_never_falls():
    """From one float32 to the next; a last bit of float64 may go either way."""
    xs = np.linspace(-8, 8, 4001, dtype=np.float32).astype(np.float64)
    got = results(xs)
    for name in ("arctan", "exp", "exp2"):
        assert (np.diff(got[name]) > 0).all(), name
    above = results(np.linspace(0.01, 8, 4001, dtype=np.float32).astype(np.float64))
    assert (np.diff(above["log"]) > 0).all() and (np.diff(above["log2"]) > 0).all()
    inner = results(np.linspace(-1, 1, 4001, dtype=np.float32).astype(np.float64))
    assert (np.diff(inner["arccos"]) < 0).all() and (np.diff(inner["sin"]) > 0).all()


def test_the_result_has_the_precision_of_the_argument():
    xs = np.linspace(0.1, 0.9, 9, dtype=np.float32)
    wide, narrow = results(xs.astype(np.float64)), results(xs)
    for name in PROMISED:
        assert narrow[name].tolist() == wide[name].astype(np.float32).tolist(), name
    one = np.empty(2)

    @kernel
    def squared(x, y, out):
        """The second would differ if the sine were a float64."""
        s = sin(x)
        out[0], out[1] = s * s, arctan2(s, y)

    squared(xs[3], xs[4], one)
    s = np.float32(np.sin(np.float64(xs[3])))
    assert one[0] == s * s
    assert one[1] == np.float32(np.arctan2(np.float64(s), np.float64(xs[4])))
