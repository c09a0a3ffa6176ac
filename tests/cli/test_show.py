"""`show` and `runs`: looking at what was found."""

import json
import os
import re
import subprocess
from pathlib import Path

import pytest
from tests.cli.conftest import Run

from maxcode import system
from maxcode.budget import Budget
from maxcode.generators.llm import ModelGenerator
from maxcode.journal.events import SessionStarted
from maxcode.journal.journal import Journal
from maxcode.policies.best_of_n import BestOfN
from maxcode.search.search import Search
from maxcode.testing import (
    ScriptedExecutor,
    ScriptedGenerator,
    ScriptedModel,
    toy_answers,
    toy_task,
    toy_verdict,
)


@pytest.fixture
def run_id(folder: Path) -> str:
    """A finished run of 30 steps in the folder's store."""
    with Journal.open(folder / "runs.db") as journal:
        search = Search(
            toy_task(),
            generator=ScriptedGenerator(toy_answers),
            executor=ScriptedExecutor(toy_verdict),
            policy=BestOfN(batch=5),
            budget=Budget(evaluations=30),
            journal=journal,
        )
        search.run()
        return search.run_id


@pytest.fixture
def look(inside: Run, run_id: str, folder: Path) -> Run:
    """Runs a command on that store."""

    def run(*arguments: str, **variables: str) -> "subprocess.CompletedProcess[str]":
        done = inside(*arguments, "--store", str(folder / "runs.db"), **variables)
        assert "Traceback" not in done.stderr
        return done

    return run


@pytest.mark.slow
def test_show_gives_headline_steps_and_diff(look: Run, run_id: str) -> None:
    shown = look("show", run_id[:-2], code=0)
    assert run_id in shown.stdout
    assert "seed 0" in shown.stdout
    assert any(line.startswith("*") for line in shown.stdout.splitlines())
    diff, headline = shown.stdout.index("+++ b/"), shown.stdout.index("x faster")
    assert diff < headline < shown.stdout.index("\nsteps")  # the answer is what one sees last


@pytest.mark.slow
def test_all_lists_every_step_and_the_short_list_says_how_many_are_left_out(look: Run) -> None:
    steps = json.loads(look("show --json").stdout)["steps"]
    every, short = look("show --all"), look("show")
    left_out = int(short.stderr.split()[1])
    assert left_out > 0
    assert every.stdout.count("\n") - short.stdout.count("\n") == left_out
    assert len(steps) > left_out
    assert every.stderr == ""


@pytest.mark.slow
def test_a_step_is_shown_with_diffs_and_feedback(look: Run) -> None:
    path = json.loads(look("show --json").stdout)["path"]
    shown = look("show --step", str(path[-1]))
    diff = shown.stdout.index("against the parent")
    assert diff < shown.stdout.index("\nstatus")
    step = json.loads(look("show --step", str(path[-1]), "--json").stdout)
    assert step["id"] == path[-1]
    assert step["diffs"]["parent"].startswith("--- a/")
    assert step["program"]["files"][step["program"]["entry"]]
    assert step["measurements"]["candidate"][0]["samples"]
    baseline = look("show --step 0")
    assert "against the" not in baseline.stdout


@pytest.mark.slow
def test_any_two_steps_are_compared(look: Run) -> None:
    steps = json.loads(look("show --json").stdout)["steps"]
    one, other = [step["id"] for step in steps if step["status"] == "ok"][1:3]
    there = look("show --diff", str(one), str(other))
    assert there.stdout.startswith("--- a/")
    back = json.loads(look("show --diff", str(other), str(one), "--json").stdout)
    assert (back["from"], back["to"]) == (other, one)
    added = {line[1:] for line in there.stdout.splitlines() if line.startswith("+")}
    removed = {line[1:] for line in back["diff"].splitlines() if line.startswith("-")}
    assert {line for line in added if "/" not in line} <= removed
    same = look("show --diff", str(one), str(one))
    assert (same.stdout, same.returncode) == ("", 0)
    assert "are the same program" in same.stderr
    look("show --diff 0 999", code=2)
    look("show --diff 0 1 --step 1", code=2)


@pytest.mark.slow
def test_runs_tells_the_living_from_the_killed(look: Run, run_id: str, folder: Path) -> None:
    with Journal.open(folder / "runs.db") as journal:
        log = journal.run(run_id)

        def session(process: str) -> None:
            log.append(SessionStarted(process=process, budget=Budget(evaluations=50)))

        def status() -> str:
            (line,) = json.loads(look("runs --json").stdout)["runs"]
            assert line["run_id"] == run_id
            return str(line["status"])

        assert status() == "done"
        session(system.identity(os.getpid()))
        assert status() == "running"
        session(system.identity(os.getpid()) + "0")
        assert status() == "killed"
        look("show --json", code=0)


@pytest.mark.slow
def test_runs_lists_the_newest_and_counts_the_rest(look: Run, run_id: str, folder: Path) -> None:
    with Journal.open(folder / "runs.db") as journal:
        later = journal.create_run("later")
        later.append(SessionStarted(process="", budget=Budget()))
        newest = later.run_id
    listed = look("runs --limit 1")
    assert newest in listed.stdout
    assert run_id not in listed.stdout
    assert "and 1 older" in listed.stderr
    both = look("runs").stdout
    assert both.index(newest) < both.index(run_id)


@pytest.mark.slow
def test_runs_before_the_first_run_is_no_error(inside: Run) -> None:
    inside("runs", code=0)
    assert "no runs yet" in inside("runs").stderr
    assert json.loads(inside("runs --json").stdout) == {"runs": [], "total": 0}


def test_lists_fit_the_screen_and_ids_are_whole(inside: Run) -> None:
    method = "maxcode-greedy:k=4,d=12@trajectory,best"
    compare = "compare landscape:size=40 --generator landscape:further=0.9 --store compared.db"
    inside(f"{compare} --seeds 1 --budget 12 --policy", method, code=0)
    found = json.loads(inside("runs --json --store compared.db").stdout)["runs"]
    assert {one["method"] for one in found} == {method, "best-of-n"}
    for columns in (60, 80):
        listed = inside("runs --store compared.db", COLUMNS=str(columns)).stdout
        assert all(re.search(rf"^{one['run_id']} ", listed, re.MULTILINE) for one in found)
        steps = f"show {found[0]['run_id']} --all --store compared.db"
        text = inside(steps, COLUMNS=str(columns)).stdout.partition("\nsteps\n")[2]
        for line in (*listed.splitlines(), *text.splitlines()):
            assert len(line) <= columns
            assert "…" not in line
        assert ("started" in listed.splitlines()[0]) == (columns == 80)


@pytest.mark.slow
def test_answers_without_a_program_say_why_and_what_helps(folder: Path, inside: Run) -> None:
    code = toy_task().baseline.code
    said = ["I am sorry, I am not sure.", f"```\n{code}", "Hm.", "So."]
    with Journal.open(folder / "unusable.db") as journal:
        Search(
            toy_task(),
            generator=ModelGenerator(
                ScriptedModel(lambda _, sample: said[sample].ljust(200) + "...", max_tokens=51)
            ),
            executor=ScriptedExecutor(toy_verdict),
            policy=BestOfN(n=4, batch=4),
            journal=journal,
        ).run()
    shown = inside("show --store=unusable.db")
    lines = shown.stdout.splitlines()
    assert any(line.startswith("answers") and "without a program" in line for line in lines)
    assert any("invalid" in line and "the answer holds no program" in line for line in lines)
    answer = inside("show --store=unusable.db --step=3 --answer")
    assert "Hm." in answer.stdout
    assert code.strip() in answer.stdout
    document = json.loads(inside("show --store=unusable.db --step=3 --answer --json").stdout)
    assert document["answer"].startswith("Hm.")
    assert document["call"]["output"] == 51
    inside("show --store=unusable.db --answer", code=2)
    assert "without asking a model" in inside("show --store=unusable.db --answer --step=0").stderr


def test_steps_show_comparisons_in_place_of_first_scores(inside: Run, folder: Path) -> None:
    truth = {"1.0": 1.0, "9.0": 4.0, "10.0": 5.0, "11.0": 4.5}
    with Journal.open(folder / "runs.db") as journal:
        Search(
            toy_task(),
            generator=ScriptedGenerator([["9.0"], ["10.0"], ["11.0"]]),
            executor=ScriptedExecutor(toy_verdict, truth=truth),
            policy=BestOfN(batch=1),
            budget=Budget(evaluations=3),
            journal=journal,
        ).run()
    store = ("--store", str(folder / "runs.db"))
    steps = inside("show", *store, COLUMNS="160").stdout.partition("\nsteps")[2]
    assert "9.00x" not in steps
    assert "4.50x [4.49, 4.51], 0.90x over #2" in steps
    first, second, _ = json.loads(inside("show --json", *store).stdout)["steps"][1:]
    assert first["score"]["speedup"] == 9.0
    assert first["speedup"]["speedup"] == 4.0 < second["confirmed"]["speedup"]
