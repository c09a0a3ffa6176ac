"""Landscapes from the command line."""

import json
from pathlib import Path

import pytest
from tests.cli.conftest import Run

from maxcode.journal.journal import Journal

pytestmark = pytest.mark.slow

SEARCH = "optimize landscape:seed=3,size=8 --generator landscape:further=0.1 --minimise 0"


def test_a_landscape_is_searched_and_taken_up_above_what_is_spent(inside: Run) -> None:
    done = inside(f"{SEARCH} --critic landscape:accuracy=1 --seed 1 --json", code=0)
    document = json.loads(done.stdout)
    assert document["evaluations"] == 40
    assert Path(document["best"]["program_path"]).read_text().startswith("site 0: choice ")
    for number in (5, 40):
        said = "error: 40 evaluations are spent already; give more than 40\n"
        inside(f"resume last --budget evaluations={number}", code=2, says=said)
    assert "evaluations=40" in inside("show last").stdout
    more = inside("resume last --budget evaluations=44 --json")
    assert json.loads(more.stdout)["evaluations"] == 44, more.stderr


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("optimize landscape --generator landscape --inputs *.txt", "--inputs go with a program"),
        ("optimize landscape --generator landscape --meter wall", "not for 'landscape'"),
        ("optimize landscape --generator rewrite", "landscape tasks need --generator landscape"),
        ("compare landscape --generator rewrite", "landscape tasks need --generator landscape"),
    ],
)
def test_what_landscapes_lack_is_refused_before_a_run_begins(
    inside: Run, folder: Path, command: str, said: str
) -> None:
    done = inside(f"{command} --store runs.db", code=2)
    assert said in " ".join(done.stderr.split())
    with Journal.open(folder / "runs.db") as journal:
        assert not journal.run_ids()
