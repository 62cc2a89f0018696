"""Network: the four networks (N3, N5), as one blend of weights with four kinds of coefficients.

    plain    one set of weights
    mann     K sets, blended by a gating network that sees the feet's velocities, action and wanted speed
    pfnn     4 sets, blended by the phase of the front legs (a closed Catmull-Rom curve)
    mixture  K sets that each give an output; the outputs are blended (Jacobs et al. 1991)

An ensemble of S networks, one for each seed, is trained side by side: every array has a leading S. A single
network is far too small for a graphics card, an ensemble costs it little more time.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional

from hoofbeat.errors import UnknownName

KINDS = ("mann", "plain", "pfnn", "mixture")
Weights = dict[str, Tensor]


class UnknownNetwork(UnknownName):
    """A network that does not exist."""

    kind = "network"


@dataclass(frozen=True)
class NetworkShape:
    """Sizes of a network. gates: inputs of the gating network; hidden, gate_hidden: units of a layer."""

    kind: str
    experts: int
    inputs: int
    outputs: int
    gates: int
    hidden: int = 512
    gate_hidden: int = 32

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise UnknownNetwork(self.kind, KINDS)

    @property
    def layers(self) -> tuple[tuple[int, int], ...]:
        """Inputs and outputs of the three layers that are blended."""
        return (self.inputs, self.hidden), (self.hidden, self.hidden), (self.hidden, self.outputs)

    @property
    def gate_layers(self) -> tuple[tuple[int, int], ...]:
        """The same of the gating network; none where nothing is gated."""
        if self.kind not in ("mann", "mixture"):
            return ()
        return (
            (self.gates, self.gate_hidden),
            (self.gate_hidden, self.gate_hidden),
            (self.gate_hidden, self.experts),
        )

    @property
    def parameters(self) -> int:
        """How many numbers one network learns."""
        sizes = [self.experts * (n + 1) * m for n, m in self.layers] + [
            (n + 1) * m for n, m in self.gate_layers
        ]
        return sum(sizes)


def fresh(shape: NetworkShape, seeds: list[int]) -> Weights:
    """First weights of an ensemble (S = len(seeds)), those of each member from its own seed alone.

    w0..w2 (S, n, K, m), b0..b2 (S, K, m) of the experts; v0..v2 (S, n, m), c0..c2 (S, m) of the gating.
    """
    members = [_one(shape, torch.Generator().manual_seed(seed)) for seed in seeds]
    return {name: torch.stack([one[name] for one in members]) for name in members[0]}


def _one(shape: NetworkShape, generator: torch.Generator) -> Weights:
    def uniform(bound: float, *size: int) -> Tensor:
        return (torch.rand(size, generator=generator) * 2 - 1) * bound

    found: Weights = {}
    for k, (n, m) in enumerate(shape.layers):
        found[f"w{k}"] = uniform(math.sqrt(6 / (n + m)), n, shape.experts, m)
        found[f"b{k}"] = torch.zeros(shape.experts, m)
    for k, (n, m) in enumerate(shape.gate_layers):
        found[f"v{k}"] = uniform(math.sqrt(6 / (n + m)), n, m)
        found[f"c{k}"] = torch.zeros(m)
    return found


def coefficients(
    shape: NetworkShape, weights: Weights, gates: Tensor, phase: Tensor, drop: float = 0.0
) -> Tensor:
    """Blending coefficients (S, B, K) of gating inputs (S, B, g), or of phases (S, B) in turns."""
    if shape.kind == "plain":
        return torch.ones_like(phase)[..., None]
    if shape.kind == "pfnn":
        return _spline(phase, shape.experts)
    h = gates
    for k in range(3):
        h = functional.dropout(h, drop, drop > 0)
        h = torch.baddbmm(weights[f"c{k}"][:, None], h, weights[f"v{k}"])
        h = functional.elu(h) if k < 2 else torch.softmax(h, dim=-1)
    return h


def predict_batch(
    shape: NetworkShape, weights: Weights, x: Tensor, blend: Tensor, drop: float = 0.0
) -> Tensor:
    """Outputs (S, B, m) of inputs x (S, B, n) and coefficients (S, B, K); `drop` of all units left out."""
    h = x
    if shape.kind == "mixture":
        return _mixed(shape, weights, x, blend, drop)
    for k in range(3):
        n, m = shape.layers[k]
        h = functional.dropout(h, drop, drop > 0)
        # All experts in one product, the blend after it: few launches, each large.
        every = torch.bmm(h, weights[f"w{k}"].reshape(len(h), n, -1))  # (S, B, K m)
        every = every.view(len(h), -1, shape.experts, m) + weights[f"b{k}"][:, None]
        h = (every * blend[..., None]).sum(dim=2)
        if k < 2:
            h = functional.elu(h)
    return h


def _mixed(shape: NetworkShape, weights: Weights, x: Tensor, blend: Tensor, drop: float) -> Tensor:
    """Each expert alone, (S, B, K, n) in between; only the outputs are blended."""
    h = x[:, :, None].expand(-1, -1, shape.experts, -1)
    for k in range(3):
        h = functional.dropout(h, drop, drop > 0)
        h = torch.einsum("sbkn,snkm->sbkm", h, weights[f"w{k}"]) + weights[f"b{k}"][:, None]
        if k < 2:
            h = functional.elu(h)
    return (h * blend[..., None]).sum(dim=2)


def _spline(phase: Tensor, points: int) -> Tensor:
    """Catmull-Rom weights (S, B, K) of the control points around a closed curve, at phases (S, B)."""
    along = (phase % 1.0) * points
    first = along.floor()
    t = (along - first)[..., None]
    near = torch.cat(
        [
            ((2 - t) * t - 1) * t / 2,
            ((3 * t - 5) * t * t + 2) / 2,
            ((4 - 3 * t) * t + 1) * t / 2,
            (t - 1) * t * t / 2,
        ],
        dim=-1,
    )  # (S, B, 4)
    places = (first.long()[..., None] + torch.arange(-1, 3, device=phase.device)) % points
    return torch.zeros(*phase.shape, points, device=phase.device).scatter_add(-1, places, near)
