"""Field: the distance to a body that is made of lofts, in one kernel.

A loft is a row of stations; each is a plane with a superellipse on it. Between two planes the section is
mixed by the distances to both, so that bent lofts stay smooth. Lofts are joined one after the other by
a smooth union whose width each station states for itself: a thigh flows into the trunk, a cannon
does not. Last come moulds, which push the skin out or in along a line. The body is symmetric: all is
drawn for x >= 0 and evaluated at |x|.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hoofbeat.maths.jit import kernel
from hoofbeat.maths.types import Floats, Row, Rows

#: Distance where nothing is near [m].
FAR = 1.0
#: One cross-section: centre and plane normal, two axes in it, half widths along them to both sides, egg
#: (how much wider toward +u), power of the superellipse, width of the union [m].
STATION = np.dtype(
    [
        ("centre", "f8", 3),
        ("normal", "f8", 3),
        ("u", "f8", 3),
        ("v", "f8", 3),
        ("up", "f8"),
        ("down", "f8"),
        ("out", "f8"),
        ("into", "f8"),
        ("egg", "f8"),
        ("power", "f8"),
        ("blend", "f8"),
    ],
    align=True,
)
#: One loft: its stations first..last, lengths of the caps [m], carve = it is subtracted, and a ball about it.
LOFT = np.dtype(
    [
        ("first", "i8"),
        ("last", "i8"),
        ("cap_first", "f8"),
        ("cap_last", "f8"),
        ("carve", "i8"),
        ("centre", "f8", 3),
        ("radius", "f8"),
    ],
    align=True,
)
#: One piece of a mould: a line, how far its effect reaches, how far it pushes the skin out [m], and whether
#: the next row goes on with the same mould.
MOULD = np.dtype(
    [("a", "f8", 3), ("b", "f8", 3), ("radius", "f8"), ("push", "f8"), ("more", "i8")], align=True
)


#: Places of a grid along x, y and z [m].
Axes = tuple[Floats, Floats, Floats]


@dataclass(frozen=True)
class Field:
    """A body as stations (S,) of STATION, lofts (P,) of LOFT and moulds (M,) of MOULD.

    bones (S, J) are the skin weights at every station.
    """

    stations: NDArray[Any]
    lofts: NDArray[Any]
    moulds: NDArray[Any]
    bones: NDArray[np.float64]

    def distance(self, points: NDArray[Any]) -> NDArray[np.float64]:
        """Distance (K,) [m] of points (K, 3) to the skin, negative inside; rough where it is large."""
        out = np.empty(len(points))
        distances(self.stations, self.lofts, self.moulds, np.ascontiguousarray(points, np.float64), out)
        return out

    def gradient(self, points: NDArray[Any], step: float = 1e-3) -> NDArray[np.float64]:
        """Gradient (K, 3) of the distance, from the corners of a small tetrahedron."""
        out = np.zeros((len(points), 3))
        for corner in ((1, 1, 1), (1, -1, -1), (-1, 1, -1), (-1, -1, 1)):
            aside = np.array(corner, np.float64)
            out += self.distance(points + step * aside)[:, None] * aside
        return out / (4 * step)


@kernel
def section_distance(a: Row, b: Row, t: float, u: float, v: float, beyond: float, cap: float) -> float:
    """Distance to the section at the part t between stations a and b, of a place (u, v) in it that lies
    `beyond` it, where the end is rounded by `cap` [m]."""
    r = 1.0 - t
    ru = r * a["up"] + t * b["up"] if u >= 0.0 else r * a["down"] + t * b["down"]
    rv = r * a["out"] + t * b["out"] if v >= 0.0 else r * a["into"] + t * b["into"]
    egg = r * a["egg"] + t * b["egg"]
    power = r * a["power"] + t * b["power"]
    share = u / ru
    bounded = max(-1.0, min(1.0, share))
    rv *= max(0.15, 1.0 + egg * bounded)
    length = np.sqrt(u * u + v * v + beyond * beyond)
    if length < 1e-9:
        return -min(ru, rv)
    flat = abs(share) ** power + abs(v / rv) ** power
    g = np.sqrt(flat ** (2.0 / power) + (beyond / cap) ** 2)
    distance = length * (1.0 - 1.0 / g) if g > 1e-6 else -min(ru, rv)
    return max(distance, -min(ru, rv))


@kernel
def loft_distance(
    stations: Rows, first: int, last: int, caps: Floats, px: float, py: float, pz: float
) -> tuple[float, int, float]:
    """Distance to one loft, the nearest segment and the place in it: (distance, segment, t)."""
    best, where, part = 1e9, first, 0.0
    # Signed height above the plane of the first station, then of the next: one plane a step.
    s = stations[first]
    low = (
        (px - s.centre[0]) * s.normal[0] + (py - s.centre[1]) * s.normal[1] + (pz - s.centre[2]) * s.normal[2]
    )
    for i in range(first, last):
        a, b = stations[i], stations[i + 1]
        high = (
            (px - b.centre[0]) * b.normal[0]
            + (py - b.centre[1]) * b.normal[1]
            + (pz - b.centre[2]) * b.normal[2]
        )
        beyond, cap, t = 0.0, 1.0, 0.0
        use = True
        if low >= 0.0 and high <= 0.0:
            t = low / (low - high + 1e-12)
        elif low < 0.0 and i == first and high <= 0.0:
            t, beyond, cap = 0.0, low, caps[0]
        elif high > 0.0 and i == last - 1 and low >= 0.0:
            t, beyond, cap = 1.0, high, caps[1]
        else:
            use = False
        low = high
        if not use:
            continue
        r = 1.0 - t
        qx = px - (r * a.centre[0] + t * b.centre[0])
        qy = py - (r * a.centre[1] + t * b.centre[1])
        qz = pz - (r * a.centre[2] + t * b.centre[2])
        u = qx * (r * a.u[0] + t * b.u[0]) + qy * (r * a.u[1] + t * b.u[1]) + qz * (r * a.u[2] + t * b.u[2])
        v = qx * (r * a.v[0] + t * b.v[0]) + qy * (r * a.v[1] + t * b.v[1]) + qz * (r * a.v[2] + t * b.v[2])
        if beyond == 0.0:
            # Planes that lean much cross somewhere, and behind that line a slab has no end: what is off the
            # section by more than the slab is long does not belong to it.
            off = abs(
                qx * (r * a.normal[0] + t * b.normal[0])
                + qy * (r * a.normal[1] + t * b.normal[1])
                + qz * (r * a.normal[2] + t * b.normal[2])
            )
            gap = (
                abs(b.centre[0] - a.centre[0])
                + abs(b.centre[1] - a.centre[1])
                + abs(b.centre[2] - a.centre[2])
            )
            beyond, cap = max(off - gap, 0.0), 0.02
        distance = section_distance(a, b, t, u, v, beyond, cap)
        if distance < best:
            best, where, part = distance, i, t
    return best, where, part


@kernel
def mould_push(moulds: Rows, px: float, py: float, pz: float) -> float:
    """How far the moulds push the skin out at a point [m]."""
    push, near = 0.0, 1e9
    for k in range(len(moulds)):
        m = moulds[k]
        ax, ay, az = m.b[0] - m.a[0], m.b[1] - m.a[1], m.b[2] - m.a[2]
        qx, qy, qz = px - m.a[0], py - m.a[1], pz - m.a[2]
        t = (ax * qx + ay * qy + az * qz) / (ax * ax + ay * ay + az * az + 1e-12)
        t = max(0.0, min(1.0, t))
        dx, dy, dz = qx - t * ax, qy - t * ay, qz - t * az
        near = min(near, (dx * dx + dy * dy + dz * dz) / (m.radius * m.radius))
        if m.more == 0:
            if near < 6.0:
                push += m.push * np.exp(-near)
            near = 1e9
    return push


@kernel
def body_distance(stations: Rows, lofts: Rows, moulds: Rows, px: float, py: float, pz: float) -> float:
    """Distance to the whole body at a point, x >= 0."""
    total = FAR
    caps = np.empty(2)
    for k in range(len(lofts)):
        loft = lofts[k]
        cx, cy, cz = px - loft.centre[0], py - loft.centre[1], pz - loft.centre[2]
        if cx * cx + cy * cy + cz * cz > loft.radius * loft.radius:
            continue
        caps[0], caps[1] = loft.cap_first, loft.cap_last
        d, i, t = loft_distance(stations, loft.first, loft.last, caps, px, py, pz)
        width = (1.0 - t) * stations[i].blend + t * stations[i + 1].blend
        if loft.carve != 0:
            h = max(width - abs(total + d), 0.0) / width
            total = max(total, -d) + h * h * width * 0.25
        else:
            h = max(width - abs(total - d), 0.0) / width
            total = min(total, d) - h * h * width * 0.25
    if total < 0.2:
        total -= mould_push(moulds, px, py, pz)
    return total


@kernel
def distances(stations: Rows, lofts: Rows, moulds: Rows, points: Floats, out: Floats) -> None:
    """Distance of every point, written to `out`."""
    for k in range(len(points)):
        out[k] = body_distance(stations, lofts, moulds, abs(points[k, 0]), points[k, 1], points[k, 2])


@kernel
def grid_distances(
    stations: Rows, lofts: Rows, moulds: Rows, axes: tuple[Floats, Floats, Floats], block: int, out: Floats
) -> None:
    """Distances on the grid of three axes (x, y, z), written to `out`.

    A coarse point first: a block whose middle is farther from the skin than its own size is filled with
    that distance.
    """
    xs, ys, zs = axes
    for i0 in range(0, len(xs), block):
        i1 = min(i0 + block, len(xs))
        for j0 in range(0, len(ys), block):
            j1 = min(j0 + block, len(ys))
            for k0 in range(0, len(zs), block):
                k1 = min(k0 + block, len(zs))
                mx, my, mz = (
                    0.5 * (xs[i0] + xs[i1 - 1]),
                    0.5 * (ys[j0] + ys[j1 - 1]),
                    0.5 * (zs[k0] + zs[k1 - 1]),
                )
                size = np.sqrt((xs[i1 - 1] - mx) ** 2 + (ys[j1 - 1] - my) ** 2 + (zs[k1 - 1] - mz) ** 2)
                middle = body_distance(stations, lofts, moulds, mx, my, mz)
                skip = abs(middle) > 2.0 * size + 0.02
                for i in range(i0, i1):
                    for j in range(j0, j1):
                        for k in range(k0, k1):
                            if skip:
                                out[i, j, k] = middle
                            else:
                                out[i, j, k] = body_distance(stations, lofts, moulds, xs[i], ys[j], zs[k])


@kernel
def bindings(
    stations: Rows, lofts: Rows, bones: Floats, softness: float, points: Floats, out: Floats
) -> None:
    """Skin weights (K, J) of points (K, 3), written to `out`: the lofts' own, the near ones counting most."""
    caps = np.empty(2)
    for n in range(len(points)):
        px, py, pz = abs(points[n, 0]), points[n, 1], points[n, 2]
        total = 0.0
        for k in range(len(lofts)):
            loft = lofts[k]
            cx, cy, cz = px - loft.centre[0], py - loft.centre[1], pz - loft.centre[2]
            if loft.carve != 0 or cx * cx + cy * cy + cz * cz > loft.radius * loft.radius:
                continue
            caps[0], caps[1] = loft.cap_first, loft.cap_last
            d, i, t = loft_distance(stations, loft.first, loft.last, caps, px, py, pz)
            share = np.exp(-d / softness)
            total += share
            for j in range(bones.shape[1]):
                out[n, j] += share * ((1.0 - t) * bones[i, j] + t * bones[i + 1, j])
        for j in range(bones.shape[1]):
            out[n, j] /= total
