"""Resample: a clip at another frame rate, its motion and its length in time unchanged."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hoofbeat.body.clip import Clip
from hoofbeat.errors import ClipError
from hoofbeat.maths import quat
from hoofbeat.maths.types import Ints

#: Most frames of the new clip.
MAX_FRAMES = 1_000_000
#: Extras that run round a circle of circumference 1, and the one whose bits are gathered.
CIRCULAR, EVENTS = ("phase",), "events"


def resampled(clip: Clip, fps: float) -> Clip:
    """The clip with `fps` frames a second.

    Rotations turn at a constant rate between frames; positions, contacts and real extras go linearly,
    phases round the circle; words, truth values and whole numbers hold until the next frame; no event
    is lost. The last frame is held where the new rate asks for more.
    """
    if not (np.isfinite(fps) and 0 < fps <= 10_000):
        raise ClipError(f"fps must be in (0, 10000], given {fps}")
    if fps == clip.fps or not len(clip):
        return Clip(
            clip.skeleton, clip.rotations, clip.origins, fps, clip.contacts, clip.name, {**clip.extras}
        )
    count = max(1, round(clip.seconds * fps))
    if count > MAX_FRAMES:
        raise ClipError(f"{count} frames are over {MAX_FRAMES}; ask for fewer frames a second")
    moments = np.minimum(np.arange(count) * (clip.fps / fps), len(clip) - 1.0)
    # A moment within rounding of a frame is that frame.
    near = np.round(moments)
    moments = np.where(np.abs(moments - near) < 1e-9 * max(1, len(clip)), near, moments)
    contacts = None if clip.contacts is None else _linear(clip.contacts, moments)
    extras = {key: _extra(key, values, moments) for key, values in clip.extras.items()}
    low, high, share = _neighbours(len(clip), moments)
    rotations = quat.slerp(clip.rotations[low], clip.rotations[high], share[:, None])
    return Clip(clip.skeleton, rotations, _linear(clip.origins, moments), fps, contacts, clip.name, extras)


def _neighbours(count: int, moments: NDArray[np.float64]) -> tuple[Ints, Ints, NDArray[np.float64]]:
    """Frames before and after each moment (M,), and how far it is between them."""
    low = np.floor(moments).astype(np.int64)
    return low, np.minimum(low + 1, count - 1), moments - low


def _linear(values: NDArray[Any], moments: NDArray[np.float64]) -> NDArray[np.float64]:
    low, high, share = _neighbours(len(values), moments)
    share = share.reshape(-1, *([1] * (values.ndim - 1)))
    return values[low] * (1 - share) + values[high] * share


def _extra(key: str, values: NDArray[Any], moments: NDArray[np.float64]) -> NDArray[Any]:
    low, high, share = _neighbours(len(values), moments)
    if key == EVENTS and values.dtype.kind in "iu" and values.ndim == 1:
        return _gathered(values, low)
    if values.dtype.kind != "f":
        return values[low]
    if key in CIRCULAR:
        share = share.reshape(-1, *([1] * (values.ndim - 1)))
        step = (values[high].astype(np.float64) - values[low] + 0.5) % 1.0 - 0.5
        # Twice, because a tiny negative number modulo 1 is 1.
        return ((values[low] + share * step) % 1.0 % 1.0).astype(values.dtype)
    return _linear(values, moments).astype(values.dtype)


def _gathered(bits: NDArray[Any], low: NDArray[np.int64]) -> NDArray[Any]:
    """Bits (M,) of the frames that came since the moment before; the first takes those before it too."""
    out = np.zeros(len(low), bits.dtype)
    owner = np.searchsorted(low, np.arange(len(bits)), side="left")
    kept = owner < len(low)
    np.bitwise_or.at(out, owner[kept], bits[kept])
    return out
