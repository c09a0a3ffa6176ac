"""`optimize` and `resume`: what they print, save and answer with."""

import json
from pathlib import Path

import pytest
from tests.cli.conftest import Run

pytestmark = pytest.mark.slow

PROCESS = ("--sandbox", "process", "--generator")
SEARCH = (*PROCESS, "proposer:Proposer", "--fuzz", "0", "--policy", "maxcode:k=3")


def test_a_faster_program_is_found_shown_and_saved(inside: Run, task: Path, folder: Path) -> None:
    wishes = ("--fuzz", "12", "--minimise", "0", "--budget", "evaluations=3")
    done = inside("optimize", str(task), *SEARCH, *wishes, code=0)
    saved = folder / "doubling.fast.cpp"
    assert "steps < 50000" in saved.read_text()
    first, *lines = done.stdout.splitlines()
    assert "x faster (" in first
    assert first.endswith(", confirmed")
    told = {name: line[10:] for line in lines if (name := line[:10].strip())}
    assert list(told) == ["safe?", "changed", "saved", "next"]
    assert told["safe?"].startswith("same output on 1 test")
    assert told["changed"] == "main.cpp, 1 place (+1 -1): #1 fewer steps"
    assert told["saved"] == saved.name
    assert "maxcode resume doubling-" in told["next"]
    assert "Traceback" not in done.stderr


def test_json_is_one_object_and_resume_knows_what_is_done(
    inside: Run, task: Path, folder: Path
) -> None:
    arguments = ("--budget", "evaluations=2", "--json", "--out", "found/best.cpp", "--seed", "3")
    done = inside("optimize", str(task), *SEARCH, *arguments, code=0)
    found = json.loads(done.stdout)
    best = found["best"]
    assert found["status"] == "done"
    assert found["evaluations"] == 2
    assert found["by_status"] == {"ok": 1, "wrong_answer": 1}
    assert found["cost"] == {"tokens": 0, "dollars": 0.0, "unpriced_tokens": 0}
    assert found["models"] == {}
    assert found["baseline_seconds"] > 0
    assert 1 < best["low"] <= best["speedup"] <= best["high"]
    assert best["confirmed"] is True
    assert Path(best["program_path"]) == folder / "found" / "best.cpp"

    again = inside("resume", found["run_id"][:-4], "--json", code=0)
    assert json.loads(again.stdout) == found
    assert "nothing is left to do: budget spent: evaluations" in again.stderr
    assert "larger --budget" in again.stderr

    more = inside("resume last --json --budget evaluations=3")
    assert json.loads(more.stdout)["evaluations"] == 3


def test_nothing_faster_is_said_kindly_and_has_its_exit_code(
    inside: Run, task: Path, folder: Path
) -> None:
    search = (*PROCESS, "proposer:Proposer,steps=20000000", "--budget", "evaluations=2")
    done = inside("optimize", str(task), *search, code=1)
    assert "nothing faster found" in done.stdout
    assert "closest" in done.stdout
    assert "larger inputs" in done.stdout
    assert not list(folder.glob("*.fast*"))

    again = inside("resume last --json", code=1)
    best = json.loads(again.stdout)["best"]
    assert (best["speedup"], best["confirmed"], best["program_path"]) == (1.0, False, None)


def test_a_program_with_inputs_becomes_a_task_that_is_found_again(
    inside: Run, slow: Path, folder: Path
) -> None:
    arguments = (str(slow), "--inputs", "inputs/*.txt", *SEARCH, "--budget", "evaluations=1")
    mine = folder / "slow.fast.cpp"
    mine.write_text("// mine\n")
    done = inside("optimize", *arguments, code=0)
    assert mine.read_text() == "// mine\n"
    assert (folder / "slow-2.fast.cpp").exists()
    assert "running" in done.stderr

    again = inside("optimize", *arguments)
    assert "running" not in again.stderr
    assert len(list((folder / "data" / "maxcode" / "tasks").iterdir())) == 1

    slow.unlink()
    inside("resume last --budget evaluations=2", code=0)


def test_a_failing_generator_keeps_what_was_found(inside: Run, task: Path) -> None:
    wishes = (*SEARCH, "--generator", "proposer:Failing", "--policy", "maxcode:k=1", "--json")
    done = inside("optimize", str(task), *wishes, code=3)
    found = json.loads(done.stdout)
    assert found["status"] == "failed"
    assert found["best"]["speedup"] > 1
    assert "out of ideas (raised by the generator in expansion 1" in done.stderr.splitlines()[-1]


def test_what_cannot_be_saved_is_told_all_the_same(inside: Run, task: Path) -> None:
    wishes = (*SEARCH, "--generator", "proposer:Moving", "--budget", "evaluations=1")
    done = inside("optimize", str(task), *wishes, "--out", "best.cpp", "--json", code=2)
    found = json.loads(done.stdout)
    assert found["status"] == "done"
    assert found["best"]["speedup"] > 1
    assert found["best"]["program_path"] is None
    last = done.stderr.splitlines()[-1]
    assert last.startswith("error: cannot write")
    assert found["run_id"] in last


def test_a_store_that_fails_in_mid_run_is_a_failed_run(inside: Run, task: Path) -> None:
    wishes = (*SEARCH, "--generator", "proposer:Rivalling", "--policy", "maxcode:k=1", "--json")
    done = inside("optimize", str(task), *wishes, "--store", "rival.db", code=3)
    found = json.loads(done.stdout)
    assert (found["status"], found["evaluations"]) == ("failed", 1)
    assert found["best"]["speedup"] > 1
    assert found["best"]["confirmed"] is False
    assert "another process is writing it" in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr


def test_a_task_that_changed_is_not_resumed(inside: Run, task: Path) -> None:
    inside("optimize", str(task), *SEARCH, "--budget", "evaluations=1")
    (task / "tests" / "001.in").write_text("22\n")
    (task / "tests" / "001.out").write_text("44\n")
    done = inside("resume last --budget evaluations=2", code=2)
    assert "another version of task 'doubling'" in done.stderr


def test_a_critic_and_sanitizers_are_those_of_the_run(inside: Run, task: Path) -> None:
    wishes = ("--critic", "profile", "--sanitize", "--observe", "all", "--policy", "maxcode:k=1")
    search = (*SEARCH[2:6], *wishes, "--budget", "evaluations=2")
    inside("optimize", str(task), *search, code=0)
    shown = json.loads(inside("show last --json").stdout)
    assert shown["plugins"]["critic"] == "ProfileCritic"
    assert shown["noise"] > 0
    step = json.loads(inside("show last --step 0 --json").stdout)
    assert "line 5" in step["critique"]
    inside("resume last --budget evaluations=3", code=0)
