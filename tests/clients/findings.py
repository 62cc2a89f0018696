"""Findings: what a client read in our files, and how far that is from what we wrote."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

#: Farthest [m] that a joint, and a vertex of the skin, may be from where we put it.
TOLERANCE, NEAR = 1e-3, 2e-3
#: Least part of both silhouettes together that they share.
SHARED = 0.95


class ClientMissing(Exception):
    """A client that is not installed; the message says how to get it."""


class ClientFailed(Exception):
    """A client that ran and gave no answer."""


@dataclass(frozen=True)
class Finding:
    """One client and one file: joints and clips found, largest distance [m], time [s], and what is wrong."""

    client: str
    file: str
    joints: int = 0
    clips: tuple[str, ...] = ()
    error: float = float("nan")
    seconds: float = float("nan")
    faults: tuple[str, ...] = field(default=())


def compare(
    client: str, folder: Path, reports: Sequence[Mapping[str, Any]], formats: set[str]
) -> list[Finding]:
    """Judge what a client reported of every file of these formats in `folder`.

    A report has `file`, `joints` (names), `clips` (names), `positions` by clip: (20, joints, 3) [m] in our
    axes, and `seconds`. A file without a report is a fault.
    """
    expected = np.load(folder / "expected.npz", allow_pickle=False)
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    by_file = {report["file"]: report for report in reports}
    found: list[Finding] = []
    for entry in (e for e in manifest if e["format"] in formats):
        report = by_file.get(entry["file"])
        if report is None:
            found.append(Finding(client, entry["file"], faults=("no report",)))
        else:
            found.append(_judge(client, entry, report, expected))
    return found


def compare_vertices(
    client: str, folder: Path, file: str, seen: Mapping[str, Any], seconds: float
) -> Finding:
    """Judge the skin: `seen` has vertices (V, 3) [m] in our axes by key of the manifest."""
    expected = np.load(folder / "expected.npz", allow_pickle=False)
    entry = _entry(folder, file)
    faults: list[str] = []
    worst = float("nan")
    for point in entry["vertices"]:
        wanted, there = expected[point["key"]], np.asarray(seen.get(point["key"], ()), float)
        if there.shape != wanted.shape:
            faults.append(f"{point['clip']}: {len(there)} vertices, {len(wanted)} were written")
            continue
        apart = np.linalg.norm(there - wanted, axis=-1)
        worst = float(np.fmax(worst, apart.max()))
        if not apart.max() <= NEAR:
            faults.append(f"{point['clip']}: vertex {apart.argmax()} is {apart.max() * 1000:.3f} mm off")
    if not entry["vertices"]:
        faults.append("no vertices to compare")
    clips = tuple(point["clip"] for point in entry["vertices"])
    return Finding(client, f"{file} (skin)", 0, clips, worst, seconds, tuple(faults))


def compare_shadows(
    client: str, folder: Path, file: str, seen: Mapping[str, NDArray[np.bool_]], seconds: float
) -> Finding:
    """Judge silhouettes: `seen` has truth (height, width) by picture; the worst share stands in the fault."""
    entry = _entry(folder, file)
    faults: list[str] = []
    shares: list[float] = []
    for point in entry["shadows"]:
        with Image.open(folder / point["key"]) as picture:
            ours = np.asarray(picture.convert("L")) > 127
        theirs = seen.get(point["key"])
        if theirs is None or theirs.shape != ours.shape:
            faults.append(f"{point['clip']}: no silhouette of {ours.shape}")
            continue
        shares.append(float((ours & theirs).sum() / max((ours | theirs).sum(), 1)))
        if shares[-1] < SHARED:
            faults.append(f"{point['clip']}: silhouettes share {shares[-1]:.3f}, {SHARED} is asked")
    if not entry["shadows"]:
        faults.append("no silhouettes to compare: our own renderer needs EGL and moderngl")
    named = f"{file} (silhouettes share {min(shares, default=float('nan')):.4f} and more)"
    clips = tuple(point["clip"] for point in entry["shadows"])
    return Finding(client, named, 0, clips, float("nan"), seconds, tuple(faults))


def _entry(folder: Path, file: str) -> Mapping[str, Any]:
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    return next(entry for entry in manifest if entry["file"] == file)


def _judge(client: str, entry: Mapping[str, Any], report: Mapping[str, Any], expected: Any) -> Finding:
    faults: list[str] = list(report.get("faults", ()))
    joints, wanted = list(report["joints"]), list(entry["joints"])
    names = [take["name"] for take in entry["clips"]]
    same = sorted(joints) == sorted(wanted)
    if not same:
        odd = sorted(set(joints) ^ set(wanted))
        faults.append(f"{len(joints)} joints, {len(wanted)} were written; {', '.join(odd[:4])}")
    if sorted(report["clips"]) != sorted(names):
        faults.append(f"clips {', '.join(report['clips']) or 'none'}; {', '.join(names)} were written")
    worst = float("nan")
    for take in entry["clips"]:
        if not same or take["name"] not in report["positions"]:
            continue
        order = [joints.index(name) for name in wanted]
        there = np.array(report["positions"][take["name"]], float)[:, order]
        apart = np.linalg.norm(there - expected[take["key"]], axis=-1)  # (20, joints)
        worst = float(np.fmax(worst, apart.max()))
        if not apart.max() <= TOLERANCE:
            frame, joint = np.unravel_index(np.argmax(apart), apart.shape)
            faults.append(
                f"{take['name']}: {wanted[joint]} is {apart.max() * 1000:.3f} mm off "
                f"in frame {take['frames'][frame]}"
            )
    if not faults and np.isnan(worst):
        faults.append("no positions")
    return Finding(
        client, entry["file"], len(joints), tuple(report["clips"]), worst, report["seconds"], tuple(faults)
    )
