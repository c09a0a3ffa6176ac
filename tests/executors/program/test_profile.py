"""Profiles of real programs."""

import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from maxcode.evaluation import Profile
from maxcode.executors.program.executor import ProgramExecutor
from maxcode.executors.program.profile import dominant_test
from maxcode.program import Program
from maxcode.tasks import load_program_folder
from maxcode.tasks.program import Judging, ProgramTask, TestCase

_EXAMPLES = Path(__file__).parents[3] / "examples" / "cpp"


def example(name: str, test: int) -> ProgramTask:
    """An example with only one of its tests."""
    task = load_program_folder(_EXAMPLES / name)
    return replace(task, tests=task.tests[test : test + 1])


def profiled(executor: ProgramExecutor, task: ProgramTask) -> Profile:
    """The profile of a task's own program, whose text is short."""
    if shutil.which("valgrind") is None:
        pytest.skip("needs valgrind")
    found = executor.profile(task, task.baseline)
    assert found is not None
    assert len(found.text.split("\n")) <= 25
    assert found.text.isascii()
    assert found.peak_memory
    return found


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "test", "code", "library"),
    [
        ("prime_sieve", 2, "composite.insert(multiple);", "std::set::insert"),
        (
            "grid_search",
            2,
            "matches(grid, word, row, column, direction)",
            r"std::vector::vector \(copy\)",
        ),
        ("big_sums", 1, "cin >> amount;", "std::istream::operator>>"),
    ],
)
def test_the_line_that_asked_for_it_is_named(
    brief: ProgramExecutor, name: str, test: int, code: str, library: str
) -> None:
    task = example(name, test)
    found = profiled(brief, task)
    line = next(line for line in found.lines if code in line.code)
    assert task.baseline.code.split("\n")[line.line - 1].strip() == line.code
    assert re.fullmatch(library, line.library[0][0])
    assert 0 < line.library[0][1] <= line.share <= 1
    assert found.lines == tuple(sorted(found.lines, key=lambda line: -line.share))
    assert sum(line.share for line in found.lines) <= 1.0001
    assert found.instructions
    assert found.memory_integral is not None
    assert f"test {task.tests[0].name}: " in found.text


@pytest.mark.slow
def test_functions_have_shares_calls_and_recursion(brief: ProgramExecutor) -> None:
    task = replace(example("partitions", 1), tests=(TestCase("001", b"1 40 40", b""),))
    found = profiled(brief, task)
    functions = {function.name: function for function in found.functions}
    partitions, main = functions["partitions"], functions["main"]
    assert partitions.own
    assert partitions.recursive
    assert partitions.calls > 1000
    assert not main.recursive
    assert main.calls == 1
    assert 0.05 < partitions.share <= partitions.inclusive <= main.inclusive <= 1
    assert "partitions (recursive)" in found.text


@pytest.mark.slow
@pytest.mark.parametrize(
    ("body", "said"),
    [
        ('if (getenv("LD_PRELOAD")) abort();', "under callgrind it was ended by SIG"),
        ('return !freopen("/dev/null", "w", stdout);', "callgrind left no report"),
        ("return 3;", "it ended with status 3"),
    ],
)
def test_what_cannot_be_profiled_is_told(brief: ProgramExecutor, body: str, said: str) -> None:
    code = f"#include <cstdio>\n#include <cstdlib>\nint main() {{ {body} }}\n"
    tests = (TestCase("001", b"5\n", b""),)
    judging = Judging(flags=("-O2",), timeout=5.0)
    task = ProgramTask("small", "", Program.of(code), tests=tests, judging=judging)
    found = profiled(brief, task)
    assert said in found.text
    assert (found.lines, found.functions, found.instructions) == ((), (), None)


@pytest.mark.parametrize(
    ("usual", "number"),
    [
        ([0.03, 0.001, 0.2], 2),  # the longest
        ([0.03, 0.2, 5.0], 1),  # that a profiler can follow
        ([3.0, 2.0], 1),  # the quickest, if it can follow none
        ([0.0, 0.0], 0),  # nothing is known
    ],
)
def test_the_dominant_test_is_taken_whatever_the_program(usual: list[float], number: int) -> None:
    assert dominant_test(usual, 0.25) == number
