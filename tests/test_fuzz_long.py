"""A million damaged files: every reader answers with a result or its own error, and soon."""

from __future__ import annotations

import json
import time
from pathlib import Path

import numpy as np
import pytest

import fuzzing

SEED = 1
#: Cases of one chunk and chunks by format; formats that are read faster get more.
CHUNKS = {
    "bvh": (50_000, 3),
    "glb": (50_000, 2),
    "gltf": (50_000, 3),
    "npz": (50_000, 3),
    "plan": (25_000, 2),
    "scene": (25_000, 2),
    "action": (50_000, 7),
}
QUICK = {"bvh": 500, "glb": 500, "gltf": 500, "npz": 500, "plan": 200, "scene": 200, "action": 600}
PARTS = [(kind, part) for kind, (_, parts) in CHUNKS.items() for part in range(parts)]


def test_the_long_run_is_a_million() -> None:
    assert sum(cases * parts for cases, parts in CHUNKS.values()) == 1_000_000
    assert sum(QUICK.values()) == 3000


@pytest.mark.filterwarnings("ignore::hoofbeat.formats.actionfile.JointAliasWarning")
@pytest.mark.filterwarnings("ignore::hoofbeat.errors.GltfWarning")
@pytest.mark.parametrize("kind", fuzzing.ENDINGS)
def test_the_corpus_has_whole_and_broken_files(kind: str) -> None:
    files = fuzzing.corpus(kind)
    whole = 0
    for data in files:
        try:
            fuzzing.parse(kind, data)
        except fuzzing.FileError:
            continue
        whole += 1
    assert 2 <= whole < len(files)


def test_the_corpus_is_small() -> None:
    assert sum(path.stat().st_size for path in fuzzing.CORPUS.iterdir()) < 300_000


@pytest.mark.parametrize("kind", fuzzing.ENDINGS)
def test_a_case_is_always_the_same(kind: str) -> None:
    first = [fuzzing.case(kind, SEED, index) for index in range(50)]
    assert first == [fuzzing.case(kind, SEED, index) for index in range(50)]
    assert len(set(first)) > 40


def test_what_a_reader_must_not_do_is_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(fuzzing, "corpus", lambda _: ())
    monkeypatch.setattr(fuzzing, "case", lambda kind, seed, index: f"{kind} {seed} {index}".encode())
    monkeypatch.setattr(fuzzing, "parse", lambda *_: np.float64(1) / np.float64(0))
    found = fuzzing.run("bvh", SEED, range(7, 9), tmp_path)
    assert len(found) == 2 and "RuntimeWarning" in found[0] and "('bvh', 1, 7)" in found[0]
    assert (tmp_path / "bvh-1-7.bvh").read_bytes() == b"bvh 1 7"
    monkeypatch.setattr(fuzzing, "parse", lambda *_: json.loads("{"))
    assert "JSONDecodeError" in fuzzing.run("bvh", SEED, range(1), tmp_path)[0]
    monkeypatch.setattr(fuzzing, "SLOW", 0.1)
    monkeypatch.setattr(fuzzing, "parse", lambda *_: time.sleep(0.5))
    assert "took 0." in fuzzing.run("bvh", SEED, range(1), tmp_path)[0]


@pytest.mark.parametrize("kind", QUICK)
def test_some_damaged_files(kind: str, tmp_path: Path) -> None:
    assert fuzzing.run(kind, SEED + 1, range(QUICK[kind]), tmp_path) == []


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "part"), PARTS)
def test_a_million_damaged_files(kind: str, part: int, tmp_path: Path) -> None:
    cases = CHUNKS[kind][0]
    assert fuzzing.run(kind, SEED, range(part * cases, (part + 1) * cases), tmp_path) == []
