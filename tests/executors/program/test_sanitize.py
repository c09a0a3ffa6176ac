"""Programs that are right by luck, and crashes that explain themselves."""

from dataclasses import replace

import pytest

from maxcode.errors import TaskError
from maxcode.evaluation import Status
from maxcode.executors.program.executor import ProgramExecutor
from maxcode.program import Program
from maxcode.tasks.program import Judging, ProgramTask, TestCase

pytestmark = pytest.mark.slow


def summing(body: str) -> Program:
    return Program.of(
        "#include <cstdio>\n"
        "#include <vector>\n"
        "int main() {\n"
        "    std::vector<int> numbers(4, 1);\n"
        f"    {body}\n"
        '    printf("%d\\n", numbers[0] + numbers[1] + numbers[2] + numbers[3]);\n'
        "}\n"
    )


HONEST = summing("numbers[3] = 1;")
LUCKY = summing("volatile int four = 4; numbers.data()[four] = 1;")
TASK = ProgramTask(
    "four",
    "Print 4.",
    HONEST,
    tests=(TestCase("001", b"", b"4\n"),),
    judging=Judging(flags=("-O1",), sanitize=True),
)


def test_what_is_right_by_luck_passes_only_unwatched(brief: ProgramExecutor) -> None:
    brief.prepare(TASK)
    trusting = replace(TASK, judging=replace(TASK.judging, sanitize=False))
    assert brief.evaluate(trusting, LUCKY).ok
    evaluation = brief.evaluate(TASK, LUCKY)
    assert evaluation.status is Status.RUNTIME_ERROR
    assert "right by luck" in evaluation.feedback
    assert "heap-buffer-overflow" in evaluation.feedback
    assert "main.cpp:5" in evaluation.feedback


def test_a_baseline_that_is_right_by_luck_is_refused(brief: ProgramExecutor) -> None:
    with pytest.raises(TaskError, match=r"its own program fails.*heap-buffer-overflow"):
        brief.prepare(replace(TASK, name="luck", baseline=LUCKY))
