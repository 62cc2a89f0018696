"""Hull: a pale body around the bones, as balls joined into tapered capsules.

It is a drawing aid with the proportions of a horse, attached to the skeleton; it holds no data. A ball's
centre is a fixed mix of node positions plus a fixed offset along the body's own axes, so a whole
clip is two matrix products.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from hoofbeat.render.draw.figure import HEAD, NECK, SPINE, TAIL, DrawnFigure, body_axes, unit_vector

# Trunk, from buttock to breast: station (0 = hip, 1 = shoulder), radius and rise of the back above the
# spine, both in parts of the hip-to-shoulder distance. Read off photographs of riding horses.
TRUNK = (
    (-0.13, 0.130, -0.01), (0.00, 0.200, 0.04), (0.18, 0.205, 0.045), (0.42, 0.195, 0.025),
    (0.64, 0.224, 0.02), (0.82, 0.236, 0.035), (1.00, 0.165, -0.06),
)  # fmt: skip
#: The withers: a small ball on the spine that bears the crest of the neck, station and radius.
WITHERS = (0.78, 0.07)
#: Neck nodes behind this station lie inside the trunk and get no ball.
NECK_FROM = 0.92
#: Radii along the neck (girdle to poll) in parts of the neck's length.
NECK_RADII = (0.24, 0.205, 0.165, 0.14, 0.12)
#: Bones of a leg (top, mid, low, pastern, toe): radius at both ends in parts of the leg's length.
FORE_LEG = ((0.100, 0.068), (0.064, 0.036), (0.031, 0.026), (0.027, 0.019), (0.019, 0.006))
HIND_LEG = ((0.135, 0.086), (0.074, 0.036), (0.034, 0.026), (0.027, 0.019), (0.019, 0.006))
#: How far down the upper bone the muscle's ball sits, so that it stays inside the trunk.
MUSCLE = 0.22
#: Tail: radius at the dock, at its fullest and at the tip, in parts of the hip-to-shoulder distance.
TAIL_RADII = (0.030, 0.058, 0.050, 0.018)
# How much narrower than deep each part is, from the front or from above.
TRUNK_WIDTH, NECK_WIDTH, HEAD_WIDTH = 0.92, 0.62, 0.62
LEG_WIDTHS = (0.60, 0.85, 1.0)


@dataclass(frozen=True)
class Hull:
    """Balls and the capsules between them, for one figure.

    weights (B, J) and offsets (B, 5) [m] along the body's up, left, forward, the brow and the nose give
    the centres; radius (B,) [m]; width (B,) is the
    sideways squash; capsules (C, 2) join balls; part (C,) is a leg 0..3, SPINE, NECK, HEAD or TAIL.
    """

    weights: NDArray[np.float64]
    offsets: NDArray[np.float64]
    radius: NDArray[np.float64]
    width: NDArray[np.float64]
    capsules: NDArray[np.int64]
    part: NDArray[np.int64]

    def centres(self, figure: DrawnFigure, positions: NDArray[np.float64]) -> NDArray[np.float64]:
        """Ball centres (T, B, 3) [m], world, for positions (T, J, 3)."""
        if not len(self.radius):
            return np.zeros((len(positions), 0, 3))
        left, up, forward = body_axes(figure, positions)
        if len(figure.neck) > 1:
            nose = unit_vector(
                positions[:, figure.neck[-1]] - positions[:, figure.neck[-2]], (0.0, -0.7, 0.7)
            )
        else:
            nose = forward
        brow = unit_vector(np.cross(nose, left), (0.0, 1.0, 0.0))
        axes = np.stack([up, left, forward, brow, nose], axis=1)  # (T, 5, 3)
        return np.matmul(self.weights, positions) + np.matmul(self.offsets, axes)


@dataclass
class _Builder:
    """Collects balls and capsules while a hull is being built."""

    nodes: int
    rows: list[NDArray[np.float64]] = field(default_factory=list)
    offsets: list[tuple[float, ...]] = field(default_factory=list)
    radius: list[float] = field(default_factory=list)
    width: list[float] = field(default_factory=list)
    capsules: list[tuple[int, int]] = field(default_factory=list)
    part: list[int] = field(default_factory=list)

    def ball(self, where: dict[int, float], radius: float, width: float = 1.0, **axes: float) -> int:
        row = np.zeros(self.nodes)
        for node, weight in where.items():
            row[node] += weight
        self.rows.append(row)
        self.offsets.append(tuple(axes.get(name, 0.0) for name in ("up", "left", "forward", "brow", "nose")))
        self.radius.append(radius)
        self.width.append(width)
        return len(self.rows) - 1

    def join(self, part: int, *balls: int) -> None:
        for a, b in zip(balls, balls[1:], strict=False):
            self.capsules.append((a, b))
            self.part.append(part)

    def done(self) -> Hull:
        count = len(self.rows)
        return Hull(
            np.array(self.rows).reshape(count, self.nodes),
            np.array(self.offsets).reshape(count, 5),
            np.array(self.radius),
            np.array(self.width),
            np.array(self.capsules, np.int64).reshape(-1, 2),
            np.array(self.part, np.int64),
        )


def hull_of(figure: DrawnFigure) -> Hull:
    """The hull of a figure; empty where no legs are named."""
    build = _Builder(len(figure.skeleton))
    if figure.has_legs:
        _neck_and_head(build, figure, *_trunk(build, figure))
        _tail(build, figure)
        for k in range(4):
            _leg(build, figure, k)
    return build.done()


def _midline(figure: DrawnFigure) -> list[int]:
    """Nodes of the topline from the dock to the lower neck, from which the trunk hangs."""
    neck = figure.neck[1 : max(2, len(figure.neck) // 2)]
    return [*figure.tail[1:2], *figure.spine, *neck]


def _stations(figure: DrawnFigure) -> NDArray[np.float64]:
    """Station (J,) of every node at rest: 0 at the hips, 1 at the shoulders."""
    _, _, forward = (axis[0] for axis in body_axes(figure, figure.rest[None]))
    along = figure.rest @ forward
    legs = figure.skeleton.legs
    hip = (along[legs[2].top] + along[legs[3].top]) / 2
    shoulder = (along[legs[0].top] + along[legs[1].top]) / 2
    return (along - hip) / max(float(shoulder - hip), 1e-6)


def _trunk(build: _Builder, figure: DrawnFigure) -> tuple[int, int, int]:
    """Balls attached below the spine; returns those of the girth, the breast and the withers."""
    line, size = _midline(figure), figure.size
    along = _stations(figure)[line]
    balls: list[int] = []
    for station, radius, rise in TRUNK:
        where, beyond = _on_line(line, along, station)
        drop = (rise - radius) * size
        balls.append(build.ball(where, radius * size, TRUNK_WIDTH, up=drop, forward=beyond * size))
    build.join(SPINE, *balls)
    where, beyond = _on_line(line, along, WITHERS[0])
    withers = build.ball(where, WITHERS[1] * size, NECK_WIDTH, up=-0.02 * size, forward=beyond * size)
    return balls[-2], balls[-1], withers


def _on_line(line: list[int], along: NDArray[np.float64], want: float) -> tuple[dict[int, float], float]:
    """Mix of two neighbouring nodes at a forward coordinate, and what is missing past the ends."""
    for a in range(len(line) - 1):
        low, high = along[a], along[a + 1]
        if low <= want <= high and high > low:
            share = float((want - low) / (high - low))
            return {line[a]: 1 - share, line[a + 1]: share}, 0.0
    nearest = int(np.argmin(np.abs(along - want)))
    return {line[nearest]: 1.0}, float(want - along[nearest])


def _neck_and_head(build: _Builder, figure: DrawnFigure, girth: int, breast: int, withers: int) -> None:
    chain = figure.neck
    if len(chain) < 2:
        return
    bones = np.linalg.norm(np.diff(figure.rest[list(chain)], axis=0), axis=1)
    head = max(float(bones[-1]), 1e-6)
    poll = chain[-2]
    length = float(bones[1:-1].sum()) or head
    station = _stations(figure)
    nodes = [n for n in chain[1:-2] if station[n] > NECK_FROM] + [poll]
    balls: list[int] = []
    for i, node in enumerate(nodes):
        share = i / max(len(nodes) - 1, 1)
        radius = float(np.interp(share, np.linspace(0, 1, len(NECK_RADII)), NECK_RADII)) * length
        balls.append(build.ball({node: 1.0}, radius, NECK_WIDTH))
    build.join(SPINE, girth, balls[0])  # the root of the neck belongs to the trunk: the fore legs hide it
    build.join(SPINE, breast, balls[len(balls) // 3])
    build.join(NECK, *balls)
    build.join(NECK, withers, balls[len(balls) // 2])
    cheek = build.ball({poll: 1.0}, 0.25 * head, HEAD_WIDTH, nose=0.28 * head, brow=-0.06 * head)
    bridge = build.ball({poll: 1.0}, 0.17 * head, HEAD_WIDTH, nose=0.62 * head, brow=0.0)
    muzzle = build.ball({poll: 1.0}, 0.145 * head, HEAD_WIDTH, nose=0.96 * head, brow=-0.02 * head)
    build.join(HEAD, balls[-1], cheek, bridge, muzzle)
    for side in (1.0, -1.0):
        base = build.ball({poll: 1.0}, 0.085 * head, 1.0, brow=0.14 * head, left=side * 0.10 * head)
        tip = build.ball(
            {poll: 1.0}, 0.015 * head, 1.0, brow=0.34 * head, nose=-0.30 * head, left=side * 0.15 * head
        )
        build.join(HEAD, base, tip)


def _tail(build: _Builder, figure: DrawnFigure) -> None:
    chain = figure.tail
    if len(chain) < 2:
        return
    shares = np.linspace(0, 1, len(chain) - 1)
    radii = np.interp(shares, np.linspace(0, 1, len(TAIL_RADII)), TAIL_RADII) * figure.size
    balls = [build.ball({n: 1.0}, float(r), 0.8) for n, r in zip(chain[1:], radii, strict=True)]
    build.join(TAIL, *balls)


def _leg(build: _Builder, figure: DrawnFigure, k: int) -> None:
    """Capsules down one leg; a paw without a fetlock goes straight from the carpus or hock to the toe."""
    leg = figure.skeleton.legs[k]
    radii = FORE_LEG if k < 2 else HIND_LEG
    length = float(figure.leg_lengths[k])
    nodes = [n for n in figure.legs[k] if n in _below(figure, leg.top)]
    stations = [leg.top, leg.mid, leg.low, leg.pastern]
    bone = 0
    for a, b in zip(nodes, nodes[1:], strict=False):
        if a in stations:
            bone = stations.index(a)
        elif bone == 3:
            bone = 4
        last = b == leg.toe
        if last and leg.pastern >= 0:
            break  # the hoof is drawn there
        near, far = radii[bone]
        inside, width = MUSCLE if bone == 0 else 0.0, LEG_WIDTHS[min(bone, 2)]
        inward = (-0.35 if k % 2 == 0 else 0.35) * near * length if bone == 0 else 0.0
        ball_a = build.ball({a: 1.0 - inside, b: inside}, near * length, width, left=inward)
        ball_b = build.ball({b: 1.0}, (radii[4][1] if last else far) * length, width)
        build.join(k, ball_a, ball_b)


def _below(figure: DrawnFigure, top: int) -> set[int]:
    inside = {top}
    for j in range(len(figure.skeleton)):
        if int(figure.skeleton.parents[j]) in inside:
            inside.add(j)
    return inside
