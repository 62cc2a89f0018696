"""Style of a made gait: the few numbers from which a horse of 1.295 m at the withers is moved.

Footfalls are those of `hoofbeat.gaits`, with the gaits that it has no name for beside them. Times after
EQUINE.md: walk and trot as horses on a treadmill, canter and gallop after Wickler 2002 and Witte 2006, made
smaller by dynamic similarity. Trunk and head: for walk and trot the sinusoids of such horses, for the
others what the forces of the legs do to a body (half a sine a stance), so that flights are ballistic.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from hoofbeat.check import recognise
from hoofbeat.gaits.database import both_leads, read_cycles
from hoofbeat.gaits.gait import GAITS, Gait, mirrored
from hoofbeat.maths.physics import GRAVITY

#: Rows of `Style.curves` [m; pelvis rad]: heights of withers and croup, the croup to the left and forward
#: of the withers, the head forward of the withers, its height, and the tuck of the pelvis.
WITHERS, CROUP, SWAY, STRETCH, NOD, HEAD, TUCK = range(7)
#: Harmonics of the stride in each row, from 0, the mean, on.
HARMONICS = 9
#: Withers ahead and croup behind the centre of mass [m].
AHEAD, BEHIND = 0.34, 0.42
#: How far the croup comes forward for each metre that the withers rise above it, the trunk being stiff.
TILT = 0.106

_PACING = Gait("pacing-walk", 4, (0.04, 0.54, 0.0, 0.5), (0.60, 0.68), 0, (0.6, 1.6))
# As the transverse gallop to the right, but the forelegs the other way round: LH, RH, RF, LF.
_ROTARY = Gait("rotary-gallop-left", 4, (0.55, 0.36, 0.0, 0.14), (0.18, 0.29), 1, (7.5, 18.0))
#: Everything that can be made at a steady speed, by name.
STEADY = {
    gait.name: gait for gait in (*GAITS.values(), _PACING, _ROTARY, mirrored(_ROTARY, "rotary-gallop-right"))
}
#: Gaits that were added to the horse's own, which are made from their tables and cycles alone.
ADDED = {gait.name: gait for gait in recognise.ADDED}
#: Gaits in which the legs swing low and slow and the trunk moves as at a walk.
WALKS = ("walk", "pacing-walk")
#: Speed [m/s] where none is asked for.
USUAL = {"stand": 0.0, "walk": 1.55, "pacing-walk": 1.2, "amble": 2.6, "trot": 2.76, "rack": 4.2}
CANTER_SPEED, GALLOP_SPEED = 5.0, 8.5

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Style:
    """One gait at one speed. Legs in the order LF, RF, LH, RH.

    stride [s]; touchdown and duty (4,) of the stride; curves (7, HARMONICS) complex;
    lift of fore and hind toes [m]; fold: flexion of the carpus in swing [rad]; tip: how far the hooves turn
    toe down in swing, fore and hind [rad]; scapula: its turn for each metre the hoof goes ahead [rad/m];
    sink: how much lower than standing withers and croup are carried [m]; place: how far ahead of where
    they stand fore and hind toes are in the middle of a stance [m]. The rest is wrong in a good horse, each
    (4,): level at which a foot stands [m], slide forward in a stance [m], bend of the carpus in stance
    [rad]; and step: a sudden gain of speed [m/s] at a time [s].
    """

    name: str
    speed: float
    stride: float
    touchdown: Floats
    duty: Floats
    curves: NDArray[np.complex128]
    lift: Floats
    fold: float
    tip: Floats
    scapula: float
    sink: Floats
    place: Floats
    level: Floats = field(default_factory=lambda: np.zeros(4))
    slide: Floats = field(default_factory=lambda: np.zeros(4))
    bend: Floats = field(default_factory=lambda: np.zeros(4))
    step: tuple[float, float] = (0.0, 0.0)

    @property
    def rate(self) -> float:
        """Strides a second."""
        return 1.0 / self.stride

    @property
    def ramps(self) -> Floats:
        """Times (2,) [s] over which a foot speeds up and brakes; both in a shorter part when fast."""
        slow = float(np.clip((9.0 - self.speed) / 6.0, 0, 1))
        return max(1 - self.duty[0], 0.1) * self.stride * np.array([0.18 + 0.06 * slow, 0.16 + 0.08 * slow])


def wave(amplitude: float, peak: float, harmonic: int) -> NDArray[np.complex128]:
    """(HARMONICS,) of a cosine whose maximum lies at the phase `peak` of the stride."""
    out = np.zeros(HARMONICS, np.complex128)
    out[harmonic] = amplitude * np.exp(-2j * np.pi * harmonic * peak)
    return out


def usual_speed(name: str) -> float:
    """Speed [m/s] of a gait where none is asked for."""
    if name in ADDED:
        return sum(ADDED[name].speed) / 2
    return USUAL.get(name, CANTER_SPEED if name.startswith("canter") else GALLOP_SPEED)


@lru_cache(maxsize=256)
def style_of(name: str, speed: float) -> Style:
    """The style of a gait at a speed [m/s], its sink not yet set."""
    gait = STEADY[name]
    stride, fore, hind = _times(name, speed)
    touchdown, duty = np.array(gait.touchdown), np.array([fore, fore, hind, hind])
    quick = max(speed - 2.76, 0.0)
    lift, fold, tip, scapula = (0.135, 0.06), 70.0, (80.0, 60.0), 0.33
    if name == "stand":
        lift, fold, tip = (0.0, 0.0), 0.0, (0.0, 0.0)
    elif name in WALKS:
        lift, fold, tip = (0.095, 0.045), 55.0, (65.0, 50.0)
    elif quick:
        lift, fold = (0.135 + 0.02 * quick, 0.06 + 0.022 * quick), 70.0 + 4 * quick
        scapula = min(0.33 + 0.03 * quick, 0.5)
    style = Style(
        name,
        speed,
        stride,
        touchdown,
        duty,
        np.zeros((7, HARMONICS), np.complex128),
        np.array(lift),
        float(np.radians(min(fold, 95.0))),
        np.radians(tip),
        scapula,
        np.zeros(2),
        _place(name),
    )
    return replace(style, curves=_curves(style))


def _place(name: str) -> Floats:
    """Where the feet are in the middle of a stance (2,): so far back that the body sinks least."""
    if name == "stand":
        return np.zeros(2)
    return np.array([-0.075, -0.135] if name in WALKS else [-0.09, -0.15])


def _times(name: str, speed: float) -> tuple[float, float, float]:
    """Stride [s] and the duty of fore and hind feet."""
    if name == "stand":
        return 4.0, 1.0, 1.0
    if name in ADDED:
        strides = [cycle.stride for cycle in both_leads(read_cycles()) if cycle.gait == name]
        duty = sum(ADDED[name].duty) / 2
        return sum(strides) / len(strides), duty, duty
    if name in WALKS:
        duty = float(np.clip(0.615 + 0.05 * (1.55 - speed), 0.605, 0.675))
        return float(0.99 * (1.55 / speed) ** 0.58), duty, duty
    if name == "amble":
        return 0.70 - 0.05 * (speed - 2.6), 0.45, 0.45
    if name == "trot":
        duty = float(np.clip(0.44 - 0.055 * (speed - 2.76), 0.32, 0.46))
        return 0.65 - 0.055 * (speed - 2.76), duty, duty
    if name == "rack":
        return 0.56 - 0.035 * (speed - 4.2), 0.37, 0.37
    if name.startswith("canter"):
        duty = 0.34 - 0.007 * max(speed - 5.0, 0.0)
        return 0.49 - 0.018 * (speed - 5.0), duty, duty
    large = 1.11 * speed  # the speed of a horse of 1.6 m that moves alike
    stride = (0.495 - 0.0095 * (large - 9)) / 1.11
    return stride, max(0.24 - 0.006 * (large - 9), 0.2), max(0.255 - 0.005 * (large - 9), 0.22)


def _curves(style: Style) -> NDArray[np.complex128]:
    out = np.zeros((7, HARMONICS), np.complex128)
    name = style.name
    if name == "stand":
        out[WITHERS], out[CROUP], out[HEAD] = wave(2e-3, 0, 1), wave(1e-3, 0, 1), wave(6e-3, 0.1, 1)
    elif name in WALKS:
        _walk(out, 1.55 / style.speed if style.speed > 1.55 else 1.0)
    elif name == "trot":
        _trot(out, _bounce(style) / _bounce_of_trot())
    elif name in ("amble", "rack") or name in ADDED:
        out[WITHERS] = out[CROUP] = heave(style)
        out[HEAD] = 0.8 * out[WITHERS]
        out[SWAY] = wave(0.0 if name in ADDED else 0.012, 0.95, 1)
    else:
        _bound(out, style)
    return out


def _walk(out: NDArray[np.complex128], gain: float) -> None:
    out[WITHERS] = wave(0.011, 0.443, 2)
    out[CROUP] = wave(0.032 * gain, 0.311, 2)
    out[SWAY] = wave(0.015, 0.04, 1) + wave(0.003, 0.118, 3)
    out[STRETCH] = wave(0.0048, 0.143, 2) - TILT * (out[WITHERS] - out[CROUP])
    out[NOD] = wave(0.039, 0.051, 2)
    out[HEAD] = wave(0.039, 0.304, 2)


def _trot(out: NDArray[np.complex128], gain: float) -> None:
    out[WITHERS] = wave(0.025 * gain, 0.451, 2)
    out[CROUP] = wave(0.022 * gain, 0.470, 2)
    out[SWAY] = wave(0.011, 0.873, 1) + wave(0.0045, 0.106, 3)
    out[STRETCH] = wave(0.006, 0.267, 2) - TILT * (out[WITHERS] - out[CROUP])
    out[NOD] = wave(0.014, 0.247, 2)
    out[HEAD] = wave(0.018 * gain, 0.44, 2)


def _bound(out: NDArray[np.complex128], style: Style) -> None:
    """Canter and gallop: one heave and one pitch a stride, the head down and forward over the forelegs."""
    gallop = style.duty[0] < 0.3
    hind, fore = _middle(style, (2, 3)), _middle(style, (0, 1))
    pitch = wave(np.radians(3.0), hind, 1)
    up = heave(style)
    out[WITHERS], out[CROUP] = up + AHEAD * pitch, up - BEHIND * pitch
    out[HEAD] = up + 1.4 * AHEAD * pitch
    out[NOD] = wave(0.04, fore, 1)
    first = style.touchdown[2] if style.touchdown[3] < 0.5 else style.touchdown[3] - 1.0
    tuck = np.radians(9.0 if gallop else 6.0)
    out[TUCK] = wave(tuck, 0.0, 0) + wave(tuck, first, 1)


def heave(style: Style) -> NDArray[np.complex128]:
    """(HARMONICS,) [m] of the body's height when each leg pushes with half a sine over its stance."""
    k = np.arange(1, HARMONICS)
    total = np.zeros(HARMONICS - 1, np.complex128)
    for touchdown, duty in zip(style.touchdown, style.duty, strict=True):
        x = k * duty
        pulse = np.where(np.isclose(x, 0.5), np.pi / 4, np.cos(np.pi * x) / (1 - 4 * x**2 + 1e-12))
        total += 0.5 * GRAVITY * pulse * np.exp(-2j * np.pi * k * (touchdown + duty / 2))
    return np.append(0.0, -total / (2 * np.pi * k / style.stride) ** 2)


def _bounce(style: Style) -> float:
    return float(np.abs(heave(style)[2]))


@lru_cache(maxsize=1)
def _bounce_of_trot() -> float:
    stride, fore, hind = _times("trot", 2.76)
    touchdown, duty = np.array(STEADY["trot"].touchdown), np.array([fore, fore, hind, hind])
    none = np.zeros(2)
    curves = np.zeros((7, HARMONICS), np.complex128)
    return _bounce(Style("trot", 2.76, stride, touchdown, duty, curves, none, 0.0, none, 0.0, none, none))


def _middle(style: Style, legs: tuple[int, int]) -> float:
    """Phase of the middle of the support that two legs give together."""
    centre = style.touchdown[list(legs)] + style.duty[list(legs)] / 2
    return float(np.angle(np.exp(2j * np.pi * centre).sum()) / (2 * np.pi) % 1.0)
