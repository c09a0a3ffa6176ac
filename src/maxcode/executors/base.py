"""LocalExecutor: base class of executors that run programs on this machine."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from math import inf
from time import monotonic
from typing import Generic, Self, TypeVar

from maxcode.errors import ExecutorError, TaskError
from maxcode.evaluation import Comparison, Evaluation, Status
from maxcode.interfaces import Executor, Incumbent
from maxcode.measure.lane import LaneWatch
from maxcode.measure.rounds import CONFIRM, SCORE, Plan, within
from maxcode.program import Program
from maxcode.sandbox.base import OUT_OF_TIME, Deadline
from maxcode.system import ScratchFolder
from maxcode.task import Task

KindOfTask = TypeVar("KindOfTask", bound=Task)


class FailedError(Exception):
    """A program did not build or pass; carries the verdict."""

    def __init__(self, status: Status, feedback: str, details: str = "") -> None:
        super().__init__(feedback)
        self.evaluation = Evaluation(status, feedback=feedback, details=details or feedback)


@contextmanager
def machine_errors() -> Iterator[None]:
    """Raise :class:`~maxcode.errors.ExecutorError` for an error of the operating system."""
    try:
        yield
    except OSError as error:
        raise ExecutorError(f"running a program failed: {error}") from error


def on_processors(processors: Sequence[int]) -> str:
    """Where something is timed, in words."""
    some = "processor" if len(processors) == 1 else "processors"
    return f"on {some} {', '.join(map(str, processors))}"


class LocalExecutor(Executor, Generic[KindOfTask]):
    """Executor of a kind of task on this machine.

    Verdicts are cached by program and incumbent. Runs end at the deadline or with :meth:`stop`,
    failures of the harness are returned, not raised, and the folder of builds is removed by
    :meth:`close`. A subclass checks ``_deadline`` before it begins anything, and holds its timing
    lane by ``_watch``; waits for it count for no program.
    """

    _kind: type[KindOfTask]
    _subject: str  # the kind of task, in words

    def __init__(self, score: Plan = SCORE, confirm: Plan = CONFIRM) -> None:
        self._score = score
        self._confirm = confirm
        self._scratch = ScratchFolder("maxcode-builds-")
        self._deadline = Deadline()
        self._watch = LaneWatch()
        self._verdicts: dict[tuple[str, str, str], Evaluation] = {}

    def close(self) -> None:
        """Remove all builds of this executor; caches passed in stay."""
        self._scratch.remove()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def on_wait(self, show: Callable[[str], None]) -> None:
        """See :meth:`~maxcode.interfaces.Waits.on_wait`; waits for the timing lane."""
        self._watch.show = show

    def stop(self) -> None:
        """Start no further run of a program."""
        self._deadline.stopped.set()

    def evaluate(
        self,
        task: Task,
        program: Program,
        *,
        against: Incumbent | None = None,
        deadline: float = inf,
    ) -> Evaluation:
        """Build, check, then time; see :meth:`Executor.evaluate`."""
        own, began = self._own(task), self._clock()
        key = task.digest, program.digest, against.program.digest if against else ""
        if key in self._verdicts:
            return self._verdicts[key]
        with self._deadline.at(deadline):
            try:
                evaluation = self._evaluated(own, program, against)
            except FailedError as failed:
                evaluation = failed.evaluation
            except (ExecutorError, OSError) as error:
                evaluation = Evaluation(Status.INFRASTRUCTURE, feedback=str(error))
        if monotonic() >= deadline:  # so that it may have been cut short
            return Evaluation(Status.INFRASTRUCTURE, feedback=OUT_OF_TIME)
        if evaluation.status is Status.INFRASTRUCTURE:
            return evaluation
        evaluation = replace(evaluation, seconds=self._clock() - began)
        if evaluation.status is not Status.TIMEOUT:  # perhaps only on a busy machine
            self._verdicts[key] = evaluation
        return evaluation

    def compare(self, task: Task, a: Program, b: Program, *, margin: float = 0.0) -> Comparison:
        """Time two programs in turn, for longer than ``evaluate``; see :meth:`Executor.compare`."""
        own, began = self._own(task), self._clock()
        plan = within(self._confirm, margin) if margin else self._confirm
        compared = self._compared(own, a, b, plan)
        return replace(compared, seconds=self._clock() - began)

    def _clock(self) -> float:
        """Seconds, without those that this thread waited for the lane."""
        return monotonic() - self._watch.waited

    @abstractmethod
    def _evaluated(
        self, task: KindOfTask, program: Program, against: Incumbent | None
    ) -> Evaluation:
        """The verdict. May raise FailedError."""

    @abstractmethod
    def _compared(self, task: KindOfTask, a: Program, b: Program, plan: Plan) -> Comparison:
        """The comparison."""

    def _own(self, task: Task) -> KindOfTask:
        """The task. Raises :class:`~maxcode.errors.TaskError` for another kind."""
        if not isinstance(task, self._kind):
            name, other = type(self).__name__, type(task).__name__
            raise TaskError(f"{name} judges {self._subject}; {task.name!r} is a {other}")
        return task
