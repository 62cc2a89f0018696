"""Horse and Herd: characters that step. A Horse is a herd of one."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Sequence
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hoofbeat.body.legs.anatomy import leg_table
from hoofbeat.body.size import HeightError, Size, checked_height, withers_height
from hoofbeat.body.skeleton import Skeleton
from hoofbeat.body.trunk import Upright, bent_by_ground, trunk_table
from hoofbeat.commands import Reader
from hoofbeat.errors import HoofbeatError, TimeStepError
from hoofbeat.maths.fk import Tree
from hoofbeat.maths.jit import bind
from hoofbeat.methods.catalog import DEFAULT, method_info
from hoofbeat.methods.layer import Layer, Obstacles
from hoofbeat.methods.method import Method, begins_by_kernel, is_bindable, stand_still
from hoofbeat.records import COMMAND, LAYOUT_VERSION, SENSE, STEP, Command, Frame, Steps
from hoofbeat.world.limits import MOST, fill_frames, prepare_step
from hoofbeat.world.moment import Block
from hoofbeat.world.placement import place, place_uneven
from hoofbeat.world.program import Program, Stages, Workings
from hoofbeat.world.rows import WORLD, Body, WorldSetting, make_scratch
from hoofbeat.world.snapshot import Snapshot
from hoofbeat.world.terrain import FLAT, Terrain

#: No herd is larger: about 3 kB a character.
MAX_CHARACTERS = 1_000_000
#: Kernels take a seed as an int64.
MOST_SEED = 1 << 63

#: No rotation, xyzw.
IDENTITY = np.array([0, 0, 0, 1], np.float32)


class Herd:
    """N characters of one method that step together, each the same as it would be alone.

    method: a name of `hoofbeat.methods.catalog`, or a method that was made before; scene: a file of the
    method's own, as a scene file for `actions` (None = the shipped one);
    terrain: a name or a Terrain; lock=False leaves feet unheld, as the thesis did; height: of the withers
    [m], None = the method's own animal; positions (N, 2) [m] (x, z) and headings (N,) [rad] say where they
    start. An animal of another height moves as the method's own would, larger and in its own time.
    layers change what the method asks for before it is placed, first to last; obstacles is what stands in
    the way. options: what the method itself can be told by name (docs/methods.md).
    """

    def __init__(
        self,
        count: int,
        method: str | Method = DEFAULT,
        seed: int = 0,
        *,
        scene: str | PathLike[str] | None = None,
        terrain: str | Terrain = "flat",
        lock: bool = True,
        height: float | None = None,
        positions: Any = None,
        headings: Any = None,
        layers: Sequence[Layer] = (),
        obstacles: Obstacles | None = None,
        **options: Any,
    ) -> None:
        self._made = {
            "count": count,
            "method": method,
            "seed": seed,
            "terrain": terrain,
            "lock": lock,
            "height": height,
            "layers": layers,
            "obstacles": obstacles,
        }
        self._options = {"scene": scene, **options}
        if not (isinstance(count, int) and 0 <= count <= MAX_CHARACTERS):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise HoofbeatError(f"a herd has 0 to {MAX_CHARACTERS} characters, given {count}")
        self.terrain = Terrain.named(terrain) if isinstance(terrain, str) else terrain
        self.method: Method = (
            method_info(method).make(scene, **options) if isinstance(method, str) else method
        )
        own = self.method.skeleton
        self._size = Size() if height is None else Size(checked_height(height) / _withers_of(self.method))
        self.skeleton: Skeleton = own if self._size.own else own.scaled(self._size.factor)
        self.seed = int(seed)
        if not -MOST_SEED <= self.seed < MOST_SEED:
            raise HoofbeatError(f"a seed is a whole number from -2**63 to 2**63 - 1, given {seed}")
        self._reader = Reader(self.method, self._size)
        self._make_memory(count, own, bool(lock))
        ids = np.arange(count, dtype=np.int64)
        self.method.init(self._state, ids, self.seed)
        self._obstacles = obstacles
        self._layers = tuple((layer, np.zeros(count, layer.state_dtype)) for layer in layers)
        for layer, state in self._layers:
            layer.init(state, ids, self.seed)
        self._stages = self._bound_stages()
        plain = not layers and obstacles is None and count > 0
        memory = (self._steps.rotations, self._bent, self._steps.rows, self._block.rows)
        self._program = Program.of(self._stages, *memory) if plain else None
        self._put(positions, headings)
        self._settle()

    def _make_memory(self, count: int, own: Skeleton, lock: bool) -> None:
        """The ground, the animal and the rows of N characters as kernels take them."""
        # From here to the frames all is the method's own animal; only what goes in and out is scaled.
        level = self.terrain.kind == FLAT
        self._trunk = None if level else _trunk_of(self.method)
        self._bent = np.zeros(0, np.int64) if self._trunk is None else bent_by_ground(self._trunk)
        self._terrain = self.terrain if self._size.own else self.terrain.scaled(1 / self._size.factor)
        tree = Tree(own.parents, own.offsets.astype(np.float32))
        self._setting = WorldSetting(
            Body(tree, leg_table(own)), self._terrain.ground, lock, make_scratch(len(own))
        )
        self._block = Block(count, len(own), self.method.gaits)
        self._steps = Steps(self._block.rotations, np.zeros(count, STEP))
        self._steps.rotations[:] = IDENTITY
        self._commands = np.zeros(count, COMMAND)
        self._senses = np.zeros(count, SENSE)
        shown = self._block.positions
        self._positions = shown if self._size.own else np.zeros_like(shown)
        self._state = np.zeros(count, self.method.state_dtype)
        self._world = np.zeros(count, WORLD)

    def _bound_stages(self) -> Stages:
        """The kernels of a step with this herd's memory."""
        steps, factor = self._steps, self._size.factor
        world, senses, positions = self._world, self._senses, self._positions
        moving = (world, 0.0, steps.rotations, steps.rows, senses, positions)
        seen = (world, steps.rows, senses, self._commands, positions, self._block.positions, self._block.rows)
        level = self._trunk is None
        return Stages(
            bind(prepare_step, self._reader.limits, factor, 0.0, self._commands, vary=2),
            self._method_stage(),
            bind(place if level else place_uneven, self._setting, self._trunk, *moving, vary=3),
            bind(fill_frames, factor, *seen),
        )

    def _method_stage(self) -> Callable[[float], Any]:
        """The method's step with this herd's memory."""
        method, steps = self.method, self._steps
        memory = (self._state, self._commands, self._senses)
        if is_bindable(method):
            return method.bind(*memory, steps)
        return lambda dt: method.step(*memory, dt, steps)

    def _put(self, positions: Any, headings: Any) -> None:
        """Start places and headings, feet not yet planted."""
        self._world["stepping"] = -1
        if positions is not None:
            self._world["position"][:, [0, 2]] = _placed("positions", positions, (len(self), 2))
            self._world["position"] /= self._size.factor
        if headings is not None:
            self._world["yaw"] = _placed("headings", headings, (len(self),))

    def _settle(self) -> None:
        """Put the feet down where the standing pose has them, without time passing."""
        self._commands[:] = self._reader.standing
        self._senses["yaw"] = self._world["yaw"]
        self._advance(0.0)
        if self._trunk is not None:
            self._advance(0.0)  # now that it is known how low it stands
        self._stages.frames()

    def __reduce__(self) -> tuple[Any, ...]:
        # Compiled code holds addresses of this herd's memory, so that a copy is a herd made again.
        return Herd._made_again, (self._made | self._options, self.snapshot(), self._commands.copy())

    def __deepcopy__(self, memo: dict[int, Any]) -> Herd:
        # Methods remember nothing of a herd and are shared.
        return Herd._made_again(self._made | {"method": self.method}, self.snapshot(), self._commands)

    @staticmethod
    def _made_again(made: dict[str, Any], snapshot: Snapshot, commands: NDArray[Any]) -> Herd:
        """A herd of the same making, at the moment of a snapshot and under the same COMMAND rows."""
        herd = Herd(**made)
        herd._commands[:] = commands
        herd.restore(snapshot)
        return herd

    def __len__(self) -> int:
        return len(self._state)

    def __repr__(self) -> str:
        return f"Herd({len(self)} of method {self.method.name}, gaits {', '.join(self.gaits)})"

    @property
    def gaits(self) -> tuple[str, ...]:
        """Names that `Command.gait` may pin, slowest first."""
        return self.method.gaits

    @property
    def height(self) -> float:
        """Height of the withers at rest [m]."""
        return _withers_of(self.method) * self._size.factor

    @property
    def bands(self) -> NDArray[np.float64]:
        """Speeds [m/s] (len(gaits), 2) that each gait is held to when it is pinned."""
        return self._reader.limits.bands

    def held(self, command: Command) -> NDArray[Any]:
        """Rows (N,) of records.COMMAND: a command within what this animal can do. Nothing is changed."""
        rows = np.zeros(len(self), COMMAND)
        self._reader.read(command, rows)
        self._reader.hold(rows)
        return rows

    def step(self, command: Command | NDArray[Any], dt: float = 1 / 60) -> Frame:
        """Advance by dt [s] under one command for all, or one with arrays of N; returns views.

        The frame's arrays are read-only and valid until the next step. Values out of range are
        clamped and `frame.clamped` says which; NaN or infinity raises and changes nothing.
        """
        self.advance(command, dt)
        return self.frame()

    def advance(self, command: Command | NDArray[Any], dt: float) -> None:
        """`step` without making a frame."""
        if not _is_time(dt):
            raise TimeStepError(f"dt must be a finite number of seconds, 0 or more, given {dt!r:.60}")
        self._reader.read(command, self._commands)
        if dt > MOST:
            warnings.warn(
                f"dt is in seconds: {dt:g} is held to {MOST:g}; for milliseconds give dt={dt / 1000:g}",
                UserWarning,
                stacklevel=3,
            )
        if self._program is not None:
            self._program.run(dt)
        else:
            self._run_stages(dt)

    def _run_stages(self, dt: float) -> None:
        """What a Program does, stage by stage, with layers and obstacles between."""
        parts, part = self._stages.prepare(float(dt))
        events, rows = 0, self._steps.rows
        for _ in range(parts):
            self._advance(part)
            events = rows["events"] = events | rows["events"]
        self._stages.frames()

    def _advance(self, dt: float) -> None:
        steps = self._steps
        # What uneven ground turned in the last step is no part of the method's pose, nor what layers turned.
        steps.rotations[:, slice(None) if self._layers else self._bent] = IDENTITY
        self._stages.method(dt)
        for layer, state in self._layers:
            layer.apply(state, self._commands, self._senses, dt, steps)
        self._stages.place(dt)
        if self._obstacles is not None:
            self._obstacles.sense(self._world, self._senses)

    def frame(self) -> Frame:
        """The present moment, as `step` returned it."""
        return Frame.of(self._block.herd())

    def alone(self) -> Frame:
        """The first character as a lone horse's frame: no leading N, arrays copied."""
        return Frame.of(self._block.horse())

    def feet(self) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Toes (N, 4, 3) [m], character space: where the method wants each, and how far off it is held.

        The second is what foot locks and steps out of turn do; where nothing is locked it dies away.
        """
        factor = np.float32(self._size.factor)
        return self._steps.rows["foot"] * factor, self._world["offset"] * factor

    def move_to(self, positions: Any, headings: Any) -> None:
        """Put the characters elsewhere as they are, in the middle of a stride: positions (N, 2) [m] (x, z) of
        the root and headings (N,) [rad]. What is planted stays planted, under the new place."""
        world = self._world
        place = _placed("positions", positions, (len(self), 2)) / self._size.factor
        turn = _placed("headings", headings, (len(self),)) - world["yaw"]
        before, after = world["position"].copy(), world["position"].copy()
        after[:, [0, 2]] = place
        if self._trunk is not None:
            after[:, 1] = self._terrain.heights(after[:, 0], after[:, 2])
        world["yaw"] += turn
        self._senses["yaw"] = world["yaw"]
        world["sine"], world["cosine"] = np.sin(world["yaw"]), np.cos(world["yaw"])
        world["velocity"] = _turned(world["velocity"], turn)
        world["lock"] = after[:, None] + _turned(world["lock"] - before[:, None], turn)
        world["lock_yaw"] += turn[:, None]
        self._positions[:] = after[:, None] + _turned(self._positions - before[:, None], turn)
        world["position"] = after
        self._stages.frames()

    def _memory(self) -> tuple[NDArray[Any], ...]:
        """Every array that the next step or the present frame depends on."""
        steps = self._steps
        layers = tuple(state for _, state in self._layers)
        return (self._state, self._world, self._senses, self._positions, steps.rotations, steps.rows, *layers)

    def workings(self) -> Workings:
        """Kernels and memory, for tables of the core library; see `hoofbeat core export`."""
        if self._layers or self._obstacles is not None:
            raise HoofbeatError("layers and obstacles run in Python and cannot be exported; leave them out")
        method = self.method
        if not (is_bindable(method) and begins_by_kernel(method)):
            raise HoofbeatError(f"method {self.method.name} is not made of kernels and cannot be exported")
        steps, block, ids = self._steps, self._block, np.arange(len(self), dtype=np.int64)
        rows: dict[str, NDArray[Any]] = {"STATE": self._state, "COMMANDS": self._commands, "IDS": ids}
        rows |= {"SENSES": self._senses, "WORLD": self._world, "STEPS": steps.rows, "FRAMES": block.rows}
        rows |= {"POSITIONS": self._positions, "ROTATIONS": steps.rotations}
        if not self._size.own:
            rows["SHOWN"] = block.positions
        begin = method.bind_init(self._state, ids, self.seed)
        again, scratch = self._method_stage(), self._setting.scratch
        return Workings(self._stages, again, begin, rows, scratch, self._bent, self._trunk is not None)

    def snapshot(self) -> Snapshot:
        """All memory, copied: give it to `restore` to go back. Equal bytes are equal futures."""
        return Snapshot.of(self._memory())

    def restore(self, snapshot: Snapshot) -> None:
        """Go back to a snapshot of a herd of the same number, method and height."""
        parts, kept = self._memory(), snapshot.arrays
        if snapshot.layout != LAYOUT_VERSION:
            raise HoofbeatError(
                f"this snapshot has layout {snapshot.layout}, this hoofbeat reads {LAYOUT_VERSION}: "
                "snapshots are for the version that made them"
            )
        if len(kept) != len(parts) or any(a.shape != b.shape for a, b in zip(parts, kept, strict=True)):
            raise HoofbeatError("this snapshot is of another herd: size and method must be the same")
        for part, own in zip(parts, kept, strict=True):
            part.reshape(-1).view(np.uint8)[:] = own.reshape(-1).view(np.uint8)
        self._stages.frames()


class Horse:
    """One character. Same arguments as Herd, and frames without the leading N, copied."""

    def __init__(
        self,
        method: str | Method = DEFAULT,
        seed: int = 0,
        *,
        scene: str | PathLike[str] | None = None,
        terrain: str | Terrain = "flat",
        lock: bool = True,
        height: float | None = None,
        layers: Sequence[Layer] = (),
        obstacles: Obstacles | None = None,
        **options: Any,
    ) -> None:
        world: dict[str, Any] = {"terrain": terrain, "lock": lock, "height": height, "obstacles": obstacles}
        self._herd = Herd(1, method, seed, scene=scene, layers=layers, **world, **options)
        self.skeleton = self._herd.skeleton

    def __repr__(self) -> str:
        return f"Horse(method {self._herd.method.name}, now {self.frame()!r})"

    @property
    def method(self) -> str:
        """Name of the method that moves it."""
        return self._herd.method.name

    @property
    def gaits(self) -> tuple[str, ...]:
        """Names that `Command.gait` may pin, slowest first."""
        return self._herd.gaits

    @property
    def height(self) -> float:
        """Height of the withers at rest [m]."""
        return self._herd.height

    def step(self, command: Command, dt: float = 1 / 60) -> Frame:
        """Advance by dt [s]; see `Herd.step`. The frame's arrays are copies and stay valid."""
        self._herd.advance(command, dt)
        return self.frame()

    def frame(self) -> Frame:
        """The present moment."""
        return self._herd.alone()

    def snapshot(self) -> Snapshot:
        """All memory, copied; see `Herd.snapshot`."""
        return self._herd.snapshot()

    def restore(self, snapshot: Snapshot) -> None:
        """Go back to a snapshot."""
        self._herd.restore(snapshot)


def _trunk_of(method: Method) -> NDArray[Any]:
    """What carries the legs of a method's animal, as it stands."""
    return trunk_table(method.skeleton, _upright(method))


def _withers_of(method: Method) -> float:
    """Withers height [m] of a method's own animal: at rest, or as it stands where its rest pose does not."""
    try:
        return withers_height(method.skeleton)
    except HeightError:
        return withers_height(method.skeleton, _upright(method).positions)


def _upright(method: Method) -> Upright:
    """A method's animal as it stands."""
    _, steps = stand_still(method)
    return Upright.of(method.skeleton, steps.rotations[0], steps.rows[0]["foot"])


def _is_time(dt: object) -> bool:
    """A finite number of seconds, 0 or more; not a whole number beyond every float."""
    return isinstance(dt, int | float) and 0 <= dt <= sys.float_info.max


def _placed(name: str, given: Any, shape: tuple[int, ...]) -> NDArray[np.float64]:
    """Start places or headings, checked."""
    try:
        array = np.asarray(given, np.float64)
    except (TypeError, ValueError, OverflowError):
        raise HoofbeatError(f"{name}: expected numbers of shape {shape}, given {given!r}") from None
    if array.shape != shape or not np.isfinite(array).all():
        raise HoofbeatError(f"{name}: expected finite numbers of shape {shape}, given shape {array.shape}")
    return array


def _turned(vectors: NDArray[np.float64], angles: NDArray[np.float64]) -> NDArray[np.float64]:
    """Vectors (N, ..., 3) turned about the vertical by angles (N,) [rad], left positive."""
    angle = angles.reshape((-1,) + (1,) * (vectors.ndim - 2))
    s, c = np.sin(angle), np.cos(angle)
    x, z = vectors[..., 0], vectors[..., 2]
    return np.stack([c * x + s * z, vectors[..., 1], c * z - s * x], axis=-1)
