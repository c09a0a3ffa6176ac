"""Who candidates are timed against: whom the caller names, as long as that one behaves."""

import math
from collections.abc import Iterator
from pathlib import Path

import pytest

from maxcode.executors.program.executor import ProgramExecutor
from maxcode.interfaces import Incumbent
from maxcode.measure.rounds import Plan
from maxcode.program import Program
from maxcode.sandbox.process import ProcessSandbox
from maxcode.tasks.program import Judging, ProgramTask, TestCase

pytestmark = pytest.mark.slow


def counting(to: int, remark: str = "") -> Program:
    """Takes as long each time: a loop over memory may differ by a factor of two."""
    return Program.of(
        f"// {remark}\n#include <cstdio>\nint main() {{ unsigned long x = 1; "
        f"for (int i = 0; i < {to}; i++) x = x * 6364136223846793005 + 1442695040888963407; "
        'puts(x == 0 ? "never" : "done"); }\n'
    )


SLOW, FAST, FASTER = counting(40_000_000), counting(10_000_000), counting(1_000_000)


@pytest.fixture(scope="module")
def executor() -> Iterator[ProgramExecutor]:
    """Programs see our files: a mark tells them to change their ways."""
    brief = Plan(least=3, most=3, seconds=math.inf)
    sure = Plan(least=8, most=8, level=0.99, seconds=math.inf)
    with ProgramExecutor(ProcessSandbox(), score=brief, confirm=sure) as executor:
        yield executor


@pytest.fixture
def task(request: pytest.FixtureRequest, executor: ProgramExecutor) -> ProgramTask:
    tests = (TestCase("001", b"", b"done\n"),)
    judging = Judging(flags=("-O1",))
    task = ProgramTask(request.node.name, "", SLOW, tests=tests, judging=judging)
    executor.prepare(task)
    return task


def found(executor: ProgramExecutor, task: ProgramTask, program: Program) -> Incumbent:
    """A program as a search knows it that has scored and confirmed it."""
    taken = executor.evaluate(task, program).measurements[0].median
    confirmed = executor.compare(task, program, SLOW).ratio
    assert confirmed is not None
    assert confirmed.low > 1
    return Incumbent(program, confirmed, taken)


def test_a_program_is_timed_against_whom_the_caller_names(
    executor: ProgramExecutor, task: ProgramTask
) -> None:
    assert executor.evaluate(task, FAST).against == ""
    fast = found(executor, task, FAST)
    programs = (counting(20_000_000, f"{number}") for number in range(5))
    judged = [executor.evaluate(task, program, against=fast) for program in programs]
    # while the machine is slow it is the baseline
    evaluation = next(one for one in judged if one.against == FAST.digest)
    # Against the baseline all the same: twice as many steps as the reference, half the baseline's.
    assert evaluation.speedup is not None
    assert 1 < evaluation.reward < fast.speedup.value
    assert evaluation.speedup.low < evaluation.reward < evaluation.speedup.high
    best = executor.evaluate(task, FASTER, against=fast)
    assert best.against == ""  # what looks like a new best is timed against the baseline
    assert best.reward > 5  # 40 times fewer steps, and the start of a process


@pytest.mark.parametrize(
    "change", ["abort();", "for (volatile int i = 0; i < 20000000; i = i + 1) {}"]
)
def test_an_incumbent_that_changes_its_ways_lends_its_speedup_to_nobody(
    executor: ProgramExecutor, task: ProgramTask, tmp_path: Path, change: str
) -> None:
    mark = tmp_path / "mark"
    changing = Program.of(
        "#include <cstdio>\n#include <cstdlib>\n#include <unistd.h>\n"
        f'int main() {{ if (access("{mark}", F_OK) == 0) {{ {change} }}\n'
        '  for (volatile int i = 0; i < 10000000; i = i + 1) {} puts("done"); }\n'
    )
    incumbent = found(executor, task, changing)
    mark.touch()
    slow = counting(40_000_000, "as slow as the baseline")
    evaluation = executor.evaluate(task, slow, against=incumbent)
    assert evaluation.against == ""
    assert evaluation.reward < 2
