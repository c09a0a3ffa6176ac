"""What executors on this machine have in common: verdicts kept, deadlines, stops, failures."""

from collections.abc import Callable
from math import inf
from time import monotonic, sleep

import pytest

from maxcode.errors import ExecutorError, TaskError
from maxcode.evaluation import Baseline, Comparison, Evaluation, Interval, Measurement, Status
from maxcode.executors.base import FailedError, LocalExecutor
from maxcode.interfaces import Incumbent
from maxcode.measure.rounds import Plan
from maxcode.program import Program
from maxcode.sandbox.base import StoppedError
from maxcode.task import Task
from maxcode.tasks.program import Judging, ProgramTask, TestCase

ONE = Interval(1.0, 1.0, 1.0)
TASK = ProgramTask("t", "", Program.of("slow"), tests=(TestCase("1", b"", b""),), judging=Judging())
FAST = Program.of("fast")


class Counting(LocalExecutor[ProgramTask]):
    """Judges by a function, and counts how often."""

    _kind = ProgramTask
    _subject = "C++ tasks"

    def __init__(self, judge: Callable[[], Evaluation]) -> None:
        super().__init__()
        self.judge = judge
        self.count = 0
        self.plans: list[Plan] = []

    def prepare(self, task: Task) -> Baseline:
        self._own(task)
        self._deadline.stopped.clear()
        return Baseline((Measurement("cpu", "s", (1.0,)),))

    def _evaluated(
        self, task: ProgramTask, program: Program, against: Incumbent | None
    ) -> Evaluation:
        self._deadline.check()
        self.count += 1
        return self.judge()

    def _compared(self, task: ProgramTask, a: Program, b: Program, plan: Plan) -> Comparison:
        self.plans.append(plan)
        return Comparison(ONE)


def ok() -> Evaluation:
    return Evaluation(Status.OK, ONE)


def raising(error: Exception) -> Callable[[], Evaluation]:
    def judge() -> Evaluation:
        raise error

    return judge


@pytest.mark.parametrize(
    ("judge", "status", "times"),
    [
        (ok, Status.OK, 1),
        (raising(FailedError(Status.BUILD_ERROR, "no")), Status.BUILD_ERROR, 1),
        (raising(FailedError(Status.TIMEOUT, "late")), Status.TIMEOUT, 2),
        (raising(ExecutorError("no disk")), Status.INFRASTRUCTURE, 2),
        (raising(OSError("no pipe")), Status.INFRASTRUCTURE, 2),
    ],
)
def test_verdicts_are_kept_unless_they_may_be_the_machines_fault(
    judge: Callable[[], Evaluation], status: Status, times: int
) -> None:
    with Counting(judge) as executor:
        assert [executor.evaluate(TASK, FAST).status for _ in range(2)] == [status] * 2
        assert executor.count == times


def test_a_verdict_is_for_whom_a_program_was_timed_against() -> None:
    with Counting(ok) as executor:
        for against in (None, Incumbent(TASK.baseline, ONE), Incumbent(FAST, ONE)) * 2:
            executor.evaluate(TASK, FAST, against=against)
        assert executor.count == 3


def test_what_is_late_is_neither_believed_nor_kept() -> None:
    def slowly() -> Evaluation:
        sleep(0.05)
        return ok()

    with Counting(slowly) as executor:
        for deadline, status in (
            (monotonic() + 0.01, Status.INFRASTRUCTURE),
            (inf, Status.OK),
            (monotonic(), Status.OK),  # that is known by now
        ):
            assert executor.evaluate(TASK, FAST, deadline=deadline).status is status


def test_a_stop_holds_until_the_next_preparation() -> None:
    with Counting(ok) as executor:
        executor.stop()
        with pytest.raises(StoppedError):
            executor.evaluate(TASK, FAST)
        executor.prepare(TASK)
        assert executor.evaluate(TASK, FAST).ok


def test_a_margin_is_the_floor_of_a_plan_with_a_lower_level() -> None:
    with Counting(ok) as executor:
        for margin in (0.0, 0.01):
            assert executor.compare(TASK, FAST, FAST, margin=margin).ratio == ONE
        assert [plan.floor for plan in executor.plans] == [1.0, 0.99]
        assert executor.plans[1].level < executor.plans[0].level


def test_another_kind_of_task_is_named() -> None:
    with Counting(ok) as executor, pytest.raises(TaskError, match=r"judges C\+\+ tasks; 'x' is a "):
        executor.evaluate(Task("x", "", FAST), FAST)
