"""Split: which clips train a network and which test it, by whole clips, with checksums.

A split file is JSON: {"name": ..., "clips": {NAME: {"sha256": ..., "part": "train" or "test"}}}. The one of
the dog's recordings is shipped: facts about files, no motion. Other folders are split by a hash of the name.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from os import PathLike
from typing import Any

from hoofbeat.errors import FileError
from hoofbeat.formats import files
from hoofbeat.shipped import DATA

#: The split of the dog's recordings.
DOG = DATA / "neural" / "dog_split.json"
PARTS = ("train", "test")
#: One clip in so many tests, where no split file says.
ONE_IN = 10
#: Largest split file [bytes].
MAX_BYTES = 1024**2


class SplitError(FileError):
    """A split file that cannot be read, or a clip that is not the one it speaks of."""


@dataclass(frozen=True)
class Split:
    """name; sha256 and part ("train" or "test") by the name of each clip; path for errors."""

    name: str
    digests: dict[str, str]
    parts: dict[str, str]
    path: str

    def is_test(self, name: str, digest: str) -> bool:
        """Whether a clip is kept for tests; one whose bytes have changed is a SplitError that names it."""
        known = self.digests.get(name)
        if known is None:
            return by_name(name) if not self.digests else False
        if known != digest:
            raise SplitError(
                f"clip {name!r} has the SHA-256 {digest[:12]}…, the split was made for {known[:12]}…; "
                "get the file again, or give a split of your own (--split)",
                self.path,
            )
        return self.parts[name] == "test"


def split_for(names: Iterable[str], path: str | PathLike[str] | None = None) -> Split:
    """The split to use for clips of these names: the file given, the dog's where it knows one, else none."""
    if path is not None:
        return read_split(path)
    dog = read_split(DOG)
    return dog if set(names) & set(dog.digests) else Split("by name", {}, {}, "")


def by_name(name: str) -> bool:
    """Whether a clip that no split names is kept for tests: one in ten, whatever others there are."""
    return int(hashlib.sha256(name.encode()).hexdigest(), 16) % ONE_IN == 0


def digest_of(data: bytes) -> str:
    """The SHA-256 of a file's bytes."""
    return hashlib.sha256(data).hexdigest()


def read_split(path: str | PathLike[str]) -> Split:
    """Read a split file."""
    try:
        found: Any = json.loads(files.read_bytes(path, MAX_BYTES, SplitError).decode())
    except (ValueError, RecursionError) as problem:
        raise SplitError(f"not JSON: {problem}", path) from None
    clips = found.get("clips") if isinstance(found, dict) else None
    if not isinstance(clips, dict) or not clips:
        raise SplitError('expected {"name": ..., "clips": {NAME: {"sha256": ..., "part": ...}}}', path)
    digests: dict[str, str] = {}
    parts: dict[str, str] = {}
    for name, entry in clips.items():
        digest, part = (entry.get("sha256"), entry.get("part")) if isinstance(entry, dict) else (None, None)
        if not isinstance(digest, str) or len(digest) != 64 or part not in PARTS:
            raise SplitError(f"clip {name!r}: expected a sha256 of 64 digits and a part, train or test", path)
        digests[name], parts[name] = digest.lower(), part
    return Split(str(found.get("name", "")), digests, parts, str(path))
