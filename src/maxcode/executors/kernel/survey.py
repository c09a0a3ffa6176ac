"""A survey of the GPU that kernels would be judged on: what it and its driver add to a call."""

from __future__ import annotations

from dataclasses import dataclass

from maxcode.errors import ToolError
from maxcode.executors.kernel.exchange import Exchange
from maxcode.executors.kernel.machine import Gpu
from maxcode.executors.kernel.workers import WORKER_FOLDER, Worker, WorkerSetting
from maxcode.sandbox.base import Sandbox
from maxcode.system import ScratchFolder

_SECONDS = 60.0
_CLEARLY = 1.1  # times as long: what a read from memory takes at least, compared with the L2 cache


@dataclass(frozen=True, slots=True)
class GpuSurvey:
    """What was measured of the GPU called ``name``, in seconds unless said otherwise.

    ``cache`` are the bytes of its L2 cache, 0 if unknown. ``launch`` is a kernel that does nothing,
    from an idle device to an idle device, and ``next_launch`` one of many that follow each other.
    ``flush`` is what emptying the L2 cache takes before each call that is timed. ``warm`` is a read
    of half the cache right after another, and ``cold`` right after a flush. ``spread`` is the
    distance between the quartiles of equal calls, as a share of their median.
    """

    name: str
    cache: int
    launch: float
    next_launch: float
    flush: float
    warm: float
    cold: float
    spread: float

    @property
    def flush_works(self) -> bool:
        """Whether reading takes clearly longer after a flush than without one."""
        return self.cold > _CLEARLY * self.warm


def survey_gpu(gpu: Gpu, sandbox: Sandbox) -> GpuSurvey:
    """Measure in a worker, so that the sandbox must let CUDA work, too. Takes some seconds.

    Raises :class:`~maxcode.errors.ToolError` where torch cannot use the GPU there, and
    :class:`~maxcode.errors.ExecutorError` where the worker dies.
    """
    script = WORKER_FOLDER / "survey.py"
    setting = WorkerSetting(script=script, devices=gpu.files, address=gpu.address)
    with (
        ScratchFolder("maxcode-workers-") as folder,
        Exchange(1 << 20) as files,
        Worker(sandbox, setting, folder / "survey", files.outputs()) as worker,
    ):
        worker.ready()
        found = worker.ask({}, _SECONDS)
    if failure := found.get("error"):
        raise ToolError(f"torch cannot use {gpu.device} in the sandbox: {failure['message']}")
    return GpuSurvey(**found)
