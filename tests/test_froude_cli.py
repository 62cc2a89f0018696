"""hoofbeat froude and hoofbeat plot."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from hoofbeat.cli.app import app
from hoofbeat.cli.research.plot import FIGURES as NAMES
from hoofbeat.cli.research.plot import complete_figure
from hoofbeat.methods.froude.model.stages import stage_table
from hoofbeat.render.plots.froude import FIGURES, PlotError, UnknownPlot, draw_plot


def run(*arguments: str) -> tuple[int, str, str]:
    """Exit code, stdout and stderr."""
    found = CliRunner().invoke(app, list(arguments))
    return found.exit_code, found.stdout, found.stderr


def test_stages_as_json_are_table_4():
    code, out, _ = run("froude", "--stages", "--json")
    report = json.loads(out)
    assert code == 0 and report["preset"] == "paper" and report["rows"] == []
    assert report["stages"] == stage_table("paper")
    _, out, _ = run("froude", "--stages")
    assert "trot to canter      100  125  144  131" in out


def test_predictions_for_a_speed_and_for_a_froude_number_agree():
    first = json.loads(run("froude", "--speed", "3.2", "--json")[1])["rows"][0]
    second = json.loads(run("froude", "--froude", str(first["froude"]), "--json")[1])["rows"][0]
    for key, value in first.items():
        assert second[key] == (pytest.approx(value, rel=1e-4) if key != "gait" else "trot")
    mouse = json.loads(run("froude", "--froude", "1", "--hip", "0.03", "--json")[1])["rows"][0]
    assert mouse["relative_stride"] == 2.4 and mouse["stride"] == pytest.approx(0.072)
    moon = json.loads(run("froude", "--froude", "1", "--gravity", "1.62", "--json")[1])["rows"][0]
    assert moon["speed"] < mouse["speed"] * 10 and moon["duty_fore"] == 0.52


def test_the_table_has_every_gait():
    code, out, _ = run("froude", "--preset", "paper", "--height", "1.6")
    assert code == 0 and all(f" {gait} " in out for gait in ("walk", "trot", "canter", "gallop"))


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--speed", "1", "--froude", "1"), "not both"),
        (("--hip", "1", "--height", "1"), "not both"),
        (("--speed", "0"), "above 0"),
        (("--froude", "1", "--hip", "-1"), "hip height must be"),
        (("--froude", "1", "--gait", "amble"), "unknown gait"),
        (("--preset", "wild"), "unknown preset"),
        (("--height", "90"), "height must be"),
        (("--froude", "nan"), "Froude number must be"),
    ],
)
def test_what_is_wrong_is_reported(arguments, told):
    code, out, err = run("froude", *arguments)
    assert code == 2 and out == "" and told in " ".join(err.split())


def test_names_of_figures_are_in_step():
    assert list(NAMES) == list(FIGURES)
    assert complete_figure("fig1") == ["fig11", "fig12"]
    with pytest.raises(UnknownPlot, match="fig2"):
        draw_plot("fig99", "x.png")
    with pytest.raises(PlotError, match=r"\.png or \.svg"):
        draw_plot("fig2", "x.gif")


@pytest.mark.parametrize("name", ["fig2", "fig3", "fig4", "fig5", "fig7", "fig8", "fig9"])
def test_figures_are_drawn_the_same_every_time(name, tmp_path):
    pytest.importorskip("matplotlib")
    code, out, _ = run("plot", name, "-o", str(tmp_path / "a.svg"))
    assert code == 0 and out.strip().endswith("a.svg")
    draw_plot(name, tmp_path / "b.svg")
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()
    draw_plot(name, tmp_path / "c.png")
    assert (tmp_path / "c.png").read_bytes()[:4] == b"\x89PNG"


@pytest.mark.parametrize("name", ["fig11", "fig12"])
def test_figures_of_the_run_are_drawn(name, tmp_path):
    pytest.importorskip("matplotlib")
    draw_plot(name, tmp_path / "a.svg")
    assert (tmp_path / "a.svg").stat().st_size > 20_000
