"""`maxcode fuzz`: a program beside the task's own on inputs that are made."""

import json
from pathlib import Path

import pytest
from tests.cli.conftest import Run

pytestmark = pytest.mark.slow


DOUBLE = """\
#include <cstdio>

int main() {
    long n = 0;
    if (std::scanf("%ld", &n) != 1) return 1;
    std::printf("%ld\\n", n * 2);
}
"""


@pytest.fixture
def quick(task: Path) -> Path:
    """The task with a program that wastes no time."""
    (task / "main.cpp").write_text(DOUBLE)
    (task / "tests" / "002.in").write_text("900\n")
    (task / "tests" / "002.out").write_text("1800\n")
    return task


def test_an_input_on_which_the_programs_differ_is_shown_and_saved(
    inside: Run, quick: Path, folder: Path
) -> None:
    (folder / "odd.cpp").write_text(DOUBLE.replace("n * 2", "n % 2 || n == 900 ? n * 2 : 1"))
    done = inside("fuzz", str(quick), "odd.cpp", "--count", "30", "--json", "--save", "worst.in")
    assert done.returncode == 1, done.stderr
    told = json.loads(done.stdout)
    found = told["fuzzed"]["counterexample"]
    assert int(found["input"].split()[0]) % 2 == 0
    assert found["actual"] == "1"
    assert told["status"] == "ok"
    assert (folder / "worst.in").read_text() == found["input"]


def test_programs_that_agree(inside: Run, quick: Path, folder: Path) -> None:
    (folder / "same.cpp").write_text(DOUBLE.replace("n * 2", "n + n"))
    done = inside("fuzz", str(quick), "same.cpp", "--count", "10", code=0)
    assert "with the original on 10 further inputs" in done.stdout


def test_a_program_that_fails_the_tests_is_not_tried_further(
    inside: Run, quick: Path, folder: Path
) -> None:
    (folder / "wrong.cpp").write_text(DOUBLE.replace("n * 2", "n * 3"))
    done = inside("fuzz", str(quick), "wrong.cpp", code=1)
    assert "fails the task's own tests" in done.stderr


def test_a_task_without_inputs_to_learn_from(inside: Run, folder: Path) -> None:
    terrain = "landscape:seed=3,size=4"
    inside("optimize", terrain, "--generator", "landscape", "--out", "point.txt")
    inside("fuzz", terrain, "point.txt", code=2, says="no inputs can be made")
