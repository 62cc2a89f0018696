"""Evolution: the same seed gives the same bits by any workers, after any kill; operators do what they say."""

from __future__ import annotations

import dataclasses
import json
import math
import os
import signal
import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evolving import CURVES, Deadly, Fitting, plan
from hoofbeat.offline.evolution import cluster as clusters
from hoofbeat.offline.evolution.adjusting import ADJUSTER_GRAMMAR, Adjusting, adjusting
from hoofbeat.offline.evolution.breeding import (
    PENALTY,
    BreedingSettings,
    Member,
    SettingError,
    _child,
    first_members,
    next_members,
)
from hoofbeat.offline.evolution.checkpoint import (
    Checkpoint,
    CheckpointError,
    read_checkpoint,
    write_checkpoint,
)
from hoofbeat.offline.evolution.cluster import Cluster
from hoofbeat.offline.evolution.genome import CODONS, GenomeLimits, read_genome
from hoofbeat.offline.evolution.grammar import parse_grammar, read_grammar
from hoofbeat.offline.evolution.rng import Rng
from hoofbeat.offline.evolution.run import EvolutionPlan, EvolutionState, evolve, search
from hoofbeat.offline.evolution.workers import OneProcess, Processes, WorkerError, kernels, shares

# ---- rng ----------------------------------------------------------------------------------------------


@pytest.mark.kernels
def test_random_numbers_are_even_and_depend_on_all_that_they_are_made_of() -> None:
    drawn = [Rng(1, 2, place).whole(6) for place in range(6000)]
    assert all(850 < drawn.count(side) < 1150 for side in range(6))
    one = Rng(1, 2, 3)
    first = [one.whole(1 << 32) for _ in range(200)]
    assert len(set(first)) == 200
    for other in (Rng(2, 2, 3), Rng(1, 3, 3), Rng(1, 2, 4), Rng(3, 2, 1)):
        assert not set(first) & {other.whole(1 << 32) for _ in range(200)}
    again = Rng(1, 2, 3)
    assert [again.whole(1 << 32) for _ in range(200)] == first
    assert not any(Rng(1, 1, k).chance(0.0) for k in range(100))
    assert all(Rng(1, 1, k).chance(1.0) for k in range(100))


# ---- breeding -----------------------------------------------------------------------------------------


def test_the_first_generation_is_ramped_and_has_no_twins() -> None:
    members = first_members(CURVES, BreedingSettings(population=60, ramp=5), GenomeLimits())
    texts = [member.reading.text for member in members]
    assert None not in texts
    assert len(set(texts)) > 40  # the shallowest have few texts to choose from
    lengths = [len(text or "") for text in texts]
    deep = [length for place, length in enumerate(lengths) if place // 2 % 5 == 4 and place % 2 == 0]
    flat = [length for place, length in enumerate(lengths) if place // 2 % 5 == 0]
    assert min(deep) > max(flat)


def ranked(*genomes: tuple[int, ...]) -> list[Member]:
    return [Member(g, read_genome(CURVES, g, GenomeLimits()), float(k)) for k, g in enumerate(genomes)]


def test_children_are_cut_from_two_parents_at_one_place() -> None:
    # Codons of one parent are even, of the other odd.
    members = ranked((0,) * 8, (1,) * 24)
    settings = BreedingSettings(population=2, elites=0, tournament=1, crossover=1.0, mutation=0.0)
    cuts = set()
    for place in range(200):
        child = _child(settings, members, Rng(1, 1, place))
        kinds = [codon % 2 for codon in child]
        changes = [at for at in range(1, len(kinds)) if kinds[at] != kinds[at - 1]]
        assert len(changes) <= 1 and len(child) in (8, 24)
        cuts |= set(changes)
    shorter = min(member.reading.used for member in members)
    assert cuts == set(range(1, shorter))


def test_mutation_changes_as_many_codons_as_it_says_and_only_those_that_are_read() -> None:
    genome = tuple(range(1000, 1060))
    parent = Member(genome, dataclasses.replace(read_genome(CURVES, genome, GenomeLimits()), used=40), 0.0)
    settings = BreedingSettings(population=2, elites=0, crossover=0.0, mutation=3.0, nudge=0.5)
    changed = nudged = 0
    for place in range(1000):
        child = _child(settings, [parent, parent], Rng(1, 1, place))
        assert child[40:] == genome[40:]
        moved = [abs(a - b) for a, b in zip(child, genome, strict=True) if a != b]
        changed += len(moved)
        nudged += sum(distance == 1 for distance in moved)
    assert changed / 1000 == pytest.approx(3.0, rel=0.12)
    assert nudged / changed == pytest.approx(0.5, rel=0.1)


def test_better_members_have_more_children() -> None:
    members = ranked(*[(k, *(CODONS - 1 - k for _ in range(9))) for k in range(50)])
    settings = BreedingSettings(population=50, tournament=4, crossover=0.0, mutation=0.0)
    drawn = [_child(settings, members, Rng(9, 1, place))[0] for place in range(4000)]
    # The best of four of fifty is on average the 50 / 5 th.
    assert sum(drawn) / len(drawn) == pytest.approx(50 / 5, rel=0.1)


def test_elites_stay_as_they_are_and_come_first() -> None:
    members = first_members(CURVES, BreedingSettings(population=20), GenomeLimits())
    settings = BreedingSettings(population=20, elites=3)
    made = next_members(CURVES, settings, GenomeLimits(), members, 1)
    assert made[:3] == members[:3] and len(made) == 20


def test_a_child_does_not_depend_on_the_others() -> None:
    settings = BreedingSettings(population=20, elites=0)
    members = first_members(CURVES, settings, GenomeLimits())
    small = next_members(CURVES, dataclasses.replace(settings, population=10), GenomeLimits(), members, 1)
    assert next_members(CURVES, settings, GenomeLimits(), members, 1)[:10] == small


@pytest.mark.parametrize(
    "wrong",
    [
        {"population": 1},
        {"generations": -1},
        {"seed": -1},
        {"seed": 1.5},
        {"crossover": 1.5},
        {"mutation": math.nan},
        {"elites": 100},
        {"tournament": True},
    ],
)
def test_settings_out_of_range_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(SettingError, match=next(iter(wrong))):
        BreedingSettings(**wrong)  # type: ignore[arg-type]


# ---- runs ---------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def alone() -> EvolutionState:
    return evolve(plan(), OneProcess(Fitting()))


def test_a_run_gets_better_and_never_worse(alone: EvolutionState) -> None:
    assert list(alone.history) == sorted(alone.history, reverse=True)
    assert alone.history[-1] < 0.7 * alone.history[0]
    assert alone.best.score == alone.history[-1] == Fitting().scores([alone.best.reading.text or ""])[0]
    assert [m.rank() for m in alone.members] == sorted(m.rank() for m in alone.members)


def test_the_same_seed_gives_the_same_run_and_another_seed_another(alone: EvolutionState) -> None:
    assert evolve(plan(), OneProcess(Fitting())) == alone
    assert evolve(plan(seed=2), OneProcess(Fitting())) != alone


def test_what_cannot_be_read_or_scored_is_penalised_and_dies_out() -> None:
    endless = parse_grammar('<a> ::= "t " <a> "+" | "t " <a> "*" | "nonsense" | "t" | "t t *"')
    state = evolve(EvolutionPlan(endless, BreedingSettings(1, 20, 5, ramp=30)), OneProcess(Fitting()))
    assert state.best.score < PENALTY
    hopeless = evolve(
        EvolutionPlan(parse_grammar('<a> ::= "x" | "y" | "z"'), BreedingSettings(1, 4, 3)),
        OneProcess(Fitting()),
    )
    assert hopeless.best.score == PENALTY and hopeless.generation == 3


def test_random_search_scores_as_many_as_it_is_reported_and_keeps_the_best() -> None:
    found = search(plan(), OneProcess(Fitting()), 1100)
    assert found.scored == 1100 and len(found.history) == 3
    assert list(found.history) == sorted(found.history, reverse=True)
    assert found == search(plan(), OneProcess(Fitting()), 1100)
    assert found.best.score == min(found.history)


# ---- workers ------------------------------------------------------------------------------------------


@given(st.integers(1, 500), st.integers(1, 64))
def test_shares_hold_every_text_once(count: int, workers: int) -> None:
    parts = shares(count, workers)
    assert [k for part in parts for k in range(count)[part]] == list(range(count))
    sizes = [part.stop - part.start for part in parts]
    assert max(sizes) - min(sizes) <= 1 and len(parts) <= 2 * workers


def test_processes_give_the_bits_of_one_process_and_outlive_a_death(
    alone: EvolutionState, tmp_path: Path
) -> None:
    with Processes(Fitting(deadly=str(tmp_path / "dead")), 2) as workers:
        assert evolve(plan(), workers) == alone
    assert (tmp_path / "dead").exists()


def test_a_problem_that_kills_every_worker_is_given_up() -> None:
    with Processes(Deadly(), 1) as workers, pytest.raises(WorkerError, match="died 4 times"):
        workers.scores(["t"])
    with pytest.raises(WorkerError, match="from 1, given 0"):
        Processes(Fitting(), 0)
    with pytest.raises(WorkerError, match="started by `with`"):
        Processes(Fitting(), 1).scores(["t"])


def trot() -> tuple[EvolutionPlan, Adjusting]:
    """The real problem, with the shipped grammar; small, so that it takes a second."""
    return EvolutionPlan(read_grammar(ADJUSTER_GRAMMAR), BreedingSettings(3, 100, 5)), adjusting("trot")


@pytest.mark.parametrize("case", [lambda: (plan(), Fitting(pause=0.002)), trot], ids=["fitting", "adjusters"])
def test_a_cluster_gives_the_bits_of_one_process_though_a_worker_is_killed(case: Any) -> None:
    distributed = pytest.importorskip("distributed")
    made, problem = case()
    options = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
    with distributed.LocalCluster(**options, silence_logs=50) as local:
        with Cluster(problem, local.scheduler_address) as workers:
            killed: list[int] = []
            ends = threading.Event()

            def kill_one() -> None:
                victim = next(iter(local.workers.values()))
                killed.append(victim.pid)
                os.kill(victim.pid, signal.SIGKILL)
                ends.set()

            def watch(state: EvolutionState) -> None:
                if state.generation == 3:
                    # A share takes 14 ms and more: the worker dies with one in its hands.
                    threading.Timer(0.01, kill_one).start()

            found = evolve(made, workers, watch=watch)
            assert ends.wait(10) and killed
        assert found == evolve(made, OneProcess(problem))


def test_clusters_that_cannot_be_used_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    distributed = pytest.importorskip("distributed")
    monkeypatch.setattr(clusters, "ANSWER_SECONDS", 0.5)
    for address in ("tcp://127.0.0.1:9", "nonsense://x"):
        with pytest.raises(WorkerError, match="no Dask scheduler answers"):
            Cluster(Fitting(), address).__enter__()
    with pytest.raises(WorkerError, match="joined by `with`"):
        Cluster(Fitting(), "tcp://127.0.0.1:9").scores(["t"])
    options = {"processes": False, "dashboard_address": None, "silence_logs": 50}
    with distributed.LocalCluster(n_workers=0, **options) as local:
        with Cluster(Fitting(), local.scheduler_address, empty_seconds=0.3) as workers:
            with pytest.raises(WorkerError, match=r"no workers for 0.3 s; start some with `dask worker"):
                workers.scores(["t"])
    with distributed.LocalCluster(n_workers=1, threads_per_worker=1, **options) as local:
        with Cluster(Fitting(), local.scheduler_address) as workers:
            assert workers.scores(["t", "t t *"]).tolist() == Fitting().scores(["t", "t t *"]).tolist()
            monkeypatch.setattr(clusters, "kernels", lambda: "another")
            with pytest.raises(WorkerError, match="another version"):
                workers.scores(["t"])
    monkeypatch.setattr(clusters.importlib, "import_module", _absent)
    with pytest.raises(WorkerError, match=r"hoofbeat\[cluster\]"):
        Cluster(Fitting(), "tcp://127.0.0.1:9").__enter__()


def _absent(name: str) -> None:
    raise ModuleNotFoundError(name)


# ---- checkpoints --------------------------------------------------------------------------------------


def test_a_run_that_is_taken_up_again_ends_as_one_that_was_not_disturbed(
    alone: EvolutionState, tmp_path: Path
) -> None:
    path = tmp_path / "run.json"

    class Stop(Exception):
        pass

    def watch(state: EvolutionState) -> None:
        write_checkpoint(path, Checkpoint({"gait": "none"}, plan(), state, kernels()))
        if state.generation in (0, 4):
            raise Stop

    state = None
    for _ in range(2):
        with pytest.raises(Stop):
            evolve(plan(), OneProcess(Fitting()), state, watch)
        found = read_checkpoint(path)
        assert found.plan == plan() and not found.finished
        state = found.state
    assert state is not None and state.generation == 4
    assert evolve(plan(), OneProcess(Fitting()), state, watch) == alone
    last = read_checkpoint(path)
    assert last.state == alone and last.finished and last.purpose == {"gait": "none"}


@pytest.fixture(scope="module")
def facts(alone: EvolutionState, tmp_path_factory: pytest.TempPathFactory) -> dict[str, object]:
    path = tmp_path_factory.mktemp("run") / "run.json"
    write_checkpoint(path, Checkpoint({}, plan(), alone, kernels()))
    return json.loads(path.read_bytes())


@pytest.mark.parametrize(
    "key", ["settings", "limits", "grammar", "generation", "history", "members", "kernels"]
)
@pytest.mark.parametrize("value", [None, -1, "x", [], {}, [1], {"genome": [1]}, 1e400])
def test_damaged_checkpoints_are_named(
    facts: dict[str, object], key: str, value: object, tmp_path: Path
) -> None:
    path = tmp_path / "run.json"
    path.write_text(json.dumps({**facts, key: value}))
    if (key, value) == ("kernels", "x"):
        assert read_checkpoint(path).kernels == "x"
    elif (key, value) == ("limits", {}):
        assert read_checkpoint(path).plan.limits == GenomeLimits()
    else:
        with pytest.raises(CheckpointError, match=r"run\.json: (is damaged|cannot be used).*begin anew"):
            read_checkpoint(path)


@given(st.binary(max_size=80) | st.sampled_from([b"[" * 5000, b"null", b"{}", b'{"schema": 1}']))
def test_any_bytes_are_a_checkpoint_or_a_named_error(data: bytes) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.json"
        path.write_bytes(data)
        with pytest.raises(CheckpointError):
            read_checkpoint(path)


def test_members_out_of_order_or_with_large_codons_are_refused(
    facts: dict[str, object], tmp_path: Path
) -> None:
    members: list[dict[str, object]] = facts["members"]  # type: ignore[assignment]
    path = tmp_path / "run.json"
    for wrong in (
        members[::-1],
        members[1:],
        [{**members[0], "genome": [CODONS]}, *members[1:]],
        [{**members[0], "score": -1.0}, *members[1:]],
    ):
        path.write_text(json.dumps({**facts, "members": wrong}))
        with pytest.raises(CheckpointError, match="is damaged"):
            read_checkpoint(path)
