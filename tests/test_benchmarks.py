"""The benchmarks run and tell the truth, and the gates of speed hold.

Gates are ratios of least times, taken in turn in one process, or allow for a slower machine by the
yardstick. Processor time is what counts, so other programs do not; noise only ever adds, so each gate
is tried up to three times before it counts as broken.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from hoofbeat.cli import app
from hoofbeat.offline.bench import suite, yardstick
from hoofbeat.offline.bench.cases import engine as bench_engine
from hoofbeat.offline.bench.cases import evolution as bench_evolution
from hoofbeat.offline.bench.cases import fk as bench_fk
from hoofbeat.offline.bench.cases import neural as bench_neural
from hoofbeat.offline.bench.cases import start as bench_start
from hoofbeat.offline.bench.report import BaselineError, Bench, Figure, Gate, compared, read_baseline
from hoofbeat.offline.bench.suite import UnknownBenchmark, run_suite

TRIES = 3
compiled_only = pytest.mark.skipif(
    os.environ.get("NUMBA_DISABLE_JIT", "0") != "0" or os.environ.get("NUMBA_BOUNDSCHECK", "0") != "0",
    reason="speed is promised for compiled kernels without bounds checks",
)


@pytest.fixture
def untraced() -> Iterator[None]:
    """Coverage off: it would be timed along with every line of Python."""
    tracer = sys.gettrace()
    sys.settrace(None)
    yield
    sys.settrace(tracer)


def assert_holds(measure: Callable[[], Gate]) -> None:
    """One of a few tries holds the gate."""
    found = []
    for _ in range(TRIES):
        gate = measure()
        if gate.value is None:
            pytest.skip(f"{gate.label}: a peer is not installed")
        found.append(gate.text())
        if gate.passed:
            return
    pytest.fail("; ".join(found))


@compiled_only
@pytest.mark.usefixtures("untraced")
class TestGates:
    def test_fk_against_scipy(self) -> None:
        pytest.importorskip("scipy")
        assert_holds(lambda: bench_fk.run_gate(rounds=3))

    def test_bvh_against_bvhio(self) -> None:
        assert_holds(lambda: suite.run_bvh(rounds=1).gates[0])

    def test_herd_against_fk(self) -> None:
        assert_holds(lambda: bench_engine.run_herd_gate(rounds=20, settle=240))

    def test_one_horse(self) -> None:
        assert_holds(lambda: bench_engine.horse_gate(*bench_engine.time_horse(20)))

    def test_import(self) -> None:
        assert_holds(lambda: bench_start.run(rounds=2, cold=False).gates[0])


def test_evolution_reports_where_the_time_goes() -> None:
    bench = bench_evolution.run(members=10, timed=1, rounds=1)
    assert [gate.limit for gate in bench.gates] == [30]
    assert all(figure.value is not None and figure.value > 0 for figure in bench.figures)


def test_fk_reports_both_trees() -> None:
    bench = bench_fk.run(frames=20, rounds=1)
    labels = [figure.label for figure in bench.figures]
    assert "49 joints: ours, float64" in labels and "55 nodes: ours, float32" in labels
    assert all(figure.value is not None and figure.value > 0 for figure in bench.figures)
    assert [gate.limit for gate in bench.gates] == [30]


@pytest.mark.parametrize("wrong", ["positions", "rotations", "nan"])
def test_fk_refuses_results_that_differ(wrong: str) -> None:
    motion = bench_fk.thesis_motion(5, ends=False)
    right = bench_fk.ours(motion, np.float64)

    def other() -> bench_fk.Result:
        positions, world = (part.copy() for part in right())
        part = world if wrong == "rotations" else positions
        part[2, 7] += np.nan if wrong == "nan" else 1e-9
        return positions, world

    bench_fk.check_agreement({bench_fk.OURS: right, "negated": lambda: (right()[0], -right()[1])}, {})
    with pytest.raises(AssertionError, match="other differs from ours"):
        bench_fk.check_agreement({bench_fk.OURS: right, "other": other}, {})


def test_the_trees_are_those_of_the_thesis() -> None:
    bare, full = (bench_fk.thesis_motion(1, ends=ends).parents for ends in (False, True))
    assert (len(bare), len(full)) == (49, 55)
    for parents in (bare, full):
        assert parents[0] == -1 and (parents[1:] >= 0).all() and (parents < np.arange(len(parents))).all()


def test_a_mixed_herd_does_everything_at_once() -> None:
    mixed = bench_engine.Mixed(32, settle=420)
    seen: set[str] = set()
    for _ in range(2 * bench_engine.HOLD):
        mixed.step()
        seen |= set(mixed.herd.frame().gait)
    frame = mixed.herd.frame()
    assert seen == set(mixed.herd.gaits)
    assert not frame.clamped
    assert len(np.unique(np.round(frame.phase[:, 2], 3))) > 16  # nobody in step


def test_engine_reports_where_the_time_goes() -> None:
    bench = bench_engine.run(sizes=(1, 8), rounds=2, settle=20)
    for name in ("Herd(1)", "Herd(8)"):
        assert bench.figure(f"{name}: method kernel") > 0 and bench.figure(f"{name}: placement kernel") > 0
        assert bench.figure(f"{name}: FK alone, float32") > 0
    herd, horse = bench.gates
    assert herd.passed is None and horse.value is not None
    with pytest.raises(KeyError):
        bench.figure("Herd(1000).step")


def test_watching_leaves_the_herd_as_it_was() -> None:
    watched, alone = (bench_engine.Mixed(3, settle=10) for _ in range(2))
    parts = bench_engine.stages(watched, steps=4, rounds=2)
    for _ in range(8):
        alone.step()
    assert all(0 < part < 1 for part in parts)
    assert "step" not in vars(watched.herd.method)
    assert (watched.herd.frame().positions == alone.herd.frame().positions).all()


def test_times_are_taken_in_turn() -> None:
    order: list[str] = []
    calls = {name: lambda name=name: order.append(name) for name in ("a", "b")}
    taken = yardstick.interleaved(calls, 2)
    assert order == ["a", "b", "a", "b"] and [len(times) for times in taken.values()] == [2, 2]
    speed = yardstick.measure(3)
    assert speed["python_s"] > 0 and speed["numpy_s"] > 0 and speed["noise"] >= 0
    assert yardstick.numpy_loop() == yardstick.numpy_loop()


@pytest.mark.parametrize(
    ("value", "limit", "at_least", "passed"),
    [(31, 30, True, True), (29, 30, True, False), (14, 15, False, True), (16, 15, False, False)],
)
def test_gates(value: float, limit: float, at_least: bool, passed: bool) -> None:
    gate = Gate("a", value, limit, at_least)
    assert gate.passed is passed and f"{limit:g}" in gate.text()
    assert Gate("a", None, limit, at_least).passed is None


def test_a_slower_machine_may_take_longer_and_a_faster_one_not_less() -> None:
    reference = yardstick.REFERENCE_PYTHON * 1e6
    assert bench_engine.horse_gate(150, reference).passed is False
    assert bench_engine.horse_gate(150, 2 * reference).passed is True
    assert bench_engine.horse_gate(90, reference / 2).passed is True


def fake(value: float) -> Bench:
    return Bench("fake", "A title", [Figure("x", value, "ms")], [Gate("g", value, 1, at_least=True)], ["n"])


@pytest.mark.parametrize(("value", "status"), [(2.0, 0), (0.5, 1)])
def test_program(value: float, status: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(suite, "BENCHES", {"fake": lambda: fake(value)})
    target, page = tmp_path / "out.json", tmp_path / "out.md"
    done = CliRunner().invoke(app, ["bench", "-o", str(target), "--markdown", str(page)])
    assert done.exit_code == status
    found = json.loads(target.read_text(encoding="utf-8"))
    assert found["machine"]["numpy"] == np.__version__ and found["yardstick"]["python_s"] > 0
    assert found["benchmarks"][0]["gates"][0]["passed"] is (status == 0)
    assert "| x | " in page.read_text(encoding="utf-8")
    assert "A title" in done.stdout


def test_program_writes_json_to_the_standard_output(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(suite, "BENCHES", {"fake": lambda: fake(2.0), "other": lambda: fake(0.5)})
    done = CliRunner().invoke(app, ["bench", "--json", "--only", "fake"])
    assert done.exit_code == 0
    assert len(json.loads(done.stdout)["benchmarks"]) == 1


@pytest.mark.parametrize(("now", "status"), [(2.0, 0), (1.85, 0), (1.75, 1), (9.0, 0)])
def test_a_ratio_worse_by_a_tenth_is_flagged(
    now: float, status: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = tmp_path / "before.json"
    monkeypatch.setattr(suite, "BENCHES", {"fake": lambda: fake(2.0)})
    assert CliRunner().invoke(app, ["bench", "-o", str(before)]).exit_code == 0
    monkeypatch.setattr(suite, "BENCHES", {"fake": lambda: fake(now)})
    done = CliRunner().invoke(app, ["bench", "--compare", str(before)])
    assert done.exit_code == status
    assert ("worse" in done.stderr) is bool(status)


def test_a_limit_from_above_is_worse_when_it_grows() -> None:
    gate = Bench("b", "t", [], [Gate("g", 12.0, 15, at_least=False)])
    assert [change.flagged for change in compared([gate], {"g": 10.0})] == [True]
    assert [change.flagged for change in compared([gate], {"g": 11.5})] == [False]
    assert compared([gate], {"other": 1.0}) == []


NEGATIVE = '{"benchmarks": [{"gates": [{"label": "g", "value": -1}]}]}'


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"benchmarks": 5}', "[" * 5000, NEGATIVE])
def test_a_wrong_baseline_is_a_named_error(text: str, tmp_path: Path) -> None:
    path = tmp_path / "old.json"
    path.write_text(text)
    with pytest.raises(BaselineError, match="old.json"):
        read_baseline(path)
    done = CliRunner().invoke(app, ["bench", "--compare", str(path)])
    assert done.exit_code == 2


def test_an_unknown_benchmark_is_named() -> None:
    with pytest.raises(UnknownBenchmark, match="did you mean 'engine'"):
        run_suite(["engin"])


def test_networks_are_distinguished_by_their_names_and_one_of_each_is_timed(tmp_path: Path) -> None:
    floats, whole = Path("a/dog.onnx"), Path("a/dog.int8.onnx")
    assert bench_neural.named([floats, whole]) == {"float32": floats, "int8": whole}
    with pytest.raises(bench_neural.BenchError, match="both float32"):
        bench_neural.named([floats, Path("cat.onnx")])
    done = CliRunner().invoke(app, ["bench", "--only", "neural", "--network", str(tmp_path / "none.onnx")])
    assert done.exit_code == 2 and "no such file" in done.stderr


def test_the_committed_baseline_has_every_gate(repo_root: Path) -> None:
    known = read_baseline(repo_root / "benchmarks" / "baseline.json")
    assert len(known) == 5 and all(value > 0 for value in known.values())


def test_numbers_read_well() -> None:
    texts = [Figure("", value, "").text() for value in (None, 0.0123, 1.234, 12.34, 1234.5)]
    assert texts == ["-", "0.012", "1.23", "12.3", "1,234"]


def test_a_film_is_timed_and_its_promise_is_a_gate() -> None:
    from hoofbeat.offline.bench.cases import film as bench_film
    from hoofbeat.render.gl.context import missing

    bench = bench_film.run(seconds=0.3, rounds=1)
    if missing():
        assert bench.figures[0].value is None and not bench.gates
        return
    pytest.importorskip("imageio_ffmpeg")
    assert all(figure.value is not None and figure.value > 0 for figure in bench.figures)
    assert [gate.limit for gate in bench.gates] == [1.0] and "plain edges" in bench.gates[0].label
