"""What candidates are timed against, and what is remembered of them."""

import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from maxcode.evaluation import Evaluation, Status
from maxcode.executors.cpp.executor import CppExecutor
from maxcode.measure.rounds import Plan
from maxcode.program import Program
from maxcode.sandbox.process import ProcessSandbox
from maxcode.tasks.cpp import CppTask, Judging, TestCase

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
TASK = CppTask(
    "count",
    "Say that it is done.",
    SLOW,
    tests=(TestCase("001", b"", b"done\n"),),
    judging=Judging(flags=("-O1",)),
)


@pytest.fixture(scope="module")
def executor() -> Iterator[CppExecutor]:
    with CppExecutor(score=BRIEF, confirm=SURE) as executor:
        yield executor


@pytest.fixture(scope="module")
def open_house() -> Iterator[CppExecutor]:
    """Programs see our files: a mark tells them to change their ways."""
    with CppExecutor(ProcessSandbox(), score=BRIEF, confirm=SURE) as executor:
        yield executor


@pytest.fixture
def task(request: pytest.FixtureRequest) -> CppTask:
    """The task of one test, which no other has a reference for."""
    task = replace(TASK, name=request.node.name)
    name = "open_house" if "open_house" in request.fixturenames else "executor"
    request.getfixturevalue(name).prepare(task)
    return task


def against(evaluation: Evaluation) -> str:
    assert evaluation.ok
    return evaluation.against


def timed_against(executor: CppExecutor, task: CppTask, reference: Program, to: int) -> Evaluation:
    """How a program is judged by that reference; while the machine is slow it is the baseline."""
    programs = (counting(to, f"{reference.digest} {number}") for number in range(5))
    judged = (executor.evaluate(task, program) for program in programs)
    found = next((one for one in judged if against(one) == reference.digest), None)
    assert found is not None
    return found


@pytest.mark.slow
def test_the_reference_is_what_was_confirmed(executor: CppExecutor, task: CppTask) -> None:
    assert against(executor.evaluate(task, FAST)) == ""
    confirmed = executor.compare(task, FAST, SLOW).ratio
    assert confirmed is not None
    assert confirmed.low > 1
    evaluation = timed_against(executor, task, FAST, 20_000_000)
    # Against the baseline all the same: twice as many steps as the reference, half the baseline's.
    assert 1 < evaluation.reward < confirmed.value
    assert evaluation.speedup is not None
    assert evaluation.speedup.low < evaluation.reward < evaluation.speedup.high
    # What lost to it is no reference.
    executor.compare(task, SLOW, FAST)
    timed_against(executor, task, FAST, 20_000_001)


def test_what_looks_like_a_new_best_is_timed_against_the_baseline(
    executor: CppExecutor, task: CppTask
) -> None:
    executor.compare(task, FAST, SLOW)
    evaluation = executor.evaluate(task, FASTER)
    assert against(evaluation) == ""
    assert evaluation.reward > 5  # 40 times fewer steps, and the start of a process
    executor.compare(task, FASTER, FAST)
    timed_against(executor, task, FASTER, 10_000_000)


@pytest.mark.slow
def test_a_task_has_a_reference_of_its_own(executor: CppExecutor, task: CppTask) -> None:
    executor.compare(task, FAST, SLOW)
    other = CppTask("other", "", SLOW, tests=task.tests, judging=task.judging)
    executor.prepare(other)
    assert against(executor.evaluate(other, FASTER)) == ""


def test_a_program_is_judged_once(executor: CppExecutor, task: CppTask) -> None:
    first = executor.evaluate(task, FAST)
    assert executor.evaluate(task, FAST) is first
    assert executor.evaluate(task, counting(10_000_000, "the same, but for this")) is not first
    broken = Program.of("int main() { return missing; }")
    assert executor.evaluate(task, broken) is executor.evaluate(task, broken)


def changing(mark: Path, to: str) -> Program:
    return Program.of(
        "#include <cstdio>\n#include <cstdlib>\n#include <unistd.h>\n"
        f'int main() {{ if (access("{mark}", F_OK) == 0) {{ {to} }}\n'
        '  for (volatile int i = 0; i < 10000000; i = i + 1) {} puts("done"); }\n'
    )


@pytest.mark.slow
def test_a_reference_that_fails_later_is_not_the_candidates_fault(
    open_house: CppExecutor, task: CppTask, tmp_path: Path
) -> None:
    mark = tmp_path / "mark"
    open_house.compare(task, changing(mark, "abort();"), SLOW)
    mark.touch()
    evaluation = open_house.evaluate(task, FASTER)
    assert evaluation.status is Status.INFRASTRUCTURE  # which the search tries again
    assert "the best program so far fails now" in evaluation.feedback
    assert against(open_house.evaluate(task, FASTER)) == ""


@pytest.mark.slow
def test_a_reference_that_slows_down_lends_its_speedup_to_nobody(
    open_house: CppExecutor, task: CppTask, tmp_path: Path
) -> None:
    mark = tmp_path / "mark"
    slowing = changing(mark, "for (volatile int i = 0; i < 80000000; i = i + 1) {}")
    open_house.compare(task, slowing, SLOW)
    mark.touch()
    evaluation = open_house.evaluate(task, counting(40_000_000, "as slow as the baseline"))
    assert against(evaluation) == ""
    assert evaluation.reward < 2


def test_a_reference_that_slows_down_lends_nothing_to_what_is_slower_still(
    open_house: CppExecutor, task: CppTask, tmp_path: Path
) -> None:
    mark = tmp_path / "mark"
    slowing = changing(mark, "for (volatile int i = 0; i < 20000000; i = i + 1) {}")
    open_house.compare(task, slowing, SLOW)
    mark.touch()
    evaluation = open_house.evaluate(task, counting(40_000_000, "as slow as the baseline"))
    assert against(evaluation) == ""


def test_what_another_process_confirmed_becomes_the_reference(
    executor: CppExecutor, task: CppTask
) -> None:
    executor.compare(task, FASTER, FAST)
    assert timed_against(executor, task, FASTER, 40_000_000).reward < 2
