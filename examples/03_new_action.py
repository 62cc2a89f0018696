"""Make a new gait and a new animal out of files: a pony that paces, and looks about while it stands.

An Action is a text file with a line for each joint; a scene file names a skeleton, a standing Action and
the gaits. Here they are made from the horse that ships and written into `out/pony`; go on editing them by
hand (docs/actions.md). HOOFBEAT_QUICK=1 rides for a shorter time.
"""

from __future__ import annotations

import math
import os
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np

import hoofbeat as hb
from hoofbeat.formats.actionfile import Action, read_action, write_action
from hoofbeat.formats.scenefile import THESIS_HORSE
from hoofbeat.maths.expressions.program import compile_expression
from hoofbeat.render import Wish, save_picture

QUICK = bool(os.environ.get("HOOFBEAT_QUICK"))
SHIPPED = THESIS_HORSE.parent
OUT = Path("out")
PONY = OUT / "pony"
#: Animals of different size move alike when speeds and times go with the square root of the size.
SIZE = 0.75
TEMPO = math.sqrt(SIZE)
FORELEG = ("Scapula", "Humerus", "Radius", "Cannon", "ForePhalanges", "EFForeHoof")

SCENE = f"""\
name: pacing pony
skeleton: horse.bvh
facing: -z
scale: {SIZE}
stand: idle.action
gaits:
  - name: walk
    action: walk.action
    up_to: {3.45 * TEMPO:.2f}
    power: 1.5
  - name: pace
    action: pace.action
    up_to: {5.75 * TEMPO:.2f}
"""


def quicker(action: Action) -> Action:
    """The same Action with shorter cycles."""
    return replace(action, durations=tuple(TEMPO * seconds for seconds in action.durations))


def pacing(trot: Action) -> Action:
    """A trot moves diagonal legs together. With its forelegs exchanged it moves lateral ones: a pace."""
    joints = list(trot.joints)
    for k, joint in enumerate(joints):
        if joint.joint.startswith(FORELEG):
            old, new = ("Left", "Right") if "Left" in joint.joint else ("Right", "Left")
            joints[k] = replace(joint, joint=joint.joint.replace(old, new))
    return replace(trot, name="Pony_PACE", durations=(0.6, 0.8, 0.8), joints=tuple(joints))


def looking_about(idle: Action) -> Action:
    """The neck turns about Y by smooth noise, a new value every cycle, up to 25 degrees to either side."""
    still, noise = compile_expression("0"), compile_expression("0 noise1")
    turns = {"low": (0, -25, 0), "high": (0, 25, 0), "expressions": (still, noise, still)}
    joints = [replace(j, **turns) if j.joint == "Cervical07" else j for j in idle.joints]
    return replace(idle, name="Pony_IDLE", joints=tuple(joints))


def main() -> None:
    PONY.mkdir(parents=True, exist_ok=True)
    shutil.copy(SHIPPED / "horse.bvh", PONY)
    write_action(looking_about(read_action(SHIPPED / "idle.action")), PONY / "idle.action")
    write_action(quicker(read_action(SHIPPED / "walk.action")), PONY / "walk.action")
    write_action(quicker(pacing(read_action(SHIPPED / "trot.action"))), PONY / "pace.action")
    scene = PONY / "pony.scene.yaml"
    scene.write_text(SCENE, encoding="utf-8")

    pony = hb.Horse("actions", scene=scene, seed=4)
    print(f"{scene} made a {pony.skeleton} with gaits {', '.join(pony.gaits)}")
    recorder = hb.Recorder(pony.skeleton, method=pony.method)
    for seconds, speed in ((0.2, 0), (2, 3.4)) if QUICK else ((2, 0), (2, 1.4), (4, 3.4)):
        for _ in range(round(60 * seconds)):
            recorder.add(pony.step(hb.Command(speed=speed)))
    clip = recorder.clip("pacing pony")
    save_picture(clip, OUT / "pony.png", Wish(poses=4 if QUICK else 8))
    contacts = np.asarray(clip.contacts)  # (T, 4)
    lf, rf, lh, rh = contacts[clip.extras["gait"] == "pace"].T > 0.5
    together = [np.mean(lf == lh), np.mean(rf == rh), np.mean(lf == rh), np.mean(rf == lh)]
    print("at the pace LF agrees with LH {:.0%} and RF with RH {:.0%} of the time;".format(*together[:2]))
    print("            LF agrees with RH {:.0%} and RF with LH {:.0%}".format(*together[2:]))
    print(f"poses and footfalls: {(OUT / 'pony.png').resolve()}")


if __name__ == "__main__":
    main()
