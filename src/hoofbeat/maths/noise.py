"""Randomness without a generator: a hash of (seed, id, tick), and smooth noise built on it.

Nothing here remembers anything, so a replay, an undo or another order of characters gives the same
numbers. Whole numbers are used modulo 2**32.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hoofbeat.maths.curves import quintic
from hoofbeat.maths.jit import kernel
from hoofbeat.maths.types import Numbers

LOW_BITS = np.int64(0xFFFFFFFF)
MASK = np.uint64(0xFFFFFFFF)
S15 = np.uint64(15)
S16 = np.uint64(16)
# Multipliers of a 32-bit finaliser with low measured bias (C. Wellons, "hash prospector", 2018).
M1 = np.uint64(0x7FEB352D)
M2 = np.uint64(0x846CA68B)
# An odd step near 2**32 / golden ratio keeps neighbouring inputs apart before they are mixed.
STEP = np.uint64(0x9E3779B9)
TO_UNIT = np.float64(2.0**-32)


@kernel(inline=True)
def avalanche(x: Numbers) -> Any:
    """Mix 32 bits held in a uint64: every input bit flips each output bit about half the time.

    The value stays below 2**32, so a product with a 32-bit multiplier fits 64 bits: the same
    numbers come out compiled or not, and no overflow is ever met.
    """
    x = x ^ (x >> S16)
    x = (x * M1) & MASK
    x = x ^ (x >> S15)
    x = (x * M2) & MASK
    return x ^ (x >> S16)


@kernel
def hash32(seed: Numbers, id: Numbers, tick: Numbers) -> Any:
    """A whole number in [0, 2**32) from three whole numbers, each used modulo 2**32.

    seed belongs to the run, id to the character (or the stream), tick to the moment. Each is
    stepped and mixed in turn, so that swapping two of them gives an unrelated number.
    """
    h = avalanche((np.uint64(np.int64(seed) & LOW_BITS) + STEP) & MASK)
    h = avalanche(((h ^ np.uint64(np.int64(id) & LOW_BITS)) + STEP) & MASK)
    return avalanche(((h ^ np.uint64(np.int64(tick) & LOW_BITS)) + STEP) & MASK)


@kernel
def unit(seed: Numbers, id: Numbers, tick: Numbers) -> Any:
    """A float64 in [0, 1), evenly spread, from (seed, id, tick); see `hash32`."""
    return np.float64(hash32(seed, id, tick)) * TO_UNIT


@kernel
def coherent(x: Numbers, seed: Numbers, stream: Numbers = 0) -> Any:
    """Smooth value noise in [0, 1] at x (float64, any finite number), one new value a unit of x.

    Random values at the whole numbers, joined by the quintic fade: value, slope and curvature are
    continuous, and the slope is zero at each whole number. Other seeds or streams give unrelated
    curves. It does not repeat before 2**32 units.
    """
    x = np.float64(x)
    whole = np.floor(x)
    i = np.int64(whole)
    a = unit(seed, stream, i)
    b = unit(seed, stream, i + 1)
    return a + (b - a) * quintic(x - whole)
