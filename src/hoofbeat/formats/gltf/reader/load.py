"""glTF 2.0 in: skeletons and clips of other programs, from .gltf and .glb.

The joints of a skin (or, without one, the animated nodes) become the skeleton; every track is sampled
at one frame rate, by the file's own interpolation; what stands above the root joint (armatures, scene
nodes, root motion) is applied to it, so that clips are in the file's world. docs/gltf.md has the rest.
"""

from __future__ import annotations

import warnings
from os import PathLike

from hoofbeat.body.clip import Clip
from hoofbeat.body.skeleton import Skeleton
from hoofbeat.errors import GltfWarning, SeveralClipsWarning
from hoofbeat.formats.files import MAX_BYTES
from hoofbeat.formats.gltf.container import open_gltf, parse_container
from hoofbeat.formats.gltf.reader.document import DocumentReader, Reading, Scale

#: Clips that a warning names.
MOST_NAMED = 12


def read_gltf(
    path: str | PathLike[str],
    *,
    clip: str | int | None = None,
    fps: float | None = None,
    scale: Scale = None,
    up: str | None = None,
    forward: str | None = None,
    skin: str | None = None,
    root: str | None = None,
    max_bytes: int = MAX_BYTES,
) -> Clip:
    """Read one animation of a .gltf or .glb as a Clip; without animations, the rest pose as one frame.

    clip: name or number of the animation (None = the first). fps: frames a second of the clip (None = as
    this package noted when it wrote the file, else 60). scale: metres per file unit, or "auto" for a guess
    among metres, centimetres and millimetres (None = metres, as glTF says). up, forward: axes of the
    file's world, such as "z" and "-y" (None = +Y and +Z). skin: name of the skin (None = the one with most
    joints). root: name of the joint to use as the root; what is not below it is left out.
    A broken file raises a GltfError; several animations where none is named are a SeveralClipsWarning; motion
    that a clip cannot hold is a GltfWarning.
    """
    reader = DocumentReader(open_gltf(path, max_bytes), Reading(fps, scale, up, forward, skin, root))
    found = reader.clip(reader.choose(clip))
    _warn(reader)
    if clip is None and len(reader.names) > 1:
        warnings.warn(_several(reader), SeveralClipsWarning, stacklevel=2)
    return found


def read_gltf_all(
    path: str | PathLike[str],
    *,
    fps: float | None = None,
    scale: Scale = None,
    up: str | None = None,
    forward: str | None = None,
    skin: str | None = None,
    root: str | None = None,
    max_bytes: int = MAX_BYTES,
) -> list[Clip]:
    """Read every animation, in the order of the file; see `read_gltf`. No animations, no clips.

    The clips share one skeleton. Where bones differ in length between animations, their mean is used, with
    a GltfWarning; `read_gltf` reads one animation with the bones it has there.
    """
    reader = DocumentReader(open_gltf(path, max_bytes), Reading(fps, scale, up, forward, skin, root))
    found = reader.clips()
    _warn(reader)
    return found


def read_gltf_skeleton(
    path: str | PathLike[str],
    *,
    scale: Scale = None,
    skin: str | None = None,
    root: str | None = None,
    max_bytes: int = MAX_BYTES,
) -> Skeleton:
    """Read the skeleton; see `read_gltf`. Its offsets are in the joints' own axes of the file.

    Those axes are turned in the rest pose, too, so `Skeleton.rest_positions` is not the rest pose of the
    file: `read_gltf_rest` is.
    """
    reader = DocumentReader(open_gltf(path, max_bytes), Reading(scale=scale, skin=skin, root=root))
    found = reader.clip(None).skeleton
    _warn(reader)
    return found


def read_gltf_rest(
    path: str | PathLike[str],
    *,
    scale: Scale = None,
    up: str | None = None,
    forward: str | None = None,
    skin: str | None = None,
    root: str | None = None,
    max_bytes: int = MAX_BYTES,
) -> Clip:
    """Read the rest pose as a clip of one frame; see `read_gltf`."""
    reader = DocumentReader(open_gltf(path, max_bytes), Reading(None, scale, up, forward, skin, root))
    found = reader.clip(None)
    _warn(reader)
    return found


def parse_gltf(data: bytes, name: str = "<memory>", clip: str | int | None = None) -> Clip:
    """Read one animation of a .gltf or .glb in memory, whose buffers must be inside it; see `read_gltf`."""
    reader = DocumentReader(parse_container(data, name), Reading())
    found = reader.clip(reader.choose(clip))
    _warn(reader)
    return found


def _several(reader: DocumentReader) -> str:
    listed = ", ".join(reader.names[:MOST_NAMED])
    more = f" and {len(reader.names) - MOST_NAMED} more" if len(reader.names) > MOST_NAMED else ""
    return (
        f"{reader.file.path} holds {len(reader.names)} clips; this is the first, {reader.names[0]!r}. Choose "
        f"one with clip=NAME, or read all with hoofbeat.export.load_all: {listed}{more}"
    )


def _warn(reader: DocumentReader) -> None:
    """One warning for each thing that was lost, at the line that called the public function."""
    for text in reader.complaints:
        warnings.warn(f"{reader.file.path}: {text}", GltfWarning, stacklevel=3)
