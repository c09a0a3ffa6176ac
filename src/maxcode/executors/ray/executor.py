"""RayExecutor: judges on the lanes of a Ray cluster, through an executor made on each."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from math import inf
from threading import Event, Lock
from time import monotonic
from typing import Any
from uuid import uuid4

from maxcode.errors import ExecutorError, TaskError, ToolError
from maxcode.evaluation import (
    Baseline,
    Comparison,
    Evaluation,
    FuzzPlan,
    FuzzResult,
    HeldOut,
    Profile,
    Status,
    Trial,
)
from maxcode.executors.ray.lanes import Lane, LaneError, LaneLostError, RayLanes
from maxcode.executors.ray.worker import Job, MakeExecutor, ray_module
from maxcode.interfaces import Executor, Incumbent
from maxcode.program import Program
from maxcode.sandbox.base import OUT_OF_TIME
from maxcode.task import Task

_ATTEMPTS = 3  # at what the search itself does not repeat when a lane is lost


class RayExecutor(Executor):
    """Judges programs on the lanes of a Ray cluster.

    ``make_executor`` is called in the process of each lane and returns any executor: it must be
    picklable, and its imports installed on the nodes. ``lanes`` are a :class:`RayLanes`, which
    several executors may share, or a number of lanes for a local cluster. Each lane prepares the
    baseline itself before its first job, and compares it with itself: a lane on which equal
    programs differ measures nothing.

    A pair is measured in a single call on a lane, named by ``place``. A job lost with its lane has
    ``Status.INFRASTRUCTURE``, and the search sends it again. Close it, or use it as a context
    manager.
    """

    def __init__(self, make_executor: MakeExecutor, lanes: RayLanes | int | None = None) -> None:
        self._own = not isinstance(lanes, RayLanes)
        self.lanes = lanes if isinstance(lanes, RayLanes) else RayLanes("local", lanes)
        self._make = make_executor
        self._key = uuid4().hex
        self._lock = Lock()
        self._sent: dict[str, Any] = {}  # tasks in Ray's store, by digest
        self._prepared: Counter[str] = Counter()  # how often prepare was called, by digest of task
        self._failed: defaultdict[str, set[str]] = defaultdict(set)  # at what places, by program
        self._stopped = Event()
        self._show: Callable[[str], None] = lambda _: None

    def __enter__(self) -> RayExecutor:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the executors on all lanes; close the lanes, too, unless they were given."""
        if self._own:
            self.lanes.close()
        else:
            self.lanes._tell("close", self._key)

    def on_wait(self, show: Callable[[str], None]) -> None:
        """See :class:`~maxcode.interfaces.Waits`; waits for a free lane."""
        self._show = show

    def stop(self) -> None:
        """Stop the lanes' work, without waiting for them."""
        self._stopped.set()
        self.lanes._tell("stop", self._key)

    def prepare(self, task: Task) -> Baseline:
        """Prepare a lane; the others follow before their first job."""
        self._stopped.clear()
        with self._lock:
            self._prepared[task.digest] += 1
            if task.digest not in self._sent:
                self._sent[task.digest] = ray_module().put(task)
        baseline: Baseline
        baseline, lane = self._repeated(task, "prepare")
        return replace(baseline, note=f"{baseline.note}; on lane {lane.place}")

    def evaluate(
        self,
        task: Task,
        program: Program,
        *,
        against: Incumbent | None = None,
        deadline: float = inf,
    ) -> Evaluation:
        """See :meth:`Executor.evaluate`. A lost lane is a failure of the harness.

        The deadline includes time spent waiting for a lane.
        """
        value: Evaluation
        failed = self._failed[program.digest]
        options = {"against": against} if against else {}
        try:
            value, lane = self._call(
                task, "evaluate", (program,), options, deadline=deadline, avoid=frozenset(failed)
            )
            value = replace(value, place=lane.place)
        except ExecutorError as error:
            place = error.place if isinstance(error, LaneError) else ""
            value = Evaluation(Status.INFRASTRUCTURE, feedback=str(error), place=place)
        if value.status is Status.INFRASTRUCTURE:
            failed.add(value.place)  # the next attempt is for another lane
        else:
            self._failed.pop(program.digest, None)
        return value

    def compare(self, task: Task, a: Program, b: Program, *, margin: float = 0.0) -> Comparison:
        """See :meth:`Executor.compare`: both on the same lane."""
        options = {"margin": margin} if margin else {}
        value, lane = self._repeated(task, "compare", a, b, **options)
        comparison: Comparison = replace(value, place=lane.place)
        return comparison

    def try_out(self, task: Task, program: Program, *, quick: bool) -> Trial | None:
        """See :class:`~maxcode.interfaces.Trials`; None if unsupported by the lanes' executor."""
        trial: Trial | None = self._repeated(task, "try_out", program, quick=quick)[0]
        return trial

    def profile(self, task: Task, program: Program) -> Profile | None:
        """See :class:`~maxcode.interfaces.Profiles`; None if unsupported by the lanes' executor."""
        profile: Profile | None = self._repeated(task, "profile", program)[0]
        return profile

    def fuzz(self, task: Task, program: Program, plan: FuzzPlan) -> FuzzResult | None:
        """See :class:`~maxcode.interfaces.Fuzzes`; None if unsupported by the lanes' executor."""
        result: FuzzResult | None = self._repeated(task, "fuzz", program, plan)[0]
        return result

    def held_out(self, task: Task, program: Program, seed: int) -> HeldOut | None:
        """See :class:`~maxcode.interfaces.HoldsOut`; None if unsupported by the lanes' executor."""
        found: HeldOut | None
        found, lane = self._repeated(task, "held_out", program, seed)
        return replace(found, place=lane.place) if found else None

    def _repeated(
        self, task: Task, method: str, *arguments: Any, **options: Any
    ) -> tuple[Any, Lane]:
        """Answer of a lane; if it is lost, another lane is asked."""
        for _ in range(_ATTEMPTS - 1):
            with suppress(LaneLostError):
                return self._call(task, method, arguments, options)
        return self._call(task, method, arguments, options)

    def _call(
        self,
        task: Task,
        method: str,
        arguments: tuple[Any, ...],
        options: dict[str, Any],
        *,
        deadline: float = inf,
        avoid: frozenset[str] = frozenset(),
    ) -> tuple[Any, Lane]:
        """Answer of a lane, and the lane.

        Places to ``avoid`` are used only if there are no others. Unfit lanes do not count as
        attempts. Raises the executor's own errors.
        """
        prepared = f"{self._key}:{task.digest}", self._prepared[task.digest]
        while True:
            lane = self.lanes._take(prepared, deadline, self._stopped, self._show, avoid)
            if lane is None:
                raise ExecutorError(OUT_OF_TIME)
            left = None if deadline == inf else deadline - monotonic()
            job = Job(self._key, task.digest, method, arguments, options, left)
            fresh = prepared not in lane.prepared
            setup = (self._make, self._sent[task.digest]) if fresh else ()
            answer = self.lanes._send(lane, self._stopped, job, *setup)
            if answer.unfit:
                continue
            if answer.error is None:
                lane.prepared.add(prepared)
                return answer.value, lane
            known = any(prepared in one.prepared for one in self.lanes.states())
            of_lane = ToolError if not known else (ToolError, TaskError)  # others passed
            if not isinstance(answer.error, of_lane):
                if type(answer.error) is ExecutorError:
                    raise LaneError(str(answer.error), lane.place) from answer.error
                raise answer.error
            self.lanes._set_aside(lane, str(answer.error))
            if not len(self.lanes):
                raise answer.error
