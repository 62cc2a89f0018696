"""glTF for tests: a small builder of files, and a second, slow way to work out where their nodes are.

Nothing here uses the package: the oracle multiplies 4 x 4 matrices node by node, and takes rotations
and their interpolation from SciPy.
"""

from __future__ import annotations

import base64
import copy
import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation, Slerp

CODES = {"i1": 5120, "u1": 5121, "i2": 5122, "u2": 5123, "u4": 5125, "f4": 5126}
KINDS = {1: "SCALAR", 3: "VEC3", 4: "VEC4", 16: "MAT4"}
TIMES = [0.0, 0.5, 1.0]
TURNS = Rotation.from_euler("xyz", [[0, 0, 0], [40, -30, 20], [-70, 60, 110]], degrees=True).as_quat()
MOVES = np.array([[0.0, 1.0, 0.0], [0.25, 1.125, 0.5], [0.5, 1.0, 1.5]])


class Making:
    """A glTF under construction: `doc` is its JSON, `blob` the buffer."""

    def __init__(self, **doc: Any) -> None:
        self.doc: dict[str, Any] = {"asset": {"version": "2.0"}, "accessors": [], "bufferViews": [], **doc}
        self.blob = bytearray()

    def view(self, data: bytes, **more: Any) -> int:
        """A bufferView of these bytes."""
        self.blob += b"\0" * (-len(self.blob) % 4)
        self.doc["bufferViews"].append(
            {"buffer": 0, "byteOffset": len(self.blob), "byteLength": len(data), **more}
        )
        self.blob += data
        return len(self.doc["bufferViews"]) - 1

    def accessor(self, values: Any, code: str = "f4", stride: int = 0, **more: Any) -> int:
        """An accessor of values (count,) or (count, components); a stride leaves junk between elements."""
        rows = np.asarray(values, "<" + code)
        rows = rows.reshape(len(rows), -1)
        data, layout = rows.tobytes(), {}
        if stride:
            padded = np.full((len(rows), stride), 0xAB, np.uint8)
            padded[:, : rows[0].nbytes] = rows.view(np.uint8)
            data, layout = padded.tobytes(), {"byteStride": stride}
        accessor = {"componentType": CODES[code], "count": len(rows), "type": KINDS[rows.shape[1]]}
        self.doc["accessors"].append({"bufferView": self.view(data, **layout), **accessor, **more})
        return len(self.doc["accessors"]) - 1

    def sparse(self, values: Any) -> int:
        """The same values as a sparse accessor over nothing: zeros, and the rows that differ."""
        rows = np.asarray(values, "<f4")
        rows = rows.reshape(len(rows), -1)
        where = np.flatnonzero(rows.any(axis=1)).astype("<u2")
        accessor = {"componentType": CODES["f4"], "count": len(rows), "type": KINDS[rows.shape[1]]}
        accessor["sparse"] = {
            "count": len(where),
            "indices": {"bufferView": self.view(where.tobytes()), "componentType": CODES["u2"]},
            "values": {"bufferView": self.view(rows[where].tobytes())},
        }
        self.doc["accessors"].append(accessor)
        return len(self.doc["accessors"]) - 1

    def animate(self, name: str, *tracks: tuple[int, str, int, int, str]) -> None:
        """An animation of tracks (node, path, input, output, interpolation)."""
        samplers = [{"input": i, "output": o, "interpolation": how} for _, _, i, o, how in tracks]
        channels = [
            {"sampler": k, "target": {"node": node, "path": path}}
            for k, (node, path, _, _, _) in enumerate(tracks)
        ]
        found = {"name": name, "samplers": samplers, "channels": channels}
        self.doc.setdefault("animations", []).append(found)

    def json(self, uri: str | None = None) -> dict[str, Any]:
        """The JSON with its buffer."""
        buffer: dict[str, Any] = {"byteLength": len(self.blob)}
        return copy.deepcopy(self.doc) | {"buffers": [buffer | ({"uri": uri} if uri else {})]}

    def glb(self) -> bytes:
        """The file as .glb."""
        return pack_glb(json.dumps(self.json()).encode(), bytes(self.blob))

    def gltf(self) -> bytes:
        """The file as .gltf with a data URI."""
        text = base64.b64encode(self.blob).decode()
        return json.dumps(self.json(f"data:application/octet-stream;base64,{text}"), indent=1).encode()

    def save(self, path: Path) -> Path:
        """To a file; a .gltf gets a .bin beside it."""
        if path.suffix == ".glb":
            path.write_bytes(self.glb())
        else:
            path.with_suffix(".bin").write_bytes(self.blob)
            path.write_text(json.dumps(self.json(path.with_suffix(".bin").name)))
        return path


def pack_glb(text: bytes, blob: bytes | None) -> bytes:
    """A .glb of these chunks."""
    text += b" " * (-len(text) % 4)
    chunks = struct.pack("<II", len(text), 0x4E4F534A) + text
    if blob is not None:
        blob += b"\0" * (-len(blob) % 4)
        chunks += struct.pack("<II", len(blob), 0x004E4942) + blob
    return b"glTF" + struct.pack("<II", 2, 12 + len(chunks)) + chunks


def unpack_glb(data: bytes) -> tuple[dict[str, Any], bytes]:
    """JSON and binary chunk of a .glb."""
    size = struct.unpack_from("<I", data, 12)[0]
    return json.loads(data[20 : 20 + size]), data[28 + size :]


def puppet(**changes: Any) -> Making:
    """Armature (0) > Hips (1) > Knee (2) > Foot (3), and Knee's tip (4); one animation, "bend"."""
    nodes: list[dict[str, Any]] = [
        {"name": "Armature", "children": [1]},
        {"name": "Hips", "children": [2], "translation": [0.0, 1.0, 0.0]},
        {"name": "Knee", "children": [3, 4], "translation": [0.0, -0.5, 0.125], "rotation": [0.6, 0, 0, 0.8]},
        {"name": "Foot", "translation": [0.0, -0.5, 0.0]},
        {"name": "Knee_tip", "translation": [0.0, 0.0, 0.25]},
    ]
    making = Making(nodes=nodes, skins=[{"joints": [1, 2, 3]}], scenes=[{"nodes": [0]}], scene=0)
    for index, change in changes.pop("nodes", {}).items():
        nodes[index].update(change)
    making.doc.update(changes)
    times = making.accessor(TIMES)
    making.animate(
        "bend",
        (1, "translation", times, making.accessor(MOVES), "LINEAR"),
        (1, "rotation", times, making.accessor(TURNS), "LINEAR"),
        (2, "rotation", times, making.accessor(TURNS[::-1]), "LINEAR"),
    )
    return making


class Oracle:
    """World matrices of the nodes of a file at a time, by its own reading of the file."""

    def __init__(self, data: bytes, folder: Path | None = None) -> None:
        self.doc, self.blob = unpack_glb(data) if data[:4] == b"glTF" else (json.loads(data), b"")
        uri = self.doc["buffers"][0].get("uri", "")
        if uri.startswith("data:"):
            self.blob = base64.b64decode(uri.split(",")[1])
        elif uri:
            assert folder is not None
            self.blob = (folder / uri).read_bytes()
        self._known: dict[int, NDArray[np.float64]] = {}
        self.parents = {c: p for p, node in enumerate(self.doc["nodes"]) for c in node.get("children", ())}

    def values(self, index: int) -> NDArray[np.float64]:
        """A plain accessor, read once."""
        if index not in self._known:
            self._known[index] = self._values(index)
        return self._known[index]

    def _values(self, index: int) -> NDArray[np.float64]:
        """A plain accessor, element by element."""
        accessor = self.doc["accessors"][index]
        view = self.doc["bufferViews"][accessor["bufferView"]]
        code = {v: k for k, v in CODES.items()}[accessor["componentType"]]
        letter = {"i1": "b", "u1": "B", "i2": "h", "u2": "H", "u4": "I", "f4": "f"}[code]
        width = {v: k for k, v in KINDS.items()}[accessor["type"]]
        size = struct.calcsize(f"<{width}{letter}")
        start = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
        stride = view.get("byteStride", size)
        rows = [
            struct.unpack_from(f"<{width}{letter}", self.blob, start + k * stride)
            for k in range(accessor["count"])
        ]
        found = np.array(rows, float)
        if accessor.get("normalized"):
            found = np.maximum(found / (2 ** (8 * size // width - (code[0] == "i")) - 1), -1)
        return found

    def local(self, node: int, animation: int, time: float) -> NDArray[np.float64]:
        """Local matrix of a node."""
        item = self.doc["nodes"][node]
        if "matrix" in item:
            return np.array(item["matrix"], float).reshape(4, 4).T
        parts = {
            "translation": item.get("translation", [0, 0, 0]),
            "rotation": item.get("rotation", [0, 0, 0, 1]),
            "scale": item.get("scale", [1, 1, 1]),
        }
        found = self.doc["animations"][animation]
        for channel in found["channels"]:
            if channel["target"]["node"] == node:
                sampler = found["samplers"][channel["sampler"]]
                parts[channel["target"]["path"]] = self._at(sampler, channel["target"]["path"], time)
        matrix = np.eye(4)
        matrix[:3, :3] = Rotation.from_quat(parts["rotation"]).as_matrix() @ np.diag(parts["scale"])
        matrix[:3, 3] = parts["translation"]
        return matrix

    def _at(self, sampler: dict[str, Any], path: str, time: float) -> Any:
        times, values = self.values(sampler["input"])[:, 0], self.values(sampler["output"])
        time = min(max(time, times[0]), times[-1])
        how = sampler.get("interpolation", "LINEAR")
        if how == "STEP":
            return values[np.flatnonzero(times <= time + 1e-6)[-1]]
        if how == "CUBICSPLINE":
            k = min(int(np.flatnonzero(times <= time)[-1]), len(times) - 2)
            gap = times[k + 1] - times[k]
            s = (time - times[k]) / gap
            (_, p0, m0), (m1, p1, _) = values[3 * k : 3 * k + 3], values[3 * k + 3 : 3 * k + 6]
            # Horner form of the cubic that has these ends and tangents.
            a, b = 2 * p0 - 2 * p1 + gap * (m0 + m1), 3 * p1 - 3 * p0 - gap * (2 * m0 + m1)
            return ((a * s + b) * s + gap * m0) * s + p0
        if len(times) == 1:
            return values[0]
        if path == "rotation":
            return Slerp(times, Rotation.from_quat(values))(time).as_quat()
        return [np.interp(time, times, values[:, k]) for k in range(values.shape[1])]

    def world(self, node: int, animation: int, time: float) -> NDArray[np.float64]:
        """World matrix of a node."""
        matrix = self.local(node, animation, time)
        while node in self.parents:
            node = self.parents[node]
            matrix = self.local(node, animation, time) @ matrix
        return matrix

    def index(self, name: str) -> int:
        """Index of the first node of this name."""
        return next(i for i, node in enumerate(self.doc["nodes"]) if node.get("name") == name)
