"""Legs are found by any names, by shape and motion alone, or as given, and nothing else is called a leg."""

from __future__ import annotations

import time
import warnings
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import hoofbeat as hb
from hoofbeat.body.clip import Clip
from hoofbeat.body.legs.chains import nodes_of
from hoofbeat.body.legs.find import find_legs, legs_by_geometry, legs_of, parse_legs
from hoofbeat.body.root import in_place
from hoofbeat.body.skeleton import LEGS, Leg, Skeleton
from hoofbeat.errors import SkeletonError
from hoofbeat.export import load, load_all
from hoofbeat.maths import quat
from rigs import Tree, animal, person, still, table

Names = tuple[str | None, ...]


def names_of(skeleton: Skeleton, leg: Leg) -> Names:
    """Top, mid, low, pastern and toe by name."""
    line = (leg.top, leg.mid, leg.low, leg.pastern, leg.toe)
    return tuple(None if node < 0 else skeleton.names[node] for node in line)


@cache
def ride(speed: float = 1.4, seconds: float = 3.0) -> Clip:
    """The thesis horse ridden at a speed."""
    horse = hb.Horse(seed=1)
    recorder = hb.Recorder(horse.skeleton)
    for _ in range(60):
        horse.step(hb.Command(speed=speed))
    for _ in range(round(seconds * 60)):
        recorder.add(horse.step(hb.Command(speed=speed)))
    return recorder.clip()


def rebuilt(clip: Clip, **changes: Any) -> Clip:
    """The clip with other names, parents, offsets, rotations or origins, and no legs named."""
    old = clip.skeleton
    fields = {"names": old.names, "parents": old.parents, "offsets": old.offsets, "ends": old.ends}
    skeleton = Skeleton(**{key: changes.get(key, value) for key, value in fields.items()})
    rotations, origins = changes.get("rotations", clip.rotations), changes.get("origins", clip.origins)
    return Clip(skeleton, rotations, origins, clip.fps, name=clip.name)


def scrambled(clip: Clip) -> Clip:
    """The clip with names that say nothing."""
    return rebuilt(clip, names=[f"n{k}" for k in range(len(clip.skeleton))])


def extended(clip: Clip, extra: Sequence[tuple[str, str, Sequence[float]]]) -> Clip:
    """The clip with more nodes, each with its parent's name and its offset [m], that do not turn."""
    old = clip.skeleton
    names = [*old.names, *(name for name, _, _ in extra)]
    parents = [*old.parents, *(names.index(parent) for _, parent, _ in extra)]
    offsets = [*old.offsets, *(np.array(offset, float) for _, _, offset in extra)]
    turns = np.zeros((len(clip), len(extra), 4))
    turns[..., 3] = 1.0
    rotations = np.concatenate([clip.rotations, turns], axis=1)
    ends = [*old.ends, *(False for _ in extra)]
    return rebuilt(clip, names=names, parents=parents, offsets=offsets, ends=ends, rotations=rotations)


# By names

THESIS = (
    ("Humerus{}", "Radius{}", "Cannon{}", "ForePhalanges{}", "EFForeHoof{}_end"),
    ("Femur{}", "Tibia{}", "MTarsus{}", "Phalanges{}", "EFRearHoof{}_end"),
)


def test_the_thesis_horse() -> None:
    skeleton = hb.Horse().skeleton
    found = find_legs(skeleton)
    wanted = [[name.format(side) for name in end] for end in THESIS for side in ("Left", "Right")]
    assert [list(names_of(skeleton, leg)) for leg in found] == wanted
    assert legs_of(ride()) == (found, "names: thesis horse")


def four(fore: str, hind: str, sides: tuple[str, str]) -> tuple[list[list[str]], list[list[str]]]:
    """Names of left and right chains from a template of words, `{}` where the side goes."""
    return tuple(
        [[word.replace("{}", side) for word in end.split()] for side in sides] for end in (fore, hind)
    )  # type: ignore[return-value]


#: Template of the fore and the hind leg, the two sides, how many joints of each are above the ball joint.
RIGS = {
    "thesis": (
        "Scapula{} Humerus{} Radius{} Cannon{} ForePhalanges{} EFForeHoof{} EFForeHoof{}_end",
        "Hip{} Femur{} Tibia{} MTarsus{} Phalanges{} EFRearHoof{} EFRearHoof{}_end",
        ("Left", "Right"),
        (1, 1),
    ),
    "dog": (
        "{}Shoulder {}Arm {}ForeArm {}Hand {}Hand_end",
        "{}UpLeg {}Leg {}Foot {}Foot_end",
        ("Left", "Right"),
        (1, 0),
    ),
    "fox": (
        "b_{}UpperArm_09 b_{}ForeArm_010 b_{}Hand_011",
        "b_{}Leg01_015 b_{}Leg02_016 b_{}Foot01_017 b_{}Foot02_018",
        ("Left", "Right"),
        (0, 0),
    ),
    "rigify wolf": (
        "shoulder.{} front_thigh.{} front_shin.{} front_foot.{} front_toe.{}",
        "thigh.{} shin.{} foot.{} toe.{}",
        ("L", "R"),
        (1, 0),
    ),
    "rigify horse": (
        "ORG-shoulder.{} ORG-upper_arm.{} ORG-forearm.{} ORG-hand.{} ORG-f_toe.{}",
        "ORG-thigh.{} ORG-shin.{} ORG-foot.{} ORG-r_toe.{}",
        ("L", "R"),
        (1, 0),
    ),
    "rigify horse with hooves": (
        "shoulder.{} upper_arm.{} forearm.{} forefoot.{} f_toe.{} f_hoof.{}",
        "pelvis.{} thigh.{} lower_leg.{} hind_foot.{} r_toe.{} r_hoof.{}",
        ("L", "R"),
        (1, 1),
    ),
    "three.js, feet on the legs": (
        "FrontLeg.{} FrontUpLeg.{} FrontLowLeg.{} FrontFoot.{}",
        "BackLeg.{} BackUpLeg.{} BackLowLeg.{} BackFoot.{}",
        ("L", "R"),
        (1, 1),
    ),
    "numbers": (
        "{}FrontLeg1 {}FrontLeg2 {}FrontLeg3",
        "{}BackLeg1 {}BackLeg2 {}BackLeg3",
        ("Left", "Right"),
        (0, 0),
    ),
    "unity": (
        "Front_{}_UpperLeg Front_{}_LowerLeg Front_{}_Foot",
        "Hind_{}_UpperLeg Hind_{}_LowerLeg Hind_{}_Foot",
        ("Left", "Right"),
        (0, 0),
    ),
    "codes": (
        "F{}_Hip F{}_Upper F{}_Lower F{}_Paw",
        "B{}_Hip B{}_Upper B{}_Lower B{}_Paw",
        ("L", "R"),
        (1, 1),
    ),
    "codes, side first": (
        "{}F_shoulder {}F_elbow {}F_carpus {}F_hoof",
        "{}H_hip {}H_stifle {}H_hock {}H_hoof",
        ("L", "R"),
        (0, 0),
    ),
    "robot": (
        "F{}_hip F{}_thigh F{}_calf F{}_foot",
        "R{}_hip R{}_thigh R{}_calf R{}_foot",
        ("L", "R"),
        (1, 1),
    ),
    "numbered codes": ("F{}1 F{}2 F{}3 F{}4", "R{}1 R{}2 R{}3 R{}4", ("L", "R"), (0, 0)),
    "sketchfab": (
        "LegF{}Collarbone_073 LegF{}1_074 LegF{}2_075 LegF{}3_076 LegF{}Ankle_077 LegF{}Digit11_078",
        "LegB{}1_080 LegB{}2_081 LegB{}3_082 LegB{}Ankle_083 LegB{}Digit11_084",
        ("L", "R"),
        (1, 0),
    ),
    "mocap studio": (
        "W_{}_FrontLeg_HipSHJnt W_{}_FrontLeg_KneeSHJnt W_{}_FrontLeg_AnkleSHJnt W_{}_FrontLeg_ToeSHJnt",
        "W_{}_RearLeg_HipSHJnt W_{}_RearLeg_KneeSHJnt W_{}_RearLeg_AnkleSHJnt W_{}_RearLeg_ToeSHJnt",
        ("l", "r"),
        (0, 0),
    ),
    "engine": (
        "def_frontLegUpr_joint.{} def_frontLegLwr_joint.{} def_frontFoot_joint.{}",
        "def_rearLegUpr_joint.{} def_rearLegLwr_joint.{} def_rearFoot_joint.{}",
        ("L", "R"),
        (0, 0),
    ),
    "small letters": (
        "{}frontupperleg {}frontlowerleg {}frontpaw",
        "{}rearupperleg {}rearlowerleg {}rearpaw",
        ("l", "r"),
        (0, 0),
    ),
    "blender copies": (
        "Frontleg_{} Frontleg_{}001 Frontleg_{}002",
        "Backleg_{} Backleg_{}001 Backleg_{}002",
        ("L", "R"),
        (0, 0),
    ),
    "words last": (
        "Leg_Front_{}_01 Leg_Front_{}_02 Leg_Front_{}_03",
        "Leg_Back_{}_01 Leg_Back_{}_02 Leg_Back_{}_03",
        ("L", "R"),
        (0, 0),
    ),
    "foreleg": (
        "{}_Foreleg {}_Foreleg_low {}_Forefoot",
        "{}_Hindleg {}_Hindleg_low {}_Hindfoot",
        ("L", "R"),
        (0, 0),
    ),
    "biped": (
        "Bip01_{}_Clavicle Bip01_{}_UpperArm Bip01_{}_Forearm Bip01_{}_Hand Bip01_{}_Finger0",
        "Bip01_{}_Thigh Bip01_{}_Calf Bip01_{}_HorseLink Bip01_{}_Foot",
        ("L", "R"),
        (1, 0),
    ),
    "namespace": (
        "mixamorig:{}Shoulder mixamorig:{}Arm mixamorig:{}ForeArm mixamorig:{}Hand mixamorig:{}HandMiddle1",
        "mixamorig:{}UpLeg mixamorig:{}Leg mixamorig:{}Foot mixamorig:{}ToeBase",
        ("Left", "Right"),
        (1, 0),
    ),
    "hind end stated at the foot only": (
        "{}Arm {}ForeArm {}FrontPaw",
        "{}UpLeg {}Leg {}HindPaw",
        ("Left", "Right"),
        (0, 0),
    ),
}


def wanted(chains: Sequence[Sequence[str]], skip: int) -> list[Names]:
    """Top, mid, low, pastern and toe of chains of names."""
    found: list[Names] = []
    for chain in chains:
        line = chain[skip:]
        found.append((line[0], line[1], line[2], line[3] if len(line) > 4 else None, line[-1]))
    return found


@pytest.mark.parametrize("rig", RIGS)
def test_names_of_many_rigs(rig: str) -> None:
    fore, hind, sides, girdle = RIGS[rig]
    front, back = four(fore, hind, sides)
    skeleton = animal(front, back, girdle).skeleton()
    found = [names_of(skeleton, leg) for leg in find_legs(skeleton)]
    assert found == wanted(front, girdle[0]) + wanted(back, girdle[1])


@pytest.mark.parametrize("rig", RIGS)
def test_shape_agrees_with_the_names(rig: str) -> None:
    """One still pose: the head and the tail say which end is in front."""
    fore, hind, sides, girdle = RIGS[rig]
    clip = animal(*four(fore, hind, sides), girdle).clip()
    for found, named in zip(legs_by_geometry(scrambled(clip)), find_legs(clip.skeleton), strict=True):
        assert (found.name, found.toe) == (named.name, named.toe)
        assert abs(found.top - named.top) <= 1


def test_bones_cut_in_two_and_twist_bones_are_left_out() -> None:
    fore = (
        "DEF-front_thigh.{} DEF-front_thigh.{}.001 DEF-front_shin.{} DEF-front_shin.{}.001 DEF-front_foot.{}"
    )
    hind = "DEF-thigh.{} DEF-thigh.{}.001 DEF-shin.{} DEF-shin.{}.001 DEF-foot.{} DEF-toe.{}"
    tree = animal(*four(fore, hind, ("L", "R")))
    for side in "LR":
        tree.add(f"DEF-shin_twist.{side}", f"DEF-thigh.{side}", (0.1, 0.6, -0.4))
        tree.add(f"MCH-foot_ik.{side}", "Pelvis_c", (0.1, 0.0, -0.4))
        tree.add(f"ORG-thigh.{side}", "Pelvis_c", (0.1, 1.0, -0.5))
    skeleton = tree.skeleton()
    found = [names_of(skeleton, leg) for leg in find_legs(skeleton)]
    assert found[0] == ("DEF-front_thigh.L", "DEF-front_shin.L", "DEF-front_foot.L", None, "DEF-front_foot.L")
    assert found[3] == ("DEF-thigh.R", "DEF-shin.R", "DEF-foot.R", None, "DEF-toe.R")


def test_feet_moved_on_their_own_belong_to_their_legs() -> None:
    legs = four(
        "FrontLeg.{} FrontUpLeg.{} FrontLowLeg.{}", "BackLeg.{} BackUpLeg.{} BackLowLeg.{}", ("L", "R")
    )
    tree = animal(*legs)
    for side, x in (("L", 0.15), ("R", -0.15)):
        tree.add(f"FrontFoot.{side}", "Pelvis_c", (x, 0.0, 0.5))
        tree.add(f"BackFoot.{side}", "Pelvis_c", (x, 0.0, -0.5))
        tree.add(f"BackFoot_ik_pole.{side}", "Pelvis_c", (x, 0.4, 0.5))
    skeleton = tree.skeleton()
    found = [names_of(skeleton, leg) for leg in find_legs(skeleton)]
    assert found[0] == ("FrontUpLeg.L", "FrontLowLeg.L", "FrontFoot.L", None, "FrontFoot.L")
    assert found[3] == ("BackUpLeg.R", "BackLowLeg.R", "BackFoot.R", None, "BackFoot.R")


MIXAMO = (
    [
        [f"{s}{part}" for part in ("Shoulder", "Arm", "ForeArm", "Hand", "HandMiddle1")]
        for s in ("Left", "Right")
    ],
    [[f"{s}{part}" for part in ("UpLeg", "Leg", "Foot", "ToeBase", "Toe_End")] for s in ("Left", "Right")],
)
UNREAL = (
    [[f"{part}_{s}" for part in ("clavicle", "upperarm", "lowerarm", "hand", "middle_01")] for s in "lr"],
    [[f"{part}_{s}" for part in ("thigh", "calf", "foot", "ball")] for s in "lr"],
)
SMPL = (
    [[f"{s}_{part}" for part in ("Collar", "Shoulder", "Elbow", "Wrist", "Hand")] for s in "LR"],
    [[f"{s}_{part}" for part in ("Hip", "Knee", "Ankle", "Foot")] for s in "LR"],
)


@pytest.mark.parametrize("names", [MIXAMO, UNREAL, SMPL], ids=["mixamo", "unreal", "smpl"])
def test_people_have_no_four_legs(names: Any) -> None:
    clip = person(*names).clip()
    assert find_legs(clip.skeleton) == ()
    assert legs_by_geometry(clip) == ()
    with pytest.raises(SkeletonError, match=r"2 chains come down.*--legs LF="):
        legs_of(clip)


def test_arms_as_long_as_legs_must_come_down_to_be_legs() -> None:
    """Named as the dog recordings are, and held up all the time."""
    rest = person(*MIXAMO).skeleton()
    arms = [node for node, name in enumerate(rest.names) if "Arm" in name or "Hand" in name]
    offsets = rest.offsets.copy()
    offsets[arms] *= 1.4
    long = Skeleton(rest.names, rest.parents, offsets)
    raised = offsets.copy()
    raised[arms] *= (1, -1, 1)
    assert len(find_legs(long)) == 4
    with pytest.raises(SkeletonError, match="arms do not come down"):
        legs_of(still(Skeleton(long.names, long.parents, raised), (0, 1, 0)))


def test_six_legs_are_not_four() -> None:
    legs = four("FrontLeg{}1 FrontLeg{}2 FrontLeg{}3", "HindLeg{}1 HindLeg{}2 HindLeg{}3", ("_L", "_R"))
    tree = animal(*legs)
    assert find_legs(tree.skeleton())
    for side, x in (("L", 0.2), ("R", -0.2)):
        tree.chain([f"MidLeg_{side}{k}" for k in "123"], "Spine2", [(x, 1, 0), (x, 0.5, 0), (x, 0, 0)])
    assert find_legs(tree.skeleton()) == ()
    with pytest.raises(SkeletonError, match="6 chains"):
        legs_of(scrambled(tree.clip()))


@pytest.mark.parametrize("what", ["longer", "one side", "no end", "plain", "short"])
def test_doubtful_names_are_refused(what: str) -> None:
    legs = {
        "longer": four("FrontLeg{}1 FrontLeg{}2 FrontLeg{}3", "HindLeg{}1 HindLeg{}2 HindLeg{}3", ("L", "R")),
        "one side": four(
            "FrontLeg{}1 FrontLeg{}2 FrontLeg{}3", "HindLeg{}1 HindLeg{}2 HindLeg{}3", ("L1", "L2")
        ),
        "no end": four("Leg{}1 Leg{}2 Leg{}3", "Limb{}1 Limb{}2 Limb{}3", ("L", "R")),
        "plain": four("Bone.{}1 Bone.{}2 Bone.{}3", "Bone.{}4 Bone.{}5 Bone.{}6", ("00", "01")),
        "short": four("FrontLeg{} FrontFoot{} x{}", "HindLeg{} HindFoot{} y{}", ("L", "R")),
    }[what]
    skeleton = animal(*legs).skeleton()
    if what == "longer":
        assert find_legs(skeleton)
        offsets = skeleton.offsets.copy()
        offsets[skeleton.index("HindLegL3")] *= 2
        skeleton = Skeleton(skeleton.names, skeleton.parents, offsets)
    assert find_legs(skeleton) == ()


WORD = st.sampled_from(
    "left right l r front hind back LF rr leg thigh arm foot toe hip end 01 ik spine _ . Ω".split()
)


@given(st.data())
@settings(max_examples=150)
def test_any_names_make_four_sound_legs_or_none(data: st.DataObject) -> None:
    count = data.draw(st.integers(1, 14))
    names = [f"{'_'.join(data.draw(st.lists(WORD, max_size=5)))}~{k}" for k in range(count)]
    parents = [-1, *(data.draw(st.integers(0, k)) for k in range(count - 1))]
    skeleton = Skeleton(names, parents, np.full((count, 3), 0.3))
    legs = find_legs(skeleton)
    assert legs == () or tuple(leg.name for leg in legs) == LEGS
    nodes = [node for leg in legs for node in nodes_of(leg)]
    assert len(nodes) == len(set(nodes))


# By geometry


def same_feet(found: Sequence[Leg], named: Sequence[Leg]) -> None:
    """The same toes at the same places, and tops within a joint."""
    assert [(leg.name, leg.toe) for leg in found] == [(leg.name, leg.toe) for leg in named]
    assert all(abs(a.top - b.top) <= 1 for a, b in zip(found, named, strict=True))


@pytest.mark.parametrize("speed", [0.0, 1.4, 3.0, 6.5])
def test_the_thesis_horse_by_its_motion(speed: float) -> None:
    clip = ride(speed)
    assert legs_by_geometry(scrambled(clip)) == clip.skeleton.legs
    assert legs_of(scrambled(clip)) == (clip.skeleton.legs, "geometry")
    assert legs_of(clip) == (clip.skeleton.legs, "names: thesis horse")


def test_more_nodes_do_not_confuse() -> None:
    clip = ride()
    rest = clip.skeleton.rest_positions()
    extra: list[tuple[str, str, Sequence[float]]] = [
        ("jaw", "Head", (0, -0.2, 0.1)),
        ("jaw tip", "jaw", (0, -0.1, 0.1)),
    ]
    extra += [(f"mane{k}", f"Cervical0{k}", (0, 0.15, -0.05)) for k in range(1, 8)]
    for side, sign in (("Left", 1), ("Right", -1)):
        extra += [
            (f"ear{side}", "Head", (0.05 * sign, 0.1, 0)),
            (f"ear tip{side}", f"ear{side}", (0, 0.12, 0)),
        ]
        for bone, below in (("Humerus", "Radius"), ("Femur", "Tibia"), ("Tibia", "MTarsus")):
            half = clip.skeleton.offsets[clip.skeleton.index(below + side)] / 2
            extra.append((f"twist{bone}{side}", bone + side, half))
        for hoof in ("EFForeHoof", "EFRearHoof"):
            place = rest[clip.skeleton.index(f"{hoof}{side}_end")] - rest[0]
            extra.append((f"target{hoof}{side}", "RootSacrum", place))
            extra.append((f"pole{hoof}{side}", "RootSacrum", place + (0, 0.5, 0.6)))
            extra.append((f"tuft{hoof}{side}", f"{hoof}{side}_end", (0, 0.03, 0.02)))
    assert legs_by_geometry(scrambled(extended(clip, extra))) == clip.skeleton.legs


def test_several_toes_are_one_foot() -> None:
    clip = ride()
    extra = [
        (
            f"toe{k}{leg.name}",
            clip.skeleton.names[int(clip.skeleton.parents[leg.toe])],
            (0.03 * k, -0.03, 0.02),
        )
        for leg in clip.skeleton.legs
        for k in (-1, 1)
    ]
    for found, named in zip(legs_by_geometry(extended(clip, extra)), clip.skeleton.legs, strict=True):
        assert nodes_of(found)[:-1] == nodes_of(named)[:-1]


@pytest.mark.parametrize("girdle", [0, 1], ids=["below the girdle", "from the trunk"])
def test_the_same_leg_twice_is_one_leg(girdle: int) -> None:
    """Control bones: a second, shorter chain that ends where the hoof is."""
    clip = ride()
    old = clip.skeleton
    order, names, parents, offsets = (
        list(range(len(old))),
        list(old.names),
        list(old.parents),
        list(old.offsets),
    )
    for leg in old.legs:
        line = (*([int(old.parents[leg.top])] * girdle), *nodes_of(leg))
        for k, node in enumerate(line):
            parents.append(len(names) - 1 if k else int(old.parents[node]))
            names.append(f"copy of {old.names[node]}")
            offsets.append(old.offsets[node])
            order.append(node)
        offsets[-1] = old.offsets[leg.toe] + old.offsets[int(old.parents[leg.toe])]  # past the hoof joint
    doubled = Clip(Skeleton(names, parents, offsets), clip.rotations[:, order], clip.origins, clip.fps)
    assert legs_by_geometry(doubled) == old.legs


def test_a_bone_cut_in_two_is_one_bone() -> None:
    clip = ride()
    names, parents, offsets = (
        list(clip.skeleton.names),
        list(clip.skeleton.parents),
        clip.skeleton.offsets.copy(),
    )
    order: list[int] = []
    for node, name in enumerate(clip.skeleton.names):
        if name.startswith(("Radius", "Tibia", "MTarsus")):  # a joint halfway to these
            order.append(-node)
        order.append(node)
    place = {node: k for k, node in enumerate(order)}
    halves = {node: place[node] - 1 for node in order if -node in place and node > 0}
    found = Skeleton(
        [f"{names[-node]} half" if node < 0 else names[node] for node in order],
        [halves.get(node, place.get(int(parents[abs(node)]), -1)) if node > 0 else
         place.get(int(parents[abs(node)]), -1) for node in order],
        [offsets[abs(node)] / (2 if abs(node) in halves else 1) for node in order],
    )  # fmt: skip
    turns = clip.rotations[:, np.maximum(order, 0)]
    turns[:, [k for k, node in enumerate(order) if node < 0]] = (0, 0, 0, 1)
    cut = Clip(found, turns, clip.origins, clip.fps)
    np.testing.assert_allclose(
        cut.positions[:, [place[k] for k in range(len(names))]], clip.positions, atol=1e-9
    )
    wanted_names = [names_of(clip.skeleton, leg) for leg in clip.skeleton.legs]
    assert [names_of(found, leg) for leg in legs_by_geometry(cut)] == wanted_names


def test_controls_beside_the_feet_are_no_feet() -> None:
    """Targets and foot-roll pivots on the ground: not the feet of a person's arms, nor legs of an animal."""
    beside = [(0.1, 0.0, 0.1), (0.1, 0.0, -0.1), (0.1, 0.02, 0.0)]
    two = person(*MIXAMO)
    for side in (1, -1):
        two.add(f"target {side}", "Hips", (0.1 * side, 0.0, 0.45))
    with pytest.raises(SkeletonError, match="2 chains"):
        legs_of(two.clip())
    fore, hind, sides, girdle = RIGS["rigify wolf"]
    four_legs = animal(*four(fore, hind, sides), girdle)
    for z in (0.5, -0.5):
        for side in (1, -1):
            names = [f"pivot {z} {side} {k}" for k in range(3)]
            four_legs.chain(names, "Pelvis_c", [(x * side, y, z + w) for x, y, w in beside])
    clip = four_legs.clip()
    same_feet(legs_by_geometry(clip), find_legs(clip.skeleton))


MOVES = st.tuples(st.floats(-3.2, 3.2), st.floats(-1000, 1000), st.floats(-1000, 1000), st.floats(-3, 3))


@given(MOVES, st.randoms(use_true_random=False))
@settings(max_examples=25)
def test_place_size_heading_and_names_do_not_matter(
    move: tuple[float, float, float, float], random: Any
) -> None:
    clip = ride()
    yaw, x, z, scale = move
    turn = np.array([0, np.sin(yaw / 2), 0, np.cos(yaw / 2)])
    rotations = clip.rotations.copy()
    rotations[:, 0] = quat.mul(np.tile(turn, (len(clip), 1)), rotations[:, 0])
    origins = quat.rotate(np.tile(turn, (len(clip), 1)), clip.origins) * 10**scale + np.array([x, z, x - z])
    names = [f"joint {k}" for k in range(len(clip.skeleton))]
    random.shuffle(names)
    offsets = clip.skeleton.offsets * 10**scale
    moved = rebuilt(clip, names=names, offsets=offsets, rotations=rotations, origins=origins)
    assert legs_by_geometry(moved) == clip.skeleton.legs


def mirrored(clip: Clip) -> Clip:
    """The clip in a mirror across x."""
    flip = np.array([-1.0, 1.0, 1.0])
    turns = clip.rotations * np.array([1.0, -1.0, -1.0, 1.0])
    return rebuilt(clip, offsets=clip.skeleton.offsets * flip, rotations=turns, origins=clip.origins * flip)


@pytest.mark.parametrize("speed", [0.0, 1.4, 6.5])
def test_a_mirror_swaps_left_and_right(speed: float) -> None:
    legs = ride(speed).skeleton.legs
    found = legs_by_geometry(mirrored(ride(speed)))
    assert [leg.toe for leg in found] == [legs[k].toe for k in (1, 0, 3, 2)]
    assert find_legs(mirrored(ride(speed)).skeleton) == legs  # names keep what they say


@given(st.integers(0, 2**31))
@settings(max_examples=15)
def test_the_frames_of_the_joints_do_not_matter(seed: int) -> None:
    """Rest poses mean nothing in many files: every joint may have any axes of its own."""
    clip = ride()
    own = np.random.default_rng(seed).normal(size=(len(clip.skeleton), 4))
    own /= np.linalg.norm(own, axis=1, keepdims=True)
    above = own[np.maximum(clip.skeleton.parents, 0)]
    above[0] = (0, 0, 0, 1)
    offsets = quat.rotate(quat.inverse(above), clip.skeleton.offsets)
    rotations = quat.mul(quat.mul(quat.inverse(above)[None], clip.rotations), own[None])
    turned = rebuilt(clip, offsets=offsets, rotations=rotations)
    np.testing.assert_allclose(turned.positions, clip.positions, atol=1e-9)
    assert legs_by_geometry(turned) == clip.skeleton.legs


def test_on_the_spot_and_backward_in_time() -> None:
    clip = ride(3.0)
    assert legs_by_geometry(in_place(clip)) == clip.skeleton.legs
    back = rebuilt(clip, rotations=clip.rotations[::-1], origins=clip.origins[::-1])
    assert legs_by_geometry(back) == clip.skeleton.legs


def line(count: int) -> Clip:
    tree = Tree("a0", (0, 0.1, 0))
    tree.chain([f"a{k}" for k in range(1, count)], "a0", [(0, 0.1, 0.1 * k) for k in range(1, count)])
    return tree.clip(5)


@pytest.mark.parametrize(
    ("clip", "reason"),
    [
        (line(2), "no chain"),
        (line(40), "no chain"),
        (table(6).clip(), "6 chains"),
        (table(8).clip(), "8 chains"),
        (table(4).clip(3), "which two are a pair"),
        (table(4, apart=1.6).clip(3), "in front"),
        (still(Skeleton(["only"], [-1], [[0, 0, 0]]), (0, 0, 0)), "no chain"),
        (rebuilt(line(3), rotations=np.zeros((0, 3, 4)), origins=np.zeros((0, 3))), "no frames"),
    ],
    ids=["bone", "snake", "table of 6", "spider", "square table", "long table", "point", "empty"],
)
def test_what_has_no_four_legs_is_refused(clip: Clip, reason: str) -> None:
    assert legs_by_geometry(clip) == ()
    with pytest.raises(SkeletonError, match=reason) as caught:
        legs_of(clip)
    text = str(caught.value)
    assert "--legs LF=" in text and "Chains: " in text and clip.name in text


def test_ten_thousand_frames_take_no_time() -> None:
    clip = scrambled(ride())
    reps = 10_000 // len(clip) + 1
    long = rebuilt(
        clip, rotations=np.tile(clip.rotations, (reps, 1, 1)), origins=np.tile(clip.origins, (reps, 1))
    )
    legs_by_geometry(long)
    spent: list[float] = []
    for _ in range(3):
        start = time.perf_counter()
        legs_by_geometry(long)
        spent.append(time.perf_counter() - start)
    assert min(spent) < 0.05


def test_a_large_tree_does_not_block() -> None:
    """A comb: a chain of hundreds of joints, each with two branches alike."""
    parents, offsets, trunk = [-1], [(0.0, 0.0, 0.0)], 0
    while len(parents) < 2000:
        here = len(parents)
        parents += [trunk, here, trunk, here + 2, trunk]
        offsets += [(0.1, 0, 0), (0.1, -0.1, 0), (-0.1, 0, 0), (-0.1, -0.1, 0), (0, 0, 0.01)]
        trunk = here + 4
    skeleton = Skeleton([f"n{k}" for k in range(len(parents))], parents, offsets)
    start = time.perf_counter()
    assert legs_by_geometry(still(skeleton, (0, 0, 0), 2)) == ()
    assert find_legs(Skeleton([f"FrontLeg.L.{k}" for k in range(len(parents))], parents, offsets)) == ()
    assert time.perf_counter() - start < 5


# As given


def test_four_toes_are_enough() -> None:
    skeleton = ride().skeleton
    toes = {leg.name: skeleton.names[leg.toe] for leg in skeleton.legs}
    text = ",".join(f"{name}={toe}" for name, toe in toes.items())
    assert parse_legs(text, skeleton) == skeleton.legs
    spaced = " , ".join(f" {name.lower()} = {toes[name].upper()} " for name in reversed(LEGS))
    assert parse_legs(spaced, skeleton) == skeleton.legs


def test_whole_chains_by_name() -> None:
    skeleton = ride().skeleton
    chains = {leg.name: "/".join(skeleton.names[node] for node in nodes_of(leg)) for leg in skeleton.legs}
    assert parse_legs(",".join(f"{k}={v}" for k, v in chains.items()), skeleton) == skeleton.legs
    short = {
        leg.name: "/".join(skeleton.names[n] for n in (leg.top, leg.mid, leg.toe)) for leg in skeleton.legs
    }
    for leg, full in zip(
        parse_legs(",".join(f"{k}={v}" for k, v in short.items()), skeleton), skeleton.legs, strict=True
    ):
        assert leg == Leg(full.name, full.top, full.mid, full.toe, -1, full.toe)


def test_names_with_commas_strokes_and_equals_signs() -> None:
    clip = rebuilt(ride(), names=[f"a,b/c=d {k}" for k in range(len(ride().skeleton))])
    legs = ride().skeleton.legs
    text = ",".join(f"{leg.name}=a,b/c=d {leg.toe}" for leg in legs)
    same_feet(parse_legs(text, clip.skeleton), legs)


def test_given_legs_are_kept() -> None:
    clip = ride()
    odd = tuple(Leg(leg.name, leg.top, leg.mid, leg.low, -1, leg.toe) for leg in clip.skeleton.legs)
    given = Clip(clip.skeleton.with_legs(odd), clip.rotations, clip.origins, clip.fps)
    assert legs_of(given) == (odd, "given")


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"LF": "EFForeHofLeft_end"}, "nearest: EFForeHoofLeft_end"),
        ({"LF": "zzz"}, "no joint 'zzz'.*there are: "),
        ({"LF": None}, "LF missing"),
        ({"LF": "EFForeHoofRight_end"}, "four toes"),
        ({"LF": "HumerusLeft/RadiusLeft"}, "1 joint or 3 to 5"),
        ({"LF": "RadiusLeft/HumerusLeft/CannonLeft"}, "must be below"),
        ({"LF": "HumerusLeft/HumerusLeft/CannonLeft"}, "must be below"),
        ({"LF": "RootSacrum"}, "meets another leg"),
        ({"XF": "Head"}, "not LF=, RF=, LH= or RH="),
    ],
)
def test_wrong_texts_are_explained(changes: dict[str, str | None], told: str) -> None:
    skeleton = ride().skeleton
    values: dict[str, str | None] = {leg.name: skeleton.names[leg.toe] for leg in skeleton.legs}
    first = {name: value for name, value in changes.items() if name not in LEGS}
    entries = [f"{name}={value}" for name, value in (first | values | changes).items() if value]
    with pytest.raises(SkeletonError, match=told):
        parse_legs(",".join(entries), skeleton)


@given(
    st.one_of(
        st.text(max_size=60),
        st.lists(st.sampled_from(["LF=", "RH=", ",", "/", "Head", "Tail01", " "])).map("".join),
    )
)
def test_any_text_is_read_or_refused(text: str) -> None:
    with pytest.raises(SkeletonError):
        parse_legs(text, ride().skeleton)


def test_twice_and_too_long() -> None:
    with pytest.raises(SkeletonError, match="twice"):
        parse_legs("LF=Head,LF=Head", ride().skeleton)
    with pytest.raises(SkeletonError, match="characters"):
        parse_legs("LF=" + "x" * 20_000, ride().skeleton)


# Files nobody here made


@pytest.mark.data
def test_dogs_by_motion(data_dir: Path) -> None:
    paths = sorted((data_dir / "dog").glob("*.bvh"))[::6]
    assert len(paths) >= 5
    for path in paths:
        clip = load(path, scale=0.01)
        assert legs_of(clip) == (clip.skeleton.legs, "names: dog recordings")
        assert legs_by_geometry(scrambled(clip)) == clip.skeleton.legs, path.name


@pytest.mark.data
def test_the_fox_by_motion(data_dir: Path) -> None:
    clips = load_all(data_dir / "gltf" / "Fox.glb")
    assert len(clips) == 3
    for clip in clips:
        names = [names_of(clip.skeleton, leg) for leg in clip.skeleton.legs]
        assert names[0][0] == "b_LeftUpperArm_09" and names[0][4] == "b_LeftHand_011"
        assert names[3] == (
            "b_RightLeg01_019",
            "b_RightLeg02_020",
            "b_RightFoot01_021",
            None,
            "b_RightFoot02_022",
        )
        assert legs_of(clip) == (clip.skeleton.legs, "names: Khronos fox")
        assert legs_by_geometry(scrambled(clip)) == clip.skeleton.legs
        assert [leg.toe for leg in legs_by_geometry(mirrored(clip))] == [
            clip.skeleton.legs[k].toe for k in (1, 0, 3, 2)
        ]


def rehung(clip: Clip) -> Clip:
    """The three.js horse with its feet on its legs, where they are in the file at every time."""
    old = clip.skeleton
    feet = {
        old.index(f"{end}Foot.{side}"): old.index(f"{end}LowLeg.{side}")
        for end in ("Front", "Back")
        for side in "LR"
    }
    order = [node for node in range(len(old)) if node not in feet] + list(feet)
    place: NDArray[np.int64] = np.argsort(order)
    above = [feet.get(node, int(old.parents[node])) for node in order]
    parents = [-1 if node < 0 else int(place[node]) for node in above]
    offsets = [
        ((0, 1.59, 0) if "Front" in old.names[node] else (0, 2.17, 0)) if node in feet else old.offsets[node]
        for node in order
    ]
    skeleton = Skeleton([old.names[node] for node in order], parents, offsets)
    return Clip(skeleton, clip.rotations[:, order], clip.origins, clip.fps, name=clip.name)


@pytest.mark.data
def test_the_horse_of_three_js_by_motion(data_dir: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        clips = load_all(data_dir / "gltf" / "threejs-horse" / "Horse.gltf")
    for clip in clips:
        assert legs_of(clip) == (clip.skeleton.legs, "names: three.js horse")
        assert names_of(clip.skeleton, clip.skeleton.legs[0])[::4] == ("FrontUpLeg.L", "FrontFoot.L")
        if clip.name == "Death":  # it lies on its side at the end
            continue
        for one in (clip, rehung(clip)):
            legs = find_legs(one.skeleton)
            same_feet(legs_by_geometry(scrambled(one)), legs)
