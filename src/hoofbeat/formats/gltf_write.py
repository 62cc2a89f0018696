"""glTF 2.0 out: clips of one skeleton as .glb or .gltf, for engines, viewers and Blender.

    Root                  the way over the ground; nothing moves it in an in-place file
      <root joint> ...    the skeleton; end sites are plain nodes, not joints of the skin
    Body                  octahedral bones as a skinned mesh, so that any viewer shows something

Keys are LINEAR, one a frame; a track that stays the same has two, one that stays at rest is left out.
"""

from __future__ import annotations

import base64
import hashlib
import importlib.metadata
import json
import re
import struct
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from os import PathLike, fspath
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
from numpy.typing import NDArray

from hoofbeat.body.bonemesh import bone_mesh
from hoofbeat.body.clip import Clip
from hoofbeat.body.root import TRAVEL, in_place, track_of
from hoofbeat.body.skeleton import Skeleton
from hoofbeat.errors import GltfError
from hoofbeat.formats.bvh import MAX_LENGTH, unique_names
from hoofbeat.formats.files import write_bytes
from hoofbeat.formats.gltf_buffer import VERTICES, Buffer
from hoofbeat.formats.gltf_file import BINARY_CHUNK, JSON_CHUNK, MAGIC, open_gltf
from hoofbeat.formats.gltf_notes import KEY, notes_of
from hoofbeat.maths import quat

#: A track whose values differ by less than this stays the same: a few steps of float32.
STILL = 2e-7
#: Largest difference of offsets [m] between clips of one skeleton.
SAME_OFFSET = 1e-6
#: Colour of the bones, linear RGBA.
COLOUR = (0.55, 0.42, 0.30, 1.0)

_ROOT_NODE = 0  # the skeleton's nodes follow it, in their order
