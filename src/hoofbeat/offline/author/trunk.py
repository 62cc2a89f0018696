"""Trunk: pelvis, back, withers, neck, head and tail over the stride, on the thesis's 49-joint horse.

The pelvis is the root joint, the thorax is its child by the lumbosacral joint: what the pelvis tucks and
turns more than the thorax is compensated there. Shoulder blades swing with their hooves.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hoofbeat.body.skeleton import Skeleton
from hoofbeat.maths import quat
from hoofbeat.maths.curves import sample_cubic
from hoofbeat.methods.froude.model.load import Bounce
from hoofbeat.offline.author.style import Style, wave

Floats = NDArray[np.float64]

#: Shares of these joints in the lumbosacral motion.
LUMBAR = (("Lumbar01", 0.7), ("Thoracic05", 0.3))
#: The joint at which the withers bend against the back, and how much the thorax pitches back for it, so
#: that the withers keep their height.
WITHERS, COMPENSATED = "Thoracic03", 0.39
#: Shares of the joints of the neck in the nod, and in the crest's movement.
NECK = (("Cervical07", 0.4), ("Cervical06", 0.3), ("Cervical05", 0.3))
CREST = (("Cervical04", 0.2), ("Cervical03", 0.3), ("Cervical02", 0.5))
HEAD = "Head"
TAIL = tuple(f"Tail0{n}" for n in range(8, 0, -1))
#: Each joint of the tail follows the one before so much later [strides].
TAIL_LAG = 0.04
SCAPULAE = ("ScapulaLeft", "ScapulaRight")
X, Y, Z = np.eye(3)

#: Joints that the trunk's tracks hold, root first.
JOINTS = (
    "RootSacrum",
    *(name for name, _ in LUMBAR),
    WITHERS,
    *(name for name, _ in NECK),
    *(name for name, _ in CREST),
    HEAD,
    *TAIL,
)


def trunk_pose(style: Style, skeleton: Skeleton, bounce: Bounce, phase: Floats) -> tuple[Floats, Floats]:
    """Local rotations (K, J, 4), legs at rest, and root joint (K, 3) [m] in character space, at phases
    (K,) of the stride. The root is as high as in the rest pose, bounce added, nothing lowered."""
    rotations = quat.identity((len(phase), len(skeleton)))
    rest = skeleton.rest_positions()
    origin = np.zeros((len(phase), 3))
    origin[:, 0] = wave(style.sway, phase)
    origin[:, 1] = -rest[:, 1].min() + sample_cubic(bounce.height, phase)
    put = {name: skeleton.index(name) for name in (*JOINTS, *SCAPULAE)}

    bend = _degrees(style.withers_bend, phase)
    pitch = np.radians(style.trunk_pitch) + sample_cubic(bounce.pitch, phase) - COMPENSATED * bend
    tuck = np.radians(style.tuck) + _degrees(style.tuck_wave, phase)
    yaw = _degrees(style.body_yaw, phase)
    pelvis = _held(yaw + _degrees(style.pelvis_yaw, phase), pitch + tuck, _degrees(style.pelvis_roll, phase))
    thorax = _held(yaw, pitch, _degrees(style.thorax_roll, phase))
    rotations[:, 0] = pelvis
    between = quat.log(quat.mul(quat.inverse(pelvis), thorax))
    for name, part in LUMBAR:
        rotations[:, put[name]] = quat.exp(part * between)
    rotations[:, put[WITHERS]] = quat.from_axis_angle(X, -bend)
    _neck(style, phase, rotations, put)
    _tail(style, phase, rotations, put)
    return rotations, origin


def scapula(style: Style, ahead: Floats) -> Floats:
    """Angle (K,) [rad] about the lateral axis of a shoulder blade whose toe is so far ahead."""
    return -np.radians(style.scapula) * np.tanh(ahead) / np.tanh(1.0)


def _degrees(parts: tuple[tuple[float, float, float], ...], phase: Floats) -> Floats:
    return np.radians(wave(parts, phase))


def _held(yaw: Floats, pitch: Floats, roll: Floats) -> Floats:
    """World from body: roll first, then pitch (fore up), then yaw (left)."""
    tilt = quat.mul(quat.from_axis_angle(X, -pitch), quat.from_axis_angle(Z, roll))
    return quat.mul(quat.from_axis_angle(Y, yaw), tilt)


def _neck(style: Style, phase: Floats, rotations: Floats, put: dict[str, int]) -> None:
    nod, crest = _degrees(style.nod, phase), _degrees(style.crest_wave, phase)
    for joints, angle in (
        (NECK, np.radians(style.neck) + nod),
        (CREST, np.radians(style.crest) + crest),
    ):
        for name, part in joints:
            rotations[:, put[name]] = quat.from_axis_angle(X, part * angle)
    head = np.radians(style.head) - style.head_follow * (nod + crest)
    rotations[:, put[HEAD]] = quat.from_axis_angle(X, head)


def _tail(style: Style, phase: Floats, rotations: Floats, put: dict[str, int]) -> None:
    beats = 1 if style.gait.startswith(("canter", "gallop")) else 2
    for n, name in enumerate(TAIL):
        late = phase - TAIL_LAG * (n + 1)
        side = np.radians(style.tail_swing) * (0.5 + 0.1 * n) * np.cos(2 * np.pi * late)
        flap = np.radians(style.tail_flap) / len(TAIL) * np.cos(2 * np.pi * beats * late)
        # The dock lifts the tail, the hair below falls again.
        lift = np.radians(style.tail_lift) / 3 * (1.0 if n < 3 else -0.3)
        rotations[:, put[name]] = quat.mul(
            quat.from_axis_angle(Y, side), quat.from_axis_angle(X, lift + flap)
        )
