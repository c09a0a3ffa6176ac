"""A checker program of the task's own: what it accepts is right, and it runs in the sandbox."""

from dataclasses import replace

import pytest

from maxcode.errors import TaskError
from maxcode.evaluation import FuzzPlan, Status
from maxcode.executors.program.executor import ProgramExecutor
from maxcode.program import Program
from maxcode.tasks.checkers import Checker
from maxcode.tasks.program import Judging, ProgramTask, TestCase

DIVISOR = """\
#include <cstdio>
int main() {
    long n, d = 2;
    if (scanf("%ld", &n) != 1 || n < 4) return 1;
    while (n % d) d++;
    printf("%ld\\n", SHOWN);
}
"""
PYTHON = """\
import sys

given, printed, answer = (open(path).read().split() for path in sys.argv[1:])
n, found = int(given[0]), int(printed[0])
if n % found or not 1 < found <= n:
    sys.exit(f"{found} does not divide {n}")
"""
CPP = """\
#include <fstream>
#include <iostream>
int main(int, char **argv) {
    long n = 0, found = 0;
    std::ifstream(argv[1]) >> n;
    std::ifstream(argv[2]) >> found;
    if (found > 1 && n % found == 0) return 0;
    std::cerr << found << " does not divide " << n << "\\n";
    return 1;
}
"""


def divisor(shown: str) -> Program:
    return Program.of(DIVISOR.replace("SHOWN", shown), "main.cpp")


def task(name: str, text: str, *outputs: str) -> ProgramTask:
    """Any divisor of 12, and of 35, is right; the original prints the smallest."""
    tests = [
        TestCase(f"{number}", f"{number}\n".encode(), one.encode())
        for number, one in zip((12, 35), outputs or ("2\n", "5\n"), strict=True)
    ]
    checker = replace(Checker(f"program:{name}"), text=text)
    judging = Judging(flags=("-O0",), checker=checker)
    return ProgramTask("divisor", "", divisor("d"), tests=tuple(tests), judging=judging)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "text"), [("check.py", PYTHON), ("check.cpp", CPP)])
def test_what_the_checker_accepts_is_right(brief: ProgramExecutor, name: str, text: str) -> None:
    judged = task(name, text)
    assert brief.prepare(judged).gaps == ("a program that copies its input passes all 2 tests",)
    assert brief.evaluate(judged, divisor("n / d")).ok
    verdict = brief.evaluate(judged, divisor("d + 1"))
    assert verdict.status is Status.WRONG_ANSWER
    assert verdict.feedback == f"test 35: {name} refuses the output"
    assert verdict.details == f"test 35: {name} refuses the output: 6 does not divide 35"
    assert brief.fuzz(judged, divisor("n"), FuzzPlan(count=5)).counterexample is None
    assert brief.fuzz(judged, divisor("n / d"), FuzzPlan(count=50)).counterexample is not None


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("raise SystemExit(1)", "refuses the output that test 12 expects"),
        ("import os; os.listdir('/home'); print('seen')", "refuses the output"),
        ("", "nothing is compared"),
    ],
)
def test_a_checker_that_is_no_good_is_no_task(
    brief: ProgramExecutor, text: str, problem: str
) -> None:
    with pytest.raises(TaskError, match=problem):
        brief.prepare(task("check.py", text))


def test_a_checker_that_fails_blames_no_program(brief: ProgramExecutor) -> None:
    text = PYTHON + "sys.exit(3 if found > 5 else 0)\n"
    verdict = brief.evaluate(task("check.py", text), divisor("n / d"))
    assert verdict.status is Status.INFRASTRUCTURE
    assert "the checker check.py ended with status 3" in verdict.feedback
