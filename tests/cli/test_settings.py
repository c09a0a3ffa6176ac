"""`maxcode.toml`: settings of a task, below options of the command line."""

import json
from pathlib import Path

import pytest
from tests.cli.conftest import Run


@pytest.fixture
def settings(folder: Path) -> Path:
    path = folder / "maxcode.toml"
    path.write_text('generator = "landscape"\nbudget = 3\nstore = "own.db"\n')
    return path


@pytest.mark.usefixtures("settings")
def test_settings_are_followed_once_they_are_known(inside: Run, folder: Path) -> None:
    inside("optimize landscape:size=4 --json", code=2, says="is not known as yours")
    assert not (folder / "own.db").exists()

    assert "budget = 3" in inside("doctor --trust").stdout
    done = inside("optimize landscape:size=4 --json", code=(0, 1))
    assert "generator = landscape, budget = 3" in done.stderr
    assert json.loads(done.stdout)["evaluations"] <= 3
    shown = json.loads(inside("show --json").stdout)
    assert shown["plugins"]["generator"] == "LandscapeGenerator"
    assert (folder / "own.db").exists()


@pytest.mark.usefixtures("settings")
def test_several_stores_are_named_by_options_alone(inside: Run) -> None:
    done = inside("rtg evaluate --model random --store none.db")
    assert "settings of" not in done.stderr
    assert "none.db" in done.stderr
    assert "settings of" not in inside("rtg evaluate --model random").stderr


@pytest.mark.usefixtures("settings")
def test_options_win(inside: Run, folder: Path) -> None:
    inside("doctor --trust")
    store = ("--store", "other.db")
    done = inside("optimize landscape:size=4 --budget evaluations=1", *store, "--json")
    assert json.loads(done.stdout)["evaluations"] <= 1
    assert not (folder / "own.db").exists()
    run = json.loads(done.stdout)["run_id"]
    assert json.loads(inside("show", run, *store, "--json").stdout)["run_id"] == run


def test_settings_that_changed_are_not_known_any_more(inside: Run, settings: Path) -> None:
    inside("doctor --trust")
    settings.write_text('generator = "evil:Generator"\n')
    done = inside("optimize landscape:size=4", code=2, says="evil:Generator")
    assert "maxcode doctor --trust" in done.stderr


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("generater = 'rewrite'", "unknown setting 'generater' (did you mean generator?)"),
        ("budget = 1.5", "budget takes a text"),
        ("budget = ", "cannot be read"),
    ],
)
def test_wrong_settings_say_what_and_where(
    inside: Run, settings: Path, text: str, told: str
) -> None:
    settings.write_text(text)
    done = inside("optimize landscape:size=4", code=2, says=f"{settings}")
    assert told in done.stderr
    assert told in inside("doctor", COLUMNS="400").stdout


def test_settings_beside_a_task_come_first(inside: Run, settings: Path, task: Path) -> None:
    (task / "maxcode.toml").write_text("budget = 'evaluations=7'")
    done = inside("optimize", str(task))
    assert f"settings of {task / 'maxcode.toml'}: budget = evaluations=7" in done.stderr
    assert str(settings) not in done.stderr
