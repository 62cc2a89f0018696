"""Labelled clips: mirrors, rows of inputs and outputs, and the file that carries them."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dataset_making import ACTIONS, labelled_clip_of, rig_of, set_of
from hoofbeat.body.labelled import (
    Dataset,
    LabelledClip,
    LabelledClipError,
    Rig,
    headings,
    in_root_space,
    mirrored_clip,
)
from hoofbeat.body.pose import positions_of
from hoofbeat.errors import FileError
from hoofbeat.formats import datasetfile
from hoofbeat.formats.arrays import MAX_INFLATED, pack_arrays, read_arrays
from hoofbeat.formats.datasetfile import (
    DatasetFileError,
    format_dataset,
    parse_dataset,
    read_dataset,
    write_dataset,
)
from hoofbeat.maths import quat
from hoofbeat.methods.neural.network.features import rows_of
from hoofbeat.methods.neural.network.layout import (
    ACTION,
    AHEAD,
    DIRECTION,
    JOINT,
    JOINT_VELOCITY,
    NOW,
    POSITION,
    SPEED,
    STEP,
    UP,
    VELOCITY,
    Blocks,
    Layout,
)

AXES = st.integers(0, 2)
SEEDS = st.integers(0, 2**20)


def turned_by(a: np.ndarray, b: np.ndarray) -> float:
    """The largest angle between two sets of rotations [rad]."""
    return float(quat.angle(a.astype(np.float64), b.astype(np.float64)).max(initial=0.0))


# ---- mirrors ------------------------------------------------------------------------------------------


@given(AXES, SEEDS)
def test_a_take_mirrored_twice_is_itself(axis: int, seed: int) -> None:
    rig = rig_of(axis)
    clip = labelled_clip_of(rig, 20, seed)
    again = mirrored_clip(mirrored_clip(clip, rig), rig)
    assert turned_by(clip.rotations, again.rotations) < 1e-3
    assert np.array_equal(clip.origins, again.origins) and np.array_equal(clip.root, again.root)
    assert np.array_equal(clip.actions, again.actions)


@given(AXES, SEEDS)
def test_nodes_in_a_mirror_are_where_the_other_sides_are(axis: int, seed: int) -> None:
    rig = rig_of(axis)
    clip = labelled_clip_of(rig, 8, seed)
    other = mirrored_clip(clip, rig)
    places, _ = in_root_space(rig.skeleton, clip.rotations, clip.origins)
    across, _ = in_root_space(rig.skeleton, other.rotations, other.origins)
    assert np.abs(across - places[:, rig.mirror] * [-1, 1, 1]).max() < 1e-5


@given(AXES, SEEDS)
def test_rows_of_a_mirrored_take_are_mirrored_rows(axis: int, seed: int) -> None:
    rig = rig_of(axis)
    clip = labelled_clip_of(rig, 70, seed)
    layout = Layout.of(rig)
    pairs = zip(
        rows_of(clip, rig),
        rows_of(mirrored_clip(clip, rig), rig),
        (layout.inputs, layout.outputs),
        strict=True,
    )
    for rows, found, blocks in pairs:
        for name in blocks.shapes:
            wanted = in_a_mirror(blocks, rows, name, rig)
            assert np.abs(wanted - blocks.view(found, name)).max() < 2e-3, name


def in_a_mirror(blocks: Blocks, rows: np.ndarray, name: str, rig: Rig) -> np.ndarray:
    """A block of rows as it is in a mirror."""
    block = blocks.view(rows, name).copy()
    if name in (POSITION, DIRECTION, VELOCITY):
        return block * [-1, 1]
    if name == STEP:
        return block * [-1, 1, -1]
    if name == ACTION:
        return block[..., rig.swaps]
    if name == SPEED:
        return block
    # The axis of a joint's own space that points aside points the other way.
    turned = -1 if (name, rig.axis) in ((AHEAD, 2), (UP, 1)) else 1
    place = {int(node): k for k, node in enumerate(rig.modelled)}
    return block[:, [place[int(rig.mirror[node])] for node in rig.modelled]] * [-1, 1, 1] * turned


# ---- rows ---------------------------------------------------------------------------------------------


@given(SEEDS)
def test_nodes_are_seen_where_the_compiled_kernel_puts_them(seed: int) -> None:
    rig = rig_of()
    clip = labelled_clip_of(rig, 6, seed)
    places, _ = in_root_space(
        rig.skeleton, clip.rotations.astype(np.float64), clip.origins.astype(np.float64)
    )
    wanted = positions_of(rig.skeleton, clip.rotations.astype(np.float64), clip.origins.astype(np.float64))
    assert np.abs(places - wanted).max() < 1e-6


@given(SEEDS, st.floats(-20, 20), st.floats(-20, 20), st.floats(-3, 3))
def test_rows_do_not_depend_on_place_and_heading(seed: int, x: float, z: float, angle: float) -> None:
    rig = rig_of()
    clip = labelled_clip_of(rig, 70, seed)
    sine, cosine = np.sin(angle), np.cos(angle)
    root = clip.root.copy()
    root[:, 0] = cosine * clip.root[:, 0] + sine * clip.root[:, 1] + x
    root[:, 1] = cosine * clip.root[:, 1] - sine * clip.root[:, 0] + z
    root[:, 2] += angle
    for here, there in zip(rows_of(clip, rig), rows_of(replace(clip, root=root), rig), strict=True):
        assert np.abs(here - there).max() < 2e-3


def test_the_output_of_a_frame_is_the_pose_before_the_next_step() -> None:
    rig = rig_of()
    layout = Layout.of(rig)
    inputs, outputs = rows_of(labelled_clip_of(rig, 90), rig)
    for name in (JOINT, AHEAD, UP, JOINT_VELOCITY):
        assert np.array_equal(layout.outputs.view(outputs, name)[:-1], layout.inputs.view(inputs, name)[1:])
    for name in (POSITION, DIRECTION, VELOCITY):
        there = layout.inputs.view(inputs, name)[1:, NOW:]
        assert np.abs(layout.outputs.view(outputs, name)[:-1] - there).max() < 1e-5


def test_steps_of_the_root_lead_to_where_it_is() -> None:
    rig = rig_of()
    clip = labelled_clip_of(rig, 90)
    layout = Layout.of(rig)
    _, outputs = rows_of(clip, rig)
    x, z, heading = clip.root[0]
    for side, ahead, turn in layout.outputs.view(outputs, STEP).astype(np.float64) / 60:
        x, z = (
            x + np.cos(heading) * side + np.sin(heading) * ahead,
            z + np.cos(heading) * ahead - np.sin(heading) * side,
        )
        heading += turn
    assert np.abs(clip.root[-1] - [x, z, heading]).max() < 1e-4


def test_velocities_of_joints_are_those_over_the_ground() -> None:
    rig = rig_of()
    clip = labelled_clip_of(rig, 40)
    layout = Layout.of(rig)
    inputs, _ = rows_of(clip, rig)
    places, _ = in_root_space(
        rig.skeleton, clip.rotations.astype(np.float64), clip.origins.astype(np.float64)
    )
    back = quat.from_axis_angle([0.0, 1.0, 0.0], -clip.root[:, 2])  # root from world, (T, 4)
    way = np.stack([clip.root[:, 0], 0 * clip.root[:, 0], clip.root[:, 1]], axis=1)
    world = quat.rotate(quat.inverse(back)[:, None], places) + way[:, None]
    wanted = quat.rotate(back[1:, None], np.diff(world, axis=0) * 60)
    found = layout.inputs.view(inputs, JOINT_VELOCITY)
    assert np.abs(found[1:] - wanted[: len(found) - 1]).max() < 2e-3


def test_columns_have_names_of_their_own() -> None:
    layout = Layout.of(rig_of(modelled=[0, 2, *range(3, 19)]))
    for blocks in (layout.inputs, layout.outputs):
        assert len(blocks.names) == len(set(blocks.names)) == blocks.size
    named = [layout.inputs.names[k] for k in layout.gating]
    assert len(named) == 12 + len(ACTIONS) + 1
    assert all("Toe" in name for name in named[:12]) and all(" +0" in name for name in named[12:])


def test_a_heading_goes_round_without_a_jump() -> None:
    angle = np.linspace(0, 12, 400)
    found = headings(np.stack([np.sin(angle), np.cos(angle)], axis=1), 60, 0.15)
    assert np.abs(found - angle).max() < 0.15 and np.abs(found - angle)[20:-20].max() < 1e-9


def test_what_does_not_fit_is_refused() -> None:
    rig = rig_of()
    clip = labelled_clip_of(rig, 5)
    with pytest.raises(LabelledClipError, match="5 rows"):
        replace(clip, used=clip.used[:3])
    with pytest.raises(LabelledClipError, match="NaN"):
        replace(clip, root=clip.root * np.nan)
    with pytest.raises(LabelledClipError, match="none of"):
        Dataset(rig, (replace(clip, actions=clip.actions + np.int8(3)),))
    with pytest.raises(LabelledClipError, match="toes"):
        rig_of(modelled=[0, 1, 2])


# ---- the file -----------------------------------------------------------------------------------------


def same(given: Dataset, found: Dataset) -> None:
    a, b = given.rig, found.rig
    for key in ("modelled", "mirror", "swaps"):
        assert np.array_equal(getattr(a, key), getattr(b, key)), key
    assert (a.axis, a.actions, given.sources, given.notes) == (b.axis, b.actions, found.sources, found.notes)
    assert a.skeleton.names == b.skeleton.names and a.skeleton.legs == b.skeleton.legs
    assert np.array_equal(a.skeleton.offsets, b.skeleton.offsets)
    for one, other in zip(given.clips, found.clips, strict=True):
        assert turned_by(one.rotations, other.rotations) <= 1e-4
        assert np.abs(one.origins - other.origins).max(initial=0.0) <= 1e-5
        for key in ("root", "actions", "used", "copies"):
            assert np.array_equal(getattr(one, key), getattr(other, key)), key
            assert getattr(one, key).dtype == getattr(other, key).dtype
        assert (one.name, one.test) == (other.name, other.test)
        assert np.abs(np.linalg.norm(other.rotations, axis=-1) - 1).max(initial=0.0) < 1e-6


@given(st.lists(st.integers(0, 40), max_size=4), SEEDS, AXES)
def test_clips_come_back_from_their_file(lengths: list[int], seed: int, axis: int) -> None:
    dataset = set_of(lengths, seed, axis)
    data = format_dataset(dataset)
    same(dataset, parse_dataset(data))
    assert format_dataset(set_of(lengths, seed, axis)) == data


@pytest.mark.parametrize("least", [0.0, 0.59, 0.61, 0.99])
def test_rotations_of_every_size_come_back(least: float) -> None:
    """Nodes that stay near no rotation have w derived; others, half turns too, keep it."""
    dataset = set_of([200])
    rng = np.random.default_rng(3)
    axes = rng.normal(size=(200, len(dataset.rig.skeleton), 3))
    axes /= np.linalg.norm(axes, axis=-1, keepdims=True)
    angle = 2 * np.arccos(rng.uniform(least, 1, axes.shape[:2]))
    turns = quat.from_axis_angle(axes, angle) * np.where(rng.random((200, 1, 1)) < 0.5, -1, 1)
    changed = replace(dataset, clips=(replace(dataset.clips[0], rotations=turns.astype(np.float32)),))
    same(changed, parse_dataset(format_dataset(changed)))


def test_smooth_motion_packs_well(tmp_path: Path) -> None:
    dataset = set_of([3000, 3000])
    path = write_dataset(tmp_path / "a.npz", dataset)
    same(dataset, read_dataset(path))
    plain = sum(clip.rotations.nbytes for clip in dataset.clips)
    assert path.stat().st_size < plain / 3


@given(st.binary(max_size=300))
def test_garbage_is_a_named_error(data: bytes) -> None:
    with pytest.raises(DatasetFileError):
        parse_dataset(data)


@given(st.data())
def test_a_damaged_file_is_a_named_error_or_sound(data: st.DataObject) -> None:
    whole = format_dataset(set_of([9, 4]))
    cut = whole[: data.draw(st.integers(0, len(whole) - 1))]
    with pytest.raises(DatasetFileError):
        parse_dataset(cut)
    place, value = data.draw(st.integers(0, len(whole) - 1)), data.draw(st.integers(0, 255))
    changed = whole[:place] + bytes([value]) + whole[place + 1 :]
    try:
        found = parse_dataset(changed)
    except DatasetFileError:
        return
    assert all(isinstance(clip, LabelledClip) for clip in found.clips)


ODD = st.sampled_from(["u1", "i8", "f8", "U3", "?"])


@given(
    st.sampled_from([name for name in datasetfile.ARRAYS if name != "format"]),
    ODD,
    st.lists(st.integers(0, 9), max_size=3),
)
def test_odd_arrays_are_a_named_error(name: str, kind: str, shape: list[int]) -> None:
    arrays = read_arrays(format_dataset(set_of([9, 4])), "a", MAX_INFLATED, FileError)
    odd = np.zeros(shape, kind)
    if arrays[name].shape == odd.shape and odd.dtype.kind in datasetfile.ARRAYS[name][1]:
        return
    with pytest.raises(DatasetFileError):
        parse_dataset(pack_arrays({**arrays, name: odd}))


def test_foreign_files_are_reported(tmp_path: Path) -> None:
    arrays = read_arrays(format_dataset(set_of([5])), "a", MAX_INFLATED, FileError)
    with pytest.raises(DatasetFileError, match="hoofbeat dataset"):
        parse_dataset(pack_arrays({"weights": np.zeros(3)}))
    with pytest.raises(DatasetFileError, match="version 2"):
        parse_dataset(pack_arrays({**arrays, "version": np.array(2)}))
    with pytest.raises(DatasetFileError, match="'root' is missing"):
        parse_dataset(pack_arrays({key: value for key, value in arrays.items() if key != "root"}))
    with pytest.raises(DatasetFileError, match="more than can be read"):
        parse_dataset(pack_arrays({**arrays, "frames": np.array([2**40])}))
    with pytest.raises(DatasetFileError, match=r"missing\.npz"):
        read_dataset(tmp_path / "missing.npz")


def test_training_reads_datasets_without_a_compiler(tmp_path: Path) -> None:
    """NumPy is all that clips and their rows need."""
    path = write_dataset(tmp_path / "a.npz", set_of([80]))
    blocked = ("numba", "scipy", "typer", "rich", "yaml", "pydantic")
    script = f"""
import sys
for name in {blocked!r}:
    sys.modules[name] = None
from hoofbeat.formats.datasetfile import read_dataset
from hoofbeat.methods.neural.network.features import rows_of
dataset = read_dataset({str(path)!r})
inputs, outputs = rows_of(dataset.clips[0], dataset.rig)
assert len(inputs) == len(outputs) == 79
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
