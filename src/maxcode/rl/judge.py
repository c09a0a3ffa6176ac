"""Judging of a model's answers: reading, building, checking and timing, each program once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from importlib.metadata import entry_points
from pkgutil import resolve_name
from threading import Lock

from maxcode.budget import Answer, Call
from maxcode.errors import InputError
from maxcode.evaluation import Baseline, Evaluation, Status
from maxcode.interfaces import Executor
from maxcode.program import Program
from maxcode.prompts.answers import read_answer
from maxcode.task import Task

ExecutorFor = Executor | Callable[[Task], Executor | AbstractContextManager[Executor]]
"""Executor of all tasks, or a function making an executor for a task."""


@dataclass(frozen=True)
class Judged:
    """An answer and its verdict; ``program`` is None where the answer holds none."""

    program: Program | None
    evaluation: Evaluation
    summary: str = ""


class Judge:
    """Verdicts on answers to several tasks; safe to use from several threads at once.

    Without an ``executor`` each task's own is made, with its defaults. Raises
    :class:`~maxcode.errors.InputError` for no task, and for two of one name.
    """

    def __init__(self, tasks: Task | Sequence[Task], executor: ExecutorFor | None = None) -> None:
        found = [tasks] if isinstance(tasks, Task) else list(tasks)
        self.tasks = {task.name: task for task in found}
        if not found or len(self.tasks) < len(found):
            raise InputError(f"rewards need tasks with different names, not {list(self.tasks)}")
        self._executor = executor or own_executor
        self._made: dict[str, tuple[Executor, Baseline]] = {}
        self._verdicts: dict[tuple[str, str], Future[Evaluation]] = {}
        self._stack = ExitStack()
        self._lock = Lock()

    def task(self, name: str | None) -> Task:
        """Task of a name; without one, the only task. Raises :class:`InputError`."""
        if name is None and len(self.tasks) == 1:
            return next(iter(self.tasks.values()))
        if name not in self.tasks:
            raise InputError(
                f"no task {name!r}: each row of the data set names its task in the column 'task'; "
                f"there are: {', '.join(self.tasks)}"
            )
        return self.tasks[name]

    def prepared(self, task: Task) -> tuple[Executor, Baseline]:
        """Executor of a task, and its baseline; measured once."""
        with self._lock:
            if task.name not in self._made:
                executor = self._executor
                made = executor if isinstance(executor, Executor) else executor(task)
                if isinstance(made, AbstractContextManager):
                    made = self._stack.enter_context(made)
                self._made[task.name] = made, made.prepare(task)
            return self._made[task.name]

    def judge(self, task: Task, answer: str, bases: Sequence[Program] = ()) -> Judged:
        """Verdict on an answer's program; ``bases`` are the programs that it may edit."""
        read = read_answer(
            Answer(answer, Call("trained", "")), list(bases) or [task.baseline], task
        )
        if read.program is None:
            return Judged(None, Evaluation(Status.INVALID, feedback=read.problem), read.summary)
        return Judged(read.program, self._verdict(task, read.program), read.summary)

    def _verdict(self, task: Task, program: Program) -> Evaluation:
        """Verdict on a program, made once; after a failure of the harness it is made again."""
        executor, _ = self.prepared(task)
        key = task.name, program.digest
        with self._lock:
            known = self._verdicts.get(key)
            found = known or self._verdicts.setdefault(key, Future())
        if known is None:
            try:
                found.set_result(executor.evaluate(task, program))
            except BaseException as error:  # noqa: BLE001 - raised where it is waited for
                found.set_exception(error)
            if found.exception() or found.result().status is Status.INFRASTRUCTURE:
                del self._verdicts[key]
        return found.result()

    def close(self) -> None:
        """Close the executors made here."""
        self._stack.close()
        self._made.clear()


def own_executor(task: Task) -> Executor:
    """The executor that a task names, with its defaults."""
    known = entry_points(group="maxcode.executors")
    place = task.executor
    made = known[place].load() if place in known.names else resolve_name(place)
    executor: Executor = made()
    return executor
