"""Words: names that shells complete, kept here so that completion need not load the engine. A test keeps
them in step with it."""

from __future__ import annotations

METHODS = ("actions",)
GAITS = ("stand", "walk", "trot", "gallop")
TERRAINS = ("flat",)


def complete_method(incomplete: str) -> list[str]:
    """Methods that begin so."""
    return [word for word in METHODS if word.startswith(incomplete)]


def complete_gait(incomplete: str) -> list[str]:
    """Gaits that begin so."""
    return [word for word in GAITS if word.startswith(incomplete)]


def complete_terrain(incomplete: str) -> list[str]:
    """Terrains that begin so."""
    return [word for word in TERRAINS if word.startswith(incomplete)]
