"""Output: an evaluation as files: results.json, tables.md, pictures, and the places that a page marks."""

from __future__ import annotations

import json
import math
from pathlib import Path as FilePath
from typing import Any

import numpy as np

from hoofbeat.errors import FileError
from hoofbeat.formats.files import write_bytes
from hoofbeat.methods.neural.network.layout import RATE
from hoofbeat.offline.neural.evaluate.papertables import SKATING
from hoofbeat.offline.neural.evaluate.tables import blocks_of, families_of, page_of, refreshed
from hoofbeat.offline.neural.trials.paths import paths_of
from hoofbeat.render.plots.neural import draw_bars, draw_gates, draw_losses, draw_paths

#: Points of a path that are drawn, every so many; and digits that numbers are written with.
EVERY, DIGITS = 20, 4
#: Entries that are not written.
DRAWN = "drawn"

Results = dict[str, Any]


class PageError(FileError):
    """A page that cannot be read."""


def write_results(folder: FilePath, results: Results, pictures: bool = True) -> list[FilePath]:
    """Write everything into a folder; returns the files. Where animals went is drawn, not written."""
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps(rounded(results), separators=(",", ":"), allow_nan=False)
    # One network a line: what changes is clear in a comparison of versions.
    text = text.replace('{"file":', '\n{"file":') + "\n"
    files = [folder / "results.json", folder / "tables.md"]
    for path, words in zip(files, (text, page_of(results)), strict=True):
        write_bytes(path, words.encode())
    return files + (_pictures(folder, results) if pictures else [])


def refresh_page(page: FilePath, results: Results) -> FilePath:
    """Put the tables into a page where it marks them."""
    try:
        text = page.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        raise PageError(f"this page cannot be read: {problem}", page) from None
    write_bytes(page, refreshed(text, blocks_of(results)).encode())
    return page


def rounded(value: Any) -> Any:
    """The same with numbers to DIGITS and without DRAWN; JSON has no NaN: it becomes null."""
    if isinstance(value, float):
        return round(value, DIGITS) if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: rounded(entry) for key, entry in value.items() if key != DRAWN}
    if isinstance(value, list | tuple):
        return [rounded(entry) for entry in value]
    return value


def _pictures(folder: FilePath, results: Results) -> list[FilePath]:
    files: list[FilePath] = []
    if results.get("losses"):
        files.append(draw_losses(folder / "losses.png", results["losses"]))
    families = families_of(results)
    for name, rows in families.items():
        if rows[0].get("gates"):
            stem = name.replace(" ", "-")
            files.append(draw_gates(folder / f"gates-{stem}.png", rows[0]["gates"], RATE))
    if any("motions" in row for row in results["networks"]):
        files.append(_skating(folder / "skating.png", results))
        files.append(_paths(folder / "paths.png", results))
    return files


def _skating(path: FilePath, results: Results) -> FilePath:
    """Table 2 as bars."""
    bars: dict[str, list[tuple[float, float]]] = {}
    keys = [(motion, key) for motion in SKATING for key in ("skating", "skating_hind")]
    if results.get("recordings"):
        bars["recordings"] = [(results["recordings"][m][k] or 0.0, 0.0) for m, k in keys]
    for name, rows in families_of(results).items():
        values = [[row["motions"][m][k] for row in rows] for m, k in keys]
        known = [[v for v in each if v is not None] or [0.0] for each in values]
        bars[name] = [(float(np.mean(each)), float(np.std(each))) for each in known]
    groups = [motion + (", hind" if key == "skating_hind" else "") for motion, key in keys]
    return draw_bars(path, "skating [cm/frame]", groups, bars)


def _paths(path: FilePath, results: Results) -> FilePath:
    """Figure 8: the first network of each family, at the middle speed."""
    paths = {one.name: one.points[::EVERY] for one in paths_of()}
    followed: dict[str, list[tuple[str, list[list[float]]]]] = {name: [] for name in paths}
    for name, rows in families_of(results).items():
        speeds = sorted({one["speed"] for one in rows[0]["paths"]})
        for one in rows[0]["paths"]:
            if one["speed"] == speeds[len(speeds) // 2]:
                followed[one["path"]].append((name, one[DRAWN]))
    return draw_paths(path, paths, followed)
