"""The check on real dogs: its contacts, states, strides and gaits against what others have labelled.

author_labels.npz are the labels of the recordings' authors, in two versions. The earlier has six states;
the later only tells idle from move and calls much more a move, so that it counts where the earlier is
missing. clip_summary.csv counts the strides of each gait in each clip, straight ones only.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hoofbeat.check.activity import STATES, activity, states_of
from hoofbeat.check.motion import Motion, motion_of
from hoofbeat.check.recognise import Stride, strides_named
from hoofbeat.export import load

pytestmark = pytest.mark.data

PAWS = ["LeftHandSite", "RightHandSite", "LeftFootSite", "RightFootSite"]
#: The authors' words for our states; later ones go before earlier ones.
STYLES = {"Idle": "idle", "Move": "move", "Sit": "sit", "Rest": "lie", "Stand": "hind-legs", "Jump": "jump"}
#: A contact may be seen this many frames early or late.
NEAR = 2
#: The summary's strides: at least this fast [m/s], this short [s] and this straight [rad].
SLOWEST, LONGEST, STRAIGHT = 0.3, 1.5, 0.8
#: The summary's words for our gaits; it does not tell canter from gallop, nor amble from walk.
GAITS = {"rack": "pace", "amble": "walk", "jump": "canter/gallop"}


@cache
def motion(folder: Path, name: str) -> Motion:
    return motion_of(load(folder / "dog" / f"{name}.bvh", scale=0.01))


@cache
def labels(folder: Path) -> Any:
    return np.load(folder / "dog" / "author_labels.npz")


def versions(folder: Path, name: str) -> list[str]:
    """Keys of a clip's labels that give states, the earlier version first."""
    table = labels(folder)
    keys = [f"{name}_{version}" for version in ("2020", "2022")]
    return [key for key in keys if f"{key}/styles" in table.files and len(table[f"{key}/style_values"])]


def labelled(folder: Path) -> list[tuple[str, str]]:
    """Every clip with labels of states, and the key of the version that counts."""
    names = sorted(path.stem for path in (folder / "dog").glob("*.bvh"))
    return [(name, found[0]) for name in names if (found := versions(folder, name))]


def style(folder: Path, key: str, name: str) -> np.ndarray:
    table = labels(folder)
    return table[f"{key}/style_values"][:, list(table[f"{key}/styles"]).index(name)]


def widened(mask: np.ndarray) -> np.ndarray:
    """A mask (T, 4) that is also true NEAR frames before and after."""
    out = mask.copy()
    for shift in range(1, NEAR + 1):
        out[shift:] |= mask[:-shift]
        out[:-shift] |= mask[shift:]
    return out


@pytest.mark.parametrize(("faster_than", "least"), [(-1.0, 0.95), (1.5, 0.93)])
def test_contacts_are_the_authors(data_dir: Path, faster_than: float, least: float) -> None:
    right = seen = found = said = 0
    for name, key in labelled(data_dir):
        table = labels(data_dir)
        columns = [list(table[f"{key}/contact_bones"]).index(bone) for bone in PAWS]
        truth = table[f"{key}/contacts"][:, columns] > 0
        down = motion(data_dir, name).contacts
        moving = (style(data_dir, key, "Move") > 0.5) & (style(data_dir, key, "Speed") > faster_than)
        right += int((down & widened(truth))[moving].sum())
        seen += int(down[moving].sum())
        found += int((truth & widened(down))[moving].sum())
        said += int(truth[moving].sum())
    precision, recall = right / seen, found / said
    f1 = 2 * precision * recall / (precision + recall)
    print(f"paws faster than {faster_than} m/s: precision {precision:.3f}, recall {recall:.3f}, F1 {f1:.3f}")
    assert f1 >= least


def test_states_are_the_authors(data_dir: Path) -> None:
    right = total = 0
    confused: Counter[tuple[str, str]] = Counter()
    for name, key in labelled(data_dir):
        found = np.array(STATES)[states_of(motion(data_dir, name))]
        truth = np.full(len(found), "idle", dtype=object)
        for word, state in STYLES.items():
            if word in list(labels(data_dir)[f"{key}/styles"]):
                truth[style(data_dir, key, word) > 0.5] = state
        if key.endswith("2022"):  # This version does not say how it idles or moves.
            found = np.where(activity(motion(data_dir, name)), "move", "idle")
        right += int((found == truth).sum())
        total += len(found)
        confused.update((t, f) for t, f in zip(truth, found, strict=True) if t != f)
    print(f"states: {right / total:.4f} of {total} frames; {dict(confused)}")
    assert right / total >= 0.95


def summary(folder: Path) -> dict[str, Counter[str]]:
    """Strides of each gait in each clip, as the summary counts them."""
    out: dict[str, Counter[str]] = {}
    with (folder / "dog" / "clip_summary.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            counts = re.findall(r"([a-z/-]+) x(\d+)", row["actions"])
            out[row["clip"]] = Counter({gait: int(count) for gait, count in counts})
    return out


def straight(clip: Motion) -> list[Stride]:
    """The strides that the summary may count."""
    out = []
    for stride in strides_named(clip):
        part = clip.frames(stride.start, stride.stop)
        turn = abs(clip.heading[part.stop - 1] - clip.heading[part.start])
        if stride.speed >= SLOWEST and stride.duration <= LONGEST and turn <= STRAIGHT:
            out.append(stride)
    return out


def word(gait: str) -> str:
    return "canter/gallop" if "canter" in gait or "gallop" in gait else GAITS.get(gait, gait)


def test_strides_and_gaits_are_those_of_the_summary(data_dir: Path) -> None:
    found = agreed = total = 0
    for name, theirs in summary(data_dir).items():
        clip = motion(data_dir, name)
        ours = Counter(word(stride.gait) for stride in straight(clip))
        count = theirs.total()
        found += min(count, ours.total())
        agreed += (ours & theirs).total()
        total += count
    print(f"strides: {found} of {total} found; gaits: {agreed} agree, {agreed / total:.3f}")
    assert found / total >= 0.95
    assert agreed / total >= 0.90
