"""C++ programs beside their baseline, on inputs that are not the task's."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from maxcode.errors import TaskError
from maxcode.evaluation import FuzzPlan
from maxcode.executors.program.executor import ProgramExecutor
from maxcode.measure.rounds import Plan
from maxcode.program import Program
from maxcode.tasks.program import InputsFile, ProgramTask, TestCase

pytestmark = pytest.mark.slow

BRIEF = Plan(least=2, most=2, seconds=0.0)
FUZZ = FuzzPlan(seed=4, count=60, seconds=20.0)


def reading(body: str) -> Program:
    """A program that has read ``n`` and so many numbers into ``a``."""
    return Program.of(
        "#include <cstdio>\nint main() {\n  int n = 0, a[100] = {};\n"
        '  if (scanf("%d", &n) != 1 || n < 1 || n > 100) return 1;\n'
        '  for (int i = 0; i < n; i++)\n    if (scanf("%d", a + i) != 1) return 1;\n'
        f"  {body}\n}}\n",
        "main.cpp",
    )


def largest(start: str) -> str:
    return (
        f"int best = {start};\n"
        "  for (int i = 0; i < n; i++) best = a[i] > best ? a[i] : best;\n"
        '  printf("%d\\n", best);'
    )


TASK = ProgramTask(
    "largest",
    "Print the largest number.",
    reading(largest("a[0]")),
    tests=(
        TestCase("1", b"4\n3 -8 5 -2\n", b"5\n"),
        TestCase("2", b"6\n-9 9 1 -1 7 2\n", b"9\n"),
        TestCase("3", b"3\n-5 6 -7\n", b"6\n"),
    ),
)


@pytest.fixture(scope="module")
def executor() -> Iterator[ProgramExecutor]:
    with ProgramExecutor(score=BRIEF, confirm=BRIEF) as executor:
        executor.prepare(TASK)
        yield executor


def test_a_program_that_is_wrong_on_negative_numbers_is_caught_with_a_small_input(
    executor: ProgramExecutor,
) -> None:
    found = executor.fuzz(TASK, reading(largest("0")), FUZZ)
    assert found.counterexample is not None
    count, *numbers = map(int, found.counterexample.input.split())
    assert count >= 1
    assert max(numbers[:count]) < 0
    assert len(found.counterexample.input) <= 12
    assert int(found.counterexample.expected) == max(numbers[:count])
    assert found.counterexample.actual == "0"
    for part in (found.counterexample.input.strip(), found.counterexample.expected):
        assert part in found.problem


def test_what_the_baseline_itself_does_by_luck_alone_is_no_difference(
    executor: ProgramExecutor,
) -> None:
    """A shift by too much is undefined: the programs differ, and neither is right."""
    tests = tuple(
        TestCase(str(n), f"{n}\n{'1 ' * n}\n".encode(), f"{1 << n}\n".encode()) for n in (9, 12, 29)
    )
    shifting = reading('printf("%d\\n", 1 << n);')
    task = ProgramTask("shift", "", shifting, tests=tests, limits=(("n", 1, 60),))
    executor.prepare(task)
    other = reading('printf("%d\\n", n < 32 ? 1 << n : 0);')
    found = executor.fuzz(task, other, FuzzPlan(seed=4, count=50, seconds=20.0))
    assert found.counterexample is None
    assert found.agreed
    assert found.rejected


def test_what_differs_only_beyond_the_tests_is_a_remark_and_no_fault(
    executor: ProgramExecutor,
) -> None:
    wrong_beyond = reading("if (a[0] > 9 || n > 8) a[0]++;\n  " + largest("a[0]"))
    found = executor.fuzz(TASK, wrong_beyond, FUZZ)
    assert found.counterexample is None
    assert found.agreed == 60
    assert found.beyond is not None
    assert "beyond your inputs: " in found.remark
    assert " than " in found.remark
    strict = executor.fuzz(replace(TASK, strict=True), wrong_beyond, FUZZ)
    assert strict.counterexample is not None
    declared = replace(TASK, limits=(("m", -1000, 1000),))
    assert executor.fuzz(declared, wrong_beyond, FUZZ).counterexample is not None


READER = """#include <iostream>
#include <string>
int main() {
  int n, seen = 0; std::cin >> n;
  for (int i = 0; i < n; i++) {
    std::string name; int x, y; std::cin >> name >> x >> y;
    seen += x > y;
  }
  std::cout << seen << "\\n";
}
"""


def test_an_input_on_which_the_stream_of_the_original_fails_does_not_count(
    executor: ProgramExecutor,
) -> None:
    tests = (TestCase("1", b"2\nT305 966 17\nT306 12 20\n", b"1\n"),)
    unreadable = InputsFile("inputs.py", "print('2\\nT3 1 x\\nT4 2 2')\n")
    task = ProgramTask("events", "", Program.of(READER, "main.cpp"), tests=tests, inputs=unreadable)
    with pytest.raises(TaskError, match="no input counts"):
        executor.prepare(task)


def pairs(text: str, name: str) -> ProgramTask:
    """A task whose further inputs come from a generator of its own: one number, 1000 or more."""
    return replace(TASK, inputs=InputsFile(name, text))


PYTHON = "seed = int(input())\nprint(1)\nprint(1000 + seed % 9000)\n"
SEEDED = """#include <cstdio>
int main() { long seed; if (scanf("%ld", &seed) == 1) printf("1\\n%ld\\n", 1000 + seed % 9000); }
"""


@pytest.mark.parametrize(("name", "text"), [("inputs.py", PYTHON), ("make.cpp", SEEDED)])
def test_a_generator_of_the_tasks_own_takes_the_place_of_what_was_learned(
    executor: ProgramExecutor, name: str, text: str
) -> None:
    task = pairs(text, name)
    executor.prepare(task)
    wrong_from_thousand = reading("if (a[0] >= 1000) a[0]++;\n  " + largest("a[0]"))
    found = executor.fuzz(task, wrong_from_thousand, replace(FUZZ, count=30))
    assert found.learned == f"inputs made by {name}"
    assert found.counterexample is not None
    assert 1000 <= int(found.counterexample.input.split()[1]) <= 9999
    held_out = executor.held_out(task, TASK.baseline, seed=3)
    assert held_out.inputs >= 3


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("inputs.py", "import nothing_of_this_name\n", "inputs.py, given the seed"),
        ("make.cpp", "int main() { return 3; }\n", "make.cpp, given the seed"),
        ("make.cpp", "int main() {}\n", "no input counts: the original"),
    ],
)
def test_a_generator_that_makes_nothing_is_said_before_the_search(
    executor: ProgramExecutor, name: str, text: str, message: str
) -> None:
    with pytest.raises(TaskError, match=message):
        executor.prepare(pairs(text, name))
