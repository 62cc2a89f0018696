"""Stages: how many stages of 100 each limb's cycle has in a transition (M7, section 6.1, Table 4)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from hoofbeat.methods.froude.model.similarity import NATURAL_GAITS, Four, Preset, checked_gait, preset_named

#: Stages of a standard cycle.
STANDARD = 100
#: The order of limbs in the paper's tables, and their places in LF, RF, LH, RH.
PAPER_LIMBS = {"FL": 0, "HL": 2, "HR": 3, "FR": 1}


def transition_stages(before: float, after: float) -> float:
    """Stages of a limb's transition cycle from its phases [stages] in the gaits before and after.

    The difference is added to 100 where it is less than 50; else the limb goes round in the other direction.
    """
    change = after - before
    if abs(change) < 50:
        return STANDARD + change
    rest = STANDARD - abs(change)
    return STANDARD - rest if change > 0 else STANDARD + rest


def leg_changes(before: Sequence[float], after: Sequence[float], reference: str) -> Four:
    """By how much [strides] the cycles of LF, RF, LH, RH change between touchdowns (4,) and (4,).

    reference "left-fore": by the paper's rule, the left fore's not at all; "least": those by which the
    greatest change is least, legs being free to lag or to lead all together.
    """
    first, second = ([(rows[leg] - rows[0]) % 1.0 for leg in range(4)] for rows in (before, after))
    changes = [transition_stages(100 * a, 100 * b) / 100 - 1 for a, b in zip(first, second, strict=True)]
    if reference != "left-fore":
        # Every leg may also go round in the other direction; all may be moved together by half of what is
        # left.
        best = changes
        for cycles in product((-1.0, 0.0, 1.0), repeat=3):
            tried = [changes[0], *(one + cycle for one, cycle in zip(changes[1:], cycles, strict=True))]
            if max(tried) - min(tried) < max(best) - min(best) - 1e-9:
                best = tried
        middle = 0.5 * (max(best) + min(best))
        changes = [one - middle for one in best]
    a, b, c, d = (round(one, 9) for one in changes)
    return a, b, c, d


def stages_between(source: str, to: str, preset: str | Preset = "paper") -> dict[str, int]:
    """Stages of FL, HL, HR and FR between two gaits of a preset."""
    own = preset_named(preset) if isinstance(preset, str) else preset
    before, after = own.touchdown[checked_gait(source)], own.touchdown[checked_gait(to)]
    changes = leg_changes(before, after, own.reference)
    return {limb: STANDARD + round(100 * changes[leg]) for limb, leg in PAPER_LIMBS.items()}


def adjacent() -> tuple[tuple[str, str], ...]:
    """The six transitions of Table 4, up and then down."""
    up = tuple(zip(NATURAL_GAITS, NATURAL_GAITS[1:], strict=False))
    return up + tuple((b, a) for a, b in reversed(up))


def stage_table(preset: str | Preset = "paper") -> dict[str, dict[str, int]]:
    """Table 4: of each transition ("walk to trot") the stages of FL, HL, HR, FR."""
    return {f"{a} to {b}": stages_between(a, b, preset) for a, b in adjacent()}
