"""What all tests share: where the reference data lies, and how hypothesis searches."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

ROOT = Path(__file__).resolve().parents[1]
DATA = Path(os.environ.get("HOOFBEAT_DATA") or ROOT.parent / "shared" / "data")
NO_DATA = "reference data absent: put it in ../shared/data or name its folder in HOOFBEAT_DATA"

# First calls compile, so a deadline would only measure Numba. In CI the same examples every time.
settings.register_profile("hoofbeat", deadline=None, max_examples=60, derandomize=bool(os.environ.get("CI")))
settings.load_profile("hoofbeat")


def pytest_runtest_setup(item: pytest.Item) -> None:
    if item.get_closest_marker("data") and not DATA.is_dir():
        pytest.skip(NO_DATA)


@pytest.fixture(scope="session")
def repo_root() -> Path:
    """The repository's root folder."""
    return ROOT


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The folder of reference data; the test is skipped where it is absent."""
    if not DATA.is_dir():
        pytest.skip(NO_DATA)
    return DATA


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A studio with its page, in a process of its own."""
    from studio_page import serving

    with serving(tmp_path_factory.mktemp("studio")) as one:
        yield one


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    """A browser."""
    from studio_page import browsing

    with browsing() as opened:
        yield opened
