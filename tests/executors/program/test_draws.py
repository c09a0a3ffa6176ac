"""What the rounds of a confirmation draw: layouts, and inputs that no run has seen."""

import math
from collections.abc import Iterator
from pathlib import Path

import pytest

from maxcode.executors.program.executor import ProgramExecutor
from maxcode.measure.rounds import Plan
from maxcode.program import Program
from maxcode.sandbox.process import ProcessSandbox
from maxcode.search.summary import over
from maxcode.tasks.program import Judging, ProgramTask, TestCase

pytestmark = pytest.mark.slow

BRIEF = Plan(least=2, most=2, seconds=math.inf)
TWELVE = Plan(least=12, most=12, level=0.99, seconds=math.inf)
# Many times what starting a process takes, so that no noise hides whether it is done.
WORK = "for (volatile int i = 0; i < 50000000; i = i + 1) {}"
SHORT = WORK.replace("50000000", "40000000")


def summing(before: str = "", after: str = "", work: str = WORK) -> Program:
    """Adds numbers up, after some work."""
    return Program.of(
        "#include <cstdio>\n#include <cstdlib>\n#include <string>\n#include <unistd.h>\n"
        'int main() { long n, x, sum = 0; std::scanf("%ld", &n);\n'
        'while (std::scanf("%ld", &x) == 1) sum += x;\n'
        f'{before}\n{work}\n{after}\nstd::printf("%ld\\n", sum); }}\n'
    )


def task(baseline: Program, *tests: tuple[bytes, bytes]) -> ProgramTask:
    cases = tuple(TestCase(str(number), *one) for number, one in enumerate(tests))
    return ProgramTask("sum", "", baseline, tests=cases, judging=Judging(flags=("-O1",)))


PLAIN = summing()
TASK = task(PLAIN, (b"3\n17 300 52\n", b"369\n"), (b"5\n26000 41 9 8 7\n", b"26065\n"))


@pytest.fixture(scope="module")
def open_house() -> Iterator[ProgramExecutor]:
    """Programs see our files, so that they can keep what they found."""
    with ProgramExecutor(ProcessSandbox(), score=BRIEF, confirm=TWELVE) as executor:
        executor.prepare(TASK)
        yield executor


def test_an_answer_that_is_remembered_is_no_answer_to_other_inputs(
    open_house: ProgramExecutor, tmp_path: Path
) -> None:
    name = f'std::string name = "{tmp_path}/" + std::to_string(sum);'
    remembered = 'if (access(name.c_str(), F_OK) == 0) { std::printf("%ld\\n", sum); return 0; }'
    kept = 'std::fclose(std::fopen(name.c_str(), "w"));'
    remembering = summing(f"{name}\n{remembered}", kept)
    assert open_house.evaluate(TASK, remembering).reward > 1.3  # the tests are always the same
    found = open_house.compare(TASK, remembering, PLAIN)
    assert found.ratio is not None
    assert found.drawn is not None
    assert found.drawn.given is not None
    assert found.drawn.given.low > 1.3
    assert found.drawn.disagrees
    assert found.ratio.high < found.drawn.given.low  # that on other inputs
    assert "kept from run to run" in dict(over(found.drawn))["fresh inputs"]


@pytest.mark.slow  # its rounds are few on a busy machine
def test_a_table_of_what_is_near_to_the_tests_is_no_answer_to_other_inputs(
    open_house: ProgramExecutor,
) -> None:
    plain, short = summing(work=SHORT), f"if (!near) {SHORT}"
    two = task(plain, *((f"800000 {x}\n".encode(), f"{x}\n".encode()) for x in (1111, 2222, 3333)))
    open_house.prepare(two)
    near = (
        "bool near = false; for (long one : {1111, 2222, 3333}) near |= labs(x - one) < one / 16;"
    )
    found = open_house.compare(two, summing(near, work=short), plain)
    assert found.drawn is not None
    assert found.drawn.given is not None
    assert found.drawn.disagrees
    assert found.ratio is not None
    assert found.ratio.low < 2 < found.drawn.given.low


def test_a_gain_on_all_inputs_is_confirmed_over_layouts(open_house: ProgramExecutor) -> None:
    found = open_house.compare(TASK, summing(work=""), PLAIN)
    assert found.ratio is not None
    assert found.ratio.low > 2
    drawn = found.drawn
    assert drawn is not None
    assert drawn.layouts == 12
    assert drawn.inputs >= 2 * 3  # two tests, three rounds
    assert drawn.fresh is not None
    assert drawn.fresh.low > 2
    assert not drawn.note
    assert drawn.spread is not None
    assert "confirmed over 12 layouts of each program; they differ by" in over(drawn)[0][1]


def test_a_program_that_is_wrong_on_a_drawn_input_comes_with_that_input(
    open_house: ProgramExecutor,
) -> None:
    known = " || ".join(f"sum == {sum(map(int, test.input.split()[1:]))}" for test in TASK.tests)
    found = open_house.compare(TASK, summing(f"if (!({known})) sum++;", work=""), PLAIN)
    assert found.ratio is None
    assert found.first_wrong is not None
    assert found.second_wrong is None
    shown = found.first_wrong.counterexample
    assert shown is not None
    assert int(shown.actual) == int(shown.expected) + 1
    assert shown.input.strip() in found.first_wrong.problem


def test_why_the_tests_inputs_alone_are_timed(open_house: ProgramExecutor) -> None:
    known = f"if (sum == 369 || sum == 26065) {{ {WORK} }}"
    alone = task(summing(work=known), *((test.input, test.expected) for test in TASK.tests))
    open_house.prepare(alone)
    found = open_house.compare(alone, summing(work=""), alone.baseline)
    assert found.drawn is not None
    assert found.drawn.inputs == 0
    assert "the original takes another time for those made like test 0" in found.drawn.note
