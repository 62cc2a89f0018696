"""Phase: when each front leg is in its stride, found from the velocities of the front feet (N5, for PFNN).

A trigonometric function is fitted to the front feet's velocity around every frame: the frequency that both
feet share is the one that explains most of it, the phase is that of the left foot. A foot that does not
swing has none, and the phase rests.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hoofbeat.methods.neural.network.layout import RATE

#: Frequencies that are tried [Hz], and half the window of a fit [s].
FREQUENCIES = np.linspace(0.6, 4.2, 61)
HALF = 0.6
#: The frequency is sought in the power averaged over this time to each side [s].
STEADY = 0.3
#: Frames that are fitted at once.
CHUNK = 4096
#: A swing slower than this [m/s] is none: the phase rests.
LEAST = 0.08


def phases_of(front: NDArray[np.float64]) -> NDArray[np.float64]:
    """Phase (T,) in turns, unwrapped, never falling, of two front feet's velocities ahead (T, 2) [m/s]."""
    width = round(HALF * RATE)
    times = np.arange(-width, width + 1) / RATE
    window = np.hanning(2 * width + 3)[1:-1]
    window /= window.sum() / 2
    swing = front - _smooth(front, width)
    waves = np.exp(-2j * np.pi * FREQUENCIES[:, None] * times) * window  # (F, W)
    padded = np.pad(swing, ((width, width), (0, 0)))
    around = np.lib.stride_tricks.sliding_window_view(padded, 2 * width + 1, axis=0)  # (T, 2, W)
    # (T, 2, F): how much of each wave is in the window around each frame.
    parts = [around[k : k + CHUNK] @ waves.T for k in range(0, len(front), CHUNK)]
    fits = np.concatenate(parts)
    power = _smooth((np.abs(fits) ** 2).sum(axis=1), round(STEADY * RATE))
    best = power.argmax(axis=1)
    rows = np.arange(len(front))
    left = fits[rows, 0, best]
    strong = np.abs(fits[rows, :, best]).max(axis=1) > LEAST
    return _advancing(np.angle(left) / (2 * np.pi), strong)


def _advancing(phase: NDArray[np.float64], strong: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Phases (T,) in turns that never fall: each frame goes on to the phase found there, or rests."""
    out = np.empty(len(phase))
    out[0] = phase[0]
    most = FREQUENCIES[-1] / RATE
    for k in range(1, len(phase)):
        ahead = (phase[k] - out[k - 1] + 0.25) % 1.0 - 0.25  # a little back counts as standing
        out[k] = out[k - 1] + (min(max(ahead, 0.0), most) if strong[k] else 0.0)
    return out


def _smooth(values: NDArray[np.float64], width: int) -> NDArray[np.float64]:
    """Columns (T, ...) averaged over `width` frames to each side."""
    flat = values.reshape(len(values), -1)
    padded = np.pad(flat, ((width + 1, width), (0, 0)), mode="edge")
    total = np.cumsum(padded, axis=0)
    return ((total[2 * width + 1 :] - total[: -2 * width - 1]) / (2 * width + 1)).reshape(values.shape)
