"""What a lane does on its node, without a cluster."""

from __future__ import annotations

from collections.abc import Sequence

from maxcode.errors import ExecutorError, ToolError
from maxcode.evaluation import Comparison, Evaluation, Interval, Status
from maxcode.executors.ray.worker import Answer, Job, LaneWorker
from maxcode.program import Program
from maxcode.task import Task
from maxcode.testing import ScriptedExecutor, sample_task

TASK = sample_task()
FAST = Program.of("fast")
PREPARE = Job("one", TASK.digest, "prepare")
EVALUATE = Job("one", TASK.digest, "evaluate", (FAST,))
EQUAL, UNEQUAL = Interval(1.0, 0.99, 1.01), Interval(1.1, 1.05, 1.15)


class Varying(ScriptedExecutor):
    """Gives the ratios of equal programs, one after the other."""

    def __init__(self, ratios: Sequence[Interval]) -> None:
        super().__init__({"fast": 2.0})
        self.ratios = iter(ratios)

    def compare(self, task: Task, a: Program, b: Program, **_: object) -> Comparison:
        return Comparison(next(self.ratios))


class Failing(ScriptedExecutor):
    def __init__(self, error: Exception) -> None:
        super().__init__({})
        self.error = error

    def evaluate(self, task: Task, program: Program, **_: object) -> Evaluation:
        raise self.error


def prepared(executor: ScriptedExecutor) -> tuple[LaneWorker, Answer]:
    worker = LaneWorker()
    return worker, worker.run(PREPARE, lambda: executor, TASK)


def test_a_lane_on_which_equal_programs_differ_twice_is_unfit() -> None:
    _, answer = prepared(Varying([UNEQUAL, UNEQUAL]))
    assert "two equal programs differ" in answer.unfit


def test_a_difference_that_is_not_found_again_is_chance() -> None:
    worker, answer = prepared(Varying([UNEQUAL, EQUAL]))
    assert not answer.unfit
    assert answer.value.value == 1.0
    assert worker.run(EVALUATE).value.ok


def test_errors_arrive_as_they_were_raised_or_as_failures_of_the_harness() -> None:
    for error, kind in (
        (ToolError("no g++"), ToolError),
        (ExecutorError("a pipe broke"), ExecutorError),
        (OSError(28, "No space left on device"), ExecutorError),
    ):
        worker, _ = prepared(Failing(error))
        answer = worker.run(EVALUATE)
        assert type(answer.error) is kind
        assert "No space" in str(answer.error) or str(answer.error) == str(error)
        assert answer.failed == (kind is ExecutorError)


def test_running_out_of_time_is_no_failure_of_the_lane() -> None:
    worker, _ = prepared(ScriptedExecutor({"fast": 2.0}, delay=5.0))
    answer = worker.run(Job("one", TASK.digest, "evaluate", (FAST,), left=0.01))
    assert answer.value.status is Status.INFRASTRUCTURE
    assert not answer.failed
