"""assimp: its command line reads our .glb, .gltf and .bvh files and writes down what it understood."""

from __future__ import annotations

import json
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

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
    file = str(folder / entry["file"])
    with tempfile.TemporaryDirectory() as scratch:
        out = Path(scratch) / "scene.assxml"
        _run([program, "dump", file, str(out)])
        scene = ElementTree.parse(out).getroot()
        faults = _converted(program, file, Path(scratch))
    seconds = time.perf_counter() - started
    motions = {motion.attrib["name"]: motion for motion in scene.iter("Animation")}
    if entry["format"] == "bvh":  # names no clip; every joint has a channel, and end sites have none
        names = [take["name"] for take in entry["clips"]]
        motions = dict(zip(names, motions.values(), strict=True))
        joints = [channel.attrib["node"] for channel in scene.iter("NodeAnim")]
    else:
        joints = [bone.attrib["name"] for bone in scene.iter("Bone")]
    root = scene.find("Scene/Node")
    positions = {
        take["name"]: _positions(root, motions[take["name"]], take, joints).tolist()
        for take in entry["clips"]
        if take["name"] in motions
    }
    found = {"joints": joints, "clips": list(motions), "positions": positions, "faults": faults}
    return {"file": entry["file"], "seconds": seconds, **found}


def _converted(program: str, file: str, scratch: Path) -> list[str]:
    """People use assimp to convert: what stops it from that is a fault."""
    try:
        _run([program, "export", file, str(scratch / "scene.assjson"), "-fassjson"])
    except ClientFailed as problem:
        return [f"cannot be converted: {problem}"]
    return []


def _positions(root: Any, motion: Any, take: Mapping[str, Any], joints: list[str]) -> np.ndarray:
    """World positions (frames, joints, 3) [m]: assimp's node tree with its animation played on it."""
    times = np.array(take["frames"]) / take["fps"] * float(motion.attrib["tick_cnt"])
    channels = {channel.attrib["node"]: channel for channel in motion.iter("NodeAnim")}
    places: dict[str, np.ndarray] = {}
    waiting = [(root, np.eye(4))]
    while waiting:
        node, above = waiting.pop()
        local = np.tile(_numbers(node.find("Matrix4")).reshape(4, 4), (len(times), 1, 1))
        if (channel := channels.get(node.attrib["name"])) is not None:
            local[:, :3, :3] = quat.to_matrix(_keys(channel.iter("RotationKey"), times))
            local[:, :3, :3] *= _keys(channel.iter("ScalingKey"), times)[:, None, :]
            local[:, :3, 3] = _keys(channel.iter("PositionKey"), times)
        world = above @ local
        places[node.attrib["name"]] = world[:, :3, 3]
        waiting += [(child, world) for child in node.iterfind("NodeList/Node")]
    return np.stack([places[name] for name in joints], axis=1)


def _numbers(element: Any) -> np.ndarray:
    return np.array(element.text.split(), float)


def _keys(elements: Iterable[Any], times: np.ndarray) -> np.ndarray:
    """Keys at `times`, linear between them; quaternions (4 values, x y z w) are made unit."""
    keys = list(elements)
    at, values = np.array([float(key.attrib["time"]) for key in keys]), np.stack([_numbers(k) for k in keys])
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
        said = " ".join((done.stdout + done.stderr).split())[-120:]
        raise ClientFailed(f"assimp {command[1]} ended with {done.returncode}: {said}")
    return done.stdout
