"""Forward kinematics of the thesis's horse: ours beside SciPy, pymotion and plain NumPy.

All have the same local quaternions as input and give world positions and world rotations, in one process, in
turn, the least of several rounds. The peers get their input in the layout they like best, converted
before the clock starts. The tree of the gate is the horse's 49 joints; the 55 nodes include the
end sites of the BVH, which the engine computes too.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hoofbeat.formats.scenefile import THESIS_HORSE, read_scene
from hoofbeat.maths.fk import fk_kernel, forward
from hoofbeat.offline.bench.report import Bench, Figure, Gate
from hoofbeat.offline.bench.yardstick import best

Floats = NDArray[Any]
Result = tuple[Floats, Floats]

FRAMES = 10_000
ROUNDS = 7
#: The two implementations that the gate compares.
OURS, SCIPY = "ours, float64", "SciPy Rotation, by joint"
#: Times faster than SciPy's Rotation, joint by joint, that we promise.
AGAINST_SCIPY = 30.0
#: How far results may differ [m]; pymotion adds an epsilon when it normalises, float32 is float32.
CLOSE, CLOSE_PYMOTION, CLOSE_FLOAT32 = 1e-12, 1e-5, 1e-5


@dataclass(frozen=True)
class _Motion:
    """A tree and random poses: parents (J,), offsets (J, 3) [m], rotations (T, J, 4), origins (T, 3)."""

    parents: NDArray[np.int64]
    offsets: Floats
    rotations: Floats
    origins: Floats


def thesis_motion(frames: int, ends: bool) -> _Motion:
    """Random poses of the thesis's horse, the same every time; with its end sites or without."""
    skeleton = read_scene(THESIS_HORSE).skeleton
    kept = np.flatnonzero(np.ones(len(skeleton), bool) if ends else ~np.asarray(skeleton.ends))
    place = np.full(len(skeleton) + 1, -1)  # one more, so that the root's parent, -1, stays -1
    place[kept] = np.arange(len(kept))
    rng = np.random.default_rng(1)
    rotations = 0.3 * rng.normal(size=(frames, len(kept), 4)) + np.array([0, 0, 0, 1])
    rotations /= np.linalg.norm(rotations, axis=-1, keepdims=True)
    return _Motion(
        place[skeleton.parents[kept]].astype(np.int64),
        np.ascontiguousarray(skeleton.offsets[kept]),
        rotations,
        rng.normal(size=(frames, 3)),
    )


def ours(motion: _Motion, dtype: Any) -> Callable[[], Result]:
    """`hoofbeat.maths.fk.forward`, which allocates its results, as all peers do."""
    offsets, rotations = motion.offsets.astype(dtype), motion.rotations.astype(dtype)
    origins = motion.origins.astype(dtype)
    return lambda: forward(motion.parents, offsets, rotations, origins)


def ours_in_place(motion: _Motion, dtype: Any) -> Callable[[], Result]:
    """The kernel alone, into arrays that are there already: what a step of the engine pays."""
    offsets, rotations = motion.offsets.astype(dtype), motion.rotations.astype(dtype)
    origins = motion.origins.astype(dtype)
    positions, world = np.empty((*rotations.shape[:2], 3), dtype), np.empty_like(rotations)

    def call() -> Result:
        fk_kernel(motion.parents, offsets, rotations, origins, positions, world)
        return positions, world

    return call


def numpy_components(motion: _Motion) -> Callable[[], Result]:
    """Plain NumPy, joint by joint, component by component over all frames: the fastest that we know."""
    local = np.ascontiguousarray(motion.rotations.transpose(1, 2, 0))  # (J, 4, T)
    origins = motion.origins.T

    def call() -> Result:
        world, at = np.empty_like(local), np.empty((len(local), 3, local.shape[2]))
        world[0], at[0] = local[0], origins
        for j in range(1, len(local)):
            p = motion.parents[j]
            gx, gy, gz, gw = world[p]
            x, y, z, w = local[j]
            world[j, 0] = gw * x + gx * w + gy * z - gz * y
            world[j, 1] = gw * y - gx * z + gy * w + gz * x
            world[j, 2] = gw * z + gx * y - gy * x + gz * w
            world[j, 3] = gw * w - gx * x - gy * y - gz * z
            ox, oy, oz = motion.offsets[j]
            tx, ty, tz = 2 * (gy * oz - gz * oy), 2 * (gz * ox - gx * oz), 2 * (gx * oy - gy * ox)
            at[j, 0] = at[p, 0] + ox + gw * tx + gy * tz - gz * ty
            at[j, 1] = at[p, 1] + oy + gw * ty + gz * tx - gx * tz
            at[j, 2] = at[p, 2] + oz + gw * tz + gx * ty - gy * tx
        return at.transpose(2, 0, 1), world.transpose(2, 0, 1)

    return call


def scipy_joints(motion: _Motion) -> Callable[[], Result]:
    """SciPy's Rotation over all frames at once, joint by joint."""
    rotation = importlib.import_module("scipy.spatial.transform").Rotation

    def call() -> Result:
        at, out = np.empty((*motion.rotations.shape[:2], 3)), np.empty_like(motion.rotations)
        world: list[Any] = []
        for j, p in enumerate(motion.parents):
            local = rotation.from_quat(motion.rotations[:, j])
            world.append(local if p < 0 else world[p] * local)
            at[:, j] = motion.origins if p < 0 else at[:, p] + world[p].apply(motion.offsets[j])
            out[:, j] = world[j].as_quat()
        return at, out

    return call


def scipy_levels(motion: _Motion) -> Callable[[], Result] | None:
    """SciPy's Rotation by levels of the tree, for versions whose Rotation has more than one axis."""
    rotation = importlib.import_module("scipy.spatial.transform").Rotation
    try:
        rotation.from_quat(motion.rotations[:1])
    except ValueError:
        return None
    depth = np.zeros(len(motion.parents), int)
    for j, p in enumerate(motion.parents):
        depth[j] = 0 if p < 0 else depth[p] + 1
    levels = [np.flatnonzero(depth == d) for d in range(1, depth.max() + 1)]

    def call() -> Result:
        at, out = np.empty((*motion.rotations.shape[:2], 3)), np.empty_like(motion.rotations)
        at[:, 0], out[:, 0] = motion.origins, motion.rotations[:, 0]
        for level in levels:
            parents = motion.parents[level]
            above = rotation.from_quat(out[:, parents])
            out[:, level] = (above * rotation.from_quat(motion.rotations[:, level])).as_quat()
            at[:, level] = at[:, parents] + above.apply(motion.offsets[level])
        return at, out

    return call


def pymotion_quaternions(motion: _Motion) -> Callable[[], Result]:
    """pymotion's FK by quaternions (its FK by matrices took longer): w first, its root its own parent."""
    skeleton = importlib.import_module("pymotion.ops.skeleton")
    first = np.ascontiguousarray(motion.rotations[..., [3, 0, 1, 2]])
    parents = np.maximum(motion.parents, 0)

    def call() -> Result:
        positions, world = skeleton.fk_quat(first, motion.origins, motion.offsets, parents)
        return positions, world[..., [1, 2, 3, 0]]

    return call


def _calls(motion: _Motion) -> tuple[dict[str, Callable[[], Result]], dict[str, float]]:
    """Every implementation that is installed here, and how near each has to come to ours [m]."""
    calls: dict[str, Callable[[], Result]] = {
        OURS: ours(motion, np.float64),
        "ours, float32": ours(motion, np.float32),
        "ours, float32, in place": ours_in_place(motion, np.float32),
        "NumPy, by component": numpy_components(motion),
    }
    close = {"ours, float32": CLOSE_FLOAT32, "ours, float32, in place": CLOSE_FLOAT32}
    if importlib.util.find_spec("pymotion"):
        calls["pymotion fk_quat"] = pymotion_quaternions(motion)
        close["pymotion fk_quat"] = CLOSE_PYMOTION
    if importlib.util.find_spec("scipy"):
        calls[SCIPY] = scipy_joints(motion)
        levels = scipy_levels(motion)
        if levels is not None:
            calls["SciPy Rotation, by level"] = levels
    return calls, close


def check_agreement(calls: dict[str, Callable[[], Result]], close: dict[str, float]) -> None:
    """Raise where the positions or rotations are not those of ours in float64."""
    positions, world = calls[OURS]()
    for name, call in calls.items():
        limit = close.get(name, CLOSE)
        at, turned = call()
        sign = np.where(np.sum(turned * world, axis=-1, keepdims=True) < 0, -1.0, 1.0)
        worst = max(float(np.abs(at - positions).max()), float(np.abs(sign * turned - world).max()))
        if not worst <= limit:
            raise AssertionError(f"{name} differs from ours by {worst:.2g}, allowed {limit:.2g}")


def scipy_gate(ours_s: float | None, scipy_s: float | None) -> Gate:
    """The promise about FK of 49 joints; None where SciPy is absent."""
    ratio = None if ours_s is None or scipy_s is None else scipy_s / ours_s
    return Gate("FK of 49 joints, times faster than SciPy Rotation", ratio, AGAINST_SCIPY, at_least=True)


def run_gate(frames: int = FRAMES, rounds: int = ROUNDS) -> Gate:
    """Only what the gate needs: ours in float64 and SciPy by joint, on the 49 joints."""
    motion = thesis_motion(frames, ends=False)
    calls = {OURS: ours(motion, np.float64), SCIPY: scipy_joints(motion)}
    check_agreement(calls, {})
    # Ours needs a hundredth of the round, so it may have more tries to find its memory in place.
    again = {f"{OURS}, {k}": calls[OURS] for k in range(8)}
    times = best({**again, SCIPY: calls[SCIPY]}, rounds)
    return scipy_gate(min(times[name] for name in again), times[SCIPY])


def run(frames: int = FRAMES, rounds: int = ROUNDS) -> Bench:
    """Time both trees; the gate is on the 49 joints."""
    figures: list[Figure] = []
    gates: list[Gate] = []
    for ends in (False, True):
        motion = thesis_motion(frames, ends)
        calls, close = _calls(motion)
        check_agreement(calls, close)  # compiles, too
        times = best(calls, rounds)
        tree = f"{len(motion.parents)} {'nodes' if ends else 'joints'}"
        for name, time in times.items():
            note = "" if name.startswith("ours") else f"{time / times[OURS]:.1f} times ours, float64"
            figures.append(Figure(f"{tree}: {name}", time * 1e3, "ms", note))
        if not ends:
            gates.append(scipy_gate(times[OURS], times.get(SCIPY)))
    return Bench(
        "fk",
        f"Forward kinematics of the thesis's horse, {frames:,} frames",
        figures,
        gates,
        [f"results agree: {CLOSE:g} m in float64, {CLOSE_FLOAT32:g} m in float32 and for pymotion"],
    )
