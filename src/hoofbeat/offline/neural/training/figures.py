"""Figures: what training runs left in JSON: loss curves (Figure 6), time, shares of experts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from hoofbeat.errors import FileError
from hoofbeat.formats.files import read_bytes

#: The largest file that is read [bytes], and digits that are kept of a loss.
MAX_BYTES, DIGITS = 16 * 1024 * 1024, 4


class FiguresError(FileError):
    """A folder without figures of training runs, or a file that holds none."""


def read_figures(folder: Path) -> dict[str, dict[str, Any]]:
    """Every training run of a folder by name: command, data, machine, and curves as means over seeds."""
    paths = sorted(folder.glob("*.json")) if folder.is_dir() else []
    if not paths:
        raise FiguresError(
            "no figures (*.json) in this folder; hoofbeat train writes them beside networks", folder
        )
    return {path.stem: _run(path) for path in paths}


def _run(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(read_bytes(path, MAX_BYTES, FiguresError))
        curve, settings = found["curve"], found["settings"]
        train, test = (_curve([epoch[key] for epoch in curve]) for key in ("train", "test"))
        return {
            "network": str(found["network"]),
            "parameters": int(found["parameters"]),
            "command": str(found["command"]),
            "data": {key: found["data"][key] for key in ("file", "sha256", "rows", "shown")},
            "machine": str(found["machine"]),
            "batch": int(settings["batch"]),
            "rollout": int(settings.get("rollout", 1)),
            "seeds": [int(seed) for seed in settings["seeds"]],
            "seconds": float(found["seconds"]),
            "shares": np.round(found.get("shares") or [], DIGITS).tolist(),
            "train": train,
            "test": test,
        }
    except (ValueError, KeyError, TypeError, RecursionError) as problem:
        reason = f"{type(problem).__name__} {problem}"
        raise FiguresError(f"no figures of a training run: {reason:.200}; train again", path) from None


def _curve(values: list[Any]) -> list[float]:
    """Means over seeds of values (E, S)."""
    rows = np.array(values, np.float64)
    if rows.ndim != 2 or not rows.size or not np.isfinite(rows).all():
        raise ValueError("curves must be numbers, one a seed in every epoch")
    return np.round(rows.mean(axis=1), DIGITS).tolist()
