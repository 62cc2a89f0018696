"""glTF scene: clips of one skeleton as a glTF document, its JSON and its one buffer.

    Root                  the path over the ground; nothing moves it in an in-place file
      <root joint> ...    the skeleton; end sites are plain nodes, not joints of the skin
    Body                  the animal's skin, or octahedral bones, so that any viewer shows something

Keys are LINEAR, one a frame; a track that stays the same has two, one that stays at rest is left out.
"""

from __future__ import annotations

import importlib.metadata
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hoofbeat.body.clip import Clip
from hoofbeat.body.mesh.skin import Skin
from hoofbeat.body.root import TRAVEL, in_place, track_of
from hoofbeat.body.skeleton import Skeleton
from hoofbeat.formats.bvh.reader import unique_names
from hoofbeat.formats.gltf.extras import KEY, node_note, notes_of
from hoofbeat.formats.gltf.writer.buffer import Buffer
from hoofbeat.formats.gltf.writer.mesh import bones_body, skin_body
from hoofbeat.maths import quat

Floats = NDArray[np.float64]

#: A track whose values differ by less than this stays the same: a few steps of float32.
STILL = 2e-7

_ROOT = 0  # the node of the path; those of the skeleton follow it, in their order


@dataclass(frozen=True)
class Content:
    """What a file holds beside its motion: stay: without the path over the ground; mesh: with a body; skin:
    which (None = bones)."""

    stay: bool = False
    mesh: bool = True
    skin: Skin | None = None


def make_scene(clips: list[Clip], content: Content) -> tuple[dict[str, Any], bytes]:
    """JSON (without the buffers) and buffer of clips that have one skeleton."""
    skeleton, skin = clips[0].skeleton, content.skin
    stay = content.stay or all(TRAVEL in clip.extras for clip in clips)
    buffer = Buffer()
    given = [_safe(name) or "joint" for name in (*skeleton.names, "Root", "Body")]
    names = unique_names(given, [*skeleton.ends.tolist(), True, True])  # joints choose first
    bind = skeleton.rest_positions()
    # Standing on the ground, so that a viewer that plays nothing shows the animal where it belongs.
    bind[:, 1] -= bind[:, 1].min()
    joints = [j for j in range(len(skeleton)) if not _is_tip(skeleton, j)]
    nodes = _nodes(skeleton, names, bind[0])
    scene: dict[str, Any] = {"asset": {"version": "2.0", "generator": _generator()}, "scene": 0}
    scene |= {"scenes": [{"nodes": [_ROOT]}], "nodes": nodes, "skins": [_skin(buffer, bind, joints)]}
    if content.mesh:
        scene["scenes"][0]["nodes"].append(len(nodes))
        nodes.append({"name": names[-1], "mesh": 0, "skin": 0})
        if skin is None:
            scene |= bones_body(buffer, skeleton, bind[0], joints)
        else:
            scene |= skin_body(buffer, skin, bind[0], joints)
    keys = _Keys(buffer)
    # A joint is left out only where it rests in every clip: some programs keep the pose of the clip before.
    turning = [j for j in joints if j == 0 or any(_turns(clip, j) for clip in clips)]
    titles = unique_names([_safe(clip.name) or "clip" for clip in clips], [False] * len(clips))
    scene["animations"] = [
        _animation(buffer, keys, clip, title, turning, stay)
        for clip, title in zip(clips, titles, strict=True)
    ]
    return scene | {"accessors": buffer.accessors, "bufferViews": buffer.views}, buffer.data()


@cache
def _generator() -> str:
    try:
        return f"hoofbeat {importlib.metadata.version('hoofbeat')}"
    except importlib.metadata.PackageNotFoundError:  # run from a source folder
        return "hoofbeat"


def _safe(name: str) -> str:
    return "".join(c if c.isprintable() else "_" for c in name)


def _is_tip(skeleton: Skeleton, joint: int) -> bool:
    """An end that has children, or is the root, can only be a joint."""
    return bool(skeleton.ends[joint]) and joint > 0 and not (skeleton.parents == joint).any()


def _nodes(skeleton: Skeleton, names: list[str], root_at: Floats) -> list[dict[str, Any]]:
    """Root, then the skeleton in its own order, all unturned."""
    nodes: list[dict[str, Any]] = [{"name": names[-2], "children": [1], "extras": node_note("role", "root")}]
    for j in range(len(skeleton)):
        place = skeleton.offsets[j] if j else root_at
        node: dict[str, Any] = {"name": names[j], "translation": place.tolist()}
        if below := skeleton.children(j).tolist():
            node["children"] = [child + 1 for child in below]
        if j == 0:
            node["extras"] = node_note("offset", " ".join(repr(float(x)) for x in skeleton.offsets[0]))
        elif _is_tip(skeleton, j):
            node["extras"] = node_note("role", "end")
        nodes.append(node)
    return nodes


def _skin(buffer: Buffer, bind: Floats, joints: list[int]) -> dict[str, Any]:
    """The skin: joints, and matrices from the bind pose (unturned, standing) to each joint, by columns."""
    matrices = np.tile(np.eye(4, dtype="<f4"), (len(joints), 1, 1))
    matrices[:, 3, :3] = -bind[joints]
    accessor = buffer.add(matrices.reshape(-1, 16))
    return {"inverseBindMatrices": accessor, "joints": [j + 1 for j in joints], "skeleton": 1}


class _Keys:
    """Accessors of key times, shared by all tracks with the same ones."""

    def __init__(self, buffer: Buffer) -> None:
        self._buffer = buffer
        self._known: dict[tuple[float, int, int], int] = {}

    def times(self, clip: Clip, count: int) -> int:
        """Times of all frames of a clip, or of its first and last (count 2), or its first (count 1)."""
        key = (clip.fps, len(clip), count)
        if key not in self._known:
            frames = np.arange(len(clip)) if count == len(clip) else np.array([0, len(clip) - 1])[:count]
            self._known[key] = self._buffer.add((frames[:, None] / clip.fps).astype("<f4"), bounds=True)
        return self._known[key]


def _animation(
    buffer: Buffer, keys: _Keys, clip: Clip, title: str, joints: list[int], stay: bool
) -> dict[str, Any]:
    targets = _tracks(clip, joints, stay)
    arrays = [_thinned(values) for _, _, values in targets]
    outputs = buffer.add_tracks(arrays)
    samplers: list[dict[str, Any]] = []
    channels: list[dict[str, Any]] = []
    for (node, path, _), values, output in zip(targets, arrays, outputs, strict=True):
        channels.append({"sampler": len(samplers), "target": {"node": node, "path": path}})
        samplers.append({"input": keys.times(clip, len(values)), "output": output})
    notes = {KEY: notes_of(clip)}
    return {"name": title, "channels": channels, "samplers": samplers, "extras": notes}


def _tracks(clip: Clip, joints: list[int], stay: bool) -> list[tuple[int, str, NDArray[np.float32]]]:
    """Node, path and values (T, 3) or (T, 4) of all tracks that are needed."""
    placed = in_place(clip)
    found: list[tuple[int, str, NDArray[np.float32]]] = []
    if not stay and TRAVEL not in clip.extras:
        track = track_of(clip)
        turn = quat.continuous(track.rotations)
        found += [(_ROOT, "translation", _single(track.positions)), (_ROOT, "rotation", _single(turn))]
    elif not stay:
        # A clip in place among others: it must bring the root back from where they have left it.
        nowhere = np.zeros((len(clip), 3)), quat.identity((len(clip),))
        found += [(_ROOT, "translation", _single(nowhere[0])), (_ROOT, "rotation", _single(nowhere[1]))]
    found.append((_ROOT + 1, "translation", _single(placed.origins)))
    turns = _single(quat.continuous(quat.normalize(placed.rotations[:, joints])))  # (T, joints, 4)
    turns = np.ascontiguousarray(turns.transpose(1, 0, 2))
    found += [(j + 1, "rotation", track) for j, track in zip(joints, turns, strict=True)]
    return found


def _turns(clip: Clip, joint: int) -> bool:
    """Whether a joint is ever turned."""
    return bool(np.abs(quat.canonical(clip.rotations[:, joint])[:, :3]).max(initial=0.0) >= STILL)


def _single(values: Floats) -> NDArray[np.float32]:
    return values.astype("<f4")


def _thinned(values: NDArray[np.float32]) -> NDArray[np.float32]:
    """First and last of values that stay the same, so that the duration is kept; else all."""
    near = STILL * max(1.0, float(np.abs(values[0]).max()))
    still = len(values) > 2 and np.abs(values - values[0]).max() <= near
    return values[[0, 0]] if still else values
