"""Functions of Python: recorded with their cases, and judged through the driver."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests._coffe import FAST_PAIRS, PAIRS

from maxcode.errors import InputError, TaskError
from maxcode.evaluation import FuzzPlan, Status
from maxcode.executors.program.executor import ProgramExecutor
from maxcode.executors.program.functions import record_function
from maxcode.tasks.program import ProgramTask, load_program_folder, save_task

SLOW = (
    PAIRS.replace("solution", "pairs")
    + """

class Words:
    def count(self, text, *, upper=False):
        return {word.upper() if upper else word for word in text.split()}
"""
)
FAST = FAST_PAIRS.replace("solution", "pairs")
CASES: list[Any] = [
    [[3, 5, 3, 5, 4, 4], 8],
    [list(range(40)), 39],
    {"args": [[1, 9], 10], "expected": 1},
]


def _recorded(folder: Path, function: str, cases: Any) -> ProgramTask:
    (folder / "words.py").write_text(SLOW)
    (folder / "cases.json").write_text(json.dumps(cases))
    return record_function(folder / "words.py", function, [folder / "cases.json"])


def test_modules_beside_a_function_go_with_it(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "more.py").write_text("def twice(n): return 2 * n\n")
    (tmp_path / "slow.py").write_text(
        "from parts.more import twice\ndef solve(n): return twice(n)\n"
    )
    (tmp_path / "cases.json").write_text("[[4], [5]]")
    files = [tmp_path / "parts" / "more.py"]
    cases = [tmp_path / "cases.json"]
    task = record_function(tmp_path / "slow.py", "solve", cases, files=files)
    assert list(task.baseline.files) == ["main.py", "parts/more.py", "slow.py"]
    assert task.editable == ("slow.py",)
    assert {test.expected for test in task.tests} == {b"8\n", b"10\n"}


def test_a_function_is_judged_on_its_cases(brief: ProgramExecutor, tmp_path: Path) -> None:
    task = _recorded(tmp_path, "pairs", CASES)
    assert {test.expected for test in task.tests} == {b"5\n", b"20\n", b"1\n"}
    save_task(task, tmp_path / "task")
    assert load_program_folder(tmp_path / "task") == task
    brief.prepare(task)
    for code, status in {
        FAST: Status.OK,
        FAST.replace("found += seen", "found = seen"): Status.WRONG_ANSWER,
        "def other(): pass\n": Status.RUNTIME_ERROR,
        "def pairs(\n": Status.BUILD_ERROR,
    }.items():
        assert brief.evaluate(task, task.baseline.with_file("words.py", code)).status is status
    driver = task.baseline.with_file("main.py", "print(5)\n")
    assert brief.evaluate(task, driver).status is Status.INVALID


@pytest.mark.slow
def test_further_calls_find_a_mistake(brief: ProgramExecutor, tmp_path: Path) -> None:
    task = _recorded(tmp_path, "pairs", CASES)
    brief.prepare(task)
    wrong = task.baseline.with_file(
        "words.py",
        FAST.replace(
            "found = Counter(), 0",
            "found = Counter(), 0\n    values = values[7 <= len(values) <= 20 :]",
        ),
    )
    assert brief.evaluate(task, wrong).ok
    found = brief.fuzz(task, wrong, FuzzPlan(seed=1, count=40, seconds=60))
    assert found.counterexample is not None


TESTS = """import pytest
from words import Words, pairs

@pytest.mark.parametrize("total", [8, 9, 8])
def test_pairs(total):
    assert pairs([3, 5, 4, 4], total=total) >= 0
    assert Words().count("b a", upper=True) == {"A", "B"}
    with pytest.raises(TypeError):
        pairs(object(), 1)
"""


def test_calls_of_its_tests_are_cases(tmp_path: Path) -> None:
    (tmp_path / "words.py").write_text(SLOW)
    (tmp_path / "tests").mkdir()
    tests = tmp_path / "tests" / "test_words.py"
    tests.write_text(TESTS)
    task = record_function(tmp_path / "words.py", "pairs", [tests])
    assert sorted(test.input.strip() for test in task.tests) == [
        b'{"args": [[3, 5, 4, 4]], "kwargs": {"total": 8}}',
        b'{"args": [[3, 5, 4, 4]], "kwargs": {"total": 9}}',
    ]
    task = record_function(tmp_path / "words.py", "Words.count", [tests])
    assert task.tests[0].expected == b'["A", "B"]\n'
    for text, told in {
        TESTS.replace(">= 0", "< 0"): "3 failed",
        "from words import pairs\ndef test(): pairs({1}, 1)\n": "1 call with arguments",
        "def test(): pass\n": "no call of pairs",
    }.items():
        tests.write_text(text)
        with pytest.raises(TaskError, match=told):
            record_function(tmp_path / "words.py", "pairs", [tests])


@pytest.mark.parametrize(
    ("function", "cases", "told"),
    [
        ("nothing", CASES, "has no function nothing; its functions: pairs, Words.count"),
        ("pairs", [], "there are no cases"),
        ("pairs", {"args": []}, "a file of cases is a JSON list"),
        ("pairs", [{"arg": []}], r"cases\[0\].*\[arg\]"),
        ("pairs", [{"args": [[1, 2], 3], "expected": 0}], "returns 1 for .* where 0 is expected"),
    ],
)
def test_what_cannot_be_recorded(tmp_path: Path, function: str, cases: Any, told: str) -> None:
    with pytest.raises((InputError, TaskError), match=told):
        _recorded(tmp_path, function, cases)
