"""Strain: by how much poses drive a skin out of its bounds, and which way its weights should go for less.

Linear blending is linear in the weights, so the slope is exact but for one thing: the normals that faces
are held against are taken as they are.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hoofbeat.maths.jit import kernel

#: Bounds that are aimed at, a little inside of those that are promised: longest and shortest edge, smallest
#: area of a face seen along its normals, smallest and largest volume; all in parts of rest.
LONG, SHORT, FACE, THIN, FAT = 2.06, 0.42, 0.09, 0.87, 1.13
#: What a volume counts beside an edge, and a face.
VOLUME, FACING = 150.0, 2.0


@kernel
def strain_kernel(
    matrices: Any,
    points: Any,
    normals: Any,
    choice: Any,
    weights: Any,
    edges: Any,
    lengths: Any,
    faces: Any,
    areas: Any,
    owners: Any,
    bones: Any,
    wedges: Any,
    roots: Any,
    volumes: Any,
    at_points: Any,
    at_edges: Any,
    at_faces: Any,
    at_limbs: Any,
    slope: Any,
    ratios: Any,
    views: Any,
    parts: Any,
) -> float:
    """Sum of squared violations over poses; matrices (T, J, 3, 4) lead from rest to each.

    points, normals (V, 3), choice (V, C): joints, weights (V, C); edges (E, 2), lengths (E,), faces (F, 3),
    areas (F,): twice those at rest; wedges (K, 3): faces of limb segments, owners (K,): of which, roots
    (K, 3, 3) on its bone, bones (S,): its joint, volumes (S,) at rest. `at_points`, `at_edges`, `at_faces`
    say what is looked at in which pose, as (start (T + 1,), index); at_limbs (T, S) likewise. slope (V, C)
    gets the derivative by the weights; ratios, views and parts (T, S) what was found of edges, faces, limbs.
    """
    count, many = weights.shape
    places = np.zeros((count, 3))
    facing = np.zeros((count, 3))
    each = np.zeros((count, many, 3))
    pull = np.zeros((count, 3))
    size = np.zeros(len(volumes))
    force = np.zeros(len(volumes))
    ends = np.zeros((3, 3))
    total = 0.0
    slope[:] = 0.0
    for t in range(len(matrices)):
        for n in range(at_points[0][t], at_points[0][t + 1]):
            v = at_points[1][n]
            nx = ny = nz = 0.0
            for x in range(3):
                places[v, x] = 0.0
                pull[v, x] = 0.0
            for c in range(many):
                m = matrices[t, choice[v, c]]
                w = weights[v, c]
                for x in range(3):
                    value = m[x, 0] * points[v, 0] + m[x, 1] * points[v, 1] + m[x, 2] * points[v, 2] + m[x, 3]
                    each[v, c, x] = value
                    places[v, x] += w * value
                nx += w * (m[0, 0] * normals[v, 0] + m[0, 1] * normals[v, 1] + m[0, 2] * normals[v, 2])
                ny += w * (m[1, 0] * normals[v, 0] + m[1, 1] * normals[v, 1] + m[1, 2] * normals[v, 2])
                nz += w * (m[2, 0] * normals[v, 0] + m[2, 1] * normals[v, 1] + m[2, 2] * normals[v, 2])
            long = np.sqrt(nx * nx + ny * ny + nz * nz) + 1e-12
            facing[v, 0], facing[v, 1], facing[v, 2] = nx / long, ny / long, nz / long
        for n in range(at_edges[0][t], at_edges[0][t + 1]):
            e = at_edges[1][n]
            a, b = edges[e, 0], edges[e, 1]
            dx, dy, dz = (
                places[a, 0] - places[b, 0],
                places[a, 1] - places[b, 1],
                places[a, 2] - places[b, 2],
            )
            far = np.sqrt(dx * dx + dy * dy + dz * dz) + 1e-9
            ratio = far / lengths[e]
            ratios[n] = ratio
            over = 0.0
            if ratio > LONG:
                over = ratio - LONG
            elif ratio < SHORT:
                over = 2.0 * (ratio - SHORT)
            if over != 0.0:
                total += over * over
                g = 2.0 * over * (1.0 if over > 0.0 else 2.0) / (lengths[e] * far)
                pull[a, 0] += g * dx
                pull[a, 1] += g * dy
                pull[a, 2] += g * dz
                pull[b, 0] -= g * dx
                pull[b, 1] -= g * dy
                pull[b, 2] -= g * dz
        for n in range(at_faces[0][t], at_faces[0][t + 1]):
            f = at_faces[1][n]
            a, b, c = faces[f, 0], faces[f, 1], faces[f, 2]
            ux, uy, uz = places[b, 0] - places[a, 0], places[b, 1] - places[a, 1], places[b, 2] - places[a, 2]
            vx, vy, vz = places[c, 0] - places[a, 0], places[c, 1] - places[a, 1], places[c, 2] - places[a, 2]
            nx = facing[a, 0] + facing[b, 0] + facing[c, 0]
            ny = facing[a, 1] + facing[b, 1] + facing[c, 1]
            nz = facing[a, 2] + facing[b, 2] + facing[c, 2]
            long = np.sqrt(nx * nx + ny * ny + nz * nz) + 1e-9
            nx, ny, nz = nx / long, ny / long, nz / long
            seen = (nx * (uy * vz - uz * vy) + ny * (uz * vx - ux * vz) + nz * (ux * vy - uy * vx)) / areas[f]
            views[n] = seen
            lack = FACE - seen
            if lack > 0.0:
                total += FACING * lack * lack
                g = -2.0 * FACING * lack / areas[f]
                # Of u, v: (v x n), (n x u).
                bx, by, bz = g * (vy * nz - vz * ny), g * (vz * nx - vx * nz), g * (vx * ny - vy * nx)
                cx, cy, cz = g * (ny * uz - nz * uy), g * (nz * ux - nx * uz), g * (nx * uy - ny * ux)
                pull[b, 0] += bx
                pull[b, 1] += by
                pull[b, 2] += bz
                pull[c, 0] += cx
                pull[c, 1] += cy
                pull[c, 2] += cz
                pull[a, 0] -= bx + cx
                pull[a, 1] -= by + cy
                pull[a, 2] -= bz + cz
        size[:] = 0.0
        for turn in range(2):
            for k in range(len(wedges)):
                s = owners[k]
                if not at_limbs[t, s] or (turn == 1 and force[s] == 0.0):
                    continue
                m = matrices[t, bones[s]]
                for i in range(3):
                    for x in range(3):
                        ends[i, x] = (
                            m[x, 0] * roots[k, i, 0]
                            + m[x, 1] * roots[k, i, 1]
                            + m[x, 2] * roots[k, i, 2]
                            + m[x, 3]
                        )
                p, q, r = places[wedges[k, 0]], places[wedges[k, 1]], places[wedges[k, 2]]
                out = (p + q + r - ends[0] - ends[1] - ends[2]) / 3.0
                f1, f2 = ends[1] - ends[0], ends[2] - ends[0]
                e1, e2 = q - p - f1, r - p - f2
                side = 0.5 * (cross(f1, e2) + cross(e1, f2)) + cross(e1, e2) / 3.0
                if turn == 0:
                    size[s] += 0.5 * (out * side).sum()
                else:
                    g = force[s]
                    mean = g * side / 6.0
                    one = 0.5 * g * (0.5 * cross(f2, out) + cross(e2, out) / 3.0)
                    two = 0.5 * g * (0.5 * cross(out, f1) + cross(out, e1) / 3.0)
                    pull[wedges[k, 0]] += mean - one - two
                    pull[wedges[k, 1]] += mean + one
                    pull[wedges[k, 2]] += mean + two
            if turn == 0:
                for s in range(len(volumes)):
                    part = size[s] / volumes[s] if at_limbs[t, s] else 1.0
                    parts[t, s] = part
                    over = part - FAT if part > FAT else (part - THIN if part < THIN else 0.0)
                    total += VOLUME * over * over
                    force[s] = 2.0 * VOLUME * over / volumes[s]
        for n in range(at_points[0][t], at_points[0][t + 1]):
            v = at_points[1][n]
            if pull[v, 0] != 0.0 or pull[v, 1] != 0.0 or pull[v, 2] != 0.0:
                for c in range(many):
                    for x in range(3):
                        slope[v, c] += pull[v, x] * (each[v, c, x] - places[v, x])
    return total


@kernel
def cross(a: Any, b: Any) -> Any:
    """Cross product of two vectors (3,)."""
    out = np.empty(3)
    out[0] = a[1] * b[2] - a[2] * b[1]
    out[1] = a[2] * b[0] - a[0] * b[2]
    out[2] = a[0] * b[1] - a[1] * b[0]
    return out
