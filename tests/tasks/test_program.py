from dataclasses import replace

import pytest

from maxcode.program import Program
from maxcode.tasks.checkers import Checker
from maxcode.tasks.program import Judging, ProgramTask, TestCase

TASK = ProgramTask("a", "", Program.of("int main() {}"), tests=(TestCase("1", b"in", b"out"),))


@pytest.mark.parametrize(
    "other",
    [
        replace(TASK, tests=(TestCase("1", b"i", b"nout"),)),
        replace(TASK, tests=(TestCase("1", b"in", b"out"), TestCase("2", b"", b""))),
        *[
            replace(TASK, judging=judging)
            for judging in (
                Judging(flags=("-O2",)),
                Judging(timeout=1),
                Judging(memory=1 << 20),
                Judging(meter="wall"),
                Judging(checker=Checker("lines")),
                Judging(checker=Checker("tokens", 1e-3)),
            )
        ],
    ],
)
def test_whatever_decides_a_verdict_changes_the_digest(other: ProgramTask) -> None:
    assert other.digest != TASK.digest


def test_the_digest_of_equal_tasks_is_equal() -> None:
    def with_limits(ten: float, none: float) -> ProgramTask:
        return replace(TASK, judging=Judging(timeout=ten, checker=Checker("numbers", none)))

    assert with_limits(10, 0) == with_limits(10.0, 0.0)
    assert with_limits(10, 0).digest == with_limits(10.0, 0.0).digest
