"""The judge of the clients: what agrees passes, and every kind of disagreement is named."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from clients.findings import NEAR, TOLERANCE, Finding, compare, compare_shadows, compare_vertices

WANTED = np.random.default_rng(1).normal(size=(2, 3, 3))
JOINTS = ["hip", "knee", "toe"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    takes = [{"name": "walk", "fps": 60.0, "frames": [0, 7], "key": "a.bvh:walk"}]
    entries = [
        {"file": "a.bvh", "format": "bvh", "joints": JOINTS, "clips": takes},
        {"file": "a.usda", "format": "usd", "joints": JOINTS, "clips": takes},
    ]
    (tmp_path / "manifest.json").write_text(json.dumps(entries))
    np.savez(tmp_path / "expected.npz", allow_pickle=False, **{"a.bvh:walk": WANTED})
    return tmp_path


def judged(folder: Path, **changes: Any) -> Finding:
    report = {"file": "a.bvh", "joints": JOINTS, "clips": ["walk"], "seconds": 0.1}
    report |= {"positions": {"walk": WANTED.tolist()}} | changes
    found = compare("client", folder, [report], {"bvh"})
    assert len(found) == 1
    return found[0]


def test_agreement_passes_in_any_order_of_joints(folder: Path) -> None:
    finding = judged(folder)
    assert finding.faults == () and finding.error == 0 and finding.joints == 3
    turned = judged(folder, joints=JOINTS[::-1], positions={"walk": WANTED[:, ::-1].tolist()})
    assert turned.faults == () and turned.error == 0


def moved(metres: float) -> dict[str, Any]:
    there = WANTED.copy()
    there[1, 2, 0] += metres
    return {"walk": there.tolist()}


def test_a_joint_may_be_a_millimetre_off_and_no_more(folder: Path) -> None:
    near = judged(folder, positions=moved(0.9 * TOLERANCE))
    assert near.faults == () and near.error == pytest.approx(0.9e-3)
    far = judged(folder, positions=moved(1.1 * TOLERANCE))
    assert far.faults == ("walk: toe is 1.100 mm off in frame 7",)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"joints": ["hip", "knee"]}, "2 joints, 3 were written; toe"),
        ({"joints": ["hip", "knee", "heel"]}, "heel, toe"),
        ({"clips": []}, "clips none; walk were written"),
        ({"clips": ["walk", "Icosphere"]}, "clips walk, Icosphere"),
        ({"positions": {}}, "no positions"),
        ({"positions": moved(np.nan)}, "nan mm off"),
        ({"faults": ["stumbled"]}, "stumbled"),
    ],
)
def test_disagreement_is_named(folder: Path, changes: dict[str, Any], words: str) -> None:
    assert words in "; ".join(judged(folder, **changes).faults)


def test_a_file_without_a_report_is_a_fault(folder: Path) -> None:
    found = compare("client", folder, [], {"bvh", "usd"})
    assert [finding.file for finding in found] == ["a.bvh", "a.usda"]
    assert all(finding.faults == ("no report",) for finding in found)


def skinned(tmp_path: Path) -> tuple[Path, np.ndarray, np.ndarray]:
    """A folder with one skinned file, its vertices and its silhouette."""
    points = np.random.default_rng(2).normal(size=(50, 3))
    mask = np.zeros((40, 60), bool)
    mask[10:30, 15:45] = True
    Image.fromarray(np.where(mask, 255, 0).astype(np.uint8)).save(tmp_path / "walk.png")
    point = {"clip": "walk", "frame": 3, "fps": 60.0, "camera": []}
    entry = {"file": "a.glb", "vertices": [point | {"key": "v"}], "shadows": [point | {"key": "walk.png"}]}
    (tmp_path / "manifest.json").write_text(json.dumps([entry]))
    np.savez(tmp_path / "expected.npz", allow_pickle=False, v=points)
    return tmp_path, points, mask


def test_a_vertex_out_of_place_is_named(tmp_path: Path) -> None:
    folder, points, _ = skinned(tmp_path)
    assert compare_vertices("client", folder, "a.glb", {"v": points}, 0.1).faults == ()
    moved = points.copy()
    moved[7, 1] += 1.01 * NEAR
    assert "vertex 7 is 2.0" in compare_vertices("client", folder, "a.glb", {"v": moved}, 0.1).faults[0]
    assert "49 vertices, 50" in compare_vertices("client", folder, "a.glb", {"v": points[1:]}, 0.1).faults[0]
    assert compare_vertices("client", folder, "a.glb", {}, 0.1).faults


def test_another_silhouette_is_named(tmp_path: Path) -> None:
    folder, _, mask = skinned(tmp_path)
    assert compare_shadows("client", folder, "a.glb", {"walk.png": mask}, 0.1).faults == ()
    shifted = np.roll(mask, 2, axis=1)
    assert "share 0.875" in compare_shadows("client", folder, "a.glb", {"walk.png": shifted}, 0.1).faults[0]
    assert compare_shadows("client", folder, "a.glb", {"walk.png": mask[1:]}, 0.1).faults
    assert compare_shadows("client", folder, "a.glb", {}, 0.1).faults
