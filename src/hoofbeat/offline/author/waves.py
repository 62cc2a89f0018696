"""Waves: base cycles of method `froude`, authored strides as short sums of sinusoids (M2).

python -m hoofbeat.offline.author.waves writes them, with laws and presets, as data/froude/horse.yaml.
Left and right limbs share one curve in their own time, as in the paper. The strides are those of the
database, a little lower: a leg that is nearly straight turns its joints in jerks that six harmonics
cannot follow.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import yaml
from numpy.typing import NDArray

from hoofbeat.body.pose import world_of
from hoofbeat.body.size import hip_height
from hoofbeat.body.skeleton import Skeleton
from hoofbeat.formats.scenefile import THESIS_HORSE, read_scene
from hoofbeat.gaits.database import HORSE_CYCLES
from hoofbeat.maths import quat
from hoofbeat.maths.physics import GRAVITY
from hoofbeat.methods.froude.model.fourier import HARMONICS, fourier, listed
from hoofbeat.methods.froude.model.inputs import FORMAT, HORSE_INPUTS, VERSION
from hoofbeat.methods.froude.model.limb import SPARE
from hoofbeat.methods.froude.model.similarity import LAWS, NATURAL_GAITS, PRESETS
from hoofbeat.offline.author.cycle import leg_at, lowering
from hoofbeat.offline.author.limb import about_x
from hoofbeat.offline.author.style import Style, bounce_of, load_of, read_styles
from hoofbeat.offline.author.trunk import JOINTS, SCAPULAE, scapula, trunk_pose

Floats = NDArray[np.float64]

#: Samples of a cycle.
SAMPLES = 256
#: The stride of the database that each gait starts from, and what is calmed in it: quick movements just
#: before the hoof lands, and the gallop's long reach, which its adjuster gives back.
BASES: dict[str, tuple[str, dict[str, Any]]] = {
    "walk": ("walk-1.2", {"carpus_share": 1.7}),
    "trot": ("trot-3.0", {}),
    "canter": ("canter-left-5.5", {"late_lift": (0.03, 0.03)}),
    "gallop": (
        "gallop-right-9",
        {
            "late_lift": (0.03, 0.03),
            "late": (0.0, 0.0),
            "early": (0.1, 0.1),
            "duty": (0.28, 0.28),
            "speed": 7.2,
        },
    ),
}
#: Trunk angles that never exceed this are left out [deg].
STILL = 0.15
_JOINTS = {
    True: ("shoulder", "elbow", "carpus", "fetlock", "hoof"),
    False: ("hip", "stifle", "hock", "fetlock", "hoof"),
}
HEADER = """\
# The inputs of method `froude`: power laws, presets of gait borders and phases, base cycles, adjusters.
# Copy it, change it, and give the copy as scene=. docs/froude.md explains every key. The base cycles are
# made by python -m hoofbeat.offline.author.waves.
#
# A wave is [mean, [k, amplitude, phase], ...]: mean + sum of amplitude sin 2 pi (k t + phase). Of limbs t is
# the limb's own time since it lands, of the trunk the time since the left hind lands. Angles are degrees
# from rest about the lateral axis (of the trunk: rotation vectors), lengths hip heights from rest.
"""


@dataclass(frozen=True)
class Analysis:
    """One base cycle: what a file holds of it, and the error [deg] of every limb curve by name."""

    entry: dict[str, Any]
    errors: dict[str, float]


def analyse(style: Style, skeleton: Skeleton) -> Analysis:
    """The base cycle of a style."""
    hip = hip_height(skeleton)
    bounce = bounce_of(style)
    lowered = lowering(style, skeleton, bounce) + SPARE * hip
    own = np.arange(SAMPLES) / SAMPLES
    errors: dict[str, float] = {}
    limbs: dict[str, Any] = {}
    for limb, pair in (("fore", (0, 1)), ("hind", (2, 3))):
        tracks = [_limb(style, skeleton, leg, own, lowered, hip) for leg in pair]
        limbs[limb] = {}
        for name in tracks[0]:
            wave, error = fourier(np.mean([track[name] for track in tracks], axis=0))
            limbs[limb][name] = listed(wave, 5 if name in ("height", "ahead") else 2)
            if name not in ("height", "ahead"):
                errors[f"{limb} {name}"] = error
    load = load_of(style)
    numbers: dict[str, Any] = {
        "source": style.name,
        "froude": round(style.speed**2 / (GRAVITY * hip), 3),
        "stride": round(style.stride / float(np.sqrt(hip / GRAVITY)), 4),
        "touchdown": list(style.touchdown),
        "duty": list(style.duty),
        "stance": [round(style.speed * style.stride * duty / hip, 4) for duty in style.duty],
        "track": [round(value / hip, 4) for value in style.track],
        "load": {
            "fore_share": load.fore_share,
            "gyration": load.gyration,
            "dip": list(load.dip),
            "skew": list(load.skew),
            "weight": list(load.weight),
        },
    }
    trunk = _trunk(style, skeleton, own, lowered, hip)
    return Analysis({**numbers, **limbs, "trunk": trunk}, errors)


def _limb(
    style: Style, skeleton: Skeleton, leg: int, own: Floats, lowered: float, hip: float
) -> dict[str, Floats]:
    """Curves (K,) of one leg in its own time: degrees, and lengths from rest in hip heights."""
    bounce = bounce_of(style)
    path, limb = leg_at(style, skeleton, bounce, leg, own, lowered)
    rotations, origin = trunk_pose(style, skeleton, bounce, own + style.touchdown[leg])
    fore = leg < 2
    first = skeleton.index(SCAPULAE[leg]) if fore else skeleton.legs[leg].top
    positions, turns = world_of(skeleton, rotations, origin - [0.0, lowered, 0.0])
    rest = skeleton.rest_positions()
    away = (positions[:, first] - rest[first] + [0.0, rest[:, 1].min(), 0.0]) / hip
    out = {"pitch": _sagittal(turns[:, skeleton.parents[first]]), "height": away[:, 1], "ahead": away[:, 2]}
    if fore:
        out["scapula"] = _sagittal(about_x(scapula(style, path.ahead)))
    for name, part in zip(_JOINTS[fore], ("top", "mid", "low", "pastern", "hoof"), strict=True):
        out[name] = _sagittal(getattr(limb, part))
    return out


def _trunk(style: Style, skeleton: Skeleton, own: Floats, lowered: float, hip: float) -> dict[str, Any]:
    rotations, origin = trunk_pose(style, skeleton, bounce_of(style), own)
    rest = -float(skeleton.rest_positions()[:, 1].min())
    out: dict[str, Any] = {
        "height": listed(fourier((origin[:, 1] - lowered - rest) / hip)[0], 5),
        "sway": listed(fourier(origin[:, 0] / hip)[0], 5),
    }
    for name in JOINTS:
        turned = np.degrees(quat.log(quat.continuous(rotations[:, skeleton.index(name)])))
        axes: dict[str, Any] = {}
        for axis, angle in zip("xyz", turned.T, strict=True):
            if np.abs(angle).max() > STILL:
                axes[axis] = listed(fourier(angle, HARMONICS)[0], 2)
        if axes:
            out[name] = axes
    return out


def _sagittal(turns: Floats) -> Floats:
    """Angles (K,) [deg] of rotations (K, 4) about the lateral axis, without jumps."""
    return np.degrees(np.unwrap(2 * np.arctan2(turns[:, 0], turns[:, 3])))


def all_bases() -> dict[str, Analysis]:
    """The base cycles of the shipped strides."""
    skeleton = read_scene(THESIS_HORSE).skeleton
    styles = {style.name: style for style in read_styles(HORSE_CYCLES.with_suffix(".yaml"))}
    return {
        gait: analyse(replace(styles[name], **calmed), skeleton) for gait, (name, calmed) in BASES.items()
    }


def written(bases: dict[str, Analysis]) -> str:
    """The text of the file of inputs."""
    laws = {
        name: {key: [getattr(one, key).a, getattr(one, key).b] for key in ("fore", "hind", "stride")}
        for name, one in LAWS.items()
    }
    presets = {
        name: {
            "hysteresis": one.hysteresis,
            "reference": one.reference,
            **{
                gait: {"froude": list(one.borders[gait]), "touchdown": list(one.touchdown[gait])}
                for gait in NATURAL_GAITS
            },
        }
        for name, one in PRESETS.items()
    }
    parts = (
        {"format": FORMAT, "version": VERSION, "laws": laws, "presets": presets},
        {"adjusters": {gait: f"adjuster-{gait}.yaml" for gait in NATURAL_GAITS}},
        {"cycles": {gait: base.entry for gait, base in bases.items()}},
    )
    return HEADER + "".join(_dumped(part) for part in parts)


class _Flow(list[object]):
    """A list that is written on one line."""


class _Dumper(yaml.SafeDumper):
    """Writes waves on one line each."""


_Dumper.add_representer(
    _Flow, lambda dumper, data: dumper.represent_sequence("tag:yaml.org,2002:seq", data, flow_style=True)
)


def _dumped(value: object) -> str:
    def flowing(one: Any) -> Any:
        if isinstance(one, dict):
            return {key: flowing(inner) for key, inner in one.items()}
        return _Flow(one) if isinstance(one, list) else one

    return yaml.dump(flowing(value), Dumper=_Dumper, sort_keys=False, width=1000)


def main() -> int:
    """Write the file of inputs; print how well the waves fit."""
    bases = all_bases()
    for gait, base in bases.items():
        worst = max(base.errors, key=lambda name: base.errors[name])
        sys.stdout.write(
            f"{gait}: worst of {HARMONICS} harmonics {worst}, {base.errors[worst]:.2f} deg rms\n"
        )
    HORSE_INPUTS.write_text(written(bases), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
