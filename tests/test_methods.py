"""The laws that every method keeps, held over the catalog; and that a broken law is noticed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hoofbeat import testing
from hoofbeat.errors import UnknownMethod
from hoofbeat.methods import catalog
from hoofbeat.methods.catalog import MethodInfo, PluginError, installed_methods, method_info, methods
from hoofbeat.testing import LAWS, TIME_STEPS, check_method, never_jumps, ride_soundly

over_methods = pytest.mark.parametrize("method", installed_methods())


@over_methods
@pytest.mark.parametrize("law", LAWS)
def test_a_method_keeps_the_laws(method: str, law: str) -> None:
    LAWS[law](method)


@over_methods
@settings(max_examples=6)
@given(
    st.lists(
        st.tuples(st.floats(-1e9, 1e9), st.floats(-1e9, 1e9), st.sampled_from(TIME_STEPS)),
        min_size=1,
        max_size=40,
    )
)
def test_no_finite_command_breaks_it(method: str, commands: list[tuple[float, float, float]]) -> None:
    ride_soundly(method, commands)


@pytest.mark.slow
@over_methods
def test_a_thousand_never_jump(method: str) -> None:
    never_jumps(method, count=1000, seconds=60, seed=6)


class Broken:
    """A sound method, broken in one place."""

    def __init__(self, step: Callable[..., None] | None = None, **members: Any) -> None:
        self._sound = method_info(catalog.DEFAULT).make()
        self._step, self._members = step, members
        self.calls = 0

    def __getattr__(self, name: str) -> Any:
        members = self.__dict__.get("_members", {})
        return members[name] if name in members else getattr(self.__dict__["_sound"], name)

    def step(self, state: Any, command: Any, sense: Any, dt: float, out: Any) -> None:
        """The sound step, then what breaks it."""
        self.calls += 1
        self._sound.step(state, command, sense, dt, out)
        if self._step is not None:
            self._step(self, out)


def _not_finite(method: Broken, out: Any) -> None:
    if method.calls > 50:
        out.rows["height"] = np.nan


def _hidden_memory(method: Broken, out: Any) -> None:
    out.rows["height"] += 1e-3 * np.sin(method.calls)


def _stretched(_: Broken, out: Any) -> None:
    out.rotations[:, 0] *= 1.01


def _never_down(_: Broken, out: Any) -> None:
    out.rows["contact"][:, 0] = 0


def _wrong_phase(_: Broken, out: Any) -> None:
    out.rows["phase"] = 1.0


BROKEN: dict[str, tuple[Broken | Callable[[], Broken], str]] = {
    "not finite": (lambda: Broken(_not_finite), "nan"),
    "hidden memory": (lambda: Broken(_hidden_memory), "differ"),
    "not unit": (lambda: Broken(_stretched), "length off"),
    "a foot up": (lambda: Broken(_never_down), "not all feet"),
    "phase": (lambda: Broken(_wrong_phase), "phases"),
    "no name": (lambda: Broken(name=""), "`name`"),
    "bands": (lambda: Broken(bands=np.zeros((2, 2))), "`bands`"),
    "no stand": (lambda: Broken(gaits=("walk", *catalog.OWN[0].gaits[2:], "stand")), "'stand'"),
    "turn": (lambda: Broken(max_turn=0.0), "`max_turn`"),
    "extends": (lambda: Broken(extends=1), "`extends`"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_law_is_reported(case: str) -> None:
    make, said = BROKEN[case]
    with pytest.raises(AssertionError, match=said):
        check_method(make())  # type: ignore[operator]


def test_the_catalog_agrees_with_the_method(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = MethodInfo("wrong", "the default under another name", catalog.OWN[0].module, ("stand",))
    monkeypatch.setattr(catalog, "_plugins", lambda: catalog.Plugins({"wrong": wrong}, {}))
    with pytest.raises(AssertionError, match="catalog"):
        testing.has_every_member("wrong")


class Entry:
    """An entry point of another package."""

    def __init__(self, name: str, found: object) -> None:
        self.name, self.value, self._found = name, f"{name}:INFO", found

    def load(self) -> object:
        """What it names."""
        if isinstance(self._found, BaseException):
            raise self._found
        return self._found


GOOD = MethodInfo("good", "a method of another package", "absent_module", ("stand",))
ENTRIES = (
    Entry("good", GOOD),
    Entry("absent", ModuleNotFoundError("no module named 'absent'")),
    Entry("leaves", SystemExit(3)),
    Entry("other", "not a MethodInfo"),
    Entry("misnamed", GOOD),
    Entry(catalog.DEFAULT, MethodInfo(catalog.DEFAULT, "takes a name that is given", "x", ("stand",))),
)


def test_broken_plugins_harm_nobody_and_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalog, "entry_points", lambda group: ENTRIES if group == catalog.GROUP else ())
    catalog._plugins.cache_clear()
    try:
        assert list(methods()) == [*(info.name for info in catalog.OWN), "good"]
        assert method_info(catalog.DEFAULT) is catalog.OWN[0]
        for name, said in (
            ("absent", "ModuleNotFoundError: no module named 'absent'"),
            ("leaves", "SystemExit"),
            ("other", "must be a MethodInfo"),
            ("misnamed", "of that name"),
        ):
            with pytest.raises(PluginError, match=said):
                method_info(name)
        with pytest.raises(PluginError, match="absent_module"):
            method_info("good").make()
        with pytest.raises(UnknownMethod, match="good"):
            method_info("nobody")
    finally:
        catalog._plugins.cache_clear()


def test_a_missing_package_is_not_installed() -> None:
    assert not MethodInfo("x", "x", "x", ("stand",), package="hoofbeat_absent.part").installed
    assert not MethodInfo("x", "x", "x", ("stand",), package="hoofbeat_absent").installed
