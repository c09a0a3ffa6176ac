"""`report`: runs as a page, and what is said when there is none."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.cli.conftest import Run

from maxcode import system

pytestmark = pytest.mark.slow


@pytest.fixture
def made(inside: Run) -> list[str]:
    """The ids of two runs of a task, in the order in which they were made."""
    ids = []
    for seed in ("0", "1"):
        done = inside(
            "optimize landscape:size=6 --generator landscape --critic landscape",
            *("--budget", "evaluations=4", "--seed", seed, "--minimise", "0"),
            *("--store", "runs.db", "--json"),
        )
        ids.append(json.loads(done.stdout)["run_id"])
    return ids


def test_the_last_run_is_a_page(inside: Run, folder: Path, made: list[str]) -> None:
    done = inside("report --store runs.db")
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    assert done.stderr.startswith(f"report.html: run {made[1]}, ")
    page = (folder / "report.html").read_text()
    assert page.startswith("<!DOCTYPE html>")
    assert made[1] in page
    assert made[0] not in page
    assert "task=landscape:size=6, generator=landscape" in page


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nothing"], "no run 'nothing'"),
        (["-o", "."], "is a folder; name the file to write with --out FILE"),
    ],
)
def test_wrong_use(inside: Run, folder: Path, made: list[str], arguments: Any, said: str) -> None:
    inside("report", *arguments, "--store", "runs.db", code=2, says=said)
    assert not list(folder.glob("*.html"))


def test_a_missing_library_says_what_to_install(
    inside: Run, made: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(system, "find_spec", lambda name: None)
    inside("report --store runs.db", code=2, says="pip install 'maxcode[report]'")
