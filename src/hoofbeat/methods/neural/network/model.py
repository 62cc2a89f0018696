"""Model: a network file, and one run of it for N characters (onnxruntime).

The graph has the input x (N, n), raw `Layout.inputs`, and the outputs y (N, m), raw `Layout.outputs`, and
gate (N, K), the weight of each expert; normalisation is inside. It may have an input keep (K,), 0 = expert
switched off. A PFNN has an input phase (N,) in [0, 1); one more column of y is its change in a frame.
"""

from __future__ import annotations

import importlib
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hoofbeat.formats.files import read_bytes
from hoofbeat.methods.neural.network.description import Description, NetworkFileError, read_description
from hoofbeat.shipped import DATA

#: The horse that ships.
SHIPPED = DATA / "neural" / "horse.onnx"
#: The largest file that is read [bytes]: the paper's networks have 22 MB.
MAX_BYTES = 256 * 1024 * 1024
#: Under this name the description stands in the file's metadata.
ENTRY = "hoofbeat"
#: Most characters of one run: what a layer makes of them stays in the cache.
MOST = 256
#: Rows with which it is tried whether one row gives the same bits as many.
TRIED = 16
#: Names in the graph.
X, Y, GATE, KEEP, PHASE = "x", "y", "gate", "keep", "phase"


class Model:
    """A network ready to run, on one thread: a character is the same alone and in a herd."""

    def __init__(self, description: Description, session: Any, path: str | PathLike[str]) -> None:
        self.description = description
        self.path = path
        self._session = session
        # An input with a default is listed apart.
        ports = [*session.get_inputs(), *session.get_overridable_initializers()]
        self._inputs = {one.name: one for one in ports}
        self._check()
        self._single: bool | None = None

    def _check(self) -> None:
        """Whether the graph has the inputs and outputs of the description."""
        outputs = {one.name: one for one in self._session.get_outputs()}
        layout = self.description.layout
        columns = layout.outputs.size + (self.description.kind == "pfnn")
        wanted = [
            (X, self._inputs, layout.inputs.size),
            (Y, outputs, columns),
            (GATE, outputs, self.description.experts),
        ]
        for name, ports, columns in wanted:
            port = ports.get(name)
            if port is None or port.type != "tensor(float)" or len(port.shape) != 2:
                raise NetworkFileError(f"its graph has no {name!r} of (N, {columns}) float32", self.path)
            if isinstance(port.shape[1], int) and port.shape[1] != columns:
                given = port.shape[1]
                raise NetworkFileError(
                    f"its {name!r} has {given} columns, its description says {columns}", self.path
                )
        strange = set(self._inputs) - {X, KEEP, PHASE}
        if strange or (PHASE in self._inputs) != (self.description.kind == "pfnn"):
            raise NetworkFileError(
                f"its graph takes {', '.join(self._inputs)}, not as a {self.description.kind}", self.path
            )

    def runner(self, count: int, keep: NDArray[np.float32] | None = None) -> Runner:
        """Room for `count` characters; keep (K,): 0 switches an expert off, None = all on."""
        if keep is not None and KEEP not in self._inputs:
            raise NetworkFileError("its graph takes no 'keep': experts cannot be switched off", self.path)
        return Runner(self._session, self.description, count, keep, count % MOST != 1 or self._same_alone())

    def _same_alone(self) -> bool:
        """Whether a run of one row gives the bits that the row has among others; tried once.

        Sums of one row may be computed in another order than those of many; that depends on the graph, the
        processor and onnxruntime. Random rows show it: thousands of sums do not round alike by chance.
        """
        if self._single is None:
            keep = np.ones(self.description.experts, np.float32) if KEEP in self._inputs else None
            one, many = (Runner(self._session, self.description, n, keep, True) for n in (1, TRIED))
            rng = np.random.default_rng(0)
            many.x[:] = self.description.low + rng.random(many.x.shape) * (
                self.description.high - self.description.low
            )
            many.phase[:] = rng.random(TRIED)
            many.run()
            self._single = all(_same(one, many, k) for k in range(TRIED))
        return self._single


def _same(one: Runner, many: Runner, k: int) -> bool:
    """Whether row k of a run has the same bits by itself."""
    one.x[0], one.phase[0] = many.x[k], many.phase[k]
    one.run()
    return one.y[0].tobytes() == many.y[k].tobytes() and one.gate[0].tobytes() == many.gate[k].tobytes()


class Runner:
    """Arrays for N characters, made once, and the run between them.

    x (N, n), y (N, m), gate (N, K), and phase (N,) where the network has one; all float32. single: one row
    may be run by itself; else it has an idle second one beside it.
    """

    def __init__(
        self,
        session: Any,
        description: Description,
        count: int,
        keep: NDArray[np.float32] | None,
        single: bool,
    ) -> None:
        layout = description.layout
        phased = description.kind == "pfnn"
        rows = count + (count % MOST == 1 and not single)
        x = np.zeros((rows, layout.inputs.size), np.float32)
        y = np.zeros((rows, layout.outputs.size + phased), np.float32)
        gate, phase = np.zeros((rows, description.experts), np.float32), np.zeros(rows, np.float32)
        self.x, self.y, self.gate, self.phase = x[:count], y[:count], gate[:count], phase[:count]
        self._keep = None if keep is None else np.ascontiguousarray(keep, np.float32)
        self._session = session
        whole = (x, y, gate, phase if phased else None)
        self._parts = [self._bound(slice(k, k + MOST), *whole) for k in range(0, count, MOST)]

    def _bound(self, part: slice, x: Any, y: Any, gate: Any, phase: Any) -> Any:
        """The run of some rows, bound by address: it copies nothing and allocates nothing of ours."""
        binding = self._session.io_binding()
        given = {X: x[part], KEEP: self._keep, PHASE: None if phase is None else phase[part]}
        for name, array in given.items():
            if array is not None:
                binding.bind_input(name, "cpu", 0, np.float32, array.shape, array.ctypes.data)
        for name, array in ((Y, y[part]), (GATE, gate[part])):
            binding.bind_output(name, "cpu", 0, np.float32, array.shape, array.ctypes.data)
        return binding

    def run(self) -> None:
        """Fill y and gate from x."""
        for binding in self._parts:
            self._session.run_with_iobinding(binding)


def read_model(path: str | PathLike[str] | None = None) -> Model:
    """The network of a file, None = the shipped horse; anything wrong is a NetworkFileError."""
    if path is None:
        path = SHIPPED
        if not path.is_file():
            raise NetworkFileError(
                "the shipped horse is not in this installation; name a network file, as "
                "Horse(method='neural', scene='dog.onnx')",
                path.name,
            )
    session = _session(read_bytes(path, MAX_BYTES, NetworkFileError), path)
    text = session.get_modelmeta().custom_metadata_map.get(ENTRY)
    if text is None:
        raise NetworkFileError(
            f"this ONNX file is no hoofbeat network: its metadata has no {ENTRY!r}; make one with "
            "hoofbeat train",
            path,
        )
    return Model(read_description(text, path), session, path)


def _session(data: bytes, path: str | PathLike[str]) -> Any:
    """The graph made ready, on one thread."""
    try:
        ort = importlib.import_module("onnxruntime")
        state = importlib.import_module("onnxruntime.capi.onnxruntime_pybind11_state")
    except ImportError:
        raise NetworkFileError(
            "networks are run by onnxruntime, which is not installed: pip install 'hoofbeat[neural]'", path
        ) from None
    options = ort.SessionOptions()
    # More threads would sum in another order in a herd than alone, and gain little.
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.execution_mode = ort.ExecutionMode.ORT_SEQUENTIAL
    options.log_severity_level = 4
    kinds = [one for one in vars(state).values() if isinstance(one, type) and issubclass(one, Exception)]
    try:
        return ort.InferenceSession(data, options, providers=["CPUExecutionProvider"])
    except (*kinds, ValueError, RuntimeError) as problem:
        reason = str(problem).splitlines()[0] if str(problem) else type(problem).__name__
        raise NetworkFileError(f"this is no ONNX file that can be run: {reason:.300}", path) from None
