"""A network that gives zeros: kernels around it are the same, and nothing has to be installed to run it."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

from hoofbeat.methods.neural.network.description import Description, read_description
from hoofbeat.methods.neural.network.model import ENTRY, GATE, SHIPPED, Model, X, Y

#: Fields of ONNX files: metadata of a model, and key and value of one.
METADATA, KEY, VALUE = 14, 1, 2
#: Bytes of values of fixed length, by wire type.
FIXED = {1: 8, 5: 4}


def silent_model(path: Path = SHIPPED) -> Model:
    """The network of a file, without its weights."""
    description = described(path.read_bytes(), path)
    return Model(description, _Session(description), path)


def described(data: bytes, path: Path) -> Description:
    """The description in an ONNX file's metadata."""
    for entry in _fields(data).get(METADATA, []):
        found = _fields(entry)
        if found.get(KEY) == [ENTRY.encode()]:
            return read_description(found[VALUE][0].decode(), path)
    raise ValueError(f"{path.name} has no description")


def _fields(data: bytes) -> dict[int, list[bytes]]:
    """The fields of a protobuf message that are bytes, by number."""
    found: dict[int, list[bytes]] = {}
    at = 0
    while at < len(data):
        tag, at = _varint(data, at)
        number, wire = tag >> 3, tag & 7
        if wire == 2:
            size, at = _varint(data, at)
            found.setdefault(number, []).append(data[at : at + size])
            at += size
        elif wire == 0:
            _, at = _varint(data, at)
        else:
            at += FIXED[wire]
    return found


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at


class _Session:
    """What a Model asks of onnxruntime, without any run."""

    def __init__(self, description: Description) -> None:
        layout = description.layout
        self._inputs = [_port(X, layout.inputs.size)]
        self._outputs = [_port(Y, layout.outputs.size), _port(GATE, description.experts)]

    def get_inputs(self) -> list[Any]:
        """Of the graph."""
        return self._inputs

    def get_overridable_initializers(self) -> list[Any]:
        """None."""
        return []

    def get_outputs(self) -> list[Any]:
        """Of the graph."""
        return self._outputs

    def io_binding(self) -> Any:
        """Takes everything and does nothing."""

        def nothing(*_: Any) -> None: ...

        return SimpleNamespace(bind_input=nothing, bind_output=nothing)

    def run_with_iobinding(self, binding: Any) -> None:
        """Leaves the outputs as they are."""
        del binding


def _port(name: str, columns: int) -> Any:
    return SimpleNamespace(name=name, type="tensor(float)", shape=["N", columns])
