"""The core library: used without Numba, chosen with care, left with one sentence where it does not fit."""

from __future__ import annotations

import copy
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hoofbeat.errors import HoofbeatError
from hoofbeat.horse import Herd, Horse
from hoofbeat.maths.curves import quintic
from hoofbeat.maths.jit import Bound, bind, kernel
from hoofbeat.maths.jit.arguments import bits_of, key_of, result_of, serves, slots_of
from hoofbeat.maths.jit.library import FOLDER, MANIFEST, CoreFault, CoreLibrary, core_library
from hoofbeat.methods.catalog import OWN
from hoofbeat.records import Command

built = pytest.mark.skipif(core_library() is None, reason="no core library is in use: make core")
KERNEL_METHODS = tuple(info.name for info in OWN if not info.package)
METHODS = tuple(info.name for info in OWN if info.installed)


def python(code: str, *flags: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run code in a process of its own, whose kernels are those of this one."""
    settings = {**os.environ, **environment}
    command = [sys.executable, *flags, "-c", code]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, env=settings, check=False)


FIRST = """
import sys
import hoofbeat as hb
horse = hb.Horse({method!r}, terrain={terrain!r})
for _ in range(3):
    frame = horse.step(hb.Command(speed=2.0))
print(frame.positions.shape[1], *(name for name in ("numba", "llvmlite") if name in sys.modules))
"""


@built
@pytest.mark.parametrize("terrain", ["flat", "hills"])
@pytest.mark.parametrize("method", METHODS)
def test_nothing_on_the_way_to_the_first_frame_imports_numba(method: str, terrain: str) -> None:
    done = python(FIRST.format(method=method, terrain=terrain))
    assert (done.stdout.split(), done.stderr) == (["3"], ""), done.stderr


@built
def test_clips_files_and_skins_need_no_numba_either(tmp_path: Path) -> None:
    code = (
        "import sys, hoofbeat as hb\n"
        "horse = hb.Horse(); recorder = hb.Recorder(horse.skeleton)\n"
        "for _ in range(20): recorder.add(horse.step(hb.Command(speed=1.4)))\n"
        "clip = recorder.clip()\n"
        "for end in ('bvh', 'npz', 'glb'): clip.save('a.' + end); hb.load('a.' + end).positions\n"
        "print('numba' in sys.modules)\n"
    )
    done = python(f"import os; os.chdir({str(tmp_path)!r})\n{code}")
    assert done.stdout.split() == ["False"], done.stderr


@built
@pytest.mark.parametrize("method", KERNEL_METHODS)
def test_a_herds_step_is_one_call(method: str) -> None:
    assert Herd(2, method)._program is not None
    assert all(isinstance(stage, Bound) for stage in Herd(1, method, terrain="hills", height=1.2)._stages)


@built
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("options", [{}, {"terrain": "hills"}, {"height": 1.7}, {"lock": False}], ids=str)
def test_one_call_does_what_the_stages_do(method: str, options: dict[str, Any]) -> None:
    """Program against `_run_stages`, in every byte, for steps that are split, long, short and none."""
    whole, staged = Herd(2, method, **options), Herd(2, method, **options)
    staged._program = None
    for k, dt in enumerate([1 / 60] * 40 + [0.25, 0.0004, 0.0, 0.1, 0.31] + [1 / 30] * 20):
        command = Command(speed=[1.0 + k / 10, 4.0], turn=[0.3, -0.5], extension=0.4)
        a, b = whole.step(command, dt), staged.step(command, dt)
        for name in ("positions", "rotations", "contacts", "phase", "events", "speed", "shortfall"):
            assert getattr(a, name).tobytes() == getattr(b, name).tobytes(), (k, name)
        assert (a.gait, a.clamped, a.time) == (b.gait, b.clamped, b.time)
    assert all(x.tobytes() == y.tobytes() for x, y in zip(whole._memory(), staged._memory(), strict=True))


def test_numba_compiles_on_request() -> None:
    code = (
        "import sys\nfrom hoofbeat.maths.curves import quintic\nprint(quintic(0.3), 'numba' in sys.modules)\n"
    )
    asked, plain = python(code, HOOFBEAT_JIT="1"), python(code, HOOFBEAT_JIT="")
    assert asked.stdout.split()[1] == "True", asked.stderr
    assert asked.stdout.split()[0] == plain.stdout.split()[0]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A copy of the library that is in use."""
    if core_library() is None:
        pytest.skip("no core library is in use: make core")
    target = tmp_path / "hoofbeat" / "core"
    shutil.copytree(FOLDER, target)
    return target


def changed(folder: Path, **values: Any) -> None:
    path = folder / MANIFEST
    path.write_text(json.dumps(json.loads(path.read_text()) | values))


def test_a_copied_library_is_as_good(folder: Path) -> None:
    assert CoreLibrary(folder).find("hoofbeat.maths.curves:quintic", "f8") is not None


def cut(folder: Path) -> None:
    library = next(folder.glob("libhoofbeat*"))
    library.write_bytes(library.read_bytes()[:4000])


FAULTS = {
    "none": (lambda folder: (folder / MANIFEST).unlink(), "has no core library"),
    "no text": (lambda folder: (folder / MANIFEST).write_bytes(b"\xff\xfe"), "cannot be read"),
    "no JSON": (lambda folder: (folder / MANIFEST).write_text("{"), "damaged"),
    "not all of it": (lambda folder: (folder / MANIFEST).write_text('{"abi": 1}'), "damaged"),
    "no kernels": (lambda folder: changed(folder, kernels=None), "damaged"),
    "no checksum": (lambda folder: changed(folder, libraries={"x86-64": {"file": "a"}}), "damaged"),
    "a list": (lambda folder: (folder / MANIFEST).write_text("[]"), "damaged"),
    "version": (lambda folder: changed(folder, abi=99), "another version"),
    "machine": (lambda folder: changed(folder, machine="sparc"), "is for linux on sparc"),
    "processor": (
        lambda folder: changed(folder, libraries={"x86-64-v9": {"file": "a", "sha256": ""}}),
        "x86-64-v9, which this",
    ),
    "cut short": (cut, "damaged or of another build"),
    "other build": (lambda folder: changed(folder, stamp="0" * 16), "different builds"),
    "no library": (lambda folder: next(folder.glob("libhoofbeat*")).unlink(), "cannot be read"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_library_that_does_not_fit_is_refused_in_a_sentence(fault: str, folder: Path) -> None:
    damage, said = FAULTS[fault]
    damage(folder)
    with pytest.raises(CoreFault, match=said) as caught:
        CoreLibrary(folder)
    assert "\n" not in str(caught.value)


@built
def test_a_checkout_whose_kernels_were_edited_says_so_once_and_goes_on(tmp_path: Path) -> None:
    root = tmp_path / "checkout"
    left_out = shutil.ignore_patterns("static", "__pycache__")
    shutil.copytree(FOLDER.parent, root / "src" / "hoofbeat", ignore=left_out)
    (root / "pyproject.toml").touch()
    code = "from hoofbeat.maths.curves import quintic; print(quintic(0.3), quintic(0.7))"
    before = python(code, PYTHONPATH=str(root / "src"))
    assert before.stderr == ""
    with (root / "src" / "hoofbeat" / "maths" / "curves.py").open("a") as file:
        file.write("# edited\n")
    after = python(code, PYTHONPATH=str(root / "src"), HOOFBEAT_CACHE_DIR=str(tmp_path / "cache"))
    assert after.stdout == before.stdout
    assert after.stderr.count("have changed since") == 1 and "make core" in after.stderr


@pytest.mark.parametrize("method", METHODS)
def test_copies_go_on_alike_and_apart(method: str) -> None:
    horse = Horse(method, seed=3, height=1.5)
    for _ in range(50):
        horse.step(Command(speed=3.0, turn=0.2))
    assert horse.step(Command(speed=99.0)).clamped == ("speed",)
    make, parts = horse._herd.__reduce__()  # what sends it to another process
    twins = [copy.deepcopy(horse)._herd, make(*parts)]
    assert [twin.frame().clamped for twin in twins] == [("speed",)] * 2
    for _ in range(20):
        horse.step(Command(speed=5.0))
    frame = horse.frame()
    for twin in twins:
        for _ in range(20):
            twin.step(Command(speed=5.0))
        assert twin.frame().positions.tobytes() == frame.positions.tobytes()


@pytest.mark.parametrize("seed", [2**63, 2**64, -(2**63) - 1])
def test_a_seed_that_no_kernel_takes_is_refused(seed: int) -> None:
    """Slots would keep its last 64 bits, and 2**64 would be 0."""
    with pytest.raises(HoofbeatError, match="a seed is a whole number"):
        Herd(1, seed=seed)
    assert len(Herd(1, seed=2**63 - 1)) == len(Herd(1, seed=-(2**63))) == 1


class Pair(NamedTuple):
    first: Any
    second: Any


ROWS = np.dtype([("a", "f8"), ("b", "f4", 3)], align=True)


def test_keys_tell_types_apart_and_nothing_else() -> None:
    array = np.zeros((2, 3))
    same = [(array,), (np.ones((5, 3)),), (array.copy(),)]
    assert len({key_of(args) for args in same}) == 1
    fixed = array.copy()
    fixed.setflags(write=False)
    others = [array.T, array[:, ::2], array.astype("f4"), array[0], fixed, 1, 1.0, True, None, (1.0,)]
    others += [Pair(1.0, 2), Pair(1.0, 2.0), np.float32(1), np.zeros(2, ROWS), np.zeros(2, "i8")]
    keys = [key_of((one,)) for one in others]
    assert len({*keys, key_of((array,))}) == len(others) + 1
    with pytest.raises(TypeError, match="given str"):
        key_of(("a",))


def test_what_serves_what() -> None:
    assert serves("f8[2A]", "f8[2C]") and not serves("f8[2C]", "f8[2A]")
    assert serves("P(f8[1C!],i8)", "P(f8[1C],i8)") and not serves("P(f8[1C],i8)", "P(f8[1C!],i8)")
    assert not serves("f8[2A]", "f4[2C]") and not serves("f8[2A]", "f8[1C]")
    assert not serves("f8[1C]", "f8[1C~]") and not serves("f8[1C],i8", "f8[1C]")


@given(st.floats(width=64), st.integers(-(2**63), 2**64 - 1), st.booleans())
def test_numbers_go_through_slots(real: float, whole: int, flag: bool) -> None:
    slots = slots_of((real, whole, flag))
    assert slots[0] == bits_of(real) and all(-(2**63) <= slot < 2**63 for slot in slots)
    back = result_of(["f", "u" if whole >= 0 else "i", "?"], slots)
    assert np.array_equal(back[0], real, equal_nan=True) and back[1:] == (whole, flag)


def test_an_array_is_its_address_shape_and_strides() -> None:
    array = np.zeros((4, 6), "f4")[::2, 1:]
    address = array.__array_interface__["data"][0]
    assert slots_of((array,)) == [0, 0, 10, 4, address, 2, 5, *array.strides]


@built
def test_bound_kernels_give_what_called_ones_give() -> None:
    ready = bind(quintic, 0.0, vary=0)
    assert isinstance(ready, Bound)
    parts = (-1.0, 0.0, 0.25, 0.5, 2.0)
    assert [ready(t) for t in parts] == [quintic(t) for t in parts] == [0.0, 0.0, 0.103515625, 0.5, 1.0]


def test_other_peoples_kernels_are_compiled_here() -> None:
    @kernel
    def twice(x: float) -> float:
        return x + x

    assert twice(2.5) == 5.0 == bind(twice, 0.0, vary=0)(2.5)
    assert bind(twice, 1.5)() == 3.0
