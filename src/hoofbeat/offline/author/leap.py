"""Leap: a leap's style becomes its record, and the record a clip to look at."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hoofbeat.body.clip import Clip
from hoofbeat.body.pose import world_of
from hoofbeat.body.skeleton import Skeleton
from hoofbeat.errors import ClipError
from hoofbeat.gaits.leap import HOLD, LOW, MID, PITCH, SCAPULA, SINK, Leap
from hoofbeat.maths import quat
from hoofbeat.offline.author.hooves import HoofPath
from hoofbeat.offline.author.leapbody import leaping_of, mass_at, trunk_at
from hoofbeat.offline.author.leaplegs import leg_in_leap, plan_of
from hoofbeat.offline.author.leapstyle import LeapStyle
from hoofbeat.offline.author.limb import AuthoredLimb, LegBones, about_x, solve
from hoofbeat.offline.author.style import Style
from hoofbeat.offline.author.trunk import JOINTS, SCAPULAE

Floats = NDArray[np.float64]

#: A mid joint flexed less than this [rad] says nothing about the share of the low one.
STRAIGHT = 1e-3


def make_leap(style: LeapStyle, canter: Style, skeleton: Skeleton) -> Leap:
    """The leap that a style describes, out of a canter and into it again."""
    leap = leaping_of(style, canter, skeleton)
    begin = leap.before - (1 - style.begins) * canter.stride
    rows = round((leap.after + style.ends * canter.stride - begin) * style.rate) + 1
    times = begin + np.arange(rows) / style.rate
    rotations, root = trunk_at(leap, times)
    toe, hold = np.zeros((rows, 4, 3)), np.zeros((rows, 4, len(HOLD)))
    stances: list[tuple[float, float, float]] = []
    for leg in range(4):
        plan = plan_of(leap, leg)
        path, limb, turn = leg_in_leap(plan, times)
        toe[:, leg] = np.where(path.down[:, None], path.toe, limb.toe)
        columns = (path.pitch, path.sink, turn, limb.mid_flexion, limb.low_flexion)
        hold[:, leg] = np.stack(columns, axis=1)
        stances += [(float(leg), p.begin - begin, p.end - begin) for p in plan.prints]
    last = (rows - 1) / style.rate
    kept = [stance for stance in stances if stance[2] > 0 and stance[1] < last]
    mass = mass_at(leap, times)
    highest = mass_at(leap, np.linspace(0.0, style.flight, 1001))[:, 1].max()
    return Leap(
        name=style.name,
        gait=canter.gait,
        canter=canter.name,
        rate=style.rate,
        takeoff=-begin,
        landing=style.flight - begin,
        height=style.height,
        length=style.length,
        gain=float(highest - mass_at(leap, np.zeros(1))[0, 1]),
        speed_in=canter.speed,
        speed_out=canter.speed,
        phase_in=style.begins,
        phase_out=(times[-1] - leap.after) / canter.stride % 1.0,
        root=root,
        mass=mass,
        trunk=quat.continuous(rotations[:, [skeleton.index(name) for name in JOINTS]]),
        toe=toe,
        hold=hold,
        stances=np.array(sorted(kept, key=lambda stance: stance[1])),
        joints=JOINTS,
    )


def leap_clip(leap: Leap, skeleton: Skeleton, fps: float = 60.0) -> Clip:
    """The leap as a clip of a skeleton, each leg solved again to bring its toe where the record has it."""
    if not 1 <= fps <= 1000:
        raise ClipError(f"fps must be 1 to 1000, given {fps}")
    times = np.arange(int(leap.seconds * fps + 1e-9) + 1) / fps
    rotations = quat.identity((len(times), len(skeleton)))
    trunk = quat.normalize(keys_between(leap.trunk, leap.rate, times))
    for n, name in enumerate(leap.joints):
        rotations[:, skeleton.index(name)] = trunk[:, n]
    root, hold = keys_between(leap.root, leap.rate, times), keys_between(leap.hold, leap.rate, times)
    for leg, name in enumerate(SCAPULAE):
        rotations[:, skeleton.index(name)] = about_x(hold[:, leg, SCAPULA])
    world = world_of(skeleton, rotations, root)
    contacts = np.zeros((len(times), 4))
    for leg, bones in enumerate(skeleton.legs):
        path = _path(leap, leg, times, hold[:, leg])
        limb = _solved(skeleton, leg, path, hold[:, leg], world)
        joints = (bones.top, bones.mid, bones.low, bones.pastern, bones.pastern + 1)
        for joint, turn in zip(joints, (limb.top, limb.mid, limb.low, limb.pastern, limb.hoof), strict=True):
            rotations[:, joint] = turn
        contacts[:, leg] = path.down
    return Clip(skeleton, rotations, root, fps, contacts=contacts, name=leap.name)


def keys_between(rows: Floats, rate: float, times: Floats) -> Floats:
    """Rows (K, ...) of equal time read at times (T,) [s], by cubics; a row's own time gives the row."""
    at = np.clip(times * rate, 0, len(rows) - 1)
    near = np.round(at)
    at = np.where(np.abs(at - near) < 1e-6, near, at)
    k = np.minimum(at.astype(np.int64), len(rows) - 2)
    x = (at - k).reshape(-1, *[1] * (rows.ndim - 1))
    a, b = rows[k], rows[k + 1]
    before, after = rows[np.maximum(k - 1, 0)], rows[np.minimum(k + 2, len(rows) - 1)]
    up, down = 0.5 * (b - before), 0.5 * (after - a)
    return a * (1 + 2 * x) * (1 - x) ** 2 + b * x * x * (3 - 2 * x) + x * (1 - x) * (up * (1 - x) - down * x)


def _path(leap: Leap, leg: int, times: Floats, hold: Floats) -> HoofPath:
    toe = keys_between(leap.toe[:, leg], leap.rate, times)
    stance = leap.stance_at(leg, times)
    at = np.arange(len(leap.toe)) / leap.rate
    rows = leap.stance_at(leg, at)
    for n in np.unique(stance[stance >= 0]):
        # Every row of a stance has the same toe; a stance shorter than a row has none.
        if (rows == n).any():
            toe[stance == n] = leap.toe[int(np.argmax(rows == n)), leg]
    toe[:, 1] = np.maximum(toe[:, 1], 0.0)
    none = np.zeros(len(times))
    return HoofPath(stance >= 0, toe, none, hold[:, PITCH], hold[:, SINK], none, none)


def _solved(
    skeleton: Skeleton, leg: int, path: HoofPath, hold: Floats, world: tuple[Floats, Floats]
) -> AuthoredLimb:
    mid, low = hold[:, MID], hold[:, LOW]
    bent = np.abs(mid) > STRAIGHT
    share = np.where(bent & ~(path.down & (leg < 2)), low / np.where(bent, mid, 1.0), 0.0)
    top = skeleton.legs[leg].top
    positions, turns = world
    share = share if leg < 2 else np.ones(len(share))
    return solve(LegBones(skeleton, leg), path, share, positions[:, top], turns[:, skeleton.parents[top]])
