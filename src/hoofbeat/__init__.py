"""hoofbeat: four-legged animals that move under a person's hand, in real time."""

from __future__ import annotations

from hoofbeat.body.clip import Clip
from hoofbeat.body.skeleton import Skeleton
from hoofbeat.export import load, save
from hoofbeat.horse import Herd, Horse
from hoofbeat.record import Recorder
from hoofbeat.records import Command, Frame

__version__ = "0.1.0"

__all__ = ["Clip", "Command", "Frame", "Herd", "Horse", "Recorder", "Skeleton", "load", "save"]
