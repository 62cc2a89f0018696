"""Leap legs: where the hooves stand before and after a leap, and how they come from one print to the next.

Prints of the canter are those of the canter. In the air a hoof passes points given from its shoulder or
hip, turned with the trunk; it leaves the ground and meets it at rest.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from hoofbeat.body.pose import world_of
from hoofbeat.maths import quat
from hoofbeat.offline.author.hooves import LEVELS, HoofPath, hump, smooth_curve
from hoofbeat.offline.author.leapbody import Leaping, spline, travelled, trunk_at
from hoofbeat.offline.author.leapstyle import ToePath
from hoofbeat.offline.author.limb import AuthoredLimb, LegBones, about_x, solve
from hoofbeat.offline.author.trunk import SCAPULAE, scapula

Floats = NDArray[np.float64]

#: The joint that bears forelegs or hind legs, and turns their points in the air.
BEARS = ("Thoracic02", "SacrumLower")
#: A hoof of the leap is level by this part of its swing.
LEVEL = 0.97


@dataclass(frozen=True)
class Print:
    """One stance: from, to [s]; z of the toe [m]; sink of the fetlock [rad]."""

    begin: float
    end: float
    z: float
    sink: float


@dataclass(frozen=True)
class LegPlan:
    """The prints of one leg, in order, and after which of them it leaps."""

    leap: Leaping
    leg: int
    prints: tuple[Print, ...]
    leaps: int

    @cached_property
    def anchor(self) -> tuple[int, int]:
        """The top joint and the joint that bears the leg."""
        skeleton = self.leap.skeleton
        return skeleton.legs[self.leg].top, skeleton.index(BEARS[self.leg // 2])

    @property
    def points(self) -> ToePath:
        """The points that the hoof passes in the air."""
        style = self.leap.style
        return (style.fore_left, style.fore_right, style.hind_left, style.hind_right)[self.leg]


def plan_of(leap: Leaping, leg: int) -> LegPlan:
    """Every print of a leg near the leap."""
    style, canter = leap.style, leap.canter
    duty = canter.duty[leg // 2] * canter.stride
    middle = _top(leap, leg) + canter.of("reach", leg)
    sink = np.radians(canter.of("sink", leg))

    def cantered(begin: float) -> Print:
        z = middle + 0.5 * canter.speed * duty + float(travelled(leap, np.array([begin]))[0])
        return Print(begin, begin + duty, z, sink)

    def leapt(times: tuple[float, float], ahead: float, deep: float) -> Print:
        z = _top(leap, leg) + ahead + float(travelled(leap, np.array(times[:1]))[0])
        return Print(*times, z, np.radians(deep))

    # A right hind that lands late in the stride belongs to the diagonal that follows.
    at = (canter.touchdown[leg] - (canter.touchdown[leg] > 0.5)) * canter.stride
    before = [cantered(leap.before + at + n * canter.stride) for n in (-2, -1, 0)]
    after = [cantered(leap.after + at + n * canter.stride) for n in (0, 1, 2)]
    if leg in (0, 2):
        last = before[-1]
        before[-1] = replace(last, end=last.begin + style.leaves[leg // 2] * canter.stride)
    if leg < 2:
        begin, end = (style.land_left, style.land_right)[leg]
        now = leapt((style.flight + begin, style.flight + end), style.land_ahead[leg], style.land_sink)
        return LegPlan(leap, leg, (*before, now, *after), len(before) - 1)
    now = leapt((style.push_left, style.push_right)[leg - 2], style.push_ahead[leg - 2], style.push_sink)
    return LegPlan(leap, leg, (*before, now, *after), len(before))


def leg_in_leap(plan: LegPlan, times: Floats) -> tuple[HoofPath, AuthoredLimb, Floats]:
    """The hoof at times (K,), the leg that brings it there, and its shoulder blade's turn (K,) [rad]."""
    leap, leg, canter = plan.leap, plan.leg, plan.leap.canter
    path = path_at(plan, times)
    rotations, origin = trunk_at(leap, times)
    turn = scapula(canter, path.ahead) if leg < 2 else np.zeros(len(times))
    if leg < 2:
        rotations[:, leap.skeleton.index(SCAPULAE[leg])] = about_x(turn)
    positions, turns = world_of(leap.skeleton, rotations, origin)
    top = plan.anchor[0]
    share = path.bent if leg < 2 else np.ones(len(times))
    bones = LegBones(leap.skeleton, leg)
    limb = solve(bones, path, share, positions[:, top], turns[:, leap.skeleton.parents[top]])
    return path, limb, turn


def path_at(plan: LegPlan, times: Floats) -> HoofPath:
    """The hoof at times (K,); its `bent` is the carpus's fold for each degree of the elbow's."""
    canter, leg = plan.leap.canter, plan.leg
    begins, ends, z, deep = np.array([(p.begin, p.end, p.z, p.sink) for p in plan.prints]).T
    n = np.clip(np.searchsorted(begins, times, side="right") - 1, 0, len(begins) - 2)
    down = times < ends[n]
    u = np.clip((times - begins[n]) / (ends[n] - begins[n]), 0.0, 1.0)
    s = np.clip((times - ends[n]) / (begins[n + 1] - ends[n]), 0.0, 1.0)
    leaps = ~down & (n == plan.leaps)
    toe = np.zeros((len(times), 3))
    toe[:, 0] = np.sign(_x(plan)) * canter.of("track", leg)
    lift = canter.of("lift", leg) * hump(s, canter.of("lift_rise", leg), canter.of("lift_fall", leg))
    toe[:, 1] = lift + canter.of("late_lift", leg) * hump(s, canter.of("late_rise", leg), 2.0)
    toe[:, 2] = z[n] + (z[n + 1] - z[n]) * _covered(s, canter.of("early", leg), canter.of("late", leg))
    toe[leaps] = _flown(plan, times[leaps])
    toe[down, 1], toe[down, 2] = 0.0, z[n][down]
    long = np.radians(canter.of("extend", leg))
    sink = np.where(
        down,
        -long + (deep[n] + long) * np.sin(np.pi * u) ** 2,
        -long * (1 - hump(s, 2.0, 2.0)),
    )
    half = 0.5 * canter.speed * canter.duty[leg // 2] * canter.stride
    middle = _top(plan.leap, leg) + canter.of("reach", leg)
    ahead = (toe[:, 2] - travelled(plan.leap, times) - middle) / half
    return HoofPath(down, toe, s, _pitch(plan, times, n), sink, _bent(plan, s, down, leaps), ahead)


def _covered(s: Floats, early: float, late: float) -> Floats:
    """Part of a swing's travel that is covered, as in the cycles."""
    s = s + early * s * (1 - s) ** 2 - late * s * s * (1 - s)
    return s * s * (3 - 2 * s)


def _top(leap: Leaping, leg: int) -> float:
    return float(leap.skeleton.rest_positions()[leap.skeleton.legs[leg].top, 2])


def _x(plan: LegPlan) -> float:
    return float(plan.leap.skeleton.rest_positions()[plan.anchor[0], 0])


def _top_joint(plan: LegPlan, times: Floats) -> tuple[Floats, Floats]:
    """Where the top joint is (K, 3) with the shoulder blade at rest, and how what bears it is held (K, 4)."""
    positions, turns = world_of(plan.leap.skeleton, *trunk_at(plan.leap, times))
    top, bears = plan.anchor
    return positions[:, top], turns[:, bears]


def _flown(plan: LegPlan, times: Floats) -> Floats:
    """The toe (K, 3) in the leap: a curve relative to the top joint, in the directions of the world."""
    start, stop = plan.prints[plan.leaps], plan.prints[plan.leaps + 1]
    points = np.array(plan.points)
    at = np.concatenate([[start.end], plan.leap.seconds(points[:, 0]), [stop.begin]])
    tops, held = _top_joint(plan, at)
    relative = np.zeros((len(at), 3))
    relative[1:-1, 1], relative[1:-1, 2] = points[:, 2], points[:, 1]
    relative = quat.rotate(held, relative)
    relative[0] = np.array([0.0, 0.0, start.z]) - tops[0]
    relative[-1] = np.array([0.0, 0.0, stop.z]) - tops[-1]
    step = 1e-4
    moved = (_top_joint(plan, at[[0, -1]] + step)[0] - _top_joint(plan, at[[0, -1]] - step)[0]) / (2 * step)
    out = np.array(_top_joint(plan, times)[0]) if len(times) else np.zeros((0, 3))
    out[:, 0] = np.sign(_x(plan)) * plan.leap.canter.of("track", plan.leg)
    for axis in (1, 2):
        ends = (-float(moved[0, axis]), -float(moved[1, axis]))
        out[:, axis] += spline(at, relative[:, axis], ends, times)
    return out


def _pitch(plan: LegPlan, times: Floats, n: NDArray[np.int64]) -> Floats:
    """The heel rises before the toe leaves, the hoof folds, opens heel first, and lands level."""
    canter, style, pair = plan.leap.canter, plan.leap.style, plan.leg // 2
    out = np.zeros(len(times))
    for k in np.unique(n):
        this, after = plan.prints[k], plan.prints[k + 1]
        air = after.begin - this.end
        fold, land = canter.of("hoof_fold", plan.leg), np.radians(canter.of("hoof_land", plan.leg))
        folds, opens, level = canter.of("hoof_fold_at", plan.leg), canter.of("hoof_fold_at", plan.leg), LEVELS
        if k == plan.leaps:
            fold, level = style.hoof_fold[pair], LEVEL
            folds, opens = style.hoof_folded[pair], style.hoof_opens[pair]
        fold = np.radians(fold)
        begins = this.begin + canter.of("breakover", plan.leg) * (this.end - this.begin)
        folded, opened, levels = (this.end + part * air for part in (folds, opens, level))
        up = fold * smooth_curve((times - begins) / (folded - begins))
        down = (fold - land) * smooth_curve((times - opened) / (levels - opened))
        pitch = up - down - land * smooth_curve((times - levels) / (after.begin - levels))
        out = np.where(n == k, pitch, out)
    return out


def _bent(plan: LegPlan, s: Floats, down: NDArray[np.bool_], leaps: NDArray[np.bool_]) -> Floats:
    style = plan.leap.style
    folds, opens = style.carpus_folds
    high = smooth_curve(s / folds) * (1 - smooth_curve((s - opens) / (1 - opens)))
    share = np.where(leaps, style.carpus_share * high, plan.leap.canter.carpus_share * hump(s, 1.2, 1.6))
    return np.where(down, 0.0, share)
