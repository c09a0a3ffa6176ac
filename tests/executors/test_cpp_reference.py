"""What candidates are timed against, and what is remembered of them."""

import math
from collections.abc import Iterator

import pytest

from maxcode.evaluation import Evaluation
from maxcode.executors.cpp import CppExecutor
from maxcode.measure.rounds import Plan
from maxcode.program import Program
from maxcode.tasks.cpp import CppTask, Judging, TestCase

BRIEF = Plan(least=3, most=3, seconds=math.inf)
SURE = Plan(least=8, most=8, level=0.99, seconds=math.inf)


def counting(to: int, remark: str = "") -> Program:
    return Program.of(
        f"// {remark}\n#include <cstdio>\n"
        f'int main() {{ for (volatile int i = 0; i < {to}; i = i + 1) {{}} puts("done"); }}\n'
    )


SLOW, FAST, FASTER = counting(40_000_000), counting(10_000_000), counting(1_000_000)
TASK = CppTask(
    "count",
    "Say that it is done.",
    SLOW,
    tests=(TestCase("001", b"", b"done\n"),),
    judging=Judging(flags=("-O0",)),
)


@pytest.fixture
def executor() -> Iterator[CppExecutor]:
    with CppExecutor(score=BRIEF, confirm=SURE) as executor:
        executor.prepare(TASK)
        yield executor


def against(evaluation: Evaluation) -> str:
    assert evaluation.ok
    return evaluation.against


def test_the_reference_is_what_was_confirmed(executor: CppExecutor) -> None:
    assert against(executor.evaluate(TASK, FAST)) == ""
    confirmed = executor.compare(TASK, FAST, SLOW).ratio
    assert confirmed is not None
    assert confirmed.low > 1
    evaluation = executor.evaluate(TASK, FASTER)
    assert against(evaluation) == FAST.digest
    # Against the baseline all the same: 40 times fewer steps, and the start of a process.
    assert evaluation.reward > 2 * confirmed.value
    assert evaluation.speedup is not None
    assert evaluation.speedup.low < evaluation.reward < evaluation.speedup.high
    # What lost to it takes no throne.
    executor.compare(TASK, SLOW, FAST)
    assert against(executor.evaluate(TASK, counting(1_000_000, "again"))) == FAST.digest
    executor.compare(TASK, FASTER, FAST)
    assert against(executor.evaluate(TASK, counting(1_000_000, "and again"))) == FASTER.digest


def test_a_task_has_a_reference_of_its_own(executor: CppExecutor) -> None:
    executor.compare(TASK, FAST, SLOW)
    other = CppTask("other", "", SLOW, tests=TASK.tests, judging=TASK.judging)
    executor.prepare(other)
    assert against(executor.evaluate(other, FASTER)) == ""


def test_a_program_is_judged_once(executor: CppExecutor) -> None:
    first = executor.evaluate(TASK, FAST)
    assert executor.evaluate(TASK, FAST) is first
    assert executor.evaluate(TASK, counting(10_000_000, "the same, but for this")) is not first
    broken = Program.of("int main() { return missing; }")
    assert executor.evaluate(TASK, broken) is executor.evaluate(TASK, broken)
