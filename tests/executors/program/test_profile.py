"""Profiles of real programs."""

import re
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from maxcode.evaluation import Profile
from maxcode.executors.program.profile import (
    dominant_test,
    profile,
)
from maxcode.executors.program.runner import (
    Place,
    ProgramRunner,
)
from maxcode.journal.events import Profiled
from maxcode.program import Program
from maxcode.sandbox.base import Sandbox
from maxcode.sandbox.bubblewrap import BubblewrapSandbox
from maxcode.tasks import load_program_folder
from maxcode.tasks.program import Judging, ProgramTask, TestCase
from maxcode.toolchain.toolchains import Toolchains

_EXAMPLES = Path(__file__).parents[3] / "examples" / "cpp"
_FLAGS = ("-O2", "-std=c++17")


@pytest.fixture(scope="module")
def sandbox() -> Sandbox:
    if shutil.which("valgrind") is None:
        pytest.skip("needs valgrind")
    return BubblewrapSandbox()


@pytest.fixture(scope="module")
def runner(sandbox: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> ProgramRunner:
    folder = tmp_path_factory.mktemp("runner")
    return ProgramRunner(sandbox, Toolchains(sandbox, folder / "build"), folder)


Make = Callable[[ProgramTask, Program], Profile]


@pytest.fixture(scope="module")
def make(sandbox: Sandbox, runner: ProgramRunner) -> Make:
    return lambda task, program: profile(sandbox, runner, task, program, Place())


def example(name: str, test: int) -> ProgramTask:
    """An example with only one of its tests."""
    task = load_program_folder(_EXAMPLES / name)
    return replace(task, tests=task.tests[test : test + 1])


def task_of(body: str, includes: str = "cstdio cstdlib vector") -> ProgramTask:
    headers = "".join(f"#include <{name}>\n" for name in includes.split())
    return ProgramTask(
        "small",
        "Do nothing.",
        Program.of(f"{headers}{body}"),
        tests=(TestCase("001", b"5\n", b""),),
        judging=Judging(flags=_FLAGS, timeout=5.0),
    )


def readable(text: str) -> bool:
    lines = text.split("\n")
    return len(lines) <= 25 and text.isascii() and all(line == line.rstrip() for line in lines)


# -- what is found in real programs -----------------------------------------------------------


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
    make: Make, name: str, test: int, code: str, library: str
) -> None:
    task = example(name, test)
    found = make(task, task.baseline)
    line = next(line for line in found.lines if code in line.code)
    assert task.baseline.code.split("\n")[line.line - 1].strip() == line.code
    assert re.fullmatch(library, line.library[0][0])
    assert 0 < line.library[0][1] <= line.share <= 1
    assert found.lines == tuple(sorted(found.lines, key=lambda line: -line.share))
    assert sum(line.share for line in found.lines) <= 1.0001
    assert found.instructions
    assert found.peak_memory
    assert found.memory_integral is not None
    assert readable(found.text)
    assert f"test {task.tests[0].name}: " in found.text


@pytest.mark.slow
def test_functions_have_shares_calls_and_recursion(make: Make) -> None:
    task = replace(example("partitions", 1), tests=(TestCase("001", b"1 40 40", b""),))
    found = make(task, task.baseline)
    functions = {function.name: function for function in found.functions}
    partitions, main = functions["partitions"], functions["main"]
    assert partitions.own
    assert partitions.recursive
    assert partitions.calls > 1000
    assert not main.recursive
    assert main.calls == 1
    assert 0.05 < partitions.share <= partitions.inclusive <= main.inclusive <= 1
    assert "partitions (recursive)" in found.text
    event = Profiled(number=0, step=0, profile=found)
    assert Profiled.model_validate_json(event.model_dump_json()) == event


# -- what cannot be profiled ------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    ("body", "said"),
    [
        (
            'int main() { if (getenv("LD_PRELOAD")) abort(); }',
            "under callgrind it was ended by SIG",
        ),
        ('int main() { return !freopen("/dev/null", "w", stdout); }', "callgrind left no report"),
        ("int main() { return 3; }", "it ended with status 3"),
    ],
)
def test_what_a_program_does_is_said_and_not_raised(make: Make, body: str, said: str) -> None:
    task = task_of(body)
    found = make(task, task.baseline)
    assert said in found.text
    assert (found.lines, found.functions, found.instructions) == ((), (), None)
    assert found.peak_memory
    assert readable(found.text)


# -- which test is taken ----------------------------------------------------------------------


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


# -- the text ---------------------------------------------------------------------------------
