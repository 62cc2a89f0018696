"""Parts of the core library's build: the rules for LLVM code, and the store of what was compiled."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from hoofbeat.maths.jit.library import FOLDER, MANIFEST
from hoofbeat.offline.core import build, crew, store
from hoofbeat.offline.core.build import is_current
from hoofbeat.offline.core.link import LinkError
from hoofbeat.offline.core.processors import WASM, KernelError, machine_processor, native_level
from hoofbeat.offline.core.rules import faults
from hoofbeat.offline.core.wasm import exported

GOOD = """
define noundef i32 @entry(ptr readonly %.1) local_unnamed_addr #0 {
.3:
  %x = load double, ptr %.1, align 8
  %y = tail call double @llvm.floor.f64(double %x)
  %z = fadd double %x, %y
  %v = call <4 x double> @llvm.masked.load.v4f64.p0(ptr %.1, <4 x i1> undef, <4 x double> undef)
  call void @llvm.memcpy.p0.p0.i64(ptr %.1, ptr %.1, i64 8, i1 false)
  %w = call double @fmod(double %z, double 3.0)
  call fastcc void @"helper of it"(ptr %.1)
  ret i32 0
}

define internal fastcc void @"helper of it"(ptr %.1) unnamed_addr {
.3:
  store double 1.0, ptr %.1
  ret void
}

declare double @llvm.floor.f64(double) #1
declare <4 x double> @llvm.masked.load.v4f64.p0(ptr captures(none), <4 x i1>, <4 x double>) #3
declare void @llvm.memcpy.p0.p0.i64(ptr noalias, ptr noalias, i64, i1 immarg) #2
declare double @fmod(double, double)
declare double @llvm.vector.reduce.fadd.v2f64(double, <2 x double>) #4
"""
FLOOR = "declare double @llvm.floor.f64(double) #1"
STORE = "  store double 1.0"
#: What is put in place of what, and what is then told.
BROKEN = {
    "an intrinsic": (FLOOR, "declare double @llvm.sin.f64(double) #1", "calls sin"),
    "a fused one": (FLOOR, "declare double @llvm.fmuladd.f64(double, double, double)", "calls fmuladd"),
    "a sum in any order": (
        "= call double @fmod(",
        "= tail call reassoc double @llvm.vector.reduce.fadd.v2f64(",
        "marked reassoc",
    ),
    "a least number": (FLOOR, "declare double @llvm.minnum.f64(double, double)", "calls minnum"),
    "a function": ("declare double @fmod", "declare double @atan2", "calls atan2"),
    "memory": ("declare double @fmod", "declare ptr @NRT_MemInfo_alloc_safe", "allocates"),
    "contraction": ("fadd double", "fadd contract double", "marked contract"),
    "any order": ("= call double @fmod", "= call nnan reassoc double @fmod", "marked reassoc"),
    "an error": ("  ret i32 0", "  ret i32 %status", "may raise"),
    "a call of itself": (
        "  store double 1.0",
        '  call void @"helper of it"(ptr %.1)\n  store double 1.0',
        "itself",
    ),
    "a circle": (STORE, f"  call i32 @entry(ptr %.1)\n{STORE}", "itself"),
}


def test_code_that_keeps_the_rules_passes() -> None:
    assert list(faults("entry", GOOD)) == []


@pytest.mark.parametrize("name", BROKEN)
def test_code_that_breaks_a_rule_is_told(name: str) -> None:
    old, new, told = BROKEN[name]
    assert GOOD.count(old) >= 1
    found = list(faults("entry", GOOD.replace(old, new, 1)))
    assert len(found) == 1 and told in found[0], found


def test_what_was_kept_is_found_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOOFBEAT_CACHE_DIR", str(tmp_path))
    assert store.find("one") is None
    store.store_code("one", {"slots": 3, "result": ["f", "i"]}, b"\x00code\nmore")
    assert store.find("one") == ({"slots": 3, "result": ["f", "i"]}, b"\x00code\nmore")
    path = store.store_folder() / "one"
    for damaged in (path.read_bytes()[:-1], b"", b"{}\n", b"no JSON\ncode", path.read_bytes() + b" "):
        path.write_bytes(damaged)
        assert store.find("one") is None


def test_the_store_is_bounded_and_the_oldest_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOOFBEAT_CACHE_DIR", str(tmp_path))
    monkeypatch.setattr(store, "MOST", 5000)
    for k in range(9):
        store.store_code(f"entry{k}", {}, bytes(1000))
        os.utime(store.store_folder() / f"entry{k}", (k, k))
    left = sorted(path.name for path in store.store_folder().iterdir())
    assert left == ["entry5", "entry6", "entry7", "entry8"]


def test_a_folder_that_cannot_be_written_keeps_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("HOOFBEAT_CACHE_DIR", str(tmp_path / "file"))
    store.store_code("one", {}, b"code")
    assert store.find("one") is None


def test_an_entry_is_named_by_all_that_its_code_depends_on() -> None:
    name = "hoofbeat.methods.froude.step:step_froude"
    one = store.entry_key(WASM, "hbk_step", name, "f8")
    assert one == store.entry_key(WASM, "hbk_step", name, "f8")
    others = {
        store.entry_key(machine_processor(native_level()), "hbk_step", name, "f8"),
        store.entry_key(WASM, "hbk_step_2", name, "f8"),
        store.entry_key(WASM, "hbk_step", name, "f4"),
        store.entry_key(WASM, "hbk_step", "hoofbeat.methods.actions.step:step_actions", "f8"),
    }
    assert len(others | {one}) == 5


def test_a_module_is_named_by_what_it_imports(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An edit anywhere below a kernel's file gives another name, one beside it does not."""
    monkeypatch.setattr(store, "PACKAGE", tmp_path)
    (tmp_path / "deep" / "er").mkdir(parents=True)
    files = {
        "top.py": "from hoofbeat.middle import (\n    a,\n)\n",
        "middle.py": "def late():\n    from hoofbeat.deep import b\n",
        "deep/__init__.py": "",
        "deep/er/last.py": "c = 1\n",
        "beside.py": "",
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)

    def state() -> str:
        store._closure.cache_clear()
        return store._closure("hoofbeat.top")

    before = state()
    (tmp_path / "beside.py").write_text("x = 1\n")
    assert state() == before
    seen = {before}
    for name in ("top.py", "middle.py", "deep/__init__.py", "deep/er/last.py"):
        with (tmp_path / name).open("a") as file:
            file.write("# more\n")
        seen.add(state())
    store._closure.cache_clear()
    assert len(seen) == 5


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """The library that was built, elsewhere."""
    if not is_current():
        pytest.skip("the core library is not of these sources: make core")
    return Path(shutil.copytree(FOLDER, tmp_path / "core"))


def test_a_library_of_these_sources_is_current(copied: Path) -> None:
    assert is_current(copied) and is_current(copied, [native_level()])
    assert not is_current(copied, ["x86-64-v9"]), "of a level that was not built"


@pytest.mark.parametrize("fact", ["abi", "sources", "c", "builder", "system", "machine"])
def test_a_library_of_another_state_is_not_current(copied: Path, fact: str) -> None:
    path = copied / MANIFEST
    path.write_text(json.dumps(json.loads(path.read_text()) | {fact: "another"}))
    assert not is_current(copied)


def test_a_library_that_is_cut_short_is_not_current(copied: Path) -> None:
    library = next(copied.glob("libhoofbeat*"))
    library.write_bytes(library.read_bytes()[:4000])
    assert not is_current(copied)


@pytest.mark.parametrize("fact", ["", "sources", "c", "builder", "machine", "libraries"])
def test_a_wheel_takes_a_library_of_these_sources_only(
    repo_root: Path, copied: Path, monkeypatch: pytest.MonkeyPatch, fact: str
) -> None:
    pytest.importorskip("hatchling", reason="the wheel is built by hatchling")
    spec = importlib.util.spec_from_file_location("hatch_hook", repo_root / "packaging" / "hatch_hook.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    own = json.loads((copied / MANIFEST).read_text())
    kept = {level: one | {"sha256": "another"} for level, one in own["libraries"].items()}
    other: dict[str, Any] = {fact: kept if fact == "libraries" else "another"} if fact else {}
    (copied / MANIFEST).write_text(json.dumps(own | other))
    monkeypatch.delenv("HOOFBEAT_CORE", raising=False)
    monkeypatch.setattr(module, "CORE", copied)
    hook = module.PackageHook(str(repo_root), {}, None, None, "", "wheel")
    assert bool(hook.dependencies()) == bool(fact)
    assert [path.name for path in hook._libraries()] == [one["file"] for one in own["libraries"].values()]


def test_a_build_without_a_compiler_says_so_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def missing() -> list[str]:
        raise LinkError("no C compiler")

    monkeypatch.setattr(build, "c_compiler", missing)
    assert build.main(["--folder", str(tmp_path / "new")]) == 1
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and "no C compiler" in said and "Numba" in said
    assert not (tmp_path / "new").exists()


def test_there_is_something_to_compile(monkeypatch: pytest.MonkeyPatch) -> None:
    """With NUMBA_DISABLE_JIT=1 no function is a kernel: a library of nothing is not made."""
    monkeypatch.setattr(crew, "recorded_entries", list)
    with pytest.raises(KernelError, match="NUMBA_DISABLE_JIT"):
        crew.record()


def test_the_module_exports_what_the_header_promises() -> None:
    names = exported()
    assert {"hb_step", "hb_run", "hb_stamp", "hb_init"} <= set(names)
    text = (FOLDER / "hb.h").read_text(encoding="utf-8")
    assert len(names) == text.count("HB_EXPORT ") - text.count("#define HB_EXPORT ")
