"""Words: names that shells complete, kept here so that completion need not load the engine. A test keeps
them in step with it."""

from __future__ import annotations

METHODS = ("actions",)
GAITS = ("stand", "walk", "trot", "gallop")
TERRAINS = ("flat",)
#: Gaits that a check can be told to expect.
CHECKED_GAITS = (
    "stand",
    "walk",
    "pacing-walk",
    "amble",
    "rack",
    "trot",
    "canter-left",
    "canter-right",
    "gallop-left",
    "gallop-right",
    "rotary-gallop-left",
    "rotary-gallop-right",
    "jump",
    "transition",
    "canter",
    "gallop",
    "transverse-gallop",
    "rotary-gallop",
    "idle",
    "halt",
    "pace",
    "single-foot",
    "toelt",
    "tölt",
)


def complete_method(incomplete: str) -> list[str]:
    """Methods that begin so."""
    return [word for word in METHODS if word.startswith(incomplete)]


def complete_gait(incomplete: str) -> list[str]:
    """Gaits that begin so."""
    return [word for word in GAITS if word.startswith(incomplete)]


def complete_checked_gait(incomplete: str) -> list[str]:
    """Gaits that a check knows and that begin so."""
    return [word for word in CHECKED_GAITS if word.startswith(incomplete)]


def complete_terrain(incomplete: str) -> list[str]:
    """Terrains that begin so."""
    return [word for word in TERRAINS if word.startswith(incomplete)]
