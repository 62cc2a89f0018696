"""Loss curves: an SVG of how training goes, drawn anew after every epoch; no plotting library is needed."""

from __future__ import annotations

import math
from collections.abc import Sequence

WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 760, 400, 64, 36, 150, 44
COLOURS = ("#0b6e99", "#c4573a", "#5b8c3a", "#7a5195", "#b98a1d", "#555555")


def loss_svg(
    title: str, curves: dict[str, Sequence[float]], epochs: int, restarts: Sequence[int] = ()
) -> str:
    """A picture of curves by name, one value an epoch, on a logarithmic scale; restarts are marked."""
    values = [v for curve in curves.values() for v in curve if math.isfinite(v) and v > 0]
    low, high = (min(values), max(values)) if values else (0.1, 1.0)
    low, high = math.log10(low) - 0.05, math.log10(high) + 0.05
    inner, tall = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM

    def x(epoch: float) -> float:
        return LEFT + inner * epoch / max(epochs, 1)

    def y(value: float) -> float:
        return TOP + tall * (high - math.log10(value)) / (high - low)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" '
        f'font-size="12"><rect width="{WIDTH}" height="{HEIGHT}" fill="#fbfaf7"/>',
        f'<text x="{LEFT}" y="22" font-size="14">{_safe(title)}</text>',
    ]
    for mark in restarts:
        if mark < epochs:
            parts.append(
                f'<path d="M{x(mark):.1f} {TOP}V{TOP + tall}" stroke="#ddd" stroke-dasharray="3 3"/>'
            )
    for tick in _ticks(10**low, 10**high):
        parts.append(
            f'<path d="M{LEFT} {y(tick):.1f}H{LEFT + inner}" stroke="#e4e0d8"/>'
            f'<text x="{LEFT - 6}" y="{y(tick) + 4:.1f}" text-anchor="end">{tick:g}</text>'
        )
    for epoch in range(0, epochs + 1, max(1, epochs // 5)):
        parts.append(f'<text x="{x(epoch):.1f}" y="{HEIGHT - 22}" text-anchor="middle">{epoch}</text>')
    parts.append(f'<text x="{LEFT + inner / 2}" y="{HEIGHT - 6}" text-anchor="middle">epoch</text>')
    for n, (name, curve) in enumerate(curves.items()):
        colour = COLOURS[n % len(COLOURS)]
        points = [(x(k + 1), y(v)) for k, v in enumerate(curve) if math.isfinite(v) and v > 0]
        line = "L".join(f"{a:.1f} {b:.1f}" for a, b in points)
        if points:
            parts.append(f'<path d="M{line}" fill="none" stroke="{colour}" stroke-width="1.6"/>')
        parts.append(
            f'<text x="{LEFT + inner + 8}" y="{TOP + 14 + 16 * n}" fill="{colour}">{_safe(name)}</text>'
        )
    return "\n".join([*parts, "</svg>\n"])


def _ticks(low: float, high: float) -> list[float]:
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    found = [m * 10.0**d for d in decades for m in (1, 2, 5)]
    return [round(v, 12) for v in found if low <= v <= high]


def _safe(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
