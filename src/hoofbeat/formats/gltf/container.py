"""glTF file: the container, .gltf or .glb, as JSON and buffers of bytes.

Buffers may be the binary chunk of a .glb, data URIs, or files in the folder of the .gltf or below it.
Nothing outside that folder is opened and nothing is fetched.
"""

from __future__ import annotations

import base64
import binascii
import struct
from dataclasses import dataclass, field
from os import PathLike, fspath
from pathlib import Path
from typing import cast
from urllib.parse import unquote

from hoofbeat.errors import GltfError
from hoofbeat.formats.files import MAX_BYTES, read_bytes
from hoofbeat.formats.gltf.objects import Item, parse_json, shown_value

MAGIC = b"glTF"
JSON_CHUNK, BINARY_CHUNK = 0x4E4F534A, 0x004E4942
#: Longest reference to a file beside the .gltf.
MAX_URI = 1024
#: Extensions that change nothing about nodes, skins and animations, so that a file may require them.
HARMLESS = frozenset(
    {
        "KHR_texture_transform",
        "KHR_texture_basisu",
        "KHR_materials_unlit",
        "KHR_materials_pbrSpecularGlossiness",
        "KHR_mesh_quantization",
        "KHR_draco_mesh_compression",  # of vertices, which are not read; joints and motion are never in it
        "KHR_lights_punctual",
        "EXT_texture_webp",
    }
)
#: Compression of whole buffers, motion included. A file may hold the same uncompressed beside it.
MESHOPT = "EXT_meshopt_compression"


@dataclass
class GltfFile:
    """An open file: its JSON, its binary chunk (.glb), its folder (None in memory), and bytes read so far."""

    root: Item
    chunk: bytes | None
    folder: Path | None
    max_bytes: int
    size: int
    _buffers: dict[int, bytes] = field(default_factory=dict[int, bytes])

    @property
    def path(self) -> str:
        """The file's name in errors."""
        return self.root.path

    def buffer(self, index: int) -> bytes:
        """The bytes of a buffer, at least as many as the file says; fetched once."""
        if index not in self._buffers:
            item = self.root.items("buffers")[index]
            length = item.whole("byteLength", 1, 2**53)
            data = self._resolve(item, index)
            if len(data) < length:
                raise item.fail(f"{length} bytes are promised, there are {len(data)}; the data is cut short")
            self._buffers[index] = data
        return self._buffers[index]

    def _resolve(self, item: Item, index: int) -> bytes:
        if not item.has("uri"):
            if index or self.chunk is None:
                raise item.fail("has no uri, and the file has no binary chunk for it")
            return self.chunk
        uri = item.text("uri")
        if uri[:5].lower() == "data:":
            return _data_uri(item, uri)
        data = self._beside(item, uri)
        self.size += len(data)
        return data

    def _beside(self, item: Item, uri: str) -> bytes:
        """A file that lies in the folder of the .gltf, or below it."""
        name = unquote(uri)
        # A scheme (http:), a drive (C:), a share or another user's folder: none of our business.
        unsafe = ":" in name or "\\" in name or name.startswith(("/", "~")) or not name.isprintable()
        if unsafe or not name or len(name) > MAX_URI:
            raise item.fail(f"only files beside the .gltf are read, the uri is {shown_value(uri)}", "uri")
        if self.folder is None:
            raise item.fail(
                f"{shown_value(uri)} lies beside the file; read it from disk, not from memory", "uri"
            )
        folder = self.folder.resolve()
        try:
            target = (folder / name).resolve()
            inside = target.is_relative_to(folder)
        except (OSError, RuntimeError, ValueError) as problem:  # a loop of links; a NUL in the name
            raise item.fail(f"{shown_value(uri)} cannot be followed: {problem}", "uri") from None
        if not inside:
            raise item.fail(
                f"{shown_value(uri)} leads out of the folder of the file, which is refused", "uri"
            )
        try:
            return read_bytes(target, self.max_bytes - self.size, GltfError)
        except GltfError as problem:
            raise item.fail(f"{shown_value(uri)}: {problem.reason}", "uri") from problem


def open_gltf(path: str | PathLike[str], max_bytes: int = MAX_BYTES) -> GltfFile:
    """Open a .gltf or .glb (recognised by its first bytes) of at most `max_bytes`, all buffers together."""
    data = read_bytes(path, max_bytes, GltfError)
    return parse_container(data, fspath(path), Path(path).parent, max_bytes)


def parse_container(
    data: bytes, name: str = "<memory>", folder: Path | None = None, max_bytes: int = MAX_BYTES
) -> GltfFile:
    """The same from memory; `name` stands for the path in errors, `folder` is where buffers may lie."""
    text, chunk = _chunks(data, name) if data[:4] == MAGIC else (data, None)
    if not text.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
        raise GltfError("neither glTF JSON nor a .glb (which begins with glTF); is this a glTF file?", name)
    root = parse_json(text, name)
    version = root.item("asset").text("version")
    if version.split(".")[0] != "2":
        raise root.fail(f"glTF 2.0 is read, this file is version {shown_value(version)}", "asset.version")
    unknown = sorted(set(root.texts("extensionsRequired")) - HARMLESS)
    if MESHOPT in unknown and _has_fallback(root, chunk):
        unknown.remove(MESHOPT)
    if unknown:
        listed = ", ".join(shown_value(name) for name in unknown[:5])
        message = f"the file requires {listed}, which is not supported; export it without (no compression)"
        raise root.fail(message, "extensionsRequired")
    return GltfFile(root, chunk, folder, max_bytes, len(data))


def _has_fallback(root: Item, chunk: bytes | None) -> bool:
    """Whether all that is compressed also is there uncompressed: the views' own buffers have data."""
    views = root.items("bufferViews") if root.has("bufferViews") else []
    buffers = root.items("buffers") if root.has("buffers") else []
    used = {view.values.get("buffer") for view in views}
    return all(
        isinstance(n, int)
        and 0 <= n < len(buffers)
        and (buffers[n].has("uri") or (n == 0 and chunk is not None and not _is_fallback(buffers[n])))
        for n in used
    )


def _is_fallback(buffer: Item) -> bool:
    """Whether a buffer is marked as one that stands for data which is compressed elsewhere."""
    marks = buffer.values.get("extensions")
    entry = cast("dict[str, object]", marks).get(MESHOPT) if isinstance(marks, dict) else None
    return isinstance(entry, dict) and cast("dict[str, object]", entry).get("fallback") is True


def _chunks(data: bytes, name: str) -> tuple[bytes, bytes | None]:
    """JSON and binary chunk of a .glb."""
    if len(data) < 20:
        raise GltfError(f"a .glb has at least 20 bytes, this one {len(data)}; it is cut short", name)
    version, length = struct.unpack_from("<II", data, 4)
    if version != 2:
        raise GltfError(f"a .glb of version 2 is read, this one is version {version}", name)
    if length > len(data):
        raise GltfError(f"{length} bytes are promised, there are {len(data)}; the file is cut short", name)
    found: list[bytes] = []
    at = 12
    while at < length and len(found) < 2:
        kind, chunk = _chunk(data, at, length, name)
        wanted = (JSON_CHUNK, BINARY_CHUNK)[len(found)]
        if kind == wanted:
            found.append(chunk)
        elif not found:
            raise GltfError(f"the first chunk must be JSON, its type is {kind:#010x}", name)
        at += 8 + len(chunk)  # chunks of unknown type are to be passed over
    if not found:
        raise GltfError(f"a .glb of {length} bytes has no JSON chunk; the file is cut short", name)
    return found[0], found[1] if len(found) > 1 else None


def _chunk(data: bytes, at: int, length: int, name: str) -> tuple[int, bytes]:
    if at + 8 > length:
        raise GltfError(f"the chunk at byte {at} is too short for its header; the file is cut short", name)
    size, kind = struct.unpack_from("<II", data, at)
    if at + 8 + size > length:
        raise GltfError(f"the chunk at byte {at} promises {size} bytes, {length - at - 8} are left", name)
    return kind, data[at + 8 : at + 8 + size]


def _data_uri(item: Item, uri: str) -> bytes:
    head, comma, body = uri.partition(",")
    if not comma or not head.lower().endswith(";base64"):
        raise item.fail(f"a data URI must be base64, this one begins {shown_value(head)}", "uri")
    try:
        return base64.b64decode(body.encode("ascii"), validate=True)
    except (UnicodeEncodeError, binascii.Error) as problem:
        raise item.fail(f"the base64 text is broken: {problem}", "uri") from None
