"""Candidates of projects that cheat, each with an honest one that does nearly the same.

They are in ``hostile.toml``. A usual run judges the first of each kind, all of them are judged with
``-m slow``.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import pytest
from tests._covering import asked_for, covering
from tests.executors.project._projects import BRIEF, written

from maxcode.errors import ToolError
from maxcode.evaluation import Evaluation, Status
from maxcode.executors.project.executor import ProjectExecutor
from maxcode.measure.rounds import Plan
from maxcode.program import Program
from maxcode.sandbox.process import ProcessSandbox
from maxcode.tasks.project import ProjectTask

_SUITE = tomllib.loads(Path(__file__).with_name("hostile.toml").read_text())
_FILES: dict[str, str] = _SUITE["files"]
_SUMS = "numbers_of/sums.py"
_SLOW = _FILES[_SUMS]
_WRONG = _SLOW.replace("found = 0", "found = 1")
_TRYING = """\
try:
    open("probe", "w").close()
    TIMED = False
except OSError:
    TIMED = True
"""


@dataclass(frozen=True)
class Case:
    """Files that cheat, what becomes of them, and files that do not."""

    kind: str
    name: str
    allowed: list[Status]
    hostile: Mapping[str, str]
    honest: Mapping[str, str]


def _texts(files: Mapping[str, str]) -> dict[str, str]:
    return {
        path: text.replace("#SLOW\n", _SLOW).replace("#WRONG\n", _WRONG)
        for path, text in files.items()
    }


CASES = [
    Case(
        one["kind"],
        one["name"],
        [Status(name) for name in one["allowed"]],
        _texts(one["hostile"]),
        _texts(one["honest"]),
    )
    for one in _SUITE["case"]
]
USUAL = [one.name for one in {one.kind: one for one in reversed(CASES)}.values()]


@pytest.fixture(scope="module")
def verdicts(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, list[Evaluation]]:
    """What became of the cases: the hostile program's verdict, and the honest one's."""
    cases = cast("list[Case]", asked_for(request, "case"))
    task = written(tmp_path_factory.mktemp("project"), _FILES)
    with ProjectExecutor(score=BRIEF, confirm=BRIEF) as executor, ThreadPoolExecutor(2) as pool:
        executor.prepare(task)
        programs = [_changed(task, files) for one in cases for files in (one.hostile, one.honest)]
        found = list(pool.map(lambda program: executor.evaluate(task, program), programs))
        pairs = zip(found[::2], found[1::2], strict=True)
        return {one.name: list(pair) for one, pair in zip(cases, pairs, strict=True)}


def _changed(task: ProjectTask, files: Mapping[str, str]) -> Program:
    return Program({**task.baseline.files, **files}, task.baseline.entry)


def test_only_what_isolates_is_taken() -> None:
    with pytest.raises(ToolError, match="bubblewrap"):
        ProjectExecutor(ProcessSandbox())


@pytest.mark.parametrize("case", covering(CASES, USUAL, lambda case: case.name))
def test_cheats_are_caught_and_honest_programs_pass(
    case: Case, verdicts: dict[str, list[Evaluation]]
) -> None:
    hostile, honest = verdicts[case.name]
    assert hostile.status in case.allowed, hostile
    assert hostile.reward < 5, f"it gained from cheating: {hostile}"
    assert honest.ok, honest


def test_a_gain_that_is_there_only_when_timed_is_none(tmp_path: Path) -> None:
    """It tries to write, which no rule can tell from honest work; a real gain is compared, too."""
    task = written(tmp_path, _FILES)
    less = _SLOW.replace("    found = 0\n", "    found = 0\n    n //= 100 if TIMED else 1\n")
    faster = _SLOW.replace("sorted(values)[-1]", "max(values)").replace(
        "    found = 0\n", "    return n * (n + 1) // 2\n"
    )
    with ProjectExecutor(confirm=Plan(least=8, most=8)) as executor:
        cheating = _changed(task, {_SUMS: _TRYING + less})
        comparison = executor.compare(task, cheating, task.baseline)
        assert comparison.ratio is None
        assert "as in tests" in comparison.problem
        comparison = executor.compare(
            task, _changed(task, {_SUMS: _TRYING + faster}), task.baseline
        )
        assert comparison.ratio is not None, comparison.problem
        assert comparison.ratio.low > 1.2
