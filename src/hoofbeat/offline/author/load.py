"""Load: a style's bounce, by the loads of methods/froude/model/load.py."""

from __future__ import annotations

from hoofbeat.methods.froude.model.load import FORE_AT, HIND_AT, POINTS, Bounce, Load, bounce_under
from hoofbeat.offline.author.style import Style


def load_of(style: Style) -> Load:
    """How the feet of a style bear."""
    return Load(style.fore_share, style.gyration, style.load_dip, style.load_skew, style.load_weight)


def bounce_of(style: Style) -> Bounce:
    """The trunk's bounce at the style's own stride time."""
    return bounce_under(load_of(style), style.touchdown, style.duties().tolist(), style.stride)


__all__ = ["FORE_AT", "HIND_AT", "POINTS", "Bounce", "bounce_of", "load_of"]
