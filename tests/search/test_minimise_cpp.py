"""A C++ program that is built and tested while it is reduced; only its time is made up."""

import pytest

from maxcode.budget import Budget
from maxcode.evaluation import Comparison, Evaluation, Interval, Status
from maxcode.executors.cpp.executor import CppExecutor
from maxcode.measure.rounds import Plan
from maxcode.policies.best_of_n import BestOfN
from maxcode.program import Program
from maxcode.sandbox.process import ProcessSandbox
from maxcode.search.search import optimize
from maxcode.task import Task
from maxcode.tasks.cpp import CppTask, Judging, TestCase
from maxcode.testing import ScriptedGenerator

SLOW = """\
#include <cstdio>

// Doubles a number.
int main() {
    volatile long steps = 0;
    while (steps < 3000) steps = steps + 1;  // slowly
    long n = 0;
    if (std::scanf("%ld", &n) != 1) return 1;
    std::printf("%ld\\n", n * 2);
}
"""

FAST = """\
#include <cstdio>

// Multiplies.
struct Factor {
    explicit Factor(long by) : by_(by) {}
    long of(long n) const { return by_ * n; }
    long by_;
};

int main()
{
  volatile long steps = 0;
  while (steps < 30) steps = steps + 1;
  Factor two(2);
  long n = 0;
  if (std::scanf("%ld", &n)!=1) return 1;
  std::printf("%ld\\n", NEEDED);
}
"""


class Builds(CppExecutor):
    """Builds and checks as always; a program is as fast as it counts few steps."""

    def evaluate(self, task: Task, program: Program, **_: object) -> Evaluation:
        found = self.try_out(task, program, quick=False)
        speedup = _alike(_speed(program)) if found.status is Status.OK else None
        return Evaluation(found.status, speedup, feedback=found.problem)

    def compare(self, task: Task, a: Program, b: Program, **_: object) -> Comparison:
        for program in (a, b):
            if not (found := self.evaluate(task, program)).ok:
                return Comparison(None, problem=found.feedback)
        return Comparison(_alike(_speed(a) / _speed(b)))


def _speed(program: Program) -> float:
    return 8.0 if "steps < 30)" in program.code else 1.0


def _alike(value: float) -> Interval:
    return Interval(value, 0.999 * value, 1.001 * value)


def reduced(winner: str) -> tuple[Program, list[str]]:
    """What is left of a winner, and what its hunks are worth."""
    tests = (TestCase("t", b"21\n", b"42\n"),)
    judging = Judging(flags=("-O0",))
    task = CppTask("doubling", "Double a number.", Program.of(SLOW), tests=tests, judging=judging)
    quick = Plan(least=2, most=2)
    with Builds(ProcessSandbox(), score=quick, confirm=quick) as executor:
        result = optimize(
            task,
            generator=ScriptedGenerator([[winner]]),
            executor=executor,
            policy=BestOfN(batch=1),
            budget=Budget(evaluations=1),
        )
    assert result.confirmed
    worths = [hunk.problem or f"{hunk.worth.value:.3g}x" for hunk in result.hunks if hunk.worth]
    return result.program, worths


@pytest.mark.slow
def test_a_useless_class_and_other_spaces_are_left_out() -> None:
    program, worths = reduced(FAST.replace("NEEDED", "two.of(n)"))
    assert program.code == SLOW.replace("3000", "30")
    assert worths == ["8x"]
