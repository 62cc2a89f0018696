"""Read: what a table file says of itself."""

from __future__ import annotations

import json
from os import PathLike
from typing import Any, NamedTuple

import numpy as np

from hoofbeat.errors import FileError
from hoofbeat.formats.files import read_bytes
from hoofbeat.offline.core.tables.layout import HEAD, MAGIC, TABLES_VERSION, checksum


class TableFileError(FileError):
    """A file that is no table file, or not one of this version."""


class Tables(NamedTuple):
    """What a table file says of itself; facts: its text; parts: bytes of text, arguments and data."""

    size: int
    version: int
    layout: int
    stamp: str
    facts: dict[str, Any]
    kernels: tuple[str, ...]
    parts: dict[str, int]


def describe_tables(path: str | PathLike[str]) -> Tables:
    """Read what a table file holds; its kernels need not be those that are installed."""
    data = read_bytes(path, error=TableFileError)
    if len(data) < HEAD.itemsize or data[: len(MAGIC)] != MAGIC:
        raise TableFileError("no table file of hoofbeat; `hoofbeat core export` writes one", path)
    head = np.frombuffer(data, HEAD, 1)[0]
    if head["version"] != TABLES_VERSION:
        known = f"this hoofbeat reads {TABLES_VERSION}; export it again"
        raise TableFileError(f"of version {head['version']}, {known}", path)
    without = bytearray(data[: int(head["size"])])
    if head["size"] != len(data):
        raise TableFileError(f"cut short: {len(data)} of {head['size']} bytes", path)
    assert HEAD.fields is not None
    at = HEAD.fields["checksum"][1]
    without[at : at + 8] = bytes(8)
    if checksum(bytes(without)) != int(head["checksum"]):
        raise TableFileError("damaged: the checksum does not fit", path)
    begin, end = int(head["text"]), int(head["text"] + head["text_size"])
    sizes = {"text": end - begin, "arguments": int(head["data"] - head["leaves"])}
    sizes["data"] = int(head["size"] - head["data"])
    kernels = tuple(name.decode() for name in head["stages"]["kernel"] if name)
    facts = json.loads(data[begin:end])
    return Tables(
        len(data), int(head["version"]), int(head["layout"]), head["stamp"].decode(), facts, kernels, sizes
    )
