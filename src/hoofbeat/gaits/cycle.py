"""Cycle: one authored stride, its trunk in the time of the stride and each leg in its own.

A leg's time is counted by the part of its stance or of its swing that is over, so that cycles of different
duty can be mixed: standing is mixed with standing. Toes are kept as what does not change with speed: how
much of the swing's travel is covered, how high, how far from the middle line.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from hoofbeat.gaits.gait import other_lead
from hoofbeat.maths import quat

Floats = NDArray[np.float64]

#: Columns of a leg's track. way: by how much the part of the swing's path over the ground that is covered
#: is ahead of the smoothest one, s s (3 - 2 s) after the part s of the swing; side, lift: toe [m], character
#: space; pitch of the hoof, heel up, and sink of the fetlock below standing [rad];
#: scapula: turn of the shoulder blade about the lateral axis; mid, low: flexion of the joints [rad].
FEATURES = ("way", "side", "lift", "pitch", "sink", "scapula", "mid", "low")
WAY, SIDE, LIFT, PITCH, SINK, SCAPULA, MID, LOW = range(8)
#: Rows of a trunk's track, and of a leg's stance and swing, both ends included.
TRUNK_ROWS, LEG_ROWS = 64, 33
#: Parts of a leg's track.
STANCE, SWING = 0, 1
#: Exchanges left and right of LF, RF, LH, RH.
MIRROR = [1, 0, 3, 2]


@dataclass(frozen=True)
class Cycle:
    """One stride at one speed.

    speed [m/s], stride [s]; touchdown (4,) after the left hind, duty (4,); middle (4,): z of the middle
    of each stance [m], character space; height (R,) of the root joint and sway (R,), to the left [m];
    trunk (R, J, 4): local rotations of `joints`; legs (4, 2, L, 8, 2): of stance and swing the FEATURES and
    their slopes, for the whole part; fetlock
    (4, 2): extension of the fetlock [rad] from which a foot ahead of its shoulder or hip counts as
    landed, and from which one behind counts as left (H4).
    """

    name: str
    gait: str
    speed: float
    stride: float
    touchdown: Floats
    duty: Floats
    middle: Floats
    height: Floats
    sway: Floats
    trunk: Floats
    legs: Floats
    fetlock: Floats
    joints: tuple[str, ...]

    @property
    def family(self) -> str:
        """The gait without its lead."""
        return self.gait.removesuffix("-left").removesuffix("-right")


def mirrored_cycle(cycle: Cycle) -> Cycle:
    """The cycle with left and right exchanged, again counted from the left hind; its gait leads otherwise."""
    turned = cycle.touchdown[MIRROR]
    shift = float(turned[2])
    legs = np.array(cycle.legs[MIRROR])
    legs[..., SIDE, :] *= -1
    return replace(
        cycle,
        name=other_lead(cycle.name),
        gait=other_lead(cycle.gait),
        touchdown=(turned - shift) % 1.0,
        duty=cycle.duty[MIRROR],
        middle=cycle.middle[MIRROR],
        height=_shifted(cycle.height, shift),
        sway=-_shifted(cycle.sway, shift),
        trunk=quat.normalize(_shifted(cycle.trunk, shift) * np.array([1.0, -1.0, -1.0, 1.0])),
        legs=legs,
        fetlock=cycle.fetlock[MIRROR],
    )


def _shifted(rows: Floats, shift: float) -> Floats:
    """A periodic table read so much later [cycles], by Fourier: no shift blurs it."""
    waves = np.fft.rfft(rows, axis=0)
    turns = np.exp(2j * np.pi * np.arange(len(waves)) * shift)
    return np.fft.irfft(waves * turns.reshape(-1, *[1] * (rows.ndim - 1)), len(rows), axis=0)
