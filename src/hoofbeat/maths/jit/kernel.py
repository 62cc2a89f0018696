"""Kernel: a function that runs compiled, and `bind`, one that is ready to run again and again.

    called from Python ── compiled ahead, for these types? ── yes: the core library, no Numba
                                     └─ no: Numba compiles it here, once, and keeps it on disk

Kernels call each other only inside compiled code. With NUMBA_DISABLE_JIT=1 all are plain Python.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import update_wrapper
from typing import Any, TypeAlias, TypeVar, overload

import numpy as np

from hoofbeat.maths.jit.arguments import bits_of, key_of, slots_of
from hoofbeat.maths.jit.library import Compiled, Slots, core_library

F = TypeVar("F", bound=Callable[..., Any])

#: Kernels are plain Python, as for the measuring of coverage.
PLAIN = os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")


class Kernel:
    """What `kernel` makes of a function. To Numba it is the function's dispatcher."""

    def __init__(self, plain: Callable[..., Any], inline: bool) -> None:
        update_wrapper(self, plain)
        self.py_func = plain
        self.name = f"{plain.__module__}:{plain.__qualname__}"
        #: Numba's own inlining reads this; small helpers are left to LLVM, which is much quicker.
        self.targetoptions = {"inline": "never"}
        self.inline = inline
        self._dispatcher: Any = None
        self._ahead: dict[str, Compiled | None] = {}

    @property
    def dispatcher(self) -> Any:
        """Numba's own, made when it is first needed."""
        if self._dispatcher is None:
            from hoofbeat.maths.jit import compiler

            if not _Known.done:
                compiler.know_kernels(Kernel)
                _Known.done = True
            self._dispatcher = compiler.dispatcher_of(self.py_func, self.inline)
        return self._dispatcher

    def ahead(self, args: tuple[Any, ...]) -> Compiled | None:
        """The code compiled ahead for arguments of these types, or None."""
        library = core_library()
        if library is None or self.name not in library.kernels:
            return None
        key = key_of(args)
        if key not in self._ahead:
            self._ahead[key] = library.find(self.name, key)
        return self._ahead[key]

    def __call__(self, *args: Any) -> Any:
        if _Recording.into is not None:
            return _recorded(self, args)
        found = self.ahead(args)
        return self.compiled_here(*args) if found is None else found(Slots(slots_of(args), args))

    def compiled_here(self, *args: Any) -> Any:
        """Run what Numba compiles in this process."""
        dispatcher = self.dispatcher
        if not dispatcher.signatures:
            from hoofbeat.maths.jit import compiler

            compiler.announce_compile(f"{self.__module__.rpartition('.')[2]}.{self.py_func.__name__}")
        return dispatcher(*args)

    def __getattr__(self, name: str) -> Any:
        # What people and tests ask of a dispatcher: signatures, stats, inspect_llvm ...
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.dispatcher, name)

    def __repr__(self) -> str:
        return f"<kernel {self.name}>"


@overload
def kernel(function: F) -> F: ...
@overload
def kernel(*, inline: bool = False) -> Callable[[F], F]: ...
def kernel(function: Any = None, *, inline: bool = False) -> Any:
    """Compile a function the way this project always does.

    `inline=True` is for small helpers: LLVM puts them into their callers.
    Nothing is compiled at import.
    """

    def decorate(plain: Any) -> Any:
        return plain if PLAIN else Kernel(plain, inline)

    return decorate if function is None else decorate(function)


class Bound:
    """A kernel compiled ahead with its arguments in slots; the arrays must stay where they are.

    One number may vary from call to call: it is given to the call."""

    def __init__(self, compiled: Compiled, slots: Slots, place: int | None) -> None:
        self.compiled = compiled
        self.slots = slots
        #: Which slot varies, None = none.
        self.place = place

    def __call__(self, *number: float) -> Any:
        if self.place is not None:
            self.slots.words[self.place] = bits_of(*number)
        return self.compiled(self.slots)


def bind(function: Callable[..., Any], *args: Any, vary: int | None = None) -> Callable[..., Any]:
    """A kernel with its arguments, ready to run: the arrays are looked at once and not at each call.

    vary: which argument, a float, each call gives anew. A `Bound` where the kernel is compiled ahead.
    """
    if isinstance(function, Kernel) and _Recording.into is None:
        found = function.ahead(args)
        if found is not None:
            place = None if vary is None else len(slots_of(args[:vary]))
            return Bound(found, Slots(slots_of(args), args), place)
    if vary is None:
        return lambda: function(*args)
    before, after = args[:vary], args[vary + 1 :]
    return lambda number: function(*before, number, *after)


class _Known:
    """Whether Numba has been told of kernels."""

    done = False


class _Recording:
    """What is called from Python while a recording runs."""

    into: Calls | None = None
    inside = False


#: Kernels called, and their arguments, by name and key of the types.
Calls: TypeAlias = dict[tuple[str, str], tuple[Kernel, tuple[Any, ...]]]


@contextmanager
def recording() -> Iterator[Calls]:
    """Within it kernels run as plain Python, and each call from Python is noted once for its types.

    The build of the core library finds out by this what to compile ahead.
    """
    _Recording.into = found = {}
    try:
        yield found
    finally:
        _Recording.into = None


def _recorded(called: Kernel, args: tuple[Any, ...]) -> Any:
    into = _Recording.into
    if _Recording.inside or into is None:
        return called.py_func(*args)
    into.setdefault((called.name, key_of(args)), (called, _as_now(args)))
    _Recording.inside = True
    try:
        return called.py_func(*args)
    finally:
        _Recording.inside = False


def _as_now(args: Any) -> Any:
    """The same arguments, which keep their types when an array is made read-only later."""
    if isinstance(args, tuple):
        items = [_as_now(one) for one in args]
        return type(args)(*items) if hasattr(args, "_fields") else tuple(items)
    return args.view() if isinstance(args, np.ndarray) else args
