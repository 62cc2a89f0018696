"""Terrain: a kind code with parameters, height and normal from one kernel.

    flat    level ground
    slope   level up to `start`, then rising along +Z at a constant grade, eased in over a length
    hills   three waves of different lengths and directions, level about the origin

Another kind adds a branch in `uneven_at`, never another code path. Level ground is told apart first, so
that it costs nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hoofbeat.errors import HoofbeatError, UnknownName
from hoofbeat.maths.exact.circular import sincos
from hoofbeat.maths.jit import kernel
from hoofbeat.maths.types import Floats, Real, Vec3
from hoofbeat.maths.vec import put

FLAT, SLOPE, HILLS = 0, 1, 2
KINDS = ("flat", "slope", "hills")
#: Which of the eight parameters are lengths [m], a row for each kind; the others are angles and grades.
LENGTHS = np.array(
    [
        [1, 0, 0, 0, 0, 0, 0, 0],  # height
        [1, 0, 1, 1, 0, 0, 0, 0],  # height, grade, start, ease
        [1, 1, 1, 0, 0, 0, 0, 1],  # level, height, length, heading, three phases, radius
    ],
    bool,
)
#: No ground is steeper than this, in metres up for a metre along.
STEEPEST = 0.4
#: The waves of hills: length and share of the height of each, and its direction from the first's [rad].
WAVES = ((1.0, 0.55, 0.0), (1.37, 0.27, 1.1), (0.73, 0.18, -0.8))
#: The first wave runs along +Z, or at most this much to its side [rad].
MOST_ASIDE = 0.4
#: Seeds are whole numbers below this.
SEEDS = 2**32

W0, W1, W2 = (share for _, share, _ in WAVES)
K0, K1, K2 = (2 * np.pi / length for length, _, _ in WAVES)
# Sines and cosines of these directions, written out: what a math library gives differs in the last digit.
S0, S1, S2 = 0.0, 0.8912073600614354, -0.7173560908995228
C0, C1, C2 = 1.0, 0.4535961214255773, 0.6967067093471654
#: How steep hills of height 1 and length 1 may be: all waves at their steepest in one place.
HILL_GRADE = W0 * K0 + W1 * K1 + W2 * K2


class UnknownTerrain(UnknownName):
    """A terrain kind that does not exist."""

    kind = "terrain"


class TerrainError(HoofbeatError):
    """Ground with a parameter that is not a number, or too steep for an animal."""


class Ground(NamedTuple):
    """Ground as kernels take it: kind code and parameters (8,) float64."""

    kind: int
    parameters: Floats


@dataclass(frozen=True, eq=False)
class Terrain:
    """Ground as kernels take it: kind code and parameters (8,) float64, read-only."""

    kind: int
    parameters: NDArray[np.float64]

    def __post_init__(self) -> None:
        _need(0 <= self.kind < len(KINDS), "kind", self.kind, f"0 to {len(KINDS) - 1}: {', '.join(KINDS)}")
        _need(self.parameters.shape == (8,), "shape of parameters", self.parameters.shape, "(8,)")
        # Always read-only: kernels are compiled once for each way an array may be used.
        held = np.array(self.parameters, np.float64)
        held.setflags(write=False)
        object.__setattr__(self, "parameters", held)

    @staticmethod
    def flat(height: float = 0.0) -> Terrain:
        """Level ground at a height [m]."""
        return _made(FLAT, height=height)

    @staticmethod
    def slope(grade: float = 0.1, start: float = 2.0, ease: float = 2.0, height: float = 0.0) -> Terrain:
        """Level ground at `height` [m] up to z = start [m], then `grade` metres up for each metre along +Z.

        A negative grade goes down. The grade is eased in over `ease` [m], more than 0.
        """
        _need(abs(grade) <= STEEPEST, "grade", grade, f"-{STEEPEST:g} to {STEEPEST:g}")
        _need(ease > 0, "ease", ease, "more than 0 m")
        return _made(SLOPE, height=height, grade=grade, start=start, ease=ease)

    @staticmethod
    def hills(
        height: float = 0.3, length: float = 10.0, seed: int = 0, radius: float = 2.0, level: float = 0.0
    ) -> Terrain:
        """Rolling ground that stays within `height` [m] above and below `level` [m].

        length [m]: of the longest-drawn wave along +Z; seed: which hills. It is level within `radius` [m] of
        the origin, and wholly hilly one length farther out.
        """
        _need(height >= 0, "height", height, "0 m or more")
        _need(length > 0, "length", length, "more than 0 m")
        _need(radius >= 0, "radius", radius, "0 m or more")
        grade = HILL_GRADE * height / length
        _need(grade <= STEEPEST, "height / length", height / length, f"at most {STEEPEST / HILL_GRADE:.3f}")
        _need(isinstance(seed, int) and 0 <= seed < SEEDS, "seed", seed, f"a whole number below {SEEDS}")  # pyright: ignore[reportUnnecessaryIsInstance]
        rng = np.random.default_rng(seed)
        heading = rng.uniform(-MOST_ASIDE, MOST_ASIDE)
        phases = rng.uniform(0, 2 * np.pi, 3)
        return _made(
            HILLS,
            level=level,
            height=height,
            length=length,
            heading=heading,
            first=phases[0],
            second=phases[1],
            third=phases[2],
            radius=radius,
        )

    @staticmethod
    def named(name: str) -> Terrain:
        """A terrain by name with default parameters."""
        makers = {"flat": Terrain.flat, "slope": Terrain.slope, "hills": Terrain.hills}
        if name not in makers:
            raise UnknownTerrain(name, KINDS)
        return makers[name]()

    @property
    def ground(self) -> Ground:
        """What kernels take."""
        return Ground(self.kind, self.parameters)

    @property
    def name(self) -> str:
        """The word for its kind."""
        return KINDS[self.kind]

    def scaled(self, factor: float) -> Terrain:
        """The same ground with all lengths `factor` times as long; grades stay."""
        return Terrain(self.kind, np.where(LENGTHS[self.kind], self.parameters * factor, self.parameters))

    def heights(self, x: ArrayLike, z: ArrayLike) -> NDArray[np.float64]:
        """Height of the ground [m] at world x and z [m], arrays of one shape."""
        return self._look(x, z)[..., 0]

    def normals(self, x: ArrayLike, z: ArrayLike) -> NDArray[np.float64]:
        """Unit normals (..., 3) of the ground, world, at x and z [m], arrays of one shape."""
        return self._look(x, z)[..., 1:]

    def _look(self, x: ArrayLike, z: ArrayLike) -> NDArray[np.float64]:
        wide, deep = np.broadcast_arrays(np.asarray(x, np.float64), np.asarray(z, np.float64))
        found = np.empty((wide.size, 4))
        look_over(self.ground, wide.ravel(), deep.ravel(), found)
        return found.reshape(*wide.shape, 4)


def _need(holds: bool, name: str, given: object, allowed: str) -> None:
    if not holds:
        raise TerrainError(f"terrain: {name} is {given!r}; allowed is {allowed}")


def _made(kind: int, **values: float) -> Terrain:
    """A terrain of its parameters in their order."""
    for name, value in values.items():
        _need(bool(np.isfinite(value)), name, value, "a finite number")
    parameters = np.zeros(8)
    parameters[: len(values)] = list(values.values())
    return Terrain(kind, parameters)


@kernel
def uneven_at(ground: Ground, x: Real, z: Real) -> tuple[Real, Vec3]:
    """As `ground_at`, for ground that is not level."""
    parameters = ground.parameters
    if ground.kind == SLOPE:
        grade, ease = parameters[1], parameters[3]
        beyond = max(z - parameters[2], 0.0)
        inside = min(beyond, ease)
        # The grade grows evenly over the ease, so the height begins as a parabola.
        height = grade * (beyond - inside + 0.5 * inside * inside / ease)
        east, north = 0.0, grade * inside / ease
    else:
        height, east, north = hills_at(parameters, x, z)
    up = 1.0 / np.sqrt(1.0 + east * east + north * north)
    return parameters[0] + height, (-east * up, up, -north * up)


@kernel
def hills_at(parameters: Floats, x: Real, z: Real) -> tuple[Real, Real, Real]:
    """Height of hills above their level [m], and its rise along x and along z."""
    high, length, radius = parameters[1], parameters[2], parameters[7]
    far = np.sqrt(x * x + z * z)
    t = min(max((far - radius) / length, 0.0), 1.0)
    if t == 0.0:
        return 0.0, 0.0, 0.0
    # A quintic from level to hilly: slope and curvature begin and end at 0.
    part = t * t * t * (10.0 + t * (6.0 * t - 15.0))
    rate = 30.0 * t * t * (1.0 - t) * (1.0 - t) / length
    s, c = sincos(parameters[3])
    # Across and along the first wave.
    a, b = (c * x - s * z) / length, (s * x + c * z) / length
    p0 = K0 * (S0 * a + C0 * b) + parameters[4]
    p1 = K1 * (S1 * a + C1 * b) + parameters[5]
    p2 = K2 * (S2 * a + C2 * b) + parameters[6]
    (s0, c0), (s1, c1), (s2, c2) = sincos(p0), sincos(p1), sincos(p2)
    wave = W0 * s0 + W1 * s1 + W2 * s2
    q0, q1, q2 = W0 * K0 * c0, W1 * K1 * c1, W2 * K2 * c2
    across, along = (q0 * S0 + q1 * S1 + q2 * S2) / length, (q0 * C0 + q1 * C1 + q2 * C2) / length
    east = high * (part * (c * across + s * along) + rate * wave * x / far)
    north = high * (part * (c * along - s * across) + rate * wave * z / far)
    return high * part * wave, east, north


@kernel(inline=True)
def ground_at(ground: Ground, x: Real, z: Real) -> tuple[Real, Vec3]:
    """Height [m] and unit normal of the ground at world (x, z) [m], float64."""
    height, normal = ground.parameters[0], (0.0, 1.0, 0.0)
    if ground.kind != FLAT:
        height, normal = uneven_at(ground, x, z)
    return height, normal


@kernel
def look_over(ground: Ground, x: Floats, z: Floats, out: Floats) -> None:
    """Height and normal (M, 4) of the ground at world x, z (M,) [m]."""
    for n in range(x.shape[0]):
        height, normal = ground_at(ground, x[n], z[n])
        out[n, 0] = height
        put(out[:, 1:], n, normal)
