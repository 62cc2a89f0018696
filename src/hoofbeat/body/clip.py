"""Clip: a stretch of motion as stacked, read-only arrays, and the registry of file writers."""

from __future__ import annotations

import base64
import html
import importlib
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hoofbeat.body.pose import positions_of
from hoofbeat.body.skeleton import Skeleton
from hoofbeat.errors import ClipError, HoofbeatError, nearest

Writer = Callable[["Clip", Path], None]
#: The module that registers the writers, by name: this layer may not import it.
WRITERS_HOME = "hoofbeat.export"
#: The extra (T,) that names the method which made each frame.
METHOD = "method"
_writers: dict[str, Writer] = {}


def register_writer(ending: str, writer: Writer) -> None:
    """Teach `Clip.save` a file ending; the layers below call this, so that imports run one way."""
    _writers[ending] = writer


@dataclass(frozen=True, eq=False)
class Clip:
    """Motion of one skeleton. T frames, J nodes (end sites included, with identity rotations).

    rotations (T, J, 4) float64 xyzw, local; the root's is world from pelvis. origins (T, 3) float64
    [m], world position of the root joint. fps: frames a second. contacts (T, 4) in [0, 1] for LF,
    RF, LH, RH, or None where unknown. extras: further (T, ...) arrays by name (phase, speed, ...).
    """

    skeleton: Skeleton
    rotations: NDArray[np.float64]
    origins: NDArray[np.float64]
    fps: float
    contacts: NDArray[np.float64] | None
    name: str
    extras: MappingProxyType[str, NDArray[Any]]

    def __init__(
        self,
        skeleton: Skeleton,
        rotations: ArrayLike,
        origins: ArrayLike,
        fps: float,
        contacts: ArrayLike | None = None,
        name: str = "clip",
        extras: dict[str, NDArray[Any]] | None = None,
    ) -> None:
        fields = {
            "skeleton": skeleton,
            "rotations": _frozen(rotations),
            "origins": _frozen(origins),
            "fps": float(fps),
            "contacts": None if contacts is None else _frozen(contacts),
            "name": name,
            "extras": MappingProxyType({k: _frozen(v, keep=True) for k, v in (extras or {}).items()}),
        }
        for key, value in fields.items():
            object.__setattr__(self, key, value)
        self._validate()

    def _validate(self) -> None:
        frames, nodes = len(self.rotations), len(self.skeleton)
        if self.rotations.shape != (frames, nodes, 4):
            raise ClipError(f"rotations must be (T, {nodes}, 4) here, given {self.rotations.shape}")
        if self.origins.shape != (frames, 3):
            raise ClipError(f"origins must be ({frames}, 3), given {self.origins.shape}")
        if self.contacts is not None and self.contacts.shape != (frames, 4):
            raise ClipError(f"contacts must be ({frames}, 4), given {self.contacts.shape}")
        if not (np.isfinite(self.fps) and 0 < self.fps <= 10_000):
            raise ClipError(f"fps must be in (0, 10000], given {self.fps}")
        for key in ("rotations", "origins", "contacts"):
            array = getattr(self, key)
            if array is not None and not np.isfinite(array).all():
                raise ClipError(f"{key} contain NaN or infinity")
        for key, value in self.extras.items():
            if value.shape[:1] != (frames,):
                raise ClipError(f"extra {key!r} must have {frames} rows, its shape is {value.shape}")

    def __len__(self) -> int:
        return len(self.rotations)

    def __repr__(self) -> str:
        words = [f"{self.seconds:.2f} s", f"{len(self)} frames at {self.fps:g} fps"]
        words += [" > ".join(self._runs("gait"))] if "gait" in self.extras else []
        words += [f"method {' > '.join(self._runs(METHOD))}"] if METHOD in self.extras else []
        words.append("contacts known" if self.contacts is not None else "contacts unknown")
        return f"Clip({self.name!r}: {', '.join(words)}, {self.skeleton!r})"

    def _runs(self, key: str, most: int = 8) -> list[str]:
        """Names of an extra (T,) in the order of time, one for each run of frames."""
        names = self.extras[key].astype(str).reshape(-1)
        firsts = np.flatnonzero(np.concatenate([[True], names[1:] != names[:-1]])[: len(names)])
        return [str(names[k]) for k in firsts[:most]] + (["..."] if len(firsts) > most else [])

    def _repr_png_(self) -> bytes | None:
        """For notebooks: poses and footfalls on one page; None where the clip cannot be drawn."""
        with tempfile.TemporaryDirectory() as folder:
            try:
                return self.save(Path(folder) / "clip.png").read_bytes()
            except HoofbeatError:  # no frames, or a skeleton without legs: the line of words is left
                return None

    def _repr_html_(self) -> str | None:
        """For notebooks: the line of `repr` over the page of poses and footfalls."""
        page = self._repr_png_()
        if page is None:
            return None
        picture = base64.b64encode(page).decode("ascii")
        words = html.escape(repr(self))
        return (
            f'<p>{words}</p><img alt="{words}" style="max-width:100%" src="data:image/png;base64,{picture}">'
        )

    @property
    def seconds(self) -> float:
        """Duration [s]: frames times the frame time."""
        return len(self) / self.fps

    @cached_property
    def positions(self) -> NDArray[np.float64]:
        """World positions (T, J, 3) [m], by forward kinematics, computed once."""
        found = positions_of(self.skeleton, self.rotations, self.origins)
        found.setflags(write=False)
        return found

    def save(self, path: str | PathLike[str]) -> Path:
        """Write the clip in the format of the file's ending; returns the path written."""
        target = Path(path)
        ending = target.suffix.lower()
        if ending not in _writers:
            # The writers live in a layer below; who came here by another door has not loaded them.
            importlib.import_module(WRITERS_HOME)
        if ending not in _writers:
            near = nearest(ending, _writers)
            hint = f"; did you mean {near}?" if near else "."
            known = ", ".join(sorted(_writers))
            raise ClipError(f"cannot write {ending or 'a file without an ending'!r}{hint} Known: {known}")
        _writers[ending](self, target)
        return target


def methods_of(clip: Clip) -> tuple[str, ...]:
    """The methods that made a clip, each once, in the order of time; none where it does not say."""
    names = clip.extras.get(METHOD)
    if names is None or names.dtype.kind != "U" or names.ndim != 1:
        return ()
    return tuple(name for name in dict.fromkeys(names.tolist()) if name)


def _frozen(values: ArrayLike, keep: bool = False) -> NDArray[Any]:
    array = np.array(values) if keep else np.array(values, np.float64)
    array.setflags(write=False)
    return array
