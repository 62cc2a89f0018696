"""Catalog: the one list of methods, read by the command line, the studio, plans, docs and errors.

It imports neither NumPy nor any method, so that `--help` and shell completion stay quick. A package adds a
method of its own through the entry-point group `hoofbeat.methods`; the entry point is a MethodInfo:

    [project.entry-points."hoofbeat.methods"]
    metronome = "metronome:INFO"

A package whose entry point is broken is left out and harms nobody; asked for by name, it says what is wrong.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from os import PathLike
from typing import Any, NamedTuple

from hoofbeat.errors import HoofbeatError, UnknownMethod, UnknownOption
from hoofbeat.gaits.gait import ALIASES, GAITS, LEADS
from hoofbeat.shipped import DEFAULT_METHOD

#: The entry-point group by which other packages add methods.
GROUP = "hoofbeat.methods"
#: The method of `Horse()`, `Herd`, plans, the command line and the studio where none is named.
DEFAULT = DEFAULT_METHOD
#: The gaits of a horse, with both leads of canter and gallop; those that are bred for are in `_ALL`.
_COMMON = ("stand", "walk", "trot", "canter-left", "canter-right", "gallop-left", "gallop-right")
_ALL = ("stand", "walk", "amble", "trot", "rack", *_COMMON[3:])


@dataclass(frozen=True)
class MethodInfo:
    """What is known of a method before it is made.

    name; title: one line for people; module: where `make(scene, **options)` is; gaits, slowest first;
    jumps, terrain, sideways, backwards, layers: what it can do; extra: the extra of the package that it
    needs, and package: the module by which that is recognised ("" = none).
    """

    name: str
    title: str
    module: str
    gaits: tuple[str, ...]
    jumps: bool = False
    terrain: bool = False
    sideways: bool = False
    backwards: bool = False
    layers: bool = False
    extra: str = ""
    package: str = ""

    @property
    def installed(self) -> bool:
        """Whether everything that it needs is installed."""
        try:
            return not self.package or importlib.util.find_spec(self.package) is not None
        except ModuleNotFoundError:  # the package above a dotted name is missing
            return False

    def options(self) -> tuple[str, ...]:
        """Names of the options of its `make`."""
        given = inspect.signature(self._make()).parameters.values()
        return tuple(one.name for one in given if one.kind is one.KEYWORD_ONLY)

    def resolved(self, gait: str) -> str | None:
        """The gait of this method that a name means: its own, else the one on the lead that is meant where
        none is given, else by an alias; None where it has none of them."""
        for name in (gait, LEADS.get(gait, gait), ALIASES.get(gait, gait)):
            if name in self.gaits:
                return name
        return None

    def make(self, scene: str | PathLike[str] | None = None, **options: Any) -> Any:
        """The method for a file of its own, None = the shipped one; UnknownOption names those that it has."""
        make = self._make()
        known = self.options()
        for key in options:
            if key not in known:
                raise UnknownOption(key, known)
        return make(scene, **options)

    def _make(self) -> Any:
        # Imported when it is first made: kernels cost time to load.
        try:
            return importlib.import_module(self.module).make
        except Exception as problem:
            if self in OWN:
                raise
            raise _unusable(self.name, self.module, problem) from problem


#: The methods of this package.
OWN = (
    MethodInfo(
        "timewarp",
        "authored strides at any speed, each leg in its own time",
        "hoofbeat.methods.timewarp.method",
        tuple(GAITS),
        terrain=True,
    ),
    MethodInfo(
        "froude",
        "base cycles adjusted by the Froude number, for an animal of any size",
        "hoofbeat.methods.froude.method",
        _COMMON,
        terrain=True,
    ),
    MethodInfo(
        "actions",
        "the horse of a thesis: poses from periodic functions, editable by hand",
        "hoofbeat.methods.actions.method",
        ("stand", "walk", "trot", "gallop"),
        terrain=True,
    ),
    MethodInfo(
        "neural",
        "a trained mode-adaptive network",
        "hoofbeat.methods.neural.method",
        _ALL,
        terrain=True,
        extra="neural",
        package="onnxruntime",
    ),
)


class PluginError(HoofbeatError):
    """A package whose method cannot be used."""


def methods() -> Mapping[str, MethodInfo]:
    """Every method by name: those of this package first, then those of other packages."""
    return {info.name: info for info in OWN} | _plugins().found


def method_info(name: str) -> MethodInfo:
    """The entry of a method; UnknownMethod lists those there are, PluginError says why one is none."""
    found = methods()
    if name not in found:
        broken = _plugins().broken
        raise broken[name] if name in broken else UnknownMethod(name, found)
    return found[name]


def installed_methods() -> tuple[str, ...]:
    """Names of the methods for which everything is installed."""
    return tuple(name for name, info in methods().items() if info.installed)


class Plugins(NamedTuple):
    """Methods of other packages by the names of their entry points, and what is wrong with those left out."""

    found: dict[str, MethodInfo]
    broken: dict[str, PluginError]


@cache
def _plugins() -> Plugins:
    """What other packages add, read once a process."""
    plugins = Plugins({}, {})
    for entry in entry_points(group=GROUP):
        try:
            info = entry.load()
        except (Exception, SystemExit) as problem:
            plugins.broken[entry.name] = _unusable(entry.name, entry.value, problem)
            continue
        wrong = _fault(entry, info, plugins)
        if wrong:
            plugins.broken[entry.name] = PluginError(wrong)
        else:
            plugins.found[entry.name] = info
    return plugins


def _fault(entry: EntryPoint, info: object, others: Plugins) -> str:
    """What is wrong with an entry point that could be loaded, "" = nothing."""
    if not isinstance(info, MethodInfo) or info.name != entry.name:
        return (
            f"the entry point {entry.name!r} in group {GROUP!r} must be a MethodInfo of that name, "
            f"{entry.value!r} is {info!r:.80}"
        )
    if any(info.name == own.name for own in OWN) or info.name in others.found:
        return f"two packages have a method {info.name!r}; uninstall one of them"
    return ""


def _unusable(name: str, place: str, problem: BaseException) -> PluginError:
    """The error of a method of another package whose module fails as it is imported."""
    return PluginError(
        f"the method {name!r} of another package cannot be loaded from {place!r}: "
        f"{type(problem).__name__}: {problem}; repair or uninstall that package"
    )
