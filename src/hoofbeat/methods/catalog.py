"""Catalog: the one list of methods, read by the command line, the studio, plans, docs and errors.

It imports neither NumPy nor any method, so that `--help` and shell completion stay quick. A package adds a
method of its own through the entry-point group `hoofbeat.methods`; the entry point is a MethodInfo:

    [project.entry-points."hoofbeat.methods"]
    metronome = "metronome:INFO"
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import entry_points
from os import PathLike
from typing import Any

from hoofbeat.errors import HoofbeatError, UnknownMethod, UnknownOption
from hoofbeat.gaits.gait import ALIASES, LEADS
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
        return not self.package or importlib.util.find_spec(self.package) is not None

    def options(self) -> tuple[str, ...]:
        """Names of the options that its `make` takes."""
        given = inspect.signature(self._make()).parameters.values()
        return tuple(one.name for one in given if one.kind is one.KEYWORD_ONLY)

    def resolved(self, gait: str) -> str | None:
        """The gait of this method that a name means: its own, else the one on the lead that is meant where
        none is said, else by an alias; None where it has none of them."""
        for name in (gait, LEADS.get(gait, gait), ALIASES.get(gait, gait)):
            if name in self.gaits:
                return name
        return None

    def make(self, scene: str | PathLike[str] | None = None, **options: Any) -> Any:
        """The method for a file of its own, None = the shipped one; UnknownOption names those it takes."""
        make = self._make()
        known = self.options()
        for key in options:
            if key not in known:
                raise UnknownOption(key, known)
        return make(scene, **options)

    def _make(self) -> Any:
        # Imported when it is first made: kernels cost time to load.
        return importlib.import_module(self.module).make


#: The methods of this package.
OWN = (
    MethodInfo(
        "timewarp",
        "authored strides at any speed, each leg in its own time",
        "hoofbeat.methods.timewarp.method",
        _ALL,
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
    """A package that adds a method in a way that cannot be used."""


def methods() -> Mapping[str, MethodInfo]:
    """Every method by name: those of this package first, then those of other packages."""
    return {info.name: info for info in OWN} | _plugins()


def method_info(name: str) -> MethodInfo:
    """The entry of a method; UnknownMethod lists those there are."""
    found = methods()
    if name not in found:
        raise UnknownMethod(name, found)
    return found[name]


def installed_methods() -> tuple[str, ...]:
    """Names of the methods for which everything is installed."""
    return tuple(name for name, info in methods().items() if info.installed)


@cache
def _plugins() -> dict[str, MethodInfo]:
    """Methods of other packages, by name."""
    found: dict[str, MethodInfo] = {}
    own = {info.name for info in OWN}
    for entry in entry_points(group=GROUP):
        try:
            info = entry.load()
        except Exception as problem:
            raise PluginError(
                f"the method {entry.name!r} of another package cannot be loaded from {entry.value!r}: "
                f"{problem}; mend or uninstall that package"
            ) from problem
        if not isinstance(info, MethodInfo) or info.name != entry.name:
            raise PluginError(
                f"the entry point {entry.name!r} in group {GROUP!r} must be a MethodInfo of that name, "
                f"{entry.value!r} is {info!r:.80}"
            )
        if info.name in own or info.name in found:
            raise PluginError(f"two packages have a method {info.name!r}; uninstall one of them")
        found[info.name] = info
    return found
