"""Process of a lane on its node: runs executors, a job at a time, on its own processor."""

from __future__ import annotations

import os
import pickle
import platform
import shutil
import socket
import subprocess
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack, nullcontext, suppress
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from math import inf
from time import monotonic
from typing import Any

from maxcode.errors import ExecutorError, MaxcodeError
from maxcode.evaluation import Evaluation, Status
from maxcode.interfaces import Executor
from maxcode.measure.lane import all_processors, claimed
from maxcode.measure.machine import processor_model
from maxcode.system import check_libraries
from maxcode.task import Task

MakeExecutor = Callable[[], Executor | AbstractContextManager[Executor]]
"""Function to make an executor on a lane's node; closed there if it is a context manager."""


@dataclass(frozen=True, slots=True)
class Facts:
    """Place of a lane, its kind of machine, and the versions its results depend on.

    The defaults are those of a lane that has not come up.
    """

    node: str = ""
    host: str = ""
    pid: int = 0
    processors: tuple[int, ...] = ()
    devices: str = ""
    kind: str = ""
    versions: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Job:
    """A method call on the executor ``key``, for the task ``digest``.

    ``left`` are the seconds until the deadline of ``evaluate``; clocks of two machines cannot be
    compared.
    """

    key: str
    digest: str
    method: str
    arguments: tuple[Any, ...] = ()
    options: dict[str, Any] = field(default_factory=dict)
    left: float | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """Outcome of a job: a value or an error.

    ``unfit`` is the reason to stop using the lane; the value does not count then. ``failed`` is a
    failure of the harness, not the candidate.
    """

    value: Any = None
    error: Exception | None = None
    unfit: str = ""
    failed: bool = False


def ray_module() -> Any:
    """Ray, which is optional. Raises :class:`~maxcode.errors.ToolError` where it is missing."""
    check_libraries("several machines need", ["ray"], "ray")
    import ray  # noqa: PLC0415 - optional, and it takes a second

    return ray


def versions() -> dict[str, str]:
    """Versions that must be equal wherever a search is judged."""
    return {
        "maxcode": version("maxcode"),
        "Python": platform.python_version(),
        "g++": _gxx(),
        "torch": _package("torch"),
    }


def _gxx() -> str:
    path = shutil.which("g++")
    if path is None:
        return ""
    done = subprocess.run([path, "--version"], capture_output=True, text=True, check=False)
    return done.stdout.partition("\n")[0]


def _package(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""


class LaneWorker:
    """The process of a lane, owned by a search process and ended with it.

    The last processors of its node are for lanes, as many as the node's amount of ``resource``: it
    takes one of them for itself, and shares the processors before them with other lanes, for builds
    and checks. Without a resource it is on no node, and runs anywhere.
    """

    def __init__(self, resource: str = "") -> None:
        node, host, kind = "", socket.gethostname(), processor_model()
        processors = all_processors()
        if resource:
            node, host, lanes, accelerator = _own_node(resource)
            processors = _pinned(lanes)
            kind = f"{kind} {accelerator}".strip()
        self._opened: dict[str, tuple[Executor, ExitStack]] = {}
        self._tasks: dict[tuple[str, str], Task] = {}  # prepared, by executor and digest
        devices = os.environ.get("CUDA_VISIBLE_DEVICES", "")
        self._facts = Facts(node, host, os.getpid(), processors, devices, kind, versions())

    def facts(self) -> Facts:
        """Facts about this lane."""
        return self._facts

    def run(self, job: Job, make: MakeExecutor | None = None, task: Task | None = None) -> Answer:
        """Do a job; with ``make`` and ``task``, make and prepare the executor first.

        Two equal programs are compared then: a lane on which they differ twice is unfit. Never
        raises.
        """
        deadline = inf if job.left is None else monotonic() + job.left
        try:
            if make is not None and task is not None:
                prepared = self._prepare(job, make, task)
                if prepared.unfit or job.method == "prepare":
                    return prepared
            return self._call(job, deadline)
        except Exception as error:  # noqa: BLE001 - it is raised where the job comes from
            error = _sendable(error)
            return Answer(error=error, failed=isinstance(error, ExecutorError))

    def stop(self, key: str) -> None:
        """Stop this executor's work."""
        if key in self._opened:
            self._opened[key][0].stop()

    def close(self, key: str | None = None) -> None:
        """Close this executor, or all."""
        for one in list(self._opened) if key is None else [key]:
            if one in self._opened:
                self._opened.pop(one)[1].close()

    def _prepare(self, job: Job, make: MakeExecutor, task: Task) -> Answer:
        """The baseline, or the reason this lane is unfit."""
        if job.key not in self._opened:
            stack, made = ExitStack(), make()
            closing = made if isinstance(made, AbstractContextManager) else nullcontext(made)
            self._opened[job.key] = stack.enter_context(closing), stack
        executor, _ = self._opened[job.key]
        answer = Answer()
        for _ in range(2):  # one in twenty finds a difference between equals by chance
            baseline = executor.prepare(task)
            self._tasks[job.key, job.digest] = task
            answer = Answer(baseline, unfit=_difference(executor, task))
            if not answer.unfit:
                break
        return answer

    def _call(self, job: Job, deadline: float) -> Answer:
        task = self._tasks.get((job.key, job.digest))
        if task is None:
            raise ExecutorError(f"this lane was not prepared for task {job.digest[:12]}")
        method = getattr(self._opened[job.key][0], job.method, None)
        if method is None:
            return Answer()
        options = job.options if job.left is None else {**job.options, "deadline": deadline}
        value = method(task, *job.arguments, **options)
        broken = isinstance(value, Evaluation) and value.status is Status.INFRASTRUCTURE
        return Answer(value, failed=broken and monotonic() < deadline)


def _difference(executor: Executor, task: Task) -> str:
    """Fault in a comparison of two equal programs; "" if none."""
    try:
        compared = executor.compare(task, task.baseline, task.baseline)
    except ExecutorError as error:
        return f"two equal programs could not be compared: {error}"
    ratio = compared.ratio
    if ratio is None:
        return f"two equal programs could not be compared: {compared.problem}"
    return "" if ratio.low <= 1 <= ratio.high else f"two equal programs differ by {ratio}"


def _sendable(error: Exception) -> Exception:
    """The error, if ours and picklable, else its text as an ExecutorError."""
    if isinstance(error, MaxcodeError):
        with suppress(Exception):
            if type(pickle.loads(pickle.dumps(error))) is type(error):  # noqa: S301 - our own
                return error
    return ExecutorError(f"{type(error).__name__}: {error}")


def _own_node(resource: str) -> tuple[str, str, int, str]:
    """Id and address of this node, its number of lanes, and its kind of GPU."""
    ray = ray_module()
    own = ray.get_runtime_context().get_node_id()
    node = next(node for node in ray.nodes() if node["NodeID"] == own)
    offered = node["Resources"]
    named = (name for name in offered if name.startswith("accelerator_type:"))
    accelerator = next(named, "").partition(":")[2]
    return own, str(node["NodeManagerAddress"]), int(offered[resource]), accelerator


def _pinned(lanes: int) -> tuple[int, ...]:
    """Restrict this process to its own processor and those outside all lanes.

    Returns its own, or all if the node has more lanes than processors: they take turns then.
    """
    processors = all_processors()
    timed = processors[-lanes:]
    own = claimed(reversed(timed))
    if own is None:
        return processors
    shared = set(processors) - set(timed)
    for thread in os.listdir("/proc/self/task"):
        with suppress(OSError):  # it may have ended
            os.sched_setaffinity(int(thread), shared | {own})
    return (own,)
