"""Defects: each is named by the right measure; clean clips and real animals keep every limit."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import made
from hoofbeat.body.clip import Clip
from hoofbeat.body.skeleton import LEGS
from hoofbeat.check.measure import Subject
from hoofbeat.check.measures import footfall, ground, intake, similarity, symmetry
from hoofbeat.check.motion import motion_of
from hoofbeat.check.recognise import dominant, strides_named
from hoofbeat.export import load
from measuring import failing, rows, trial

STEADY = ("walk", "pacing-walk", "amble", "trot", "rack", "canter-left", "canter-right", "gallop-left")
SLOW = ("walk", "trot")


# --- clean clips, and what names each defect -------------------------------------------------------------


@pytest.mark.parametrize("fps", [24, 30, 60, 120])
@pytest.mark.parametrize("gait", STEADY)
def test_a_clean_clip_stays_clean(gait: str, fps: float):
    few = {"frames-per-stance"} if fps == 24 and gait.startswith("gallop") else set()
    assert failing(made.clip(gait, fps=fps), gait) == few


@pytest.mark.parametrize("gait", ["stand", "jump", "transition"])
def test_a_clean_clip_of_no_one_gait_stays_clean(gait: str):
    assert failing(made.clip(gait)) == set()
    assert failing(made.clip(gait, in_place=True)) == set()


@pytest.mark.parametrize("gait", ["walk", "trot", "canter-left", "gallop-left"])
@pytest.mark.parametrize(
    "options", [{"heading": 2.1}, {"scale": 0.3}, {"scale": 2.2}, {"in_place": True}], ids=str
)
def test_heading_size_and_place_do_not_matter(gait: str, options: dict[str, Any]):
    assert failing(made.clip(gait, **options), gait) == set()


THREE = ("walk", "trot", "gallop-left")
LATE = {"phase-LF"}
#: Defect: how it is made, by gait the measures that must name it, and those that may follow from it.
DEFECTS = {
    "diagonal pair swapped": (
        made.swapped(),
        {"walk": {"gait", "order"}, "trot": {"gait"}},
        {"phase-LF", "phase-RF"},
    ),
    "one leg late by a tenth": (
        made.late(),
        {"walk": LATE, "trot": {*LATE, "beats"}, "canter-left": LATE},
        {"suspensions"},
    ),
    "foot slides 2 cm": (made.sliding(), dict.fromkeys(THREE, {"slide"}), set()),
    "knee bent in stance": (made.bent(), dict.fromkeys(THREE, {"stance-knee"}), set()),
    "hoof 1 cm under ground": (made.sunk(), dict.fromkeys(THREE, {"penetration"}), set()),
    "limp": (made.lame(), dict.fromkeys(SLOW, {"symmetry", "symmetry-duty"}), set()),
    "sudden speed": (made.hasty(), dict.fromkeys(THREE, {"root-speed-steps"}), set()),
}


@pytest.mark.parametrize("defect", DEFECTS)
def test_a_defect_in_the_making_is_named_by_the_right_measure(defect: str):
    wrong, named, may = DEFECTS[defect]
    for gait, must in named.items():
        found = failing(made.clip(gait, wrong=wrong), gait)
        assert must <= found <= must | may, (gait, found)


@pytest.mark.parametrize("leg", LEGS)
def test_the_late_leg_is_named(leg: str):
    for gait in SLOW:
        found = failing(made.clip(gait, wrong=made.late(leg)), gait) - {"beats"}
        # All are counted from the left hind: where it is late the others are early.
        assert found == ({f"phase-{leg}"} if leg != "LH" else {f"phase-{k}" for k in LEGS if k != "LH"})


AFTER = {
    "mirrored": (made.mirrored, {"sides"}),
    "scaled by 100": (made.enlarged, {"size"}),
    "lifted": (made.lifted, {"hover"}),
    "popped": (made.popped, {"angular-acceleration", "jerk"}),
}


@pytest.mark.parametrize("fps", [30, 60, 120])
@pytest.mark.parametrize("defect", AFTER)
def test_a_defect_of_the_finished_clip_is_named(defect: str, fps: float):
    spoil, must = AFTER[defect]
    for gait in THREE:
        assert failing(spoil(made.clip(gait, fps=fps)), gait) == must


def test_time_reversed_is_named_and_backward_order_follows():
    assert failing(made.backward(made.clip("trot")), "trot") == {"direction"}
    follows = {"gait", "order", "phase-LF", "phase-RF"}
    assert failing(made.backward(made.clip("walk")), "walk") == {"direction", *follows}


def test_the_flying_gallop_of_painters_is_named():
    found = failing(made.clip("gallop-right", wrong=made.flying()), "gallop")
    assert {"suspension-place"} <= found <= {"suspension-place", "suspensions", "phase-LF", "phase-RF"}
    assert {"suspension-place", "slide", "stance-knee"} <= failing(made.clip("gallop-right", wrong=made.BAD))


def test_a_root_that_outruns_its_feet_is_named():
    clip = made.clip("walk")
    faster = clip.origins + [0, 0, 0.3] * (np.arange(len(clip)) / clip.fps)[:, None]
    found = rows(Clip(clip.skeleton, clip.rotations, faster, clip.fps), "walk")
    assert found["speed-error"].passed is False and found["speed-error"].value == pytest.approx(16, abs=4)


# --- real animals ----------------------------------------------------------------------------------------

#: Recordings of the dog that are steady enough to keep every limit as a whole.
GOOD_DOGS = {
    "D1_007_KAN01_001": "pacing-walk",
    "D1_008_KAN01_002": "rack",
    "D1_010_KAN01_001": "rotary-gallop-right",
    "D1_010_KAN01_002": "rotary-gallop-right",
    "D1_025_KAN01_001": "pacing-walk",
    "D1_031_KAN01_001": "trot",
    "D1_045_KAN01_001": "trot",
    "D1_ex01_KAN01_001": "pacing-walk",
}


@pytest.mark.data
@pytest.mark.parametrize("name", GOOD_DOGS)
def test_a_real_dog_keeps_every_limit(name: str, data_dir):
    found = rows(load(data_dir / "dog" / f"{name}.bvh", scale=0.01))
    assert {n for n, row in found.items() if row.passed is False} == set()
    assert GOOD_DOGS[name] in found["gait"].detail


@pytest.mark.data
def test_the_walking_dog_skates_as_its_authors_say(data_dir):
    """Zhang et al. 2018, Table 2: 0.21 cm a frame for the recorded walk; Table 3: 3.87 degrees a frame."""
    skating, turns = [], []
    for name in ("D1_007_KAN01_001", "D1_025_KAN01_001", "D1_ex01_KAN01_001"):
        motion = motion_of(load(data_dir / "dog" / f"{name}.bvh", scale=0.01))
        walking = [s for s in strides_named(motion) if s.gait == "pacing-walk"]
        for stride in walking:
            part = motion.frames(stride.start, stride.stop)
            inside = replace(
                motion, toes=motion.toes[part], tops=motion.tops[part], ground=motion.ground[part]
            )
            skating.append(ground._skating(inside, motion.footing[part], hoof=False).value)
        turns.append(similarity._stiffness(motion, walking, 0.2).value)
    assert np.mean(skating) == pytest.approx(0.21, abs=0.05)
    assert np.mean(turns) == pytest.approx(3.87, abs=0.5)


@pytest.mark.data
@pytest.mark.parametrize("name", [f"Horse{k}_M2_{g}1" for k in (1, 2, 3) for g in ("walk", "trot")])
def test_a_real_horse_keeps_the_limits_that_its_markers_can_tell(name: str, data_dir):
    motion = trial(data_dir / "horse_vienna" / "trials" / f"{name}_kinematics.txt")
    strides = strides_named(motion)
    gait = dominant(strides) or "none"
    subject = Subject(motion, strides, gait, (gait,))
    found = [*intake.measures(subject), *footfall.measures(subject)]
    found += [*symmetry.measures(subject), *similarity.measures(subject)[:-1]]
    found += ground.measures(subject)[:3]  # how hooves slip and sink the belt and markers hide
    assert gait in name and len(strides) >= 8
    assert [row.name for row in found if row.passed is False] == []
    assert sum(row.passed is True for row in found) >= 19
