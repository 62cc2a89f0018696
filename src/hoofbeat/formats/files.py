"""Files: bounded reading and atomic writing, for every format.

A write goes to a new file beside the target, is flushed to the disk, then renamed over the target
in one step: a reader sees the old bytes or the new ones, and a failed write leaves the old ones.
"""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Generator
from contextlib import contextmanager, suppress
from os import PathLike
from pathlib import Path
from typing import BinaryIO

from hoofbeat.errors import FileError

#: The largest file that is read unless the caller allows more [bytes].
MAX_BYTES = 512 * 1024 * 1024


def read_bytes(
    path: str | PathLike[str], max_bytes: int = MAX_BYTES, error: type[FileError] = FileError
) -> bytes:
    """All bytes of a regular file of at most `max_bytes`; anything else raises `error`."""
    try:
        status = Path(path).stat()
        if stat.S_ISDIR(status.st_mode):
            raise error("this is a folder; give a file", path)
        # A pipe or device has no size to check and may block for ever.
        if not stat.S_ISREG(status.st_mode):
            raise error("this is not a regular file (a pipe or a device); copy it to a file first", path)
        if status.st_size > max_bytes:
            raise error(f"{status.st_size} bytes are more than the {max_bytes} allowed; set max_bytes", path)
        with Path(path).open("rb") as file:
            data = file.read(min(max_bytes, status.st_size) + 1)
    except FileNotFoundError:
        raise error("no such file; check the path", path) from None
    except (OSError, ValueError) as problem:  # ValueError: a path with a NUL in it
        raise error(f"cannot be read: {_reason(problem)}", path) from problem
    if len(data) > max_bytes:
        raise error(f"the file grew past the {max_bytes} bytes allowed; set max_bytes", path)
    return data


def write_bytes(path: str | PathLike[str], data: bytes, error: type[FileError] = FileError) -> Path:
    """Write `data` atomically (see `replacing`); returns the path as given."""
    with replacing(path, error) as file:
        file.write(data)
    return Path(path)


@contextmanager
def replacing(path: str | PathLike[str], error: type[FileError] = FileError) -> Generator[BinaryIO]:
    """A new binary file that replaces `path` when the block ends without an exception.

    Whatever fails, the old file stays as it was and the temporary one is removed. A symbolic link
    is followed, the permissions of an existing file are kept. An OSError becomes `error`.
    """
    temporary: Path | None = None
    try:
        target = _writable_target(path, error)
        temporary = target.with_name(f".hoofbeat-{secrets.token_hex(8)}.tmp")
        with temporary.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            temporary.chmod(stat.S_IMODE(target.stat().st_mode))
        temporary.replace(target)
        temporary = None
        _sync_folder(target.parent)
    except OSError as problem:
        raise error(f"cannot be written: {_reason(problem)}", path) from problem
    finally:
        if temporary is not None:
            with suppress(OSError):
                temporary.unlink()


def _writable_target(path: str | PathLike[str], error: type[FileError]) -> Path:
    """The real file behind `path`, after the checks that a rename would pass over."""
    try:
        target = Path(os.path.realpath(path))
    except ValueError as problem:  # a NUL in the path
        raise error(f"cannot be written: {problem}", path) from problem
    if not target.parent.is_dir():
        raise error(f"the folder {Path(path).parent} does not exist; make it first", path)
    if target.is_dir():
        raise error("this is a folder; give a file name", path)
    # A rename would put a plain file in the place of a device such as /dev/null.
    if target.exists() and not target.is_file():
        raise error("this is a device or pipe, which cannot be replaced; give a file name", path)
    if target.exists() and not os.access(target, os.W_OK):
        raise error("the file is write-protected; choose another name", path)
    return target


def _sync_folder(folder: Path) -> None:
    """Put the rename itself on disk, where the system can (Windows cannot open a folder)."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _reason(problem: Exception) -> str:
    return getattr(problem, "strerror", None) or str(problem)
