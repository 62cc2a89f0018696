"""USD: Pixar's own library validates our .usda and .usdc files and computes where the joints are."""

from __future__ import annotations

import importlib
import json
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from findings import ClientMissing, Finding, compare


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
    return compare(f"usd-core {version}", folder, reports, {"usd"})


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
    for take in entry["clips"]:
        chooser.SetVariantSelection(take["name"])
        faults += validate(validation, stage)
        query = skel.Cache().GetSkelQuery(skel.Skeleton(body))
        places = []
        for frame in take["frames"]:
            clock = geom.XformCache(frame / take["fps"] * rate)
            places.append(np.array(query.ComputeJointWorldTransforms(clock))[:, 3, :3].tolist())
        positions[take["name"]] = places
    return {
        "file": entry["file"],
        "joints": [token.rsplit("/", 1)[-1] for token in tokens],
        "clips": sorted(clips, key=[take["name"] for take in entry["clips"]].index),
        "positions": positions,
        "seconds": time.perf_counter() - started,
        "faults": sorted(set(faults)),
    }
