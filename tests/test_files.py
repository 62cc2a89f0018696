"""Bounded reading and atomic writing: a failed write leaves the old file and nothing beside it."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path
from typing import Any

import pytest

from hoofbeat.errors import BvhError, FileError
from hoofbeat.formats.files import read_bytes, replacing, write_bytes

posix_only = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX files")


def test_what_is_written_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.bin"
    for data in (b"", b"one", bytes(range(256)) * 1000):
        assert write_bytes(path, data) == path
        assert read_bytes(path) == data
    assert [found.name for found in tmp_path.iterdir()] == ["a.bin"]


def test_exception_in_the_block_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a.bin"
    path.write_bytes(b"old")
    with pytest.raises(KeyError), replacing(path) as file:
        file.write(b"new")
        raise KeyError("writer")
    assert path.read_bytes() == b"old"
    assert [found.name for found in tmp_path.iterdir()] == ["a.bin"]


@pytest.mark.parametrize("call", ["os.fsync", "pathlib.Path.replace", "pathlib.Path.chmod"])
def test_full_disk_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str) -> None:
    path = tmp_path / "a.bin"
    path.write_bytes(b"old")

    def broken(*_: Any, **__: Any) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(call, broken)
        with pytest.raises(BvhError, match="No space left"):
            write_bytes(path, b"new", BvhError)
    assert path.read_bytes() == b"old"
    assert [found.name for found in tmp_path.iterdir()] == ["a.bin"]


def test_the_target_is_old_until_the_block_ends(tmp_path: Path) -> None:
    path = tmp_path / "a.bin"
    path.write_bytes(b"old")
    with replacing(path) as file:
        file.write(b"new")
        file.flush()
        assert path.read_bytes() == b"old"
    assert path.read_bytes() == b"new"


@posix_only
def test_permissions_and_links_are_kept(tmp_path: Path) -> None:
    real = tmp_path / "real.bin"
    link = tmp_path / "link.bin"
    real.write_bytes(b"old")
    real.chmod(0o640)
    link.symlink_to(real)
    write_bytes(link, b"new")
    assert link.is_symlink()
    assert real.read_bytes() == b"new"
    assert stat.S_IMODE(real.stat().st_mode) == 0o640


@posix_only
def test_a_new_file_has_the_permissions_of_the_umask(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write_bytes(tmp_path / "a.bin", b"new")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "a.bin").stat().st_mode) == 0o640


def test_reading_is_bounded(tmp_path: Path) -> None:
    path = tmp_path / "a.bin"
    path.write_bytes(b"12345")
    assert read_bytes(path, max_bytes=5) == b"12345"
    with pytest.raises(FileError, match=r"a\.bin: 5 bytes .* 4 allowed"):
        read_bytes(path, max_bytes=4)


@pytest.mark.parametrize("name", ["missing.bin", ".", "no/such/a.bin", "nul\0.bin"])
def test_unreadable_paths_are_named_errors(tmp_path: Path, name: str) -> None:
    path = f"{tmp_path}/{name}"
    with pytest.raises(BvhError) as caught:
        read_bytes(path, error=BvhError)
    assert caught.value.path == path


@pytest.mark.parametrize("name", [".", "no/such/a.bin", "nul\0.bin"])
def test_unwritable_paths_are_named_errors(tmp_path: Path, name: str) -> None:
    with pytest.raises(FileError):
        write_bytes(tmp_path / name, b"new")
    assert list(tmp_path.iterdir()) == []


@posix_only
def test_pipes_and_devices_are_refused_not_waited_for(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(FileError, match="not a regular file"):
        read_bytes(pipe)
    with pytest.raises(FileError, match="cannot be replaced"):
        write_bytes(pipe, b"new")
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    with pytest.raises(FileError):
        read_bytes("/dev/zero")
