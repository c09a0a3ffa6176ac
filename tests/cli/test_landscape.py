"""Landscapes from the command line."""

import json
from pathlib import Path

import pytest
from tests.cli.conftest import Run

from maxcode.journal.journal import Journal

pytestmark = pytest.mark.slow

PLUGINS = ("--generator", "landscape:further=0.1", "--critic", "landscape:accuracy=1")


def test_a_landscape_is_searched_and_taken_up_again(inside: Run, folder: Path) -> None:
    done = inside(
        *(
            "optimize",
            "landscape:seed=3,size=8",
            *PLUGINS,
            "--minimise",
            "0",
            "--seed",
            "1",
            "--json",
        ),
        code=0,
    )
    document = json.loads(done.stdout)
    assert document["evaluations"] == 40
    assert Path(document["best"]["program_path"]).read_text().startswith("site 0: choice ")
    more = inside("resume last --budget evaluations=44 --json")
    assert json.loads(more.stdout)["evaluations"] == 44, more.stderr


def test_a_landscape_has_no_inputs_and_no_meter(inside: Run, slow: Path) -> None:
    done = inside("optimize landscape", *PLUGINS, "--inputs", "inputs/*.txt", code=2)
    assert "'landscape' is a landscape" in " ".join(done.stderr.split())
    done = inside("optimize landscape", *PLUGINS, "--meter", "wall", code=2)
    assert "not for 'landscape'" in " ".join(done.stderr.split())


@pytest.mark.parametrize("command", ["optimize", "compare"])
def test_the_rewrites_are_refused_before_a_run_begins(
    inside: Run, folder: Path, command: str
) -> None:
    done = inside(command, "landscape", "--generator", "rewrite", "--store", "runs.db", code=2)
    assert "error: landscape tasks need --generator landscape\n" in done.stderr
    with Journal.open(folder / "runs.db") as journal:
        assert not journal.run_ids()


def test_a_limit_that_is_spent_already_is_refused(inside: Run) -> None:
    inside(
        *("optimize", "landscape:size=8", *PLUGINS, "--minimise", "0"),
        *("--budget", "evaluations=10"),
        code=(0, 1),
    )
    for number in (5, 10):
        done = inside("resume last --budget", f"evaluations={number}", code=2)
        assert "error: 10 evaluations are spent already; give more than 10\n" in done.stderr
    assert "evaluations=10" in inside("show last").stdout


def test_a_folder_of_that_name_is_a_folder(inside: Run, task: Path, folder: Path) -> None:
    (folder / "landscape").mkdir()
    done = inside("optimize landscape", *PLUGINS)
    assert "has no task.toml" in " ".join(done.stderr.split())
