"""Training: an ensemble of networks on samples that lie whole on the device (N4).

On a graphics card a step of a small batch is too short for the processor to launch its kernels in time, so
that steps are captured once as a CUDA graph and replayed. Everything random follows from seed and epoch: a
run that goes on from a checkpoint goes on as it would have.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from time import perf_counter
from typing import Any

import numpy as np
import torch
from torch import Tensor, distributed

from hoofbeat.methods.neural.network.layout import JOINT, JOINT_VELOCITY, POSE, STEP, Layout
from hoofbeat.offline.neural.data.samples import Samples
from hoofbeat.offline.neural.training.network import NetworkShape, Weights, coefficients, fresh, predict_batch
from hoofbeat.offline.neural.training.schedule import Schedule

#: Steps that one replay does on a graphics card.
CHUNK = 8
#: Rows of the test that are predicted at once.
TEST_ROWS = 4096


@dataclass(frozen=True)
class TrainingSettings:
    """How an ensemble is trained. seeds: one for each member; drop: part of the units left out.

    rollout: over how many frames a network goes on from its own poses in training; 1 = none, as in the paper.
    It grows to that with each restart, so that the first run learns single frames.
    feet, root: how many times as much as of other columns errors of the toes' places and velocities and of
    the root's velocity count: few columns, but those that one sees when a foot slides. 1 = as in the paper.
    """

    kind: str = "mann"
    experts: int = 8
    hidden: int = 512
    epochs: int = 150
    batch: int = 32
    drop: float = 0.3
    rate: float = 1e-4
    decay: float = 2.5e-3
    seeds: tuple[int, ...] = (0,)
    rollout: int = 1
    feet: float = 1.0
    root: float = 1.0
    device: str = "cpu"

    @property
    def schedule(self) -> Schedule:
        """Its learning rates."""
        return Schedule(self.rate, self.decay)

    def as_json(self) -> dict[str, Any]:
        """Plain values, for files."""
        return {**asdict(self), "seeds": list(self.seeds)}


@dataclass(frozen=True)
class Epoch:
    """How an epoch went: mean squared error of each member in training and on the test rows; seconds."""

    number: int
    train: tuple[float, ...]
    test: tuple[float, ...]
    seconds: float


def column_weights(layout: Layout, outputs: int, feet: float, root: float) -> np.ndarray:
    """How much the errors of each of `outputs` columns count (outputs,), 1 in the mean; see
    `TrainingSettings`."""
    weights = np.ones(outputs, np.float32)
    columns = np.arange(layout.outputs.size)
    for block in (JOINT, JOINT_VELOCITY):
        weights[layout.outputs.view(columns, block)[list(layout.feet)]] = feet
    weights[layout.outputs.part(STEP)] = root
    return weights / weights.mean()


class Feedback:
    """How a predicted pose becomes part of the next input: same blocks, other scale, one after another."""

    def __init__(self, scale: Tensor, shift: Tensor, inward: slice, outward: slice) -> None:
        self.scale, self.shift, self.inward, self.outward = scale, shift, inward, outward

    @staticmethod
    def of(samples: Samples, device: torch.device) -> Feedback:
        """The map from outputs to inputs of these samples' scales."""
        layout = Layout.of(samples.rig)
        parts = [
            slice(blocks.part(POSE[0]).start, blocks.part(POSE[-1]).stop)
            for blocks in (layout.inputs, layout.outputs)
        ]
        a, b = samples.inward, samples.outward
        scale = b.spread[parts[1]] / a.spread[parts[0]]
        shift = (b.mean[parts[1]] - a.mean[parts[0]]) / a.spread[parts[0]]
        return Feedback(torch.from_numpy(scale).to(device), torch.from_numpy(shift).to(device), *parts)

    def next(self, x: Tensor, y: Tensor) -> Tensor:
        """Inputs x (S, B, n) with the pose that y (S, B, m) predicts; the trajectory stays the recorded
        one."""
        pose = y[..., self.outward] * self.scale + self.shift
        return torch.cat([x[..., : self.inward.start], pose, x[..., self.inward.stop :]], dim=-1)


class Training:
    """An ensemble in training; `weights`, `moments` and `done` are all that a checkpoint needs."""

    def __init__(self, samples: Samples, settings: TrainingSettings) -> None:
        self.settings = settings
        self.device = torch.device(settings.device)
        layout = Layout.of(samples.rig)
        self.shape = NetworkShape(
            settings.kind,
            settings.experts,
            samples.x.shape[1],
            samples.y.shape[1],
            len(layout.gating),
            settings.hidden,
        )
        if self.device.type == "cuda":
            torch.set_float32_matmul_precision("high")  # tf32: 10 bits are far finer than the data's noise
        self.x, self.y, self.phase = (
            torch.from_numpy(rows).to(self.device) for rows in (samples.x, samples.y, samples.phase)
        )
        self.gating = torch.from_numpy(layout.gating).to(self.device)
        self.shown = torch.from_numpy(samples.shown[samples.ahead[samples.shown] >= settings.rollout])
        self._feed = Feedback.of(samples, self.device)
        self._columns: Tensor | None = None
        if (settings.feet, settings.root) != (1.0, 1.0):
            counts = column_weights(layout, samples.y.shape[1], settings.feet, settings.root)
            self._columns = torch.from_numpy(counts).to(self.device)
        self.test = torch.from_numpy(samples.test).to(self.device)
        self.weights = {
            name: value.to(self.device).requires_grad_()
            for name, value in fresh(self.shape, list(settings.seeds)).items()
        }
        self.ranks = distributed.get_world_size() if distributed.is_initialized() else 1
        self.rank = distributed.get_rank() if self.ranks > 1 else 0
        self.done = 0
        self.steps = max(1, math.ceil(len(self.shown) / settings.batch))
        self._optimizer = self._make_optimizer()
        self._order = torch.zeros(
            self.steps, len(settings.seeds), settings.batch, dtype=torch.long, device=self.device
        )
        self._rates = torch.zeros(self.steps, device=self.device)
        self._count = torch.zeros(1, dtype=torch.long, device=self.device)
        self._losses = torch.zeros(len(settings.seeds), device=self.device)
        self._graphs: dict[int, torch.cuda.CUDAGraph] = {}
        self._captured = -1

    def _make_optimizer(self) -> torch.optim.AdamW:
        cuda = self.device.type == "cuda"
        rate: Any = torch.tensor(self.settings.rate, device=self.device) if cuda else self.settings.rate
        return torch.optim.AdamW(
            list(self.weights.values()), lr=rate, betas=(0.9, 0.999), fused=True, capturable=cuda
        )

    def epochs(self) -> Iterator[Epoch]:
        """Train epoch after epoch, from the one after the last done to the last of the settings."""
        while self.done < self.settings.epochs:
            start = perf_counter()
            self._prepare(self.done)
            self._run()
            train = tuple((self._losses / self.steps).tolist())
            test = self.tested()
            self.done += 1
            yield Epoch(self.done, train, test, perf_counter() - start)

    def _prepare(self, epoch: int) -> None:
        """Order of the samples for each member, learning rates, and the state of chance."""
        batch, steps = self.settings.batch, self.steps
        orders = []
        for seed in self.settings.seeds:
            generator = torch.Generator().manual_seed(1_000_003 * (seed + 1) + epoch)
            order = torch.randperm(len(self.shown), generator=generator)
            # The last batch is filled up from the start of the same order.
            fill = order[torch.arange(steps * batch - len(order)) % len(order)]
            orders.append(self.shown[torch.cat([order, fill])].view(steps, 1, batch))
        self._order.copy_(torch.cat(orders, dim=1))
        schedule = self.settings.schedule
        shares = [schedule.rate * schedule.share(epoch, k / steps) for k in range(steps)]
        self._rates.copy_(torch.tensor(shares))
        self._optimizer.param_groups[0]["weight_decay"] = schedule.shrink(epoch, steps)
        torch.manual_seed(sum(self.settings.seeds) * 7919 + epoch * self.ranks + self.rank)
        self._count.zero_()
        self._losses.zero_()

    def _run(self) -> None:
        if self.device.type != "cuda" or self.ranks > 1:
            for _ in range(self.steps):
                self._step()
            return
        run, _ = self.settings.schedule.run_of(self.done)
        if run != self._captured:  # the weight decay of a run is part of what is captured
            self._capture(run)
        whole, rest = divmod(self.steps, CHUNK)
        for _ in range(whole):
            self._graphs[CHUNK].replay()
        for _ in range(rest):
            self._graphs[1].replay()
        torch.cuda.synchronize()

    def _capture(self, run: int) -> None:
        """Capture one step and a chunk of steps; what the trial steps changed is put back."""
        kept = {k: v.detach().clone() for k, v in self.weights.items()}
        moments = self.moments()
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(3):
                self._step()
        torch.cuda.current_stream().wait_stream(side)
        for steps in (1, CHUNK):
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph):
                for _ in range(steps):
                    self._step()
            self._graphs[steps] = graph
        self.restore(kept, moments)
        self._captured = run
        self._prepare(self.done)

    def _step(self) -> None:
        chosen = self._order[self._count][0]  # (S, B)
        if self.ranks > 1:
            chosen = chosen[:, self.rank :: self.ranks]
        loss = self._loss(chosen, self.settings.drop, self._frames(), self._columns)
        self._optimizer.zero_grad(set_to_none=True)
        loss.sum().backward()
        if self.ranks > 1:
            self._share_gradients()
        rate = self._optimizer.param_groups[0]["lr"]
        if isinstance(rate, Tensor):
            rate.copy_(self._rates[self._count][0])
        else:
            self._optimizer.param_groups[0]["lr"] = float(self._rates[self._count])
        self._optimizer.step()
        with torch.no_grad():
            self._losses += loss.detach()
            self._count += 1

    def _share_gradients(self) -> None:
        """The mean of all ranks' gradients, in one message."""
        grads = [w.grad for w in self.weights.values() if w.grad is not None]
        flat = torch.cat([g.reshape(-1) for g in grads])
        distributed.all_reduce(flat)
        flat /= self.ranks
        for grad, part in zip(grads, flat.split([g.numel() for g in grads]), strict=True):
            grad.copy_(part.view_as(grad))

    def _frames(self) -> int:
        """Frames of a rollout in the present run: one in the first, then twice as many in each."""
        start, length = self.settings.schedule.run_of(self.done)
        return (
            1 if start == 0 else min(self.settings.rollout, 4 * length // self.settings.schedule.first // 2)
        )

    def _loss(self, chosen: Tensor, drop: float, frames: int = 1, columns: Tensor | None = None) -> Tensor:
        """Mean squared error (S,) from samples chosen (S, B) on, over frames that follow each other; columns
        (m,): how much each counts."""
        x, total = self.x[chosen], torch.zeros(len(chosen), device=self.device)
        for k in range(frames):
            blend = coefficients(self.shape, self.weights, x[..., self.gating], self.phase[chosen + k], drop)
            y = predict_batch(self.shape, self.weights, x, blend, drop)
            error = (y - self.y[chosen + k]).square()
            total = total + (error if columns is None else error * columns).mean(dim=(1, 2))
            if k + 1 < frames:
                x = self._feed.next(self.x[chosen + k + 1], y)
        return total / frames

    def tested(self) -> tuple[float, ...]:
        """Mean squared error of each member on the test rows; NaN where there are none."""
        if not len(self.test):
            return tuple(math.nan for _ in self.settings.seeds)
        total = torch.zeros(len(self.settings.seeds), device=self.device)
        with torch.no_grad():
            for part in self.test.split(TEST_ROWS):
                total += self._loss(part.expand(len(total), -1), 0.0) * len(part)
        return tuple((total / len(self.test)).tolist())

    def shares(self) -> list[list[float]]:
        """How much each expert of each member counts on average over the rows of training, (S, K)."""
        rows = self.shown[:: max(1, len(self.shown) // TEST_ROWS)].to(self.device)
        chosen = rows.expand(len(self.settings.seeds), -1)
        with torch.no_grad():
            x = self.x[chosen]
            blend = coefficients(self.shape, self.weights, x[..., self.gating], self.phase[chosen])
        return blend.mean(dim=1).tolist()

    def moments(self) -> dict[str, Tensor]:
        """The optimizer's memory: step, and first and second moment of each weight."""
        found: dict[str, Tensor] = {}
        for name, weight in self.weights.items():
            for key, value in self._optimizer.state.get(weight, {}).items():
                found[f"{name}.{key}"] = value.detach().clone()
        return found

    def restore(self, weights: Weights, moments: dict[str, Tensor]) -> None:
        """Go back to weights and moments, in place, so that captured steps stay valid."""
        with torch.no_grad():
            for name, weight in self.weights.items():
                weight.copy_(weights[name])
                state = self._optimizer.state[weight]
                if not moments:
                    for value in state.values():
                        value.zero_()
                for key in ("step", "exp_avg", "exp_avg_sq"):
                    if f"{name}.{key}" in moments:
                        given = moments[f"{name}.{key}"]
                        if key in state:
                            state[key].copy_(given)
                        else:
                            state[key] = given.to(
                                self.device if key != "step" or self.device.type == "cuda" else "cpu"
                            ).clone()

    def member(self, index: int) -> dict[str, np.ndarray]:
        """Weights of one member of the ensemble."""
        return {name: value.detach()[index].cpu().numpy() for name, value in self.weights.items()}
