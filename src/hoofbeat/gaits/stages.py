"""Stages: how many stages of 100 each limb's cycle has in a transition (M7, section 6.1, Table 4)."""

from __future__ import annotations

from hoofbeat.gaits.similarity import NATURAL_GAITS, Preset, checked_gait, preset_named

#: Stages of a standard cycle.
STANDARD = 100
#: The order of limbs in the paper's tables, and their places in LF, RF, LH, RH.
PAPER_LIMBS = {"FL": 0, "HL": 2, "HR": 3, "FR": 1}


def transition_stages(before: float, after: float) -> float:
    """Stages of a limb's transition cycle from its phases [stages] in the gaits before and after.

    The difference is added to 100 where it is less than 50; else the limb goes the other way round.
    """
    change = after - before
    if abs(change) < 50:
        return STANDARD + change
    rest = STANDARD - abs(change)
    return STANDARD - rest if change > 0 else STANDARD + rest


def stages_between(source: str, to: str, preset: str | Preset = "paper") -> dict[str, int]:
    """Stages of FL, HL, HR and FR between two gaits, phases counted after the left fore."""
    own = preset_named(preset) if isinstance(preset, str) else preset
    before, after = own.touchdown[checked_gait(source)], own.touchdown[checked_gait(to)]
    out: dict[str, int] = {}
    for limb, leg in PAPER_LIMBS.items():
        first, second = (round((rows[leg] - rows[0]) % 1.0 * 100) % 100 for rows in (before, after))
        out[limb] = round(transition_stages(first, second))
    return out


def adjacent() -> tuple[tuple[str, str], ...]:
    """The six transitions of Table 4, up and then down."""
    up = tuple(zip(NATURAL_GAITS, NATURAL_GAITS[1:], strict=False))
    return up + tuple((b, a) for a, b in reversed(up))


def stage_table(preset: str | Preset = "paper") -> dict[str, dict[str, int]]:
    """Table 4: of each transition ("walk to trot") the stages of FL, HL, HR, FR."""
    return {f"{a} to {b}": stages_between(a, b, preset) for a, b in adjacent()}
