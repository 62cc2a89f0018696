"""The guard of the core library: every kernel compiles ahead, and every build gives the same bits.

Whoever adds a kernel passes these tests, and need do nothing else: `rides` of hoofbeat.offline.core find it.
"""

from __future__ import annotations

import gzip
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import core_riding
from core_riding import RIDES, difference, herd_of, ridden_in_node, ridden_in_python, write_commands
from hoofbeat.maths.jit.library import FOLDER, MANIFEST
from hoofbeat.offline.core.build import is_current
from hoofbeat.offline.core.store import package_key, store_folder
from hoofbeat.offline.core.wasm import exported

TOYS = Path(__file__).resolve().parent / "core_toys.py"
#: Compressed by gzip [bytes].
MOST_WASM = 250_000
#: What each kernel of core_toys is refused for.
REFUSED = {
    "sine": "calls sin",
    "raised": "calls pow",
    "length": "calls hypot",
    "allocating": "allocates memory",
    "raising": "may raise",
    "looking_up": "may raise",
    "calling_itself": "calls itself",
    "printing": "calls numba_gil_ensure",
    "returning_an_array": "returns array",
    "contracting": "contract",
}


def clean_environment() -> dict[str, str]:
    """The environment without settings that change what compilers make."""
    return {k: v for k, v in os.environ.items() if not k.startswith(("NUMBA_", "COV_", "HOOFBEAT_JIT"))}


def module_of_this_state() -> Path:
    """hoofbeat.wasm of the sources as they are, built where it is not in the cache yet."""
    path = store_folder() / f"{package_key()}.wasm"
    if not path.is_file():
        command = [sys.executable, "-m", "hoofbeat.offline.core.build", "--wasm", str(path)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=1200, env=clean_environment())
        missing = importlib.util.find_spec("ziglang") is None
        if missing and "pip install ziglang" in done.stderr:
            pytest.skip("no ziglang: kernels compile for wasm, but were not linked")
        assert done.returncode == 0, done.stderr[-3000:]
    return path


def compare_builds(folder: Path, seconds: float, seed: int) -> dict[str, str]:
    """Ride all methods in every build: what differs, and facts to print. Needs Node."""
    module = module_of_this_state()
    if shutil.which("node") is None:
        pytest.skip("no Node: kernels compile for wasm, but were not run there")
    assert is_current(), "the core library is not of these sources: `make core` builds it"
    nodes = {}
    for name in RIDES:
        herd = herd_of(name)
        nodes[name] = len(herd.skeleton)
        write_commands(folder / f"{name}.commands", herd, seconds, seed)
    core, numba = (ridden_in_python(folder, list(RIDES), kind) for kind in ("core", "numba"))
    found = {}
    for name in RIDES:
        node = ridden_in_node(module, folder, name, nodes[name])
        assert node.facts["imports"] == [], "the module must stand alone"
        assert set(exported()) <= set(node.facts["exports"])
        print(f"{name}: {node.facts['steps']} steps, {node.facts['microseconds']:.1f} us a step in Node")
        found[f"{name} in Node"] = difference(core[name].data, node.data, nodes[name])
        found[f"{name} by Numba"] = difference(core[name].data, numba[name].data, nodes[name])
    return found


def test_every_build_gives_the_same_bits(tmp_path: Path) -> None:
    """All kernels compile for WebAssembly, and a second and more of each method is the same everywhere."""
    found = compare_builds(tmp_path, seconds=20.0, seed=1)
    assert {name: told for name, told in found.items() if told} == {}
    assert len(gzip.compress(module_of_this_state().read_bytes(), 9)) < MOST_WASM


@pytest.mark.slow
@pytest.mark.parametrize("seed", [2])
def test_ten_minutes_of_random_commands_are_the_same_bits(tmp_path: Path, seed: int) -> None:
    found = compare_builds(tmp_path, seconds=600.0, seed=seed)
    assert {name: told for name, told in found.items() if told} == {}


def test_every_entry_is_in_the_library_of_this_machine() -> None:
    """What rides call from Python is compiled for this processor, too: no call falls back to Numba."""
    assert is_current(), "the core library is not of these sources: `make core` builds it"
    code = (
        "import json, sys; from hoofbeat.offline.core.rides import recorded_entries;"
        "json.dump([[entry.kernel.name, entry.key] for entry in recorded_entries()], sys.stdout)"
    )
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, env=clean_environment())
    assert done.returncode == 0, done.stderr[-3000:]
    kernels = json.loads((FOLDER / MANIFEST).read_text(encoding="utf-8"))["kernels"]
    built = {(name, one["key"]) for name, entries in kernels.items() for one in entries}
    assert {tuple(entry) for entry in json.loads(done.stdout)} <= built, "`make core` builds it anew"


@pytest.mark.parametrize("processor", ["native", "wasm"])
def test_kernels_that_break_a_rule_are_refused(processor: str) -> None:
    command = [sys.executable, str(TOYS), processor]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, env=clean_environment())
    assert done.returncode == 0, done.stderr[-3000:]
    told = json.loads(done.stdout)
    assert told.pop("honest") == ""
    assert set(told) == set(REFUSED)
    assert {name: text for name, text in told.items() if REFUSED[name] not in text} == {}


def test_one_bit_is_seen(tmp_path: Path) -> None:
    """The comparison itself: a ride, and the same with its last bit changed."""
    herd = herd_of("timewarp")
    write_commands(tmp_path / "commands", herd, 0.5, 3)
    data = core_riding.ride(herd, (tmp_path / "commands").read_bytes())
    nodes = len(herd.skeleton)
    changed = data[:-1] + bytes([data[-1] ^ 1])
    assert difference(data, data, nodes) == ""
    assert "1 of 40 steps differ, the first is 39, in rotations" in difference(data, changed, nodes)
    assert "39.0" in difference(data, data[: -len(data) // 40], nodes)
