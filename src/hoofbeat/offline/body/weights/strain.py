"""Strain: by how much poses drive a skin out of its bounds, and in which direction its weights should change
for less.

Linear blending is linear in the weights, so the slope is exact but for one thing: the normals that faces
are compared with are used as they are.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hoofbeat.maths.jit import kernel
from hoofbeat.maths.types import Flags, Floats, Int, Ints, Real, Vec3
from hoofbeat.maths.vec import add, cross, divide, dot, length, put, scale, sub, vec

#: Bounds that are aimed at, a little inside of those that are promised: longest and shortest edge, smallest
#: area of a face along its normals, smallest and largest volume; all in parts of rest.
LONG, SHORT, FACE, THIN, FAT = 2.06, 0.42, 0.09, 0.87, 1.13
#: What a volume counts beside an edge, and a face.
VOLUME, FACING = 150.0, 2.0


class Surface(NamedTuple):
    """A half body at rest: points, normals (V, 3); choice (V, C): joints that may move each point; edges
    (E, 2) and their lengths (E,); faces (F, 3) and twice their areas (F,)."""

    points: Floats
    normals: Floats
    choice: Ints
    edges: Ints
    lengths: Floats
    faces: Ints
    areas: Floats


class LimbStrain(NamedTuple):
    """Limb segments whose volume is held: wedges (K, 3), faces of segments; owners (K,): of which; roots
    (K, 3, 3): their corners on its bone; bones (S,): its joint; volumes (S,) at rest."""

    wedges: Ints
    owners: Ints
    roots: Floats
    bones: Ints
    volumes: Floats


class Watched(NamedTuple):
    """What is looked at in which pose: points, edges and faces as (start (T + 1,), index); limbs (T, S)."""

    points: tuple[Ints, Ints]
    edges: tuple[Ints, Ints]
    faces: tuple[Ints, Ints]
    limbs: Flags


class Found(NamedTuple):
    """What was found: ratios of edges watched, views of faces watched, parts (T, S) of the volumes."""

    ratios: Floats
    views: Floats
    parts: Floats


class _Scratch(NamedTuple):
    """Of one pose: places, unit normals and pulls of points (V, 3); each (V, C, 3): where each joint alone
    would have them; ends (3, 3) of a wedge on its bone."""

    places: Floats
    facing: Floats
    each: Floats
    pull: Floats
    ends: Floats


@kernel(inline=True)
def pull_on(pull: Floats, v: Int, by: Vec3) -> None:
    """Add to the pull on a point."""
    put(pull, v, add(vec(pull, v), by))


@kernel(inline=True)
def moved(m: Floats, point: Vec3) -> Vec3:
    """A point as a matrix (3, 4) moves it."""
    return (
        dot(vec(m, 0), point) + m[0, 3],
        dot(vec(m, 1), point) + m[1, 3],
        dot(vec(m, 2), point) + m[2, 3],
    )


@kernel
def blend(surface: Surface, weights: Floats, matrices: Floats, v: Int, scratch: _Scratch) -> None:
    """Place and normal of point v in a pose, matrices (J, 3, 4); its pull starts at none."""
    point, normal = vec(surface.points, v), vec(surface.normals, v)
    place = side = (0.0, 0.0, 0.0)
    for c in range(weights.shape[1]):
        m, w = matrices[surface.choice[v, c]], weights[v, c]
        there = moved(m, point)
        put(scratch.each[v], c, there)
        place = add(place, scale(there, w))
        side = add(side, scale((dot(vec(m, 0), normal), dot(vec(m, 1), normal), dot(vec(m, 2), normal)), w))
    put(scratch.places, v, place)
    put(scratch.facing, v, divide(side, length(side) + 1e-12))
    put(scratch.pull, v, (0.0, 0.0, 0.0))


@kernel
def strain_edge(surface: Surface, e: Int, scratch: _Scratch) -> tuple[Real, Real]:
    """Ratio of an edge to its length at rest, and what it adds to the strain; pulls its ends."""
    a, b = surface.edges[e, 0], surface.edges[e, 1]
    along = sub(vec(scratch.places, a), vec(scratch.places, b))
    far = length(along) + 1e-9
    ratio = far / surface.lengths[e]
    over = 0.0
    if ratio > LONG:
        over = ratio - LONG
    elif ratio < SHORT:
        over = 2.0 * (ratio - SHORT)
    if over != 0.0:
        by = scale(along, 2.0 * over * (1.0 if over > 0.0 else 2.0) / (surface.lengths[e] * far))
        pull_on(scratch.pull, a, by)
        pull_on(scratch.pull, b, scale(by, -1.0))
    return ratio, over * over


@kernel
def strain_face(surface: Surface, f: Int, scratch: _Scratch) -> tuple[Real, Real]:
    """Area of a face along its normals [parts of rest], and what it adds to the strain; pulls its corners."""
    a, b, c = surface.faces[f, 0], surface.faces[f, 1], surface.faces[f, 2]
    places, facing = scratch.places, scratch.facing
    u, v = sub(vec(places, b), vec(places, a)), sub(vec(places, c), vec(places, a))
    n = add(add(vec(facing, a), vec(facing, b)), vec(facing, c))
    n = divide(n, length(n) + 1e-9)
    view = dot(n, cross(u, v)) / surface.areas[f]
    lack = FACE - view
    if lack <= 0.0:
        return view, 0.0
    g = -2.0 * FACING * lack / surface.areas[f]
    at_b, at_c = scale(cross(v, n), g), scale(cross(n, u), g)
    pull_on(scratch.pull, b, at_b)
    pull_on(scratch.pull, c, at_c)
    pull_on(scratch.pull, a, scale(add(at_b, at_c), -1.0))
    return view, FACING * lack * lack


@kernel
def wedge(
    limbs: LimbStrain, k: Int, matrix: Floats, places: Floats, ends: Floats
) -> tuple[Vec3, Vec3, Vec3, Vec3, Vec3]:
    """Wedge k between a face and its bone, moved by matrix (3, 4): the direction out from bone to face, two
    sides on the bone, and how far the two sides of the face differ from them. ends (3, 3) are written."""
    for i in range(3):
        put(ends, i, moved(matrix, vec(limbs.roots[k], i)))
    corners = limbs.wedges[k]
    p, q, r = vec(places, corners[0]), vec(places, corners[1]), vec(places, corners[2])
    first, second, third = vec(ends, 0), vec(ends, 1), vec(ends, 2)
    out = divide(sub(sub(sub(add(add(p, q), r), first), second), third), 3.0)
    f1, f2 = sub(second, first), sub(third, first)
    return out, f1, f2, sub(sub(q, p), f1), sub(sub(r, p), f2)


@kernel(inline=True)
def mean_area(f1: Vec3, f2: Vec3, e1: Vec3, e2: Vec3) -> Vec3:
    """Twice the mean area of a wedge's sections, as a vector."""
    return add(scale(add(cross(f1, e2), cross(e1, f2)), 0.5), divide(cross(e1, e2), 3.0))


@kernel
def limb_sizes(limbs: LimbStrain, matrices: Floats, watched: Flags, scratch: _Scratch, size: Floats) -> None:
    """Volume (S,) of every limb watched (S,) in a pose, into size."""
    size[:] = 0.0
    for k in range(len(limbs.wedges)):
        s = limbs.owners[k]
        if watched[s]:
            out, f1, f2, e1, e2 = wedge(limbs, k, matrices[limbs.bones[s]], scratch.places, scratch.ends)
            size[s] += 0.5 * dot(out, mean_area(f1, f2, e1, e2))


@kernel
def pull_limbs(limbs: LimbStrain, matrices: Floats, force: Floats, scratch: _Scratch) -> None:
    """Pull the faces of limbs whose volume is out of bounds; force (S,): slope of strain by volume."""
    for k in range(len(limbs.wedges)):
        s = limbs.owners[k]
        g = float(force[s])
        if g == 0.0:
            continue
        out, f1, f2, e1, e2 = wedge(limbs, k, matrices[limbs.bones[s]], scratch.places, scratch.ends)
        mean = scale(mean_area(f1, f2, e1, e2), g / 6.0)
        one = scale(add(scale(cross(f2, out), 0.5), divide(cross(e2, out), 3.0)), 0.5 * g)
        two = scale(add(scale(cross(out, f1), 0.5), divide(cross(out, e1), 3.0)), 0.5 * g)
        pull_on(scratch.pull, limbs.wedges[k, 0], sub(sub(mean, one), two))
        pull_on(scratch.pull, limbs.wedges[k, 1], add(mean, one))
        pull_on(scratch.pull, limbs.wedges[k, 2], add(mean, two))


@kernel
def strain_limbs(
    limbs: LimbStrain, matrices: Floats, watched: Flags, scratch: _Scratch, force: Floats, parts: Floats
) -> Real:
    """What the volumes of limbs watched (S,) add to the strain in a pose; parts (S,) of rest are written."""
    total = 0.0
    limb_sizes(limbs, matrices, watched, scratch, force)
    for s in range(len(limbs.volumes)):
        part = force[s] / limbs.volumes[s] if watched[s] else 1.0
        parts[s] = part
        over = part - FAT if part > FAT else (part - THIN if part < THIN else 0.0)
        total += VOLUME * over * over
        force[s] = 2.0 * VOLUME * over / limbs.volumes[s]
    pull_limbs(limbs, matrices, force, scratch)
    return total


@kernel
def strain_kernel(
    matrices: Floats,
    surface: Surface,
    weights: Floats,
    limbs: LimbStrain,
    watched: Watched,
    slope: Floats,
    found: Found,
) -> Real:
    """Sum of squared violations over poses; matrices (T, J, 3, 4) lead from rest to each.

    weights (V, C) of the joints chosen; slope (V, C) gets the derivative by them.
    """
    count, many = weights.shape
    scratch = _Scratch(
        np.zeros((count, 3)),
        np.zeros((count, 3)),
        np.zeros((count, many, 3)),
        np.zeros((count, 3)),
        np.zeros((3, 3)),
    )
    force = np.zeros(len(limbs.volumes))
    point_start, point_index = watched.points
    edge_start, edge_index = watched.edges
    face_start, face_index = watched.faces
    total = 0.0
    slope[:] = 0.0
    for t in range(len(matrices)):
        for n in range(point_start[t], point_start[t + 1]):
            blend(surface, weights, matrices[t], point_index[n], scratch)
        for n in range(edge_start[t], edge_start[t + 1]):
            found.ratios[n], strain = strain_edge(surface, edge_index[n], scratch)
            total += strain
        for n in range(face_start[t], face_start[t + 1]):
            found.views[n], strain = strain_face(surface, face_index[n], scratch)
            total += strain
        total += strain_limbs(limbs, matrices[t], watched.limbs[t], scratch, force, found.parts[t])
        for n in range(point_start[t], point_start[t + 1]):
            v = point_index[n]
            pull, place = vec(scratch.pull, v), vec(scratch.places, v)
            if pull != (0.0, 0.0, 0.0):
                for c in range(many):
                    slope[v, c] += dot(pull, sub(vec(scratch.each[v], c), place))
    return total
