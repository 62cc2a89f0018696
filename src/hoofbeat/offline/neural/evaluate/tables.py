"""Tables: the results of an evaluation as Markdown, ours beside the paper's and the recordings' own.

A page that shows them marks each place by <!-- evaluate NAME --> and <!-- /evaluate -->; `refreshed` fills
it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from hoofbeat.errors import HoofbeatError
from hoofbeat.offline.neural.evaluate.claims import claims_of, horse_claims
from hoofbeat.offline.neural.evaluate.papertables import (
    EXPERTS,
    LEGS,
    NETWORKS,
    PATH_NETWORKS,
    PATHS,
    SKATING,
)

#: What stands for a value that there is not.
NONE = "–"
#: Families in the order of the paper's columns; others follow.
ORDER = tuple(
    name + how for how in ("", " rollout") for name in ("plain2048", "plain1305", "pfnn", "mann4", "mann8")
)

Results = dict[str, Any]
_MARK = re.compile(r"(<!-- evaluate ([a-z0-9-]+) -->\n).*?(<!-- /evaluate -->)", re.DOTALL)


class TablesError(HoofbeatError):
    """A page without a place for a table, or with a place for an unknown one."""


def families_of(results: Results) -> dict[str, list[dict[str, Any]]]:
    """Networks by family, in the paper's order."""
    found: dict[str, list[dict[str, Any]]] = {}
    for row in results["networks"]:
        found.setdefault(row["family"], []).append(row)
    names = sorted(found, key=lambda name: (ORDER.index(name) if name in ORDER else len(ORDER), name))
    return {name: found[name] for name in names}


def bare(family: str) -> str:
    """The paper's word for a family of networks, however it was trained here."""
    return family.removesuffix(" rollout")


def spread(values: Iterable[float | None], digits: int = 2) -> str:
    """Mean and deviation of what is known, as 0.23 ± 0.01."""
    known = [value for value in values if value is not None]
    if not known:
        return NONE
    mean = f"{np.mean(known):.{digits}f}"
    return mean if len(known) == 1 else f"{mean} ± {np.std(known):.{digits}f}"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def blocks_of(results: Results) -> dict[str, str]:
    """Every table that some results can fill, by name."""
    rows = results["networks"]
    makers: dict[str, Callable[[Results], str]] = {}
    if any("motions" in row for row in rows):
        makers |= {"table2": _table2, "table3": _table3, "motions": _motions, "table4": _table4}
        if results.get("recorded_paths"):
            makers["recorded-paths"] = _recorded_paths
        makers |= {"speeds": _speeds, "actions": _actions, "claims": lambda r: _claims(claims_of(r))}
    if any("experts" in row for row in rows):
        makers |= {"table5": _table5, "ride": _ride}
    if any("student" in row for row in rows):
        makers |= {"horse": _horse, "horse-claims": lambda r: _claims(horse_claims(r))}
    if results.get("losses"):
        makers["horse-losses" if "horse" in makers else "losses"] = _losses
    return {name: maker(results) for name, maker in makers.items()}


def page_of(results: Results) -> str:
    """All tables one after another."""
    return "\n".join(f"## {name}\n\n{block}" for name, block in blocks_of(results).items())


def refreshed(page: str, blocks: dict[str, str]) -> str:
    """A page with the tables that are known put where it marks them; others stay as they are."""
    marked = {found[1] for found in _MARK.findall(page)}
    if not marked & set(blocks):
        raise TablesError(
            f"the page marks no place for any of {', '.join(blocks)}: write <!-- evaluate table2 --> and "
            "<!-- /evaluate --> on lines of their own where a table is to stand"
        )
    return _MARK.sub(lambda m: m[1] + blocks.get(m[2], "") + m[3] if m[2] in blocks else m[0], page)


def _table2(results: Results) -> str:
    return _beside(results, ("skating", "skating_hind"), SKATING, 2)


def _table3(results: Results) -> str:
    return _beside(results, ("legs", "legs_hind"), LEGS, 2)


def _beside(
    results: Results, keys: tuple[str, str], paper: dict[str, tuple[tuple[float, ...], ...]], digits: int
) -> str:
    """Motions by all and hind legs; the recordings, then every family, the paper's value in brackets."""
    families = families_of(results)
    out: list[list[str]] = []
    for motion, printed in paper.items():
        for key, legs, theirs in zip(keys, ("all", "hind"), printed, strict=True):
            known = dict(zip(NETWORKS, theirs, strict=True))
            ours = {"recordings": [results.get("recordings", {}).get(motion, {}).get(key)]}
            ours |= {name: [row["motions"][motion][key] for row in rows] for name, rows in families.items()}
            cells = [
                spread(v, digits) + (f" ({known[n]:.2f})" if (n := bare(name)) in known else "")
                for name, v in ours.items()
            ]
            out.append([motion, legs, *cells])
    return table(["motion", "legs", "recordings", *families], out)


def _recorded_paths(results: Results) -> str:
    """Along recorded paths: how far off, skating and leg motion in the recordings' own frames."""
    families = families_of(results)
    led = {
        name: [row["recorded_paths"] for row in rows if row.get("recorded_paths")]
        for name, rows in families.items()
    }
    out: list[list[str]] = []
    measures = (("skating", "skating", "all"), ("skating", "skating_hind", "hind"))
    measures += (("leg motion", "legs", "all"), ("leg motion", "legs_hind", "hind"))
    for what, key, legs in measures:
        for motion in SKATING:
            real = spread([results["recorded_paths"][motion][key]])
            cells = [spread([row["motions"][motion][key] for row in rows]) for rows in led.values()]
            out.append([what, motion, legs, real, *cells])
    for what, key in (("distance cm", "distance"), ("angle °", "angle")):
        cells = [spread([row[key] for row in rows]) for rows in led.values()]
        out.append([what, "all", "", NONE, *cells])
    return table(["", "motion", "legs", "recordings", *families], out)


def _motions(results: Results) -> str:
    """How much of each run shows the motion, at which speed and turn."""
    out: list[list[str]] = []
    sources = {"recordings": [{"motions": results["recordings"]}]} if results.get("recordings") else {}
    for name, rows in (sources | families_of(results)).items():
        for motion in SKATING:
            found = [row["motions"][motion] for row in rows]
            frames = f"{sum(one['frames'] for one in found)}"
            part = spread([100 * one["part"] for one in found], 0)
            out.append(
                [
                    name,
                    motion,
                    frames,
                    part,
                    spread([one["speed"] for one in found]),
                    spread([one["turn"] for one in found]),
                ]
            )
    return table(["", "motion", "frames", "% of all", "m/s", "rad/s"], out)


def _table4(results: Results) -> str:
    """Distance and angle on each path at each speed."""
    families = families_of(results)
    speeds = sorted({one["speed"] for row in results["networks"] for one in row["paths"]})
    out: list[list[str]] = []
    for path, printed in PATHS.items():
        for key, unit, theirs in zip(("distance", "angle"), ("cm", "°"), printed, strict=True):
            known = dict(zip(PATH_NETWORKS, theirs, strict=True))
            paper = ", ".join(f"{known[name]:.2f}" for name in PATH_NETWORKS)
            for speed in speeds:
                cells = [
                    spread(
                        [
                            o[key]
                            for row in rows
                            for o in row["paths"]
                            if (o["path"], o["speed"]) == (path, speed)
                        ]
                    )
                    for rows in families.values()
                ]
                out.append([path, unit, f"{speed:g}", *cells, paper])
    return table(["path", "", "m/s", *families, "paper: plain, PFNN, MANN"], out)


def _speeds(results: Results) -> str:
    out: list[list[str]] = []
    for name, rows in families_of(results).items():
        for k, one in enumerate(rows[0]["speeds"]):
            each = [row["speeds"][k] for row in rows]
            total: dict[str, int] = {}
            for facts in each:
                for gait, count in facts["strides"].items():
                    total[gait] = total.get(gait, 0) + count
            strides = ", ".join(
                f"{gait} {total[gait]}" for gait in sorted(total, key=lambda g: -total[g])[:4]
            )
            part = spread([None if f["part"] is None else 100 * f["part"] for f in each], 0)
            reached = spread([facts["reached"] for facts in each])
            out.append([name, f"{one['speed']:g}", reached, one["gait"], part, strides])
    return table(
        ["network", "asked m/s", "reached m/s", "wanted", "% of strides", "strides, most often"], out
    )


def _actions(results: Results) -> str:
    out: list[list[str]] = []
    for name, rows in families_of(results).items():
        for one in rows[0].get("actions", ()):
            times = [_seconds(one[key]) for key in ("begin", "begin_late", "reach", "reach_late")]
            shares = [f"{100 * one[key]:.0f}" for key in ("soon", "reached")]
            out.append([name, one["action"], str(one["starts"]), *shares, *times])
    head = [
        "network",
        "action",
        "starts",
        "% begun in 0.5 s",
        "% reached in 4 s",
        "begun s",
        "95 %",
        "reached s",
        "95 %",
    ]
    return table(head, out)


def _seconds(value: float | None) -> str:
    return NONE if value is None else f"{value:.2f}"


def _table5(results: Results) -> str:
    out: list[list[str]] = []
    for name, rows in families_of(results).items():
        for one in rows[0].get("experts", ()):
            k = one["expert"]
            turns = f"{one['left']:.2f}, {one['right']:.2f}"
            shares = ", ".join(f"{100 * value:.0f}" for value in one["actions"].values())
            speeds = ", ".join(f"{value:.2f}" for value in one["speeds"].values())
            fails = "; ".join(one["fails"]) or ("" if k < 0 else "nothing by these measures")
            paper = EXPERTS[k] if 0 <= k < len(EXPERTS) and bare(name) == "mann8" else ""
            off = "none" if k < 0 else str(k + 1)
            out.append([name, off, speeds, turns, shares, f"{one['skating']:.2f}", fails, paper])
    head = ["network", "off", "m/s at 0.5, 1.1, 1.9, 3.3", "rad/s left, right at 1.5"]
    return table([*head, "% sit, stand, lie, jump", "skating", "what fails", "paper (its own network)"], out)


def _ride(results: Results) -> str:
    out: list[list[str]] = []
    for name, rows in families_of(results).items():
        one = rows[0].get("ride")
        if one:
            shares = [
                NONE if one[k] is None else f"{100 * one[k]:.4f}" for k in ("drifted_part", "twisted_part")
            ]
            counts = [str(one[key]) for key in ("characters", "seconds", "unsound", "drifted", "twisted")]
            far = NONE if one["farthest"] is None else f"{max(one['farthest'], 0):.0f} ({one['joint']})"
            out.append([name, *counts, *shares, far, str(one["restarts"])])
    head = [
        "network",
        "riders",
        "s each",
        "NaN",
        "out of range",
        "twisted",
        "% frames out",
        "% frames twisted",
    ]
    return table([*head, "farthest beyond °", "restarts"], out)


def _horse(results: Results) -> str:
    out: list[list[str]] = []
    for name, rows in families_of(results).items():
        for one in rows[0]["student"]:
            gaits = ", ".join(
                f"{gait} {count}" for gait, count in sorted(one["strides"].items(), key=lambda i: -i[1])[:3]
            )
            part = NONE if one["part"] is None else f"{100 * one['part']:.0f}"
            ratio = one["skating"] / max(one["teacher_skating"], 1e-9)
            numbers = [f"{one['reached']:.2f}", f"{one['teacher_reached']:.2f}", part, gaits]
            skating = [f"{one['skating']:.2f}", f"{one['teacher_skating']:.2f}", f"{ratio:.2f}"]
            out.append([name, f"{one['speed']:g}", *numbers, *skating])
    head = ["network", "asked m/s", "reached", "teacher", "% of strides as the teacher", "strides"]
    return table([*head, "skating cm/frame", "teacher", "ratio"], out)


def _losses(results: Results) -> str:
    out = [
        [
            name,
            str(one["batch"]),
            str(len(one["train"])),
            f"{one['train'][-1]:.4f}",
            f"{min(one['test']):.4f}",
            f"{one['seconds']:.0f}",
        ]
        for name, one in results["losses"].items()
    ]
    return table(["network", "batch", "epochs", "loss at the end", "least on test clips", "s"], out)


def _claims(claims: Iterable[tuple[str, str, bool | None]]) -> str:
    words = {True: "yes", False: "**no**", None: "not measured"}
    return table(
        ["line", "measured", "holds"], ([line, measured, words[holds]] for line, measured, holds in claims)
    )
