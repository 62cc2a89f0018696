"""Cycle: a style becomes one authored stride.

The trunk comes from the load, the hooves from their paths; then the body is lowered by as much as the
loaded legs need, and every leg is solved.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hoofbeat.body.pose import world_of
from hoofbeat.body.skeleton import Skeleton
from hoofbeat.gaits.cycle import FEATURES, LEG_ROWS, LIFT, STANCE, SWING, TRUNK_ROWS, WAY, Cycle
from hoofbeat.maths import quat
from hoofbeat.methods.froude.model.load import Bounce
from hoofbeat.offline.author.hooves import HoofPath, hoof_path
from hoofbeat.offline.author.limb import AuthoredLimb, LegBones, about_x, solve
from hoofbeat.offline.author.style import Style, bounce_of
from hoofbeat.offline.author.trunk import JOINTS, SCAPULAE, scapula, trunk_pose

Floats = NDArray[np.float64]

#: A loaded leg keeps this much of its length in hand [m].
IN_HAND = 0.012
#: Points for each row of a leg's track: slopes are computed between them.
FINER = 16


def make_cycle(style: Style, skeleton: Skeleton) -> Cycle:
    """The stride that a style describes."""
    bounce = bounce_of(style)
    lowered = lowering(style, skeleton, bounce)
    phase = np.arange(TRUNK_ROWS) / TRUNK_ROWS
    trunk, origin = trunk_pose(style, skeleton, bounce, phase)
    legs = np.zeros((4, 2, LEG_ROWS, len(FEATURES), 2))
    fetlock = np.zeros((4, 2))
    for leg in range(4):
        for part in (STANCE, SWING):
            duty = style.duty[leg // 2]
            begin, end = (0.0, duty) if part == STANCE else (duty, 1.0)
            own = np.linspace(begin, end, (LEG_ROWS - 1) * FINER + 1)
            path, limb = leg_at(style, skeleton, bounce, leg, own, lowered)
            track = _features(style, path, limb, leg, own)
            legs[leg, part, ..., 0] = track[::FINER]
            legs[leg, part, ..., 1] = np.gradient(track, 1 / (len(own) - 1), axis=0, edge_order=2)[::FINER]
            if part == STANCE:
                fetlock[leg] = _thresholds(skeleton, leg, limb)
    # A toe that stands, leaves or lands does not move over the ground.
    legs[:, STANCE, :, [WAY, LIFT]] = 0.0
    legs[:, SWING, 0, [WAY, LIFT]] = legs[:, SWING, -1, [WAY, LIFT]] = 0.0
    tops = skeleton.rest_positions()[[leg.top for leg in skeleton.legs], 2]
    return Cycle(
        style.name,
        style.gait,
        style.speed,
        style.stride,
        np.array(style.touchdown),
        style.duties(),
        tops + np.repeat(style.reach, 2),
        origin[:, 1] - lowered,
        origin[:, 0],
        quat.continuous(trunk[:, [skeleton.index(name) for name in JOINTS]]),
        legs,
        fetlock,
        JOINTS,
    )


def leg_at(
    style: Style, skeleton: Skeleton, bounce: Bounce, leg: int, own: Floats, lowered: float
) -> tuple[HoofPath, AuthoredLimb]:
    """A leg at times `own` (K,) since it landed, under a body lowered by so much [m]."""
    path = hoof_path(style, skeleton, leg, own)
    top, frame = _top_joint(style, skeleton, bounce, leg, own, path)
    top = top - np.array([0.0, lowered, 0.0])
    share = style.carpus_share * path.bent if leg < 2 else np.ones(len(own))
    return path, solve(LegBones(skeleton, leg), path, share, top, frame)


def lowering(style: Style, skeleton: Skeleton, bounce: Bounce) -> float:
    """How far the body must come down [m] for every loaded leg to reach its hoof."""
    needed = style.drop
    for leg in range(4):
        own = np.linspace(0, style.duty[leg // 2], 60, endpoint=False)
        path = hoof_path(style, skeleton, leg, own)
        bones = LegBones(skeleton, leg)
        top, _ = _top_joint(style, skeleton, bounce, leg, own, path)
        end, _, _ = bones.fetlock(path, path.toe)
        flat = (top[:, 0] - end[:, 0]) ** 2 + (top[:, 2] - end[:, 2]) ** 2
        upright = np.sqrt(np.maximum((bones.reach() - IN_HAND) ** 2 - flat, 0.0))
        needed = max(needed, float((top[:, 1] - end[:, 1] - upright).max()))
    return needed


def _top_joint(
    style: Style, skeleton: Skeleton, bounce: Bounce, leg: int, own: Floats, path: HoofPath
) -> tuple[Floats, Floats]:
    """Place (K, 3) of a leg's top joint and how its parent is held (K, 4), the body not lowered."""
    rotations, origin = trunk_pose(style, skeleton, bounce, own + style.touchdown[leg])
    if leg < 2:
        rotations[:, skeleton.index(SCAPULAE[leg])] = about_x(scapula(style, path.ahead))
    positions, turns = world_of(skeleton, rotations, origin)
    top = skeleton.legs[leg].top
    return positions[:, top], turns[:, skeleton.parents[top]]


def _features(style: Style, path: HoofPath, limb: AuthoredLimb, leg: int, own: Floats) -> Floats:
    """The columns of gaits.cycle.FEATURES; WAY is that of the toe as the leg really moves it."""
    duty = style.duty[leg // 2]
    stride = style.speed * style.stride
    s = np.clip((own - duty) / (1 - duty), 0.0, 1.0)
    travel = path.way + (limb.toe[:, 2] - path.toe[:, 2]) / stride - s * s * (3 - 2 * s)
    turn = scapula(style, path.ahead) if leg < 2 else np.zeros(len(s))
    return np.stack(
        [
            np.where(path.down, 0.0, travel),
            limb.toe[:, 0],
            limb.toe[:, 1],
            path.pitch,
            path.sink,
            turn,
            limb.mid_flexion,
            limb.low_flexion,
        ],
        axis=1,
    )


def _thresholds(skeleton: Skeleton, leg: int, limb: AuthoredLimb) -> Floats:
    """Extension of the fetlock (2,) [rad] halfway into its sinking and out of it, in a stance (H4)."""
    joint = skeleton.legs[leg]
    rest = skeleton.rest_positions()
    cannon, pastern = rest[joint.pastern] - rest[joint.low], rest[joint.pastern + 1] - rest[joint.pastern]
    straight = np.arctan2(pastern[2], -pastern[1]) - np.arctan2(cannon[2], -cannon[1])
    turned = 2 * np.arctan2(limb.pastern[:, 0], limb.pastern[:, 3])
    # About the leftward axis a positive turn swings the pastern backward, which flexes the fetlock.
    extension = np.pi + straight - (turned + np.pi) % (2 * np.pi) + np.pi
    deepest = float(extension.max())
    return np.array([0.5 * (extension[0] + deepest), 0.5 * (deepest + extension[-1])])
