"""EffiBench's problems as tasks: calls read from assertions, further ones from generators."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests._effibench import FAST, SLOW, record, written

from maxcode.errors import InputError, TaskError
from maxcode.executors.program.effibench import load_effibench
from maxcode.executors.program.executor import ProgramExecutor
from maxcode.sandbox import BubblewrapSandbox, ProcessSandbox


def test_a_problem_is_judged_on_given_and_generated_calls(
    brief: ProgramExecutor, tmp_path: Path
) -> None:
    (task,) = load_effibench(written(tmp_path, record()), BubblewrapSandbox())
    assert task.name == "EffiBench/7"
    assert task.statement.endswith("Count the pairs with a sum.")
    given, *generated = task.tests
    assert (given.input, given.expected) == (b"[[], 4]\n[[1, 2, 3], 4]\n", b"0\n1\n")
    assert [len(test.input.splitlines()) for test in generated] == [2000, 2000]
    assert [len(set(test.input.splitlines())) > 1000 for test in generated] == [True, True]
    assert generated[0].input != generated[1].input
    prelude = task.baseline.files["solution.py"].removesuffix(SLOW)
    brief.prepare(task)
    assert brief.evaluate(task, task.baseline.with_file("solution.py", prelude + FAST)).ok


def test_mistakes_are_named_and_problems_chosen_by_id(tmp_path: Path) -> None:
    path = written(tmp_path, record(), record(canonical_solution=""))
    with pytest.raises(TaskError, match=r"dataset\.json: 1: canonical_solution: .*at least 1"):
        load_effibench(path, ProcessSandbox())
    lines = tmp_path / "dataset.jsonl"
    lines.write_text("".join(json.dumps(record(problem_idx=n)) + "\n" for n in (3, 4)))
    (task,) = load_effibench(lines, BubblewrapSandbox(), ids=["EffiBench/4"])
    assert task.name == "EffiBench/4"
    with pytest.raises(InputError, match="no instance EffiBench/5; it has 2 instances"):
        load_effibench(lines, BubblewrapSandbox(), ids=["EffiBench/5"])
