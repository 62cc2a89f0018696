"""Testing: the laws that every method keeps, for methods of this package and of others.

    from hoofbeat.testing import check_method
    check_method("metronome")  # AssertionError names the law that is broken, and how

A law is a function of a method, by name or made before; it returns nothing or raises AssertionError.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import NDArray

from hoofbeat.body.skeleton import LEGS, Skeleton
from hoofbeat.horse import Herd, Horse
from hoofbeat.maths import quat
from hoofbeat.methods.catalog import method_info
from hoofbeat.methods.method import Method
from hoofbeat.records import Command, Frame

#: What is ridden in most laws: speeds [m/s] and turns [rad/s] one after the other.
PLAN = ((2.5, 0.3), (4.8, -0.2), (8.0, 0.1), (1.0, 0.6), (0.0, 0.0))
#: Speeds of steady rides [m/s]; a slower method is held to its fastest.
SPEEDS = (1.6, 4.5, 8.0)
#: Time steps that commands come with [s], from a repeated frame to one that is split.
TIME_STEPS = (0.0, 0.001, 1 / 120, 1 / 60, 1 / 24, 0.1, 0.37)
#: A planted toe is this near to the ground, and no toe lower [m].
NEAR_GROUND = 0.002
#: A stance of so few frames is a blink, and this part of all stances at most may be one.
BLINK, MOST_BLINKS = 3, 0.02
#: No node of a body moves faster [m/s]: a hoof in a gallop does not.
FASTEST_NODE = 40.0
#: A step out of turn, which placement makes for any method, may turn a joint this fast [rad/s].
STEP_TURN = 12.0

#: A method by name, or one that was made.
AnyMethod = str | Method


def check_method(method: AnyMethod) -> None:
    """Hold a method, by name or made before, to every law; AssertionError names the first it breaks."""
    for name, law in LAWS.items():
        try:
            law(method)
        except AssertionError as broken:
            raise AssertionError(f"{_name_of(method)}: {name.replace('_', ' ')}: {broken}") from broken


def has_every_member(method: AnyMethod) -> None:
    """The ten members of the contract are there, and of the right kind."""
    made = method_info(method).make() if isinstance(method, str) else method
    assert isinstance(made.name, str) and made.name, f"`name` must be a name, is {made.name!r}"
    assert isinstance(made.skeleton, Skeleton), f"`skeleton` must be a Skeleton, is {made.skeleton!r:.60}"
    assert len(made.skeleton.legs) == len(LEGS), (
        f"`skeleton` must have four legs named, has {made.skeleton.legs}"
    )
    size = np.dtype(made.state_dtype).itemsize
    assert size > 0 and not np.dtype(made.state_dtype).hasobject, "`state_dtype` must be of a fixed size"
    for member in ("gaits", "actions"):
        names = getattr(made, member)
        assert isinstance(names, tuple) and names, f"`{member}` must be a tuple of names, is {names!r}"
        assert len(set(names)) == len(names), f"`{member}` has a name twice: {names}"
    assert made.gaits[0] == "stand", f"the first of `gaits` must be 'stand', is {made.gaits[0]!r}"
    bands = np.asarray(made.bands)
    assert bands.shape == (len(made.gaits), 2), (
        f"`bands` must be of shape ({len(made.gaits)}, 2), is {bands.shape}"
    )
    assert np.isfinite(bands).all() and (bands[:, 0] <= bands[:, 1]).all(), (
        f"`bands` must be [low, high]: {bands}"
    )
    assert math.isfinite(made.max_turn) and made.max_turn > 0, (
        f"`max_turn` must be over 0, is {made.max_turn}"
    )
    assert isinstance(made.extends, bool), f"`extends` must be True or False, is {made.extends!r}"
    for member in ("init", "step"):
        assert callable(getattr(made, member, None)), f"`{member}` must be a function"
    if isinstance(method, str):
        info = method_info(method)
        assert made.name == info.name, f"`name` is {made.name!r} and the catalog has {info.name!r}"
        assert set(made.gaits) == set(info.gaits), f"`gaits` are {made.gaits}, the catalog has {info.gaits}"


def is_determined(method: AnyMethod) -> None:
    """The same seed and commands give the same bits."""
    first, second = (_positions(Herd(3, method, seed=7), 1.0) for _ in range(2))
    same = [a == b for a, b in zip(first, second, strict=True)]
    assert all(same), f"two herds of one seed differ from frame {same.index(False)} on"


def makes_a_herd_of_lone_horses(method: AnyMethod) -> None:
    """A member of a herd moves as it would alone, and as in another herd."""
    speeds = np.array([1.0, 3.0, 5.0, 9.0])
    herd = Herd(len(speeds), method, seed=3)
    alone = Horse(method, seed=3)  # a lone horse is member 0
    for n in range(360):
        speed = np.roll(speeds, n // 90)
        frame = herd.step(Command(speed=speed, turn=0.2))
        one = alone.step(Command(speed=float(speed[0]), turn=0.2))
        for part in ("positions", "rotations"):
            same = np.array_equal(getattr(one, part), getattr(frame, part)[0])
            assert same, f"{part} of member 0 of a herd differ from a lone horse's at frame {n}"
    larger = Herd(len(speeds) + 2, method, seed=3)
    smaller = Herd(len(speeds), method, seed=3)
    for n in range(120):
        big, small = larger.step(Command(speed=3.0)), smaller.step(Command(speed=3.0))
        same = np.array_equal(big.positions[: len(speeds)], small.positions)
        assert same, f"members move otherwise in a larger herd, at frame {n}"


def keeps_rotations_unit(method: AnyMethod) -> None:
    """Numbers are finite and local rotations have length 1."""
    herd = Herd(2, method)
    for speed, turn in PLAN:
        for n in range(90):
            frame = herd.step(Command(speed=speed, turn=turn))
            assert np.isfinite(frame.positions).all(), f"a position is not finite at {speed} m/s, frame {n}"
            off = np.abs(np.linalg.norm(frame.rotations, axis=-1) - 1)
            joint = herd.skeleton.names[int(off.max(axis=0).argmax())]
            assert off.max() < 1e-5, f"the rotation of {joint!r} has a length off by {off.max():.2g}"


def goes_as_far_at_any_rate(method: AnyMethod) -> None:
    """The same distance at 30, 60 and 120 steps a second, within 1 %."""
    for speed in _speeds(method):
        ends = []
        for rate in (30, 60, 120):
            horse = Horse(method)
            for _ in range(10 * rate):
                horse.step(Command(speed=speed), 1 / rate)
            ends.append(float(horse.frame().root.position[2]))
        assert np.ptp(ends) < 0.01 * ends[1], f"at {speed:g} m/s 10 s lead {ends} m far at 30, 60 and 120 Hz"


def keeps_bones_rigid(method: AnyMethod) -> None:
    """Bones keep the length they have at rest."""
    horse = _settled(method, 5.0)
    frame, skeleton = horse.step(Command(speed=5.0)), horse.skeleton
    bones = frame.positions[1:] - frame.positions[skeleton.parents[1:]]
    off = np.abs(np.linalg.norm(bones, axis=1) - np.linalg.norm(skeleton.offsets[1:], axis=1))
    assert off.max() < 1e-4, (
        f"the bone to {skeleton.names[int(off.argmax()) + 1]!r} is off by {off.max():.2g} m"
    )


def stands_when_standing(method: AnyMethod) -> None:
    """Without a command it stands where it is, on four feet."""
    horse = Horse(method)
    first = last = horse.frame()
    for _ in range(300):
        last = horse.step(Command())
    moved = np.abs(last.positions - first.positions).max()
    assert moved < 0.02, f"a node of a standing animal moved by {moved:.3g} m in 5 s"
    assert last.contacts.all(), f"not all feet of a standing animal are down: {last.contacts}"
    assert last.gait == "stand" and not last.airborne, f"it stands in gait {last.gait!r}"


def sets_feet_down_for_good(method: AnyMethod) -> None:
    """No foot touches the ground for a blink, on the spot and in turns tighter than the legs reach."""
    for speed, turn in ((0.0, 0.5), (1.0, 0.9), (1.6, 0.6)):
        herd = Herd(4, method, seed=2)
        speeds = np.array([speed, speed, 0.8 * speed, speed])
        command = Command(speed=speeds, turn=np.array([1, -1, 1, 0.7]) * turn)
        down = np.array([herd.step(command).contacts > 0.5 for _ in range(900)])[240:]
        lengths = _stances(down.reshape(len(down), -1))
        where = f"at {speed:g} m/s and {turn:g} rad/s"
        assert len(lengths) > 20, f"{where} feet are set down {len(lengths)} times in 11 s by four animals"
        blinks = float(np.mean(np.array(lengths) <= BLINK))
        assert blinks < MOST_BLINKS, f"{where} {blinks:.0%} of the stances last {BLINK} frames or fewer"


def has_contacts_where_feet_are_low(method: AnyMethod) -> None:
    """Planted toes are on the ground, none is in it, and none is planted in the air."""
    for speed in _speeds(method):
        horse = _settled(method, speed)
        toes = [leg.toe for leg in horse.skeleton.legs]
        for n in range(180):
            frame = horse.step(Command(speed=speed))
            heights, down = frame.positions[toes, 1], frame.contacts > 0.5
            where = f"at {speed:g} m/s, frame {n}"
            off = np.abs(heights[down]).max(initial=0.0)
            assert off < NEAR_GROUND, f"a planted toe is {off:.2g} m from the ground {where}"
            assert heights.min() > -NEAR_GROUND, f"a toe is {-heights.min():.2g} m in the ground {where}"
            assert not (frame.airborne and down.any()), f"a foot is planted in the air {where}"


def survives_any_command(method: AnyMethod) -> None:
    """No finite command and no time step breaks it."""
    rng = np.random.default_rng(11)
    for _ in range(8):
        count = int(rng.integers(1, 40))
        sizes = 10.0 ** rng.uniform(-3, 9, (count, 2)) * rng.choice((-1, 1), (count, 2))
        steps = rng.choice(TIME_STEPS, count)
        ride_soundly(method, ((s, t, dt) for (s, t), dt in zip(sizes.tolist(), steps.tolist(), strict=True)))


def ride_soundly(method: AnyMethod, commands: Iterable[tuple[float, float, float]]) -> None:
    """Ride (speed [m/s], turn [rad/s], dt [s]) and hold that every frame can be shown."""
    horse = Horse(method)
    for n, (speed, turn, dt) in enumerate(commands):
        frame = horse.step(Command(speed=speed, turn=turn), dt)
        where = f"after speed={speed!r}, turn={turn!r}, dt={dt!r}, step {n}"
        finite = np.isfinite(frame.positions).all() and np.isfinite(frame.rotations).all()
        assert finite, f"a number is not finite {where}"
        assert frame.positions[:, 1].min() > -0.2, (
            f"a node is {-frame.positions[:, 1].min():.2g} m down {where}"
        )
        assert ((frame.phase >= 0) & (frame.phase < 1)).all(), (
            f"phases {frame.phase} are not in [0, 1) {where}"
        )


def goes_on_from_a_snapshot(method: AnyMethod) -> None:
    """A restored snapshot goes on the same: no memory is kept elsewhere."""
    horse = _settled(method, 6.0, 0.3)
    kept = horse.snapshot()

    def on() -> list[bytes]:
        return [horse.step(Command(speed=2.0, turn=-0.4)).positions.tobytes() for _ in range(120)]

    first = on()
    horse.restore(kept)
    same = [a == b for a, b in zip(first, on(), strict=True)]
    assert all(same), f"frame {same.index(False)} after a restored snapshot differs"


def never_jumps(method: AnyMethod, count: int = 60, seconds: int = 30, seed: int = 5) -> None:
    """Under random commands no node jumps, no toe sinks, and no joint turns much faster than in a gallop."""
    most = max(1.5 * _fastest_joint(method), STEP_TURN / 60)
    herd = Herd(count, method, seed=seed)
    toes = [leg.toe for leg in herd.skeleton.legs]
    rng = np.random.default_rng(seed)
    before, pose = np.array(herd.frame().positions), np.array(herd.frame().rotations)
    speed = turn = np.zeros(count)
    for n in range(60 * seconds):
        if n % 45 == 0:
            speed, turn = rng.uniform(0, 10, count) * (rng.random(count) > 0.2), rng.uniform(-1, 1, count)
        frame = herd.step(Command(speed=speed, turn=turn))
        lowest = frame.positions[:, toes, 1].min()
        assert lowest > -NEAR_GROUND, f"a toe is {-lowest:.2g} m in the ground at frame {n}"
        moved = np.linalg.norm(frame.positions - before, axis=-1).max()
        assert moved < FASTEST_NODE / 60, f"a node jumps by {moved:.2g} m at frame {n}"
        turned = quat.angle(pose, frame.rotations).max()
        assert turned < most, f"a joint turns by {turned:.2g} rad at frame {n}, at most {most:.2g} are smooth"
        before, pose = np.array(frame.positions), np.array(frame.rotations)


#: Every law by name, quick ones first.
LAWS: dict[str, Callable[[AnyMethod], None]] = {
    law.__name__: law
    for law in (
        has_every_member,
        stands_when_standing,
        is_determined,
        makes_a_herd_of_lone_horses,
        keeps_rotations_unit,
        keeps_bones_rigid,
        goes_on_from_a_snapshot,
        survives_any_command,
        has_contacts_where_feet_are_low,
        goes_as_far_at_any_rate,
        sets_feet_down_for_good,
        never_jumps,
    )
}


def _name_of(method: AnyMethod) -> str:
    return method if isinstance(method, str) else method.name


def _speeds(method: AnyMethod) -> list[float]:
    """The speeds of steady rides that the method reaches [m/s]."""
    fastest = float(Herd(0, method).bands[:, 1].max())
    return sorted({min(speed, fastest) for speed in SPEEDS})


def _positions(herd: Herd, seconds_each: float) -> list[bytes]:
    """Bytes of the positions along the plan."""
    found: list[bytes] = []
    for speed, turn in PLAN:
        for _ in range(round(seconds_each * 60)):
            found.append(herd.step(Command(speed=speed, turn=turn)).positions.tobytes())
    return found


def _settled(method: AnyMethod, speed: float, turn: float = 0.0) -> Horse:
    """A horse that has reached a speed: 3 s of settling after the time that its acceleration needs."""
    horse = Horse(method)
    for _ in range(round(60 * (3.0 + speed / 3.0))):
        horse.step(Command(speed=speed, turn=turn))
    return horse


def _fastest_joint(method: AnyMethod) -> float:
    """How far a joint turns at most in a frame of steady fast motion [rad]."""
    horse = _settled(method, 9.4)
    frames: list[Frame] = [horse.step(Command(speed=9.4)) for _ in range(180)]
    poses = np.array([frame.rotations for frame in frames], np.float64)
    return float(quat.angle(poses[1:], poses[:-1]).max())


def _stances(down: NDArray[np.bool_]) -> list[int]:
    """Lengths [frames] of the whole stances in (T, feet)."""
    lengths: list[int] = []
    for foot in down.T:
        edges = np.flatnonzero(np.diff(foot.astype(np.int8)))
        if len(edges) > 1:
            first = 0 if foot[edges[0] + 1] else 1
            lengths += np.diff(edges)[first::2].tolist()
    return lengths
