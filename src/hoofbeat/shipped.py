"""Shipped: the folder of data that comes with the package."""

from __future__ import annotations

from pathlib import Path

DATA = Path(__file__).resolve().parent / "data"
