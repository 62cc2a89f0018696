"""Compiled functions: the one decorator, `kernel`, and what runs it: the core library or Numba."""

from hoofbeat.maths.jit.kernel import Bound, bind, kernel

__all__ = ["Bound", "bind", "kernel"]
