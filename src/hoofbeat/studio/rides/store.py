"""Store: rides on disk, so that a server that was stopped finds them again.

    <folder>/<random name>/ride.json      which horse, where it stood, and a digest of the rider's token
    <folder>/<random name>/<id>.json, .frames   its recordings, see `hoofbeat.studio.rides.recording`

Names of folders and files are made here; a token is only ever compared, by its digest.
"""

from __future__ import annotations

import hashlib
import json
import logging
import math
import secrets
import shutil
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from hoofbeat.body.size import HEIGHTS
from hoofbeat.errors import HoofbeatError
from hoofbeat.formats.files import read_bytes, write_bytes
from hoofbeat.gaits.breeds import DEFAULT_BREED
from hoofbeat.studio.rides.horse import HorseSpec
from hoofbeat.studio.rides.session import Session
from hoofbeat.studio.settings import Quotas
from hoofbeat.studio.wire.messages import COATS

logger = logging.getLogger("hoofbeat.studio")
SCHEMA = "hoofbeat.ride/1"
FILE = "ride.json"
MAX_FILE = 64 * 1024
#: Beyond this [m, rad] a place on disk is damage.
FARTHEST = 1e7


@dataclass(frozen=True)
class SavedRide:
    """A ride as it stands on disk."""

    spec: HorseSpec
    coat: str
    place: tuple[float, float, float]
    manual: bool


class Store:
    """Rides below one folder, or nowhere (None)."""

    def __init__(self, folder: Path | None, quotas: Quotas) -> None:
        self._folder = folder
        self._known: dict[str, Path] = {}
        self._written: dict[str, dict[str, Any]] = {}
        if folder is not None and folder.is_dir():
            self._scan(folder, time.time() - quotas.stored)

    @property
    def keeps(self) -> bool:
        """Whether there is a folder to keep rides in."""
        return self._folder is not None

    def _scan(self, folder: Path, oldest: float) -> None:
        """Learn what is there; rides that nobody came back to for long are removed."""
        for path in folder.glob(f"*/{FILE}"):
            try:
                facts = json.loads(read_bytes(path, MAX_FILE))
                if path.stat().st_mtime < oldest:
                    shutil.rmtree(path.parent)
                else:
                    self._known[str(facts["token"])] = path.parent
            except (HoofbeatError, OSError, ValueError, KeyError, TypeError) as problem:
                logger.warning("%s is left aside: %s", path, problem)

    def find(self, token: str) -> SavedRide | None:
        """The ride of a token, None where there is none or it cannot be read."""
        folder = self._known.get(_digest(token))
        if folder is None:
            return None
        try:
            return _read(json.loads(read_bytes(folder / FILE, MAX_FILE)))
        except (HoofbeatError, ValueError, KeyError, TypeError) as problem:
            logger.warning("%s is left aside: %s", folder / FILE, problem)
            return None

    def folder_of(self, token: str) -> Path | None:
        """Where this ride is or will be kept."""
        if self._folder is None:
            return None
        return self._known.setdefault(_digest(token), self._folder / secrets.token_hex(8))

    def save(self, session: Session) -> None:
        """Put a ride on disk if it has changed; may be called from another thread."""
        folder = self.folder_of(session.token)
        if folder is None:
            return
        facts = _facts(session)
        try:
            session.library.save()
            if facts == self._written.get(session.token) or _untouched(session, folder):
                return
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            write_bytes(folder / FILE, json.dumps(facts, allow_nan=False).encode())
            self._written[session.token] = facts
        except (HoofbeatError, OSError) as problem:
            logger.warning("a ride cannot be saved: %s", problem)

    def remove(self, token: str) -> None:
        """Forget a ride and all its files."""
        self._written.pop(token, None)
        folder = self._known.pop(_digest(token), None)
        if folder is not None:
            shutil.rmtree(folder, ignore_errors=True)


def _digest(token: str) -> str:
    """What of a token is written to disk."""
    return hashlib.sha256(token.encode()).hexdigest()


def _untouched(session: Session, folder: Path) -> bool:
    """Whether nobody has ridden here yet, so that there is nothing to keep."""
    return not folder.exists() and not session.library.recordings and not session.ridden_yet


def _facts(session: Session) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "token": _digest(session.token),
        "kind": asdict(session.change.wanted),
        "coat": session.coat,
        "place": [round(value, 4) for value in session.horse.place()],
        "manual": session.manual,
    }


def _read(facts: dict[str, Any]) -> SavedRide:
    """What a file says, checked: it may have been damaged."""
    if facts["schema"] != SCHEMA:
        raise ValueError(f"schema {facts['schema']!r}, known is {SCHEMA}")
    given = facts["kind"]
    height = given["height"]
    if height is not None and not HEIGHTS[0] <= float(height) <= HEIGHTS[1]:
        raise ValueError("height out of range")
    x, z, heading = (float(value) for value in facts["place"])
    if not all(math.isfinite(v) and abs(v) < FARTHEST for v in (x, z, heading)):
        raise ValueError("place out of range")
    spec = HorseSpec(
        str(given["method"]),
        None if height is None else float(height),
        str(given["terrain"]),
        int(given["seed"]),
        str(given.get("breed", DEFAULT_BREED)),
    )
    coat = facts["coat"] if facts["coat"] in COATS else COATS[0]
    return SavedRide(spec, coat, (x, z, heading), bool(facts["manual"]))
