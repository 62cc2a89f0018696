"""assimp: its command line reads our .glb, .gltf and .bvh files and writes what it understood as JSON."""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from findings import ClientFailed, ClientMissing, Finding, compare

from hoofbeat.maths import quat

LIMIT = 60.0  # seconds a file


def check(folder: Path) -> list[Finding]:
    """What assimp finds in the .glb, .gltf and .bvh files of `folder`."""
    if (program := shutil.which("assimp")) is None:
        raise ClientMissing("assimp is not installed: apt-get install assimp-utils")
    said = _run([program, "version"])
    version = next((line.split()[1] for line in said.splitlines() if line.startswith("Version ")), "")
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    reports = [_read(program, folder, entry) for entry in manifest if entry["format"] != "usd"]
    return compare(f"assimp {version}", folder, reports, {"bvh", "gltf"})


def _read(program: str, folder: Path, entry: Mapping[str, Any]) -> dict[str, Any]:
    started = time.perf_counter()
    with tempfile.TemporaryDirectory() as scratch:
        out = Path(scratch) / "scene.json"
        _run([program, "export", str(folder / entry["file"]), str(out), "-fassjson"])
        scene = json.loads(out.read_text(encoding="utf-8", errors="replace"))
    seconds = time.perf_counter() - started
    motions = {motion["name"]: motion for motion in scene.get("animations", [])}
    if entry["format"] == "bvh":  # names no clip; every joint has a channel, and end sites have none
        motions = {entry["clips"][0]["name"]: motion for motion in motions.values()}
        joints = [channel["name"] for motion in motions.values() for channel in motion["channels"]]
    else:
        joints = [bone["name"] for mesh in scene["meshes"] for bone in mesh.get("bones", [])]
    positions = {
        take["name"]: _positions(scene["rootnode"], motions[take["name"]], take, joints).tolist()
        for take in entry["clips"]
        if take["name"] in motions
    }
    return {
        "file": entry["file"],
        "joints": joints,
        "clips": list(motions),
        "positions": positions,
        "seconds": seconds,
    }


def _positions(root: Any, motion: Any, take: Mapping[str, Any], joints: list[str]) -> np.ndarray:
    """World positions (frames, joints, 3) [m]: assimp's node tree with its animation played on it."""
    times = np.array(take["frames"]) / take["fps"] * motion["tickspersecond"]
    channels = {channel["name"]: channel for channel in motion["channels"]}
    places: dict[str, np.ndarray] = {}
    world: dict[int, np.ndarray] = {}
    for node, parent in _walk(root, None):
        local = np.tile(np.array(node["transformation"], float).reshape(4, 4), (len(times), 1, 1))
        if (channel := channels.get(node["name"])) is not None:
            local[:, :3, :3] = quat.to_matrix(_keys(channel["rotationkeys"], times)[:, [1, 2, 3, 0]])
            local[:, :3, :3] *= _keys(channel["scalingkeys"], times)[:, None, :]
            local[:, :3, 3] = _keys(channel["positionkeys"], times)
        world[id(node)] = local if parent is None else world[id(parent)] @ local
        places[node["name"]] = world[id(node)][:, :3, 3]
    return np.stack([places[name] for name in joints], axis=1)


def _walk(node: Any, parent: Any) -> Iterator[tuple[Any, Any]]:
    yield node, parent
    for child in node.get("children", ()):
        yield from _walk(child, node)


def _keys(keys: list[Any], times: np.ndarray) -> np.ndarray:
    """Keys [time, values] at `times`, linear between them; quaternions (4 values) are made unit."""
    at, values = np.array([key[0] for key in keys]), np.array([key[1] for key in keys])
    if values.shape[1] == 4:
        values = quat.continuous(values)
    found = np.stack([np.interp(times, at, column) for column in values.T], axis=1)
    return quat.normalize(found) if values.shape[1] == 4 else found


def _run(command: list[str]) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=LIMIT)
    except subprocess.TimeoutExpired:
        raise ClientFailed(f"assimp took more than {LIMIT:.0f} s: {' '.join(command[1:3])}") from None
    if done.returncode:
        raise ClientFailed(f"assimp {command[1]} ended with {done.returncode}: {done.stdout[-300:]}")
    return done.stdout
