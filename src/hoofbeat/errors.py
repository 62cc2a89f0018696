"""Named errors. Each message says what was given, what is allowed and what to do."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from os import PathLike, fspath


class HoofbeatError(Exception):
    """Base of every error this package raises on purpose."""


class FileError(HoofbeatError):
    """Something in a file is wrong; `path` and `line` (1-based, 0 = whole file) say where."""

    def __init__(self, message: str, path: str | PathLike[str] = "<memory>", line: int = 0) -> None:
        self.path = fspath(path)
        self.line = line
        self.reason = message
        where = f"{self.path}:{line}" if line else self.path
        super().__init__(f"{where}: {message}")


class BvhError(FileError):
    """A BVH file that cannot be read, or a clip that cannot be written as one."""


class GltfError(FileError):
    """A glTF file that cannot be read, or clips that cannot be written as one; it names the object."""


class SeveralClipsWarning(UserWarning):
    """A file of several clips was read without saying which: the first was given."""


class GltfWarning(UserWarning):
    """A glTF file was read, but holds motion that a clip cannot (joints that stretch, scales that change)."""


class ActionFileError(FileError):
    """An Action file (R2) with a wrong line, joint or expression."""


class SceneFileError(FileError):
    """A scene file that names something missing, unknown or out of range."""


class UsdError(FileError):
    """Clips that cannot be written as USD, or the package usd-core is missing."""


class ExpressionError(HoofbeatError):
    """A postfix expression that does not parse; `column` (1-based) is where."""

    def __init__(self, message: str, text: str, column: int = 1) -> None:
        self.text = text
        self.column = column
        self.reason = message
        super().__init__(f"column {column} of {text!r}: {message}")


class SkeletonError(HoofbeatError):
    """Joint names, parents or offsets that do not make a tree, or legs that are missing."""


class ClipError(HoofbeatError):
    """Clip arrays of the wrong shape or with NaN, or a file ending nobody can write."""


class CommandError(HoofbeatError):
    """A command with NaN or infinity, or of the wrong shape. The state was left untouched."""


class TimeStepError(HoofbeatError):
    """A time step that is negative, NaN or infinite. The state was left untouched."""


class UnknownName(HoofbeatError):
    """A name that is not known; `given`, `known` and `nearest` say what would be."""

    kind = "name"

    def __init__(self, given: object, known: Iterable[str], also: Iterable[str] = ()) -> None:
        """also: other names that would be understood; one may be the nearest, but they are not listed."""
        self.given = given
        self.known = tuple(known)
        self.nearest = nearest(str(given), (*self.known, *also))
        hint = f"; did you mean {self.nearest!r}?" if self.nearest else "."
        listed = ", ".join(self.known) or "none"
        super().__init__(f"unknown {self.kind} {given!r}{hint} Known: {listed}")


class UnknownGait(UnknownName):
    """A gait that this method or table does not have."""

    kind = "gait"


class UnknownAction(UnknownName):
    """An action that this method does not have."""

    kind = "action"


class UnknownMethod(UnknownName):
    """A method that does not exist."""

    kind = "method"


class UnknownOption(UnknownName):
    """An option that this method does not have."""

    kind = "option"


class UnknownJoint(UnknownName):
    """A joint that the skeleton does not have."""

    kind = "joint"


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word closest to `word`, or None when nothing is near."""
    lowered = {name.lower(): name for name in known}
    found = difflib.get_close_matches(word.lower(), list(lowered), n=1, cutoff=0.6)
    return lowered[found[0]] if found else None
