"""Root motion: taken off and given back, a clip is the same; in place, it stands over its root."""

from __future__ import annotations

import numpy as np
import pytest

from hoofbeat import Clip, Command, Horse, Recorder
from hoofbeat.body.root import Track, in_place, track_of, with_motion
from hoofbeat.errors import ClipError


@pytest.fixture(scope="module")
def ride() -> Clip:
    horse = Horse()
    recorder = Recorder(horse.skeleton)
    for n in range(180):
        recorder.add(horse.step(Command(speed=4.0, turn=0.8 if n > 60 else 0.0)))
    return recorder.clip()


def bare(clip: Clip) -> Clip:
    """The same clip without the recorded track."""
    return Clip(clip.skeleton, clip.rotations, clip.origins, clip.fps)


def test_off_and_on_again_is_the_same_motion(ride: Clip) -> None:
    for clip in (ride, bare(ride)):
        assert np.allclose(with_motion(in_place(clip)).positions, clip.positions, atol=1e-9)
        assert np.allclose(with_motion(in_place(clip), track_of(clip)).positions, clip.positions, atol=1e-9)


def test_in_place_stays_over_the_root_and_faces_ahead(ride: Clip) -> None:
    still = in_place(ride)
    assert np.abs(still.origins[:, [0, 2]]).max() < 1e-6
    legs = ride.skeleton.legs
    ahead = still.positions[:, legs[0].top] - still.positions[:, legs[2].top]
    assert np.abs(np.arctan2(ahead[:, 0], ahead[:, 2])).max() < 0.2
    assert in_place(still) is still
    assert np.allclose(still.origins[:, 1], ride.origins[:, 1], atol=1e-9)


def test_the_track_is_found_without_a_record(ride: Clip) -> None:
    found, known = track_of(bare(ride)), track_of(ride)
    assert np.allclose(found.positions, known.positions, atol=1e-6)
    assert np.abs(found.yaw - known.yaw).max() < 0.1


def test_without_legs_the_root_joint_gives_the_heading(ride: Clip) -> None:
    plain = Clip(ride.skeleton.with_legs(()), ride.rotations, ride.origins, ride.fps)
    assert np.abs(track_of(plain).yaw - track_of(ride).yaw).max() < 0.1


def test_a_clip_that_never_travelled_needs_a_track(ride: Clip) -> None:
    with pytest.raises(ClipError, match="give a track"):
        with_motion(ride)


def test_a_track_of_another_length_is_refused(ride: Clip) -> None:
    with pytest.raises(ClipError, match="180 frames"):
        with_motion(in_place(ride), Track(np.zeros((3, 3)), np.zeros(3)))
