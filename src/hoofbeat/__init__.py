"""hoofbeat: four-legged animals that move under a person's hand, in real time.

Names are imported when they are first used: `import hoofbeat` itself costs nothing, and the command
line can answer `--help` without waiting for the compiler.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hoofbeat.body.clip import Clip
    from hoofbeat.body.skeleton import Skeleton
    from hoofbeat.check import Door
    from hoofbeat.export import load, load_skeleton, save
    from hoofbeat.formats.planfile import Plan
    from hoofbeat.horse import Herd, Horse
    from hoofbeat.record import Recorder
    from hoofbeat.records import Command, Frame
    from hoofbeat.synthesis import synthesize

    check: Door

__version__ = "0.1.0"

__all__ = [
    "Clip",
    "Command",
    "Frame",
    "Herd",
    "Horse",
    "Plan",
    "Recorder",
    "Skeleton",
    "check",
    "load",
    "load_skeleton",
    "save",
    "synthesize",
]

#: Where each public name stands.
_HOMES = {
    "Clip": "body.clip",
    "Command": "records",
    "Frame": "records",
    "Herd": "horse",
    "Horse": "horse",
    "Plan": "formats.planfile",
    "Recorder": "record",
    "Skeleton": "body.skeleton",
    "check": "check",
    "load": "export",
    "load_skeleton": "export",
    "save": "export",
    "synthesize": "synthesis",
}


def __getattr__(name: str) -> Any:
    """Import a public name on first use, and with it `export`, which teaches `Clip.save` its endings."""
    if name not in _HOMES:
        raise AttributeError(f"module 'hoofbeat' has no attribute {name!r}")
    importlib.import_module("hoofbeat.export")
    module = importlib.import_module(f"hoofbeat.{_HOMES[name]}")
    # The package `check` is callable and stands for its function, see hoofbeat/check/__init__.py.
    value = module if _HOMES[name] == name else getattr(module, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
