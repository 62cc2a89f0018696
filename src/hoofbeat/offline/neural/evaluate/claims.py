"""Claims: lines that an evaluation is held against, each with what was measured and whether it holds."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np

from hoofbeat.offline.neural.evaluate.papertables import PATH_NETWORKS, PATHS, SKATING

Results = dict[str, Any]
#: A line, what was measured, and whether it holds; None = not measured.
Claim = tuple[str, str, bool | None]

#: How much more than the recordings a network may skate, all legs and hind legs.
MORE = {"skating": 1.2, "skating_hind": 1.4}
#: Least part of strides in the wanted gait, and of starts that begin in time.
STRIDES, SOON = 0.5, 0.95
#: Speeds [m/s] along paths, walking and pacing, and trotting: the paper does not say which it went at.
PACES = ((0.6, 1.1), (1.9,))
#: The neural horse: error of speed, part of strides, skating in teacher's; whole numbers against floats.
SPEED, GAITS, SKATES, WHOLE = 0.05, 0.9, 1.5, 0.05


def claims_of(results: Results) -> list[Claim]:
    """The lines for the dog."""
    return [
        *_skating_orders(results),
        *_paths(results),
        *_speeds(results),
        *_actions(results),
        *_rides(results),
        *_wholes(results),
    ]


def _mean_of(results: Results, family: str, motion: str, key: str, led: bool = False) -> float | None:
    """A measure of a motion, mean over the seeds of a family; "recordings" are themselves. led: along
    recorded paths, else under commands."""
    if family == "recordings":
        return (results.get("recorded_paths" if led else "recordings") or {}).get(motion, {}).get(key)
    rows = [row for row in results["networks"] if row["family"] == family]
    if led:
        rows = [row["recorded_paths"] for row in rows if row.get("recorded_paths")]
    known = [value for row in rows if (value := row["motions"][motion][key]) is not None]
    return float(np.mean(known)) if known else None


def _most(*values: float | None) -> bool | None:
    """Whether the first is at most each of the others."""
    first, *others = values
    return None if first is None or None in others else all(first <= o for o in others if o is not None)


def _against(*values: float | None) -> str:
    return " against ".join("–" if value is None else f"{value:.2f}" for value in values)


def _measured_motions(results: Results) -> Iterator[tuple[bool, str]]:
    """Whether along recorded paths, and the motion: all that was measured."""
    return product((False, True) if results.get("recorded_paths") else (False,), SKATING)


def _named(motion: str, led: bool) -> str:
    """What a line calls a motion, under commands or along recorded paths."""
    return f"{motion} as recorded" if led else motion


def _skating_orders(results: Results) -> Iterator[Claim]:
    families = {row["family"] for row in results["networks"]}
    for ours in ("mann8", "mann8 rollout"):
        if ours not in families:
            continue
        rivals = [trained_as(name, ours) for name in ("mann4", "plain2048")]
        rivals = [name for name in rivals if name in families]
        for led, motion in _measured_motions(results):
            for key, legs in (("skating", "all legs"), ("skating_hind", "hind legs")):
                own, real = (_mean_of(results, name, motion, key, led) for name in (ours, "recordings"))
                where = f"{_named(motion, led)}, {legs}"
                for name in rivals:
                    other = _mean_of(results, name, motion, key, led)
                    yield (
                        f"{ours}: skating at most {name}'s, {where}",
                        _against(own, other),
                        _most(own, other),
                    )
                limit = None if real is None else MORE[key] * real
                words = f"{ours}: skating within {100 * MORE[key] - 100:.0f} % of the recordings', {where}"
                measured = "" if real is None else f" (recordings {real:.2f})"
                yield words, _against(own, limit) + measured, _most(own, limit)
        yield from _nearest(results, families, ours)


def trained_as(network: str, family: str) -> str:
    """The family of another network that was trained as this one: like is compared with like."""
    return network + (" rollout" if family.endswith(" rollout") else "")


def _nearest(results: Results, families: set[str], ours: str) -> Iterator[Claim]:
    """Whether MANN-8's legs move most like the recordings'."""
    rivals = [trained_as(name, ours) for name in ("plain2048", "pfnn", "mann4", "mann8")]
    rivals = [name for name in rivals if name in families]
    if len(rivals) < 2:
        return
    for led, motion in _measured_motions(results):
        for key, legs in (("legs", "all legs"), ("legs_hind", "hind legs")):
            real = _mean_of(results, "recordings", motion, key, led)
            found = {name: _mean_of(results, name, motion, key, led) for name in rivals}
            off = {n: abs(v - real) for n, v in found.items() if v is not None and real is not None}
            best = min(off, key=lambda name: off[name]) if off else None
            measured = ", ".join(f"{n} {v:.2f}" for n, v in found.items() if v is not None)
            measured = measured + ("" if real is None else f"; recordings {real:.2f}")
            where = f"{_named(motion, led)}, {legs}"
            line = f"{ours}: leg motion nearest to the recordings', {where}"
            yield line, measured, None if best is None else best == ours


def _paths(results: Results) -> Iterator[Claim]:
    at = PATH_NETWORKS.index("mann8")
    for ours in ("mann8", "mann8 rollout"):
        rows = [row for row in results["networks"] if row["family"] == ours]
        for path, (distances, angles) in PATHS.items() if rows else ():
            for key, theirs in (("distance", distances[at]), ("angle", angles[at])):
                for paces in PACES:
                    own = _mean_off(rows, path, key, paces)
                    measured = " and ".join(f"{pace:g}" for pace in paces)
                    line = f"{ours}: {key} from the {path} at most the paper's, at {measured} m/s"
                    yield line, _against(own, theirs), _most(own, theirs)


def _mean_off(rows: list[dict[str, Any]], path: str, key: str, paces: tuple[float, ...]) -> float | None:
    """Mean deviation of some networks from a path at some speeds."""
    every = [one for row in rows for one in row["paths"]]
    found = [one[key] for one in every if one["path"] == path and one["speed"] in paces]
    return float(np.mean(found)) if found else None


def _speeds(results: Results) -> Iterator[Claim]:
    for ours in ("mann8", "mann8 rollout"):
        rows = [row for row in results["networks"] if row["family"] == ours]
        for k, one in enumerate(rows[0]["speeds"] if rows else ()):
            parts = [row["speeds"][k]["part"] for row in rows if row["speeds"][k]["part"] is not None]
            share = float(np.mean(parts)) if parts else None
            line = f"{ours}: {one['speed']:g} m/s gives {one['gait']}, most strides"
            yield (
                line,
                "–" if share is None else f"{100 * share:.0f} %",
                None if share is None else share >= STRIDES,
            )


def _actions(results: Results) -> Iterator[Claim]:
    for row in results["networks"]:
        if row["family"] in ("mann8", "mann8 rollout"):
            for one in row.get("actions", ()):
                line = (
                    f"{row['family']}: {one['action']} begins within 0.5 s in 95 % of {one['starts']} starts"
                )
                yield (
                    line,
                    f"{100 * one['soon']:.1f} %, reached {100 * one['reached']:.1f} %",
                    one["soon"] >= SOON,
                )


def _rides(results: Results) -> Iterator[Claim]:
    for row in results["networks"]:
        one = row.get("ride")
        if one:
            faults = [one["unsound"], one["drifted"], one["twisted"]]
            who = f"{row['family']}: {one['characters']} riders"
            line = f"{who}, {one['seconds'] / 60:g} min of random commands: no NaN, drift or twisted limb"
            measured = "NaN {}, out of range {}, twisted {}".format(*faults)
            yield line, measured, None if None in faults else not any(faults)


def _wholes(results: Results) -> Iterator[Claim]:
    """Networks of whole numbers beside the same ones, of the same seed, of floats."""
    floats = {(row["family"], row["seed"]): row for row in results["networks"]}
    for row in results["networks"]:
        same = floats.get((row["family"].removesuffix(" int8"), row["seed"]))
        if not row["family"].endswith(" int8") or same is None:
            continue
        pairs = list(zip(row["speeds"], same["speeds"], strict=True))
        speed = max(abs(a["reached"] / max(b["reached"], 1e-9) - 1) for a, b in pairs)
        sums = [[one["motions"][motion]["skating"] for motion in SKATING] for one in (row, same)]
        line = f"{row['family']}: closed loop within 5 % of float32"
        if any(None in values for values in sums):
            yield line, "–", None
            continue
        skating = sum(sums[0]) / max(sum(sums[1]), 1e-9) - 1
        measured = f"speed {100 * speed:.1f} % at worst, skating {100 * skating:+.1f} %"
        yield line, measured, speed <= WHOLE and skating <= WHOLE


def horse_claims(results: Results) -> list[Claim]:
    """The lines for the neural horse."""
    out: list[Claim] = []
    floats = {row["family"]: row for row in results["networks"]}
    for row in results["networks"]:
        name, rows = row["family"], row["student"]
        error = max(abs(one["reached"] / one["speed"] - 1) for one in rows)
        out.append(
            (f"{name}: speed within 5 % from 1 to 12 m/s", f"{100 * error:.1f} % at worst", error <= SPEED)
        )
        right = sum((one["part"] or 0.0) * sum(one["strides"].values()) for one in rows)
        share = right / max(sum(sum(one["strides"].values()) for one in rows), 1)
        out.append((f"{name}: 90 % of strides in the teacher's gait", f"{100 * share:.1f} %", share >= GAITS))
        ratio = sum(one["skating"] for one in rows) / max(sum(one["teacher_skating"] for one in rows), 1e-9)
        worst = max(one["skating"] / max(one["teacher_skating"], 1e-9) for one in rows)
        measured = f"{ratio:.2f} in all, {worst:.2f} at the worst speed"
        out.append((f"{name}: skating at most 1.5 times the teacher's", measured, worst <= SKATES))
        if name.endswith(" int8") and name.removesuffix(" int8") in floats:
            out.append(_whole(name, rows, floats[name.removesuffix(" int8")]["student"]))
    return out


def _whole(name: str, rows: list[dict[str, Any]], floats: list[dict[str, Any]]) -> Claim:
    """Whole numbers beside floats."""
    speed = max(abs(a["reached"] / b["reached"] - 1) for a, b in zip(rows, floats, strict=True))
    skating = sum(one["skating"] for one in rows) / max(sum(one["skating"] for one in floats), 1e-9) - 1
    measured = f"speed {100 * speed:.1f} % at worst, skating {100 * skating:+.1f} %"
    return f"{name}: closed loop within 5 % of float32", measured, speed <= WHOLE and skating <= WHOLE
