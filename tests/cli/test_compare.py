"""`maxcode compare`: methods on tasks with seeds, as tables, files and resumable runs."""

import csv
import json
import re
import signal
from pathlib import Path

import pytest
from tests.cli.conftest import Run, Start

pytestmark = pytest.mark.slow


TASKS = ("landscape:seed=1", "landscape:seed=2", "landscape:seed=3")
COMPARE = "compare --generator landscape --store runs.db"


def test_a_comparison_of_a_program_prints_tables_and_is_not_made_twice(
    inside: Run, task: Path
) -> None:
    given = "--generator proposer:Proposer --budget evaluations=1 --sandbox process --json"
    command = (f"compare --policy maxcode:k=3 --seeds 1 {given}", str(task.parent))
    done = inside(*command, COLUMNS="80", code=0)
    assert "2 of 2 runs: maxcode:k=3, doubling, seed 0: " in done.stderr
    for text in ("best-of-n", "maxcode:k=3", "geometric mean", "fast_p", "%Opt", "Against"):
        assert text in done.stderr
    told = json.loads(done.stdout)
    assert [run["speedup"] > 2 for run in told["runs"]] == [True, True]
    again = inside(*command, says="2 of 2 runs are in the store")
    assert json.loads(again.stdout) == told


def test_switches_are_named_with_a_policy(inside: Run, folder: Path) -> None:
    inside(
        f"{COMPARE} --policy maxcode:k=4@trajectory,best --policy best-of-n --policy "
        "maxcode:k=4@none --seeds 2 --budget evaluations=8 --out told --jobs 2",
        *TASKS,
        code=0,
        says="wrote ",
    )
    told = json.loads((folder / "told" / "comparison.json").read_text())
    assert told["methods"] == ["maxcode:k=4@trajectory,best", "best-of-n", "maxcode:k=4@none"]
    assert told["control"] == "best-of-n"
    rows = list(csv.DictReader((folder / "told" / "runs.csv").read_text().splitlines()))
    assert len(rows) == 3 * 3 * 2
    assert {row["evaluations"] for row in rows} == {"8"}


def test_methods_have_critics_of_their_own_and_are_held_against_any_of_them(
    inside: Run, folder: Path
) -> None:
    right, wrong = "maxcode:k=4@critic=landscape", "maxcode:k=4@all@critic=landscape:accuracy=0"
    command = (f"{COMPARE} --seeds 1 --budget evaluations=4 --policy", right, "--policy", wrong)
    done = inside(*command, *TASKS, "--json", "--against", wrong, COLUMNS="300", code=0)
    told = json.loads(done.stdout)
    assert told["methods"] == ["best-of-n", right, wrong]
    assert [(one["method"], one["other"]) for one in told["against"]] == [
        ("best-of-n", wrong),
        (right, wrong),
    ]
    assert f"Against {wrong}" in done.stderr
    assert f"  {right} " in done.stderr  # what may be said of the two, in words
    assert "Power: with 1 seed on 3 tasks no difference could be found" in done.stderr
    each = inside(*command, *TASKS, "--against", "all")
    assert each.stdout.count(", p = ") == 2 + 3


def test_the_papers_table_is_one_command(inside: Run, folder: Path) -> None:
    arms = "--policy cuda-llm:n=2 --ablate maxcode --options attempts=0,gamma=0.9"
    budget = "--seeds 1 --budget evaluations=2 --json"
    done = inside(f"{COMPARE} --critic landscape {arms} {budget}", TASKS[0], code=0)
    told = json.loads(done.stdout)
    parts = ("none", "trajectory,best", "trajectory,critique", "critique,best", "maxcode")
    assert told["methods"][1:] == [f"cuda-llm:n=2@{part}" for part in parts]
    assert [one["method"] for one in told["effects"]] == [
        f"showing the {part}" for part in ("trajectory", "critique", "best")
    ]
    assert told["differences"][0]["ratio"]["high"] is None  # one value has no scatter


def test_ctrl_c_says_how_to_go_on_and_the_same_command_does(start: Start, inside: Run) -> None:
    command = (f"{COMPARE} --seeds 6 --budget evaluations=40", *TASKS)
    with start(*command) as process:
        assert process.stderr is not None
        first = process.stderr.readline()
        process.send_signal(signal.SIGINT)
        _, messages = process.communicate(timeout=60)
    assert "1 of 36 runs: best-of-n" in first
    assert process.returncode == 128 + signal.SIGINT
    assert "the same command makes the others" in messages
    again = inside(*command, code=0, says="36 of 36 runs")
    assert " of 36 runs are in the store" in again.stderr


def test_runs_that_fail_are_told_and_the_exit_code_says_so(inside: Run, task: Path) -> None:
    search = "compare --generator landscape --seeds 1 --budget evaluations=4 --sandbox process"
    done = inside(search, str(task), TASKS[0], code=1, says="2 of 4 runs done")
    assert "failed, 1 run of best-of-n, whose pairs are left out: " in done.stdout


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("nowhere",), "there is no task folder or program nowhere"),
        (("empty",), "holds no tasks"),
        ((*TASKS, "--policy", "nobody"), "unknown policy 'nobody'"),
        ((*TASKS, "--policy", "maxcode@all,best"), "cannot observe 'all'"),
        ((*TASKS, "--policy", "maxcode", "--policy", "maxcode"), "two methods are called"),
        ((*TASKS, "--ablate", "--policy", "maxcode@all"), "--ablate takes one --policy"),
        ((*TASKS, "--ablate", "--critic", "none"), "so there must be some"),
        ((*TASKS, "--budget", "evaluations=inf"), "must limit something"),
        ((TASKS[0], TASKS[0]), "two tasks are called"),
        ((*TASKS, "--policy", "maxcode@none@critic=landscape"), "does not go together"),
        ((*TASKS, "--policy", "maxcode@critic=nobody"), "unknown critic 'nobody'"),
        ((*TASKS, "--against", "beam"), "no such method takes part; there are: best-of-n"),
    ],
)
def test_wrong_input_is_told_before_anything_runs(
    inside: Run, folder: Path, arguments: tuple[str, ...], told: str
) -> None:
    (folder / "empty").mkdir()
    inside(COMPARE, *arguments, code=2, says=told)
    assert not (folder / "runs.db").exists()


def test_figures_are_whole_on_a_narrow_screen(inside: Run, folder: Path) -> None:
    method = "maxcode-greedy:k=4,d=12@trajectory,best"
    search = f"{COMPARE} --policy {method} --budget evaluations=4 --seeds"
    shown = inside(f"{search} 2", *TASKS, COLUMNS="60", code=0).stdout
    assert re.search(r"^best-of-n\s+\d\.\d\dx \[\d\.\d\d,", shown, re.MULTILINE)
    assert "…" not in shown
    single = inside(f"{search} 1 --store one.db", TASKS[0], COLUMNS="60", code=0).stdout
    figures = single.partition("Against")[0]
    assert re.search(r"^best-of-n\s+\d\.\d\dx +\d\.\d\dx +\d\.\d$", figures, re.MULTILINE)
    assert "[" not in figures
