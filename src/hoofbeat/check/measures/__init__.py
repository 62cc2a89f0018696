"""Measures, a file for each family: a new family is one new file here that has a FAMILY."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from types import MappingProxyType

from hoofbeat.check.measure import Family, Limit

#: Every family, in the order of reports.
FAMILIES: tuple[Family, ...] = tuple(
    sorted(
        (
            importlib.import_module(f"{__name__}.{found.name}").FAMILY
            for found in pkgutil.iter_modules(__path__)
        ),
        key=lambda family: family.place,
    )
)
#: The groups of a report, in its order.
GROUPS = tuple(family.group for family in FAMILIES)
#: Every measure by name, with its limit.
LIMITS: Mapping[str, Limit] = MappingProxyType(
    {name: limit for family in FAMILIES for name, limit in family.limits.items()}
)
