"""Who candidates are timed against: whom the caller names, as long as that one behaves."""

import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from maxcode.evaluation import Evaluation
from maxcode.executors.program.executor import ProgramExecutor
from maxcode.interfaces import Incumbent
from maxcode.measure.rounds import Plan
from maxcode.program import Program
from maxcode.sandbox.process import ProcessSandbox
from maxcode.tasks.program import Judging, ProgramTask, TestCase

pytestmark = pytest.mark.slow

BRIEF = Plan(least=3, most=3, seconds=math.inf)
SURE = Plan(least=8, most=8, level=0.99, seconds=math.inf)


def counting(to: int, remark: str = "") -> Program:
    """Takes as long each time: a loop over memory may differ by a factor of two."""
    return Program.of(
        f"// {remark}\n#include <cstdio>\nint main() {{ unsigned long x = 1; "
        f"for (int i = 0; i < {to}; i++) x = x * 6364136223846793005 + 1442695040888963407; "
        'puts(x == 0 ? "never" : "done"); }\n'
    )


SLOW, FAST, FASTER = counting(40_000_000), counting(10_000_000), counting(1_000_000)
TASK = ProgramTask(
    "count",
    "Say that it is done.",
    SLOW,
    tests=(TestCase("001", b"", b"done\n"),),
    judging=Judging(flags=("-O1",)),
)


@pytest.fixture(scope="module")
def executor() -> Iterator[ProgramExecutor]:
    with ProgramExecutor(score=BRIEF, confirm=SURE) as executor:
        yield executor


@pytest.fixture(scope="module")
def open_house() -> Iterator[ProgramExecutor]:
    """Programs see our files: a mark tells them to change their ways."""
    with ProgramExecutor(ProcessSandbox(), score=BRIEF, confirm=SURE) as executor:
        yield executor


@pytest.fixture
def task(request: pytest.FixtureRequest) -> ProgramTask:
    task = replace(TASK, name=request.node.name)
    name = "open_house" if "open_house" in request.fixturenames else "executor"
    request.getfixturevalue(name).prepare(task)
    return task


def found(executor: ProgramExecutor, task: ProgramTask, program: Program) -> Incumbent:
    """A program as a search knows it that has scored and confirmed it."""
    taken = executor.evaluate(task, program).measurements[0].median
    confirmed = executor.compare(task, program, SLOW).ratio
    assert confirmed is not None
    assert confirmed.low > 1
    return Incumbent(program, confirmed, taken)


def timed_against(
    executor: ProgramExecutor, task: ProgramTask, incumbent: Incumbent, to: int
) -> Evaluation:
    """How a program is judged by the incumbent; while the machine is slow it is the baseline."""
    programs = (counting(to, f"{number}") for number in range(5))
    judged = [executor.evaluate(task, program, against=incumbent) for program in programs]
    wanted = incumbent.program.digest
    return next(one for one in judged if one.ok and one.against == wanted)


def test_a_program_is_timed_against_whom_the_caller_names(
    executor: ProgramExecutor, task: ProgramTask
) -> None:
    assert executor.evaluate(task, FAST).against == ""
    fast = found(executor, task, FAST)
    evaluation = timed_against(executor, task, fast, 20_000_000)
    # Against the baseline all the same: twice as many steps as the reference, half the baseline's.
    assert 1 < evaluation.reward < fast.speedup.value
    assert evaluation.speedup is not None
    assert evaluation.speedup.low < evaluation.reward < evaluation.speedup.high


def test_what_looks_like_a_new_best_is_timed_against_the_baseline(
    executor: ProgramExecutor, task: ProgramTask
) -> None:
    evaluation = executor.evaluate(task, FASTER, against=found(executor, task, FAST))
    assert evaluation.against == ""
    assert evaluation.reward > 5  # 40 times fewer steps, and the start of a process


def changing(mark: Path, to: str) -> Program:
    return Program.of(
        "#include <cstdio>\n#include <cstdlib>\n#include <unistd.h>\n"
        f'int main() {{ if (access("{mark}", F_OK) == 0) {{ {to} }}\n'
        '  for (volatile int i = 0; i < 10000000; i = i + 1) {} puts("done"); }\n'
    )


@pytest.mark.parametrize(
    "change",
    [
        "abort();",
        "for (volatile int i = 0; i < 80000000; i = i + 1) {}",
        "for (volatile int i = 0; i < 20000000; i = i + 1) {}",
    ],
)
def test_an_incumbent_that_changes_its_ways_lends_its_speedup_to_nobody(
    open_house: ProgramExecutor, task: ProgramTask, tmp_path: Path, change: str
) -> None:
    mark = tmp_path / "mark"
    incumbent = found(open_house, task, changing(mark, change))
    mark.touch()
    slow = counting(40_000_000, "as slow as the baseline")
    evaluation = open_house.evaluate(task, slow, against=incumbent)
    assert evaluation.against == ""
    assert evaluation.reward < 2
