"""Blender: runs inside the environment that has bpy, imports our files and says where the joints are.

    python bpy_check.py FOLDER REPORT.json

It knows nothing of this library: it reads `manifest.json` in FOLDER and writes a report, since bpy needs
an older NumPy than the library does. Blender is Z up; positions are turned back to Y up: (x, z, -y).
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

import bpy  # pyright: ignore[reportMissingImports]
import numpy as np

#: How the clips without their way are named.
IN_PLACE = "-in-place"

#: Chooses another clip of a USD file than the one it was saved with. A layer's own metadata are not
#: inherited, so the rate and the axes are said again.
PICK = """#usda 1.0
(
    defaultPrim = "Horse"
    timeCodesPerSecond = {fps}
    metersPerUnit = 1
    upAxis = "Y"
    subLayers = [@./{file}@]
)
over "Horse" (variants = {{ string clip = "{clip}" }})
{{
}}
"""


def main(folder: Path, report: Path) -> None:
    """Read every file of the manifest."""
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    readers = {"bvh": read_bvh, "gltf": read_gltf, "usd": read_usd}
    files = []
    for entry in manifest:
        started = time.perf_counter()
        read = {"joints": [], "clips": [], "positions": {}}
        try:
            read = readers[entry["format"]](folder, entry)
        except RuntimeError as problem:  # how bpy says that an importer failed
            read["faults"] = [str(problem).strip()]
        files.append({"file": entry["file"], "seconds": time.perf_counter() - started, **read})
    report.write_text(json.dumps({"version": f"Blender {bpy.app.version_string}", "files": files}))


def fresh(fps: float) -> Any:
    """An empty scene at this rate, since importers turn seconds into frames of the scene."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    scene.render.fps, scene.render.fps_base = max(1, round(fps)), max(1, round(fps)) / fps
    return scene


def armature() -> Any:
    """The one armature of the scene."""
    found = [thing for thing in bpy.data.objects if thing.type == "ARMATURE"]
    if len(found) != 1:
        raise RuntimeError(f"{len(found)} armatures, 1 is expected")
    return found[0]


def heads(scene: Any, figure: Any, frames: list[float]) -> list[list[list[float]]]:
    """World positions of the bones' heads [frame][bone][x, y, z], Y up."""
    found = []
    for frame in frames:
        scene.frame_set(int(frame // 1), subframe=frame % 1)
        seen = figure.evaluated_get(bpy.context.evaluated_depsgraph_get())
        places = [seen.matrix_world @ bone.head for bone in seen.pose.bones]
        found.append([[place.x, place.z, -place.y] for place in places])
    return found


def read_bvh(folder: Path, entry: dict[str, Any]) -> dict[str, Any]:
    """The importer's own axes are right (up Y, forward -Z). It begins at frame 1, and refuses 0."""
    take = entry["clips"][0]
    scene = fresh(take["fps"])
    path = str(folder / entry["file"])
    bpy.ops.import_anim.bvh(filepath=path, axis_forward="-Z", axis_up="Y", use_fps_scale=False)
    figure = armature()
    first, last = figure.animation_data.action.frame_range
    positions = heads(scene, figure, [first + frame for frame in take["frames"]])
    return {
        "joints": [bone.name for bone in figure.data.bones],
        "clips": [take["name"]],  # a BVH names no clip
        "positions": {take["name"]: positions},
        "faults": [] if last - first == take["frames"][-1] else [f"{last - first + 1:g} frames"],
    }


def vertices(scene: Any, frame: float) -> np.ndarray:
    """Where Blender has the vertices of the one skinned mesh (V, 3), Y up."""
    scene.frame_set(int(frame // 1), subframe=frame % 1)
    meshes = [thing for thing in bpy.data.objects if thing.type == "MESH" and thing.find_armature()]
    if len(meshes) != 1:
        raise RuntimeError(f"{len(meshes)} skinned meshes, 1 is expected")
    seen = meshes[0].evaluated_get(bpy.context.evaluated_depsgraph_get())
    flat = np.empty(len(seen.data.vertices) * 3, np.float32)
    seen.data.vertices.foreach_get("co", flat)
    world = np.array(seen.matrix_world)
    places = flat.reshape(-1, 3) @ world[:3, :3].T + world[:3, 3]
    return np.stack([places[:, 0], places[:, 2], -places[:, 1]], axis=1)


def keep(folder: Path, entry: dict[str, Any], seen: dict[str, np.ndarray]) -> str:
    """The vertices in a file of their own, since they are many; its name, "" where there are none."""
    name = f"blender-{entry['file']}.npz"
    if seen:
        np.savez(folder / name, **seen)  # pyright: ignore[reportArgumentType]
    return name if seen else ""


def read_usd(folder: Path, entry: dict[str, Any]) -> dict[str, Any]:
    """Blender takes in the chosen clip; the others are chosen by a layer on top, as a user would."""
    joints, clips, positions, skin = [], [], {}, {}
    rate = entry["clips"][0]["fps"]  # a stage has one rate: that of the first clip
    close = {point["clip"]: point for point in entry["vertices"]}
    for number, take in enumerate(entry["clips"]):
        path = folder / entry["file"]
        if number:
            path = folder / f"{path.stem}-{take['name']}-picked.usda"
            path.write_text(PICK.format(fps=rate, file=entry["file"], clip=plain(take["name"])))
        scene = fresh(rate)
        bpy.ops.wm.usd_import(filepath=str(path))
        figure = armature()
        joints = [bone.name for bone in figure.data.bones]
        clips.append(take["name"] if same_motion(figure, take["name"]) else figure.animation_data.action.name)
        frames = [frame * rate / take["fps"] for frame in take["frames"]]
        positions[take["name"]] = heads(scene, figure, frames)
        if point := close.get(take["name"]):
            skin[point["key"]] = vertices(scene, point["frame"] * rate / take["fps"])
    return {"joints": joints, "clips": clips, "positions": positions, "skin": keep(folder, entry, skin)}


def same_motion(figure: Any, name: str) -> bool:
    """Whether the action is that of a clip; one in place has the action of the clip that it was made of."""
    action = figure.animation_data.action.name
    return action in (plain(name), plain(name.removesuffix(IN_PLACE)))


def plain(name: str) -> str:
    """A name as USD writes it."""
    return name.replace("-", "_")


def read_gltf(folder: Path, entry: dict[str, Any]) -> dict[str, Any]:
    """All clips come at once, an action each; the Root above the joints becomes the armature itself.

    They are played last to first without a reset between: what one clip leaves behind, the next must mend.
    """
    rate = max(take["fps"] for take in entry["clips"])
    scene = fresh(rate)
    bpy.ops.import_scene.gltf(filepath=str(folder / entry["file"]))
    figure = armature()
    figure.animation_data.use_nla = False
    positions = {}
    for take in reversed(entry["clips"]):
        action = bpy.data.actions.get(take["name"])
        if action is None:
            continue
        figure.animation_data.action = action
        figure.animation_data.action_slot = action.slots[0]
        frames = [frame * rate / take["fps"] for frame in take["frames"]]
        positions[take["name"]] = heads(scene, figure, frames)
    skin = {}
    for point in entry["vertices"]:
        action = bpy.data.actions[point["clip"]]
        figure.animation_data.action = action
        figure.animation_data.action_slot = action.slots[0]
        skin[point["key"]] = vertices(scene, point["frame"] * rate / point["fps"])
    return {
        "joints": [bone.name for bone in figure.data.bones],
        "clips": [action.name for action in bpy.data.actions],
        "positions": positions,
        "skin": keep(folder, entry, skin),
    }


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
