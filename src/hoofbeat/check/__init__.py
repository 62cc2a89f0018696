"""Check: whether a clip of a quadruped moves as the animal would, and by how much not.

`hoofbeat.check(clip)` gives a Report; `hoofbeat.check.assert_gait(clip, "trot")` is for tests.
"""

from __future__ import annotations

import sys
from types import ModuleType

from hoofbeat.check.api import assert_gait, check
from hoofbeat.check.report import Report

__all__ = ["Report", "assert_gait", "check"]


class Door(ModuleType):
    """This package as a module that can be called.

    `hoofbeat.check` is both a function of the front door and the package that holds it, and importing the
    package sets that name whatever the front door says. So the module itself answers the call; giving a
    module a class of its own is what Python's data model offers for this.
    """

    __call__ = staticmethod(check)
    check = staticmethod(check)
    assert_gait = staticmethod(assert_gait)
    Report = Report


sys.modules[__name__].__class__ = Door
