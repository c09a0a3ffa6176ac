"""Functions of published collections as tasks: recorded in the sandbox, and judged."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from tests import _coffe, _effibench

from maxcode.errors import InputError, TaskError
from maxcode.evaluation import Status
from maxcode.executors.program.executor import ProgramExecutor
from maxcode.executors.program.published import load_coffe, load_effibench
from maxcode.sandbox import BubblewrapSandbox, ProcessSandbox
from maxcode.tasks.program import load_program_folder, save_task


def changed(folder: Path, key: str, first: Any) -> Path:
    """COFFE's samples with another first entry, of the first instance, in a file."""
    files = _coffe.files()
    known = files[key].get("prompt2groundtruth", files[key])
    next(iter(known.values()))[0] = first
    return _coffe.write(folder, files)


def test_functions_are_judged_on_cases_and_stressful_calls(
    brief: ProgramExecutor, tmp_path: Path
) -> None:
    said: list[str] = []
    files = _coffe.files()
    stressful = next(iter(files["stressful_testcases"].values()))
    stressful += [{"input": f"[[1, 1], {total}]", "output": None} for total in (2, 3)]
    folder = _coffe.write(tmp_path / "data", files)
    pairs, mean = load_coffe(folder, BubblewrapSandbox(), notes=said.append)
    assert said == [
        "Sample/1: 1 generated call of 4 left out: NameError: name 'unknown' is not defined"
    ]
    assert (pairs.name, mean.name) == ("Sample/1", "other/2")
    assert [test.expected for test in pairs.tests] == [b"1\n0\n", b"450\n", b"1\n", b"0\n"]
    assert mean.judging.checker.kind == "numbers"  # 0.2 of COFFE is not quite what is returned
    save_task(pairs, tmp_path / "task")
    assert load_program_folder(tmp_path / "task") == pairs
    brief.prepare(pairs)
    for path, code, status in (
        ("solution.py", _coffe.FAST_PAIRS, Status.OK),
        ("solution.py", _coffe.FAST_PAIRS.replace("found +=", "found ="), Status.WRONG_ANSWER),
        ("main.py", "print(1)\n", Status.INVALID),
    ):
        assert brief.evaluate(pairs, pairs.baseline.with_file(path, code)).status is status


def test_problems_are_judged_on_given_and_generated_calls(
    brief: ProgramExecutor, tmp_path: Path
) -> None:
    path = _effibench.written(tmp_path, _effibench.record())
    (task,) = load_effibench(path, BubblewrapSandbox())
    assert task.name == "EffiBench/7"
    assert task.statement.endswith("Count the pairs with a sum.")
    given, *generated = task.tests
    assert (given.input, given.expected) == (b"[[], 4]\n[[1, 2, 3], 4]\n", b"0\n1\n")
    assert [len(test.input.splitlines()) for test in generated] == [2000, 2000]
    assert [len(set(test.input.splitlines())) > 1000 for test in generated] == [True, True]
    assert generated[0].input != generated[1].input
    prelude = task.baseline.files["solution.py"].removesuffix(_effibench.SLOW)
    brief.prepare(task)
    faster = task.baseline.with_file("solution.py", prelude + _effibench.FAST)
    assert brief.evaluate(task, faster).ok


def test_expressions_are_evaluated_in_the_sandbox(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MARK", "ours")
    expression = "[[1, 2], 3 if 'MARK' not in __import__('os').environ else 4]"
    folder = changed(tmp_path, "stressful_testcases", {"input": expression, "output": None})
    said: list[str] = []
    (task,) = load_coffe(folder, BubblewrapSandbox(), ids=["Sample/1"], notes=said.append)
    assert task.tests[1].input == b"[[1, 2], 3]\n"


@pytest.mark.parametrize(
    ("key", "first", "reason"),
    [
        ("testcases", {"input": [[1, 3], 4], "output": [7]}, r"gives 1 for .* where 7 is expected"),
        ("solutions", [_coffe.PAIRS + "print(1)\n", False], "its solution prints"),
        ("solutions", ["import os\nos._exit(3)\n", False], "the process ended with status 3"),
        ("stressful_testcases", {"input": "[3+4j]", "output": None}, "not JSON serializable"),
        ("stressful_testcases", {"input": "[[1] * 4000000, 2]", "output": None}, "more than 4 MiB"),
    ],
)
def test_an_instance_without_right_calls_is_left_out(
    tmp_path: Path, key: str, first: Any, reason: str
) -> None:
    said: list[str] = []
    (task,) = load_coffe(changed(tmp_path, key, first), BubblewrapSandbox(), notes=said.append)
    assert task.name == "other/2"
    assert said[0].startswith("Sample/1: left out: ")
    assert re.search(reason, said[0])


def test_mistakes_are_named_and_instances_chosen_by_id(tmp_path: Path) -> None:
    files = _coffe.files()
    del files["data"][1]["task_id"]
    with pytest.raises(TaskError, match=r"data\.json: 1: task_id: .*[Ff]ield required"):
        load_coffe(_coffe.write(tmp_path, files), ProcessSandbox())
    lines = tmp_path / "dataset.jsonl"
    problems = [_effibench.record(problem_idx=number) for number in (3, 4)]
    lines.write_text("".join(json.dumps(one) + "\n" for one in problems))
    (task,) = load_effibench(lines, BubblewrapSandbox(), ids=["EffiBench/4"])
    assert task.name == "EffiBench/4"
    with pytest.raises(InputError, match="no instance EffiBench/5; it has 2 instances"):
        load_effibench(lines, BubblewrapSandbox(), ids=["EffiBench/5"])
