"""COFFE's functions as tasks: recorded in the sandbox, and judged."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from tests import _coffe

from maxcode.errors import TaskError
from maxcode.evaluation import Status
from maxcode.executors.program.coffe import load_coffe
from maxcode.executors.program.executor import ProgramExecutor
from maxcode.sandbox import BubblewrapSandbox, ProcessSandbox
from maxcode.tasks.program import load_program_folder, save_task


def changed(folder: Path, key: str, first: Any) -> Path:
    """The samples with another first entry, of the first instance, in a file of a dictionary."""
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
    for code, status in {
        _coffe.FAST_PAIRS: Status.OK,
        _coffe.FAST_PAIRS.replace("found +=", "found ="): Status.WRONG_ANSWER,
    }.items():
        program = pairs.baseline.with_file("solution.py", code)
        assert brief.evaluate(pairs, program).status is status
    driver = pairs.baseline.with_file("main.py", "print(1)\n")
    assert brief.evaluate(pairs, driver).status is Status.INVALID


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
        (
            "solutions",
            ["import os\nos._exit(3)\n", False],
            "fails on a case: the process ended with status 3",
        ),
        ("stressful_testcases", {"input": "[3+4j]", "output": None}, "not JSON serializable"),
        ("stressful_testcases", {"input": "[[1] * 4000000, 2]", "output": None}, "more than 4 MiB"),
    ],
)
def test_an_instance_without_right_calls_is_left_out(
    tmp_path: Path, key: str, first: Any, reason: str
) -> None:
    said: list[str] = []
    folder = changed(tmp_path, key, first)
    (task,) = load_coffe(folder, BubblewrapSandbox(), notes=said.append)
    assert task.name == "other/2"
    with pytest.raises(TaskError, match="no instance is left"):
        load_coffe(folder, BubblewrapSandbox(), ids=["Sample/1"], notes=said.append)
    assert said[0].startswith("Sample/1: left out: ")
    assert re.search(reason, said[0])


def test_a_mistake_is_named_by_file_record_and_field(tmp_path: Path) -> None:
    files = _coffe.files()
    del files["data"][1]["task_id"]
    with pytest.raises(TaskError, match=r"data\.json: 1: task_id: .*[Ff]ield required"):
        load_coffe(_coffe.write(tmp_path, files), ProcessSandbox())
