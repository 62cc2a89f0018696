"""Shipped: what comes with the package: its folder of data, and the method where none is named."""

from __future__ import annotations

from pathlib import Path

DATA = Path(__file__).resolve().parent / "data"
#: The method of `Horse()`, `Herd`, plans, the command line and the studio where none is named.
DEFAULT_METHOD = "timewarp"
