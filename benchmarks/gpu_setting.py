"""What the parts of gpu_campaign.py share: tasks that must be judged on the GPU, and how verdicts
are shown."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from common import ROOT

from maxcode.evaluation import Evaluation
from maxcode.executors.kernel.executor import KernelExecutor
from maxcode.executors.kernel.machine import Gpu
from maxcode.measure.rounds import CONFIRM, SCORE, Plan
from maxcode.program import Program
from maxcode.sandbox.base import Sandbox
from maxcode.tasks import KernelTask, load_task
from maxcode.tasks.kernel import KernelJudging
from maxcode.tasks.kernelbench import load_kernelbench

KERNELS = ROOT / "examples" / "kernels"
EXAMPLES = sorted(path.parent.name for path in KERNELS.glob("*/task.toml"))
WRITTEN = ROOT / "examples" / "kernelbench" / "cuda"
BRIEF = Plan(least=3, most=3)  # as the tests judge cheats
_LONGER = Plan(least=6, most=6)
_MEMORY = 12 << 30  # bytes for a candidate at least, and twice that for the reference
_SHARE = 3  # of the machine's memory a candidate may have one part in so many
_LIMIT = Path("/sys/fs/cgroup/memory.max")
_MORE = """
_forward = ModelNew.forward


def _and_more(self, *given):
    value = _forward(self, *given)
    _forward(self, *[one[: max(1, round({share} * len(one)))] for one in given])
    return value


ModelNew.forward = _and_more
"""
Item = tuple[str, Callable[[], dict[str, Any]]]


@dataclass
class Campaign:
    """What all parts share: where to judge, and where KernelBench lies if it is there at all.

    ``small`` tasks are those for a CPU, as a dry run needs them.
    """

    sandbox: Sandbox
    gpu: Gpu
    kernelbench: Path | None = None
    small: bool = False
    executor: KernelExecutor = field(init=False)
    brief: KernelExecutor = field(init=False)
    tasks: dict[tuple[str, str], KernelTask] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.executor, self.brief = self.fresh(), self.fresh(BRIEF)

    def close(self) -> None:
        """End all processes of both executors."""
        self.executor.close()
        self.brief.close()

    def fresh(self, score: Plan = SCORE) -> KernelExecutor:
        """An executor of its own.

        One keeps the reference of each task until it is closed, and many of KernelBench's size fit
        neither a GPU nor main memory.
        """
        if self.small:
            return KernelExecutor(self.sandbox, score=BRIEF, confirm=_LONGER)
        return KernelExecutor(self.sandbox, score=score, confirm=CONFIRM)

    def task(self, example: str, mode: str = "strict") -> KernelTask:
        """An example, which must be judged on the GPU."""
        if (example, mode) not in self.tasks:
            task = load_task(KERNELS / example)
            assert isinstance(task, KernelTask)
            judging = replace(task.judging, mode=mode)
            if self.small:
                some = [one for one in judging.variants if one.device != "cuda"][:1]
                judging = replace(judging, variants=(replace(some[0], device=""),))
            self.tasks[example, mode] = replace(task, judging=replace(judging, device="cuda"))
        return self.tasks[example, mode]

    def smi(self, *arguments: str) -> tuple[bool, str]:
        """What nvidia-smi says of the GPU, and whether it did as it was told; or what is wrong."""
        which = ("-i", self.gpu.uuid) if self.gpu.uuid else ()
        command = ["nvidia-smi", *which, *arguments]
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False)
        except OSError as error:
            return False, str(error)
        return not done.returncode, (done.stdout + done.stderr).strip()

    def asked(self, query: str, what: str = "gpu") -> str | None:
        """The values of a query of nvidia-smi, without units, a line each; None without it."""
        fine, said = self.smi(f"--query-{what}={query}", "--format=csv,noheader,nounits")
        return said if fine else None

    def problem(self, level: str, stem: str, **judging: Any) -> KernelTask:
        """A problem of KernelBench, which must be judged on the GPU."""
        assert self.kernelbench
        about = KernelJudging(device="cuda", memory=main_memory(small=self.small), **judging)
        [task] = load_kernelbench(
            self.kernelbench,
            int(level[-1]),
            about,
            ids=[int(stem.partition("_")[0])],
            small=self.small,
            notes=lambda _: None,
        )
        return task


def main_memory(*, small: bool) -> int:
    """Bytes that a candidate for KernelBench's sizes may have: a third of the machine's memory."""
    if small:
        return _MEMORY >> 3
    all_of_it = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    with suppress(OSError, ValueError):  # no container, or one without a limit
        all_of_it = min(all_of_it, int(_LIMIT.read_text()))
    return max(_MEMORY, all_of_it // _SHARE)


def equal(task: KernelTask, number: int, more: str = "") -> Program:
    """The task's own module but for a comment, and what is to follow it."""
    return Program.of(f"{task.baseline.code}\n# candidate {number}\n{more}", task.baseline.entry)


def more(share: float) -> str:
    """What makes a candidate compute its result again of so large a share of its inputs."""
    return _MORE.format(share=share)


def shown(found: Evaluation) -> dict[str, Any]:
    """A verdict, with its interval and all times."""
    ratio = found.speedup and [found.speedup.low, found.speedup.value, found.speedup.high]
    ours, theirs = (
        {one.meter: one.median for one in some} for some in (found.measurements, found.reference)
    )
    about: dict[str, Any] = {"speedup": ratio, "call": ours, "call of the reference": theirs}
    about["seconds"] = found.seconds
    return {"status": found.status.name, **about, "feedback": found.feedback[:2000]}
