"""USD: Pixar's own library validates our .usda and .usdc files and computes where the joints are."""

from __future__ import annotations

import importlib
import json
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from findings import ClientMissing, Finding, compare, compare_vertices

#: A file of more clips is validated only with those that are looked at closely.
MANY = 10


def check(folder: Path) -> list[Finding]:
    """What usd-core finds in the .usda and .usdc files of `folder`; an error of a validator is a fault."""
    try:
        modules = ("Usd", "UsdGeom", "UsdSkel", "UsdValidation")
        pxr = [importlib.import_module(f"pxr.{name}") for name in modules]
    except ImportError as problem:
        raise ClientMissing(f"usd-core is not installed ({problem}): pip install 'hoofbeat[usd]'") from None
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    reports = [_read(pxr, folder, entry) for entry in manifest if entry["format"] == "usd"]
    version = ".".join(str(part) for part in pxr[0].GetVersion()[1:])
    found = compare(f"usd-core {version}", folder, reports, {"usd"})
    for report in reports:
        if report["skin"]:
            skin = report["skin"], report["seconds"]
            found.append(compare_vertices(f"usd-core {version}", folder, report["file"], *skin))
    return found


def prim_name(clip: str) -> str:
    """A clip's name as USD allows it."""
    return clip.replace("-", "_")


def _vertices(pxr: list[Any], stage: Any, query: Any, time_code: float) -> np.ndarray:
    """Where UsdSkel has the vertices (V, 3) of the skin in the world."""
    usd, geom, skel, _ = pxr
    mesh = next(prim for prim in stage.Traverse() if prim.IsA(geom.Mesh))
    body = next(prim for prim in stage.Traverse() if prim.IsA(skel.Root))
    cache = skel.Cache()
    cache.Populate(skel.Root(body), usd.TraverseInstanceProxies())
    skinning = cache.GetSkinningQuery(mesh)
    points = geom.Mesh(mesh).GetPointsAttr().Get()
    skinning.ComputeSkinnedPoints(query.ComputeSkinningTransforms(time_code), points, time_code)
    world = np.array(geom.XformCache(time_code).GetLocalToWorldTransform(body))
    return np.array(points) @ world[:3, :3] + world[3, :3]


def validate(pxr_validation: Any, stage: Any) -> list[str]:
    """Every complaint of every validator that usd-core has, warnings included."""
    validators = pxr_validation.ValidationRegistry().GetOrLoadAllValidators()
    complaints = pxr_validation.ValidationContext(validators).Validate(stage)
    return [f"{complaint.GetName()}: {complaint.GetMessage()}" for complaint in complaints]


def _read(pxr: list[Any], folder: Path, entry: Mapping[str, Any]) -> dict[str, Any]:
    usd, geom, skel, validation = pxr
    started = time.perf_counter()
    stage = usd.Stage.Open(str(folder / entry["file"]))
    faults = validate(validation, stage)
    chooser = stage.GetDefaultPrim().GetVariantSet("clip")
    clips = list(chooser.GetVariantNames())
    body = next(prim for prim in stage.Traverse() if prim.IsA(skel.Skeleton))
    tokens = skel.Skeleton(body).GetJointsAttr().Get()
    rate = stage.GetTimeCodesPerSecond()
    positions: dict[str, Any] = {}
    skin: dict[str, Any] = {}
    close = {point["clip"]: point for point in entry["vertices"]}
    names = {prim_name(clip): clip for clip in (take["name"] for take in entry["clips"])}
    for take in entry["clips"]:
        chooser.SetVariantSelection(prim_name(take["name"]))
        if len(entry["clips"]) <= MANY or take["name"] in close:  # all validators take a second a time
            faults += validate(validation, stage)
        query = skel.Cache().GetSkelQuery(skel.Skeleton(body))
        places = []
        for frame in take["frames"]:
            clock = geom.XformCache(frame / take["fps"] * rate)
            places.append(np.array(query.ComputeJointWorldTransforms(clock))[:, 3, :3].tolist())
        positions[take["name"]] = places
        if point := close.get(take["name"]):
            skin[point["key"]] = _vertices(pxr, stage, query, point["frame"] / point["fps"] * rate)
    return {
        "file": entry["file"],
        "joints": [token.rsplit("/", 1)[-1] for token in tokens],
        "clips": [names.get(clip, clip) for clip in clips],
        "positions": positions,
        "skin": skin,
        "seconds": time.perf_counter() - started,
        "faults": sorted(set(faults)),
    }
