"""Adjusting: what adjusters are evolved for: the score of a moving limb over a gait's Froude range (M5)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hoofbeat.errors import HoofbeatError
from hoofbeat.formats.adjusterfile import (
    FORMAT,
    VERSION,
    Adjuster,
    AdjusterError,
    parse_adjuster,
    unadjusted,
)
from hoofbeat.formats.scenefile import THESIS_HORSE, read_scene
from hoofbeat.methods.froude.model.inputs import HORSE_INPUTS, limbs_of, read_inputs
from hoofbeat.methods.froude.model.limb import WORST, Limbs, Wanted, measured_limb, packed, scores, wanted_of
from hoofbeat.methods.froude.model.similarity import checked_gait
from hoofbeat.offline.evolution.breeding import PENALTY

#: The shipped grammar.
ADJUSTER_GRAMMAR = HORSE_INPUTS.parent / "adjuster.bnf"
#: Froude numbers that an adjuster is tried at, evenly spread in their logarithm over its range.
FROUDES = 10
#: What a grammar may write for the place in the gait's range, evenly in the logarithm: {x} from -1 at its
#: least Froude number to 1 at its most; {low} and {high}: the natural logarithm of the Froude number over
#: that of the middle, where it is below 0, or above; else 0.
PLACES = ("{x}", "{low}", "{high}")


@dataclass(frozen=True, eq=False)
class Adjusting:
    """The problem of one gait; it holds all that is needed, so that a worker reads no file.

    gait: its name; froude: the range that an adjuster is made for; limbs: the animal's; wanted: what
    similarity asks of them.
    """

    gait: str
    froude: tuple[float, float]
    limbs: Limbs
    wanted: Wanted

    def scores(self, texts: Sequence[str]) -> NDArray[np.float64]:
        """Scores of texts, (N,), 0 at best; what is no adjuster, or throws the limb about, is penalised."""
        found = np.full(len(texts), PENALTY)
        sound: dict[int, Adjuster] = {}
        for at, text in enumerate(texts):
            try:
                sound[at] = self.adjuster(text)
            except HoofbeatError:
                continue
        if sound:
            made = scores(self.limbs, packed(list(sound.values())), self.wanted)
            found[list(sound)] = np.where(made < WORST, made, PENALTY)
        return found

    def adjuster(self, text: str, made: Mapping[str, Any] | None = None) -> Adjuster:
        """The adjuster that a phenotype stands for: the limbs of an adjuster file, below its head."""
        low, high = self.froude
        head = f"format: {FORMAT}\nversion: {VERSION}\ngait: {self.gait}\nfroude: [{low!r}, {high!r}]\n"
        found = parse_adjuster(head + self.placed(text), "<phenotype>")
        # A grammar could close the head with one of its own; the range and the gait are not its to choose.
        if (found.gait, found.froude) != (self.gait, self.froude):
            raise AdjusterError("a phenotype holds only fore: and hind:", "<phenotype>")
        return replace(found, made=dict(made or {}))

    def placed(self, text: str) -> str:
        """A phenotype with PLACES as expressions, scaled to the gait's range."""
        low, high = self.froude
        middle = f"fr {math.sqrt(low * high):.4g} /"
        scale = f"{2 / math.log(high / low):.4g}"
        scaled = (f"{middle} log {scale} *", f"{middle} 1 min log", f"{middle} 1 max log")
        for place, expression in zip(PLACES, scaled, strict=True):
            text = text.replace(place, expression)
        return text

    def unadjusted(self) -> float:
        """The score of the base cycle alone, which adjusters have to beat."""
        programs = packed([unadjusted(self.gait, self.froude)])
        return float(scores(self.limbs, programs, self.wanted)[0])

    def measures(self, adjuster: Adjuster) -> NDArray[np.float64]:
        """What one adjuster does: MEASURES (F, 2, 10), at `wanted.froude`, of fore and hind."""
        return measured_limb(self.limbs, packed([adjuster]), self.wanted)[0]


def adjusting(
    gait: str, inputs: str | PathLike[str] = HORSE_INPUTS, scene: str | PathLike[str] = THESIS_HORSE
) -> Adjusting:
    """The problem of a gait, for the base cycles and ranges of a file of inputs, on a scene's animal."""
    name = checked_gait(gait)
    given = read_inputs(inputs)
    limbs = limbs_of(given.bases[name], name, read_scene(Path(scene)).skeleton)
    froude = given.adjusters[name].froude
    return Adjusting(name, froude, limbs, wanted_of(limbs, np.geomspace(*froude, FROUDES)))
