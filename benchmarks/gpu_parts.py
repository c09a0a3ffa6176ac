"""The parts of gpu_campaign.py: items to measure, each of which gives JSON.

Tasks must be judged on the GPU. Parts that need KernelBench's files read them where they are.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from common import ROOT
from kernelbench_files import ZEROS

from maxcode.evaluation import Comparison, Evaluation
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
_EVALUATOR = ROOT / "benchmarks" / "gpu_their_evaluator.py"
_PATIENCE = 90.0  # seconds for KernelBench's evaluator
_EACH = 3  # of the problems without a kernel of ours, one is taken
# A candidate that computes its result again for a share of its inputs.
_MORE = """
_forward = ModelNew.forward


def _and_more(self, *given):
    value = _forward(self, *given)
    _forward(self, *[one[: max(1, round({share} * len(one)))] for one in given])
    return value


ModelNew.forward = _and_more
"""
Item = tuple[str, Callable[[], dict[str, Any]]]


class Campaign:
    """The place to judge, and the folder of KernelBench if there is one.

    ``small`` tasks are those for a CPU, as a dry run needs them.
    """

    def __init__(
        self, sandbox: Sandbox, gpu: Gpu, kernelbench: Path | None = None, *, small: bool = False
    ) -> None:
        self.sandbox, self.gpu, self.kernelbench, self.small = sandbox, gpu, kernelbench, small
        self._made: list[KernelExecutor] = []
        self._tasks: dict[str, KernelTask] = {}
        self.renew()

    def renew(self) -> None:
        """Begin with executors that hold no task."""
        self.close()
        self.executor, self.brief = self.fresh(), self.fresh(BRIEF)

    def stop(self) -> None:
        """Have all executors end what they do."""
        for one in self._made:
            one.stop()

    def close(self) -> None:
        """End all processes of all executors."""
        for one in self._made:
            one.close()
        self._made.clear()

    def fresh(self, score: Plan = SCORE) -> KernelExecutor:
        """An executor of its own.

        One keeps the reference of each task until it is closed, and many of KernelBench's size fit
        neither a GPU nor main memory.
        """
        plans = (BRIEF, _LONGER) if self.small else (score, CONFIRM)
        self._made.append(KernelExecutor(self.sandbox, score=plans[0], confirm=plans[1]))
        return self._made[-1]

    def task(self, example: str) -> KernelTask:
        """An example, which must be judged on the GPU."""
        if example not in self._tasks:
            task = load_task(KERNELS / example)
            assert isinstance(task, KernelTask)
            judging = replace(task.judging, device="cuda")
            if self.small:
                some = [one for one in judging.variants if one.device != "cuda"][:1]
                judging = replace(judging, variants=(replace(some[0], device=""),))
            self._tasks[example] = replace(task, judging=judging)
        return self._tasks[example]

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
        )
        return task


def main_memory(*, small: bool) -> int:
    """Bytes that a candidate for KernelBench's sizes may have: a third of the machine's memory."""
    if small:
        return 3 << 29
    all_of_it = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    with suppress(OSError, ValueError):  # no container, or one without a limit
        all_of_it = min(all_of_it, int(Path("/sys/fs/cgroup/memory.max").read_text()))
    return all_of_it // 3


def equal(task: KernelTask, number: int, more: str = "") -> Program:
    """The task's own module but for a comment, and what is to follow it."""
    return Program.of(f"{task.baseline.code}\n# candidate {number}\n{more}", task.baseline.entry)


def interval(found: Comparison) -> dict[str, Any]:
    """A comparison's ratio, its problem and its seconds."""
    ratio = found.ratio and [found.ratio.value, found.ratio.low, found.ratio.high]
    return {"ratio": ratio, "problem": found.problem, "seconds": found.seconds}


def shown(found: Evaluation) -> dict[str, Any]:
    """A verdict, with its interval and all times."""
    ratio = found.speedup and [found.speedup.low, found.speedup.value, found.speedup.high]
    ours, theirs = (
        {one.meter: one.median for one in some} for some in (found.measurements, found.reference)
    )
    about: dict[str, Any] = {"speedup": ratio, "call": ours, "call of the reference": theirs}
    about["seconds"] = found.seconds
    return {"status": found.status.name, **about, "feedback": found.feedback[:2000]}


def verdicts(campaign: Campaign) -> Iterator[Item]:
    """The examples' candidates, against what their first lines say."""

    def judged(example: str, path: Path) -> dict[str, Any]:
        text = path.read_text()
        named = text.partition("expected: ")[2].partition(".")[0]
        found = campaign.executor.evaluate(campaign.task(example), Program.of(text, "kernel.py"))
        return {"named": named[:60], **shown(found)}

    for example in EXAMPLES:
        for path in sorted((KERNELS / example / "candidates").glob("*.py")):
            text = path.read_text()
            runs = "load_inline" not in text if campaign.small else "cuda_sources" in text
            if runs or "load_inline" not in text:  # none for a CPU's memory
                yield f"{example}/{path.name}", partial(judged, example, path)


def cheats(campaign: Campaign) -> Iterator[Item]:
    """The cheats and their honest twins, those that need CUDA among them."""
    from tests.executors.kernel import _cheats as suite  # noqa: PLC0415 - beside this folder

    def judged(case: suite.Case) -> dict[str, Any]:
        on_gpu = replace(case.task, judging=replace(case.task.judging, device="cuda"))
        cheat, honest = (campaign.brief.evaluate(on_gpu, one) for one in (case.cheat, case.honest))
        one = suite.Outcome(case, cheat, honest)
        found = {"caught": one.caught, "escaped": one.escaped, "false_alarm": one.false_alarm}
        about = {"cheat": cheat.status.name, "twin": honest.status.name}
        return {**found, **about, "feedback": [cheat.feedback[:400], honest.feedback[:400]]}

    for case in suite.load(cuda=not campaign.small):
        yield case.name, partial(judged, case)


def equals(campaign: Campaign) -> Iterator[Item]:
    """Comparisons of candidates that are the same kernel, 64 for each of six examples.

    That is half an hour and more, if one takes five seconds. They are in turns, so as many as there
    was time for are an even sample.
    """
    for number in range(64):
        for example in EXAMPLES:
            yield f"{example}/{number}", partial(compared, campaign, example, 2 * number)


def power(campaign: Campaign) -> Iterator[Item]:
    """Candidates that compute 2, 5 and 10 % more than they need, against those that do not."""
    for number in range(8):
        for example in EXAMPLES:
            for share in (0.02, 0.05, 0.1):
                item = partial(compared, campaign, example, 2 * number, _MORE.format(share=share))
                yield f"{example}/{share}/{number}", item


def compared(campaign: Campaign, example: str, number: int, added: str = "") -> dict[str, Any]:
    """Comparison of a candidate with an equal one, or with one that computes more."""
    task = campaign.task(example)
    first, second = equal(task, number), equal(task, number + 1, added)
    return interval(campaign.executor.compare(task, first, second))


def _as_written(campaign: Campaign, path: Path, task: KernelTask) -> Program:
    """A kernel that was written; for a CPU the task's own module, as none of them runs there."""
    return task.baseline if campaign.small else Program.of(path.read_text(), "kernel.py")


def kernels(campaign: Campaign) -> Iterator[Item]:
    """Kernels written for KernelBench's problems, in both modes, confirmed."""

    def judged(path: Path) -> dict[str, Any]:
        half = {"dtype": "float16"} if path.stem == "half" else {}
        level, stem = path.parts[-3:-1]
        task = campaign.problem(level, stem, baselines=("eager", "compile"), **half)
        theirs = campaign.problem(level, stem, mode="kernelbench", **half)
        program = _as_written(campaign, path, task)
        with campaign.fresh() as executor:
            baseline = executor.prepare(task)
            found = executor.evaluate(task, program)
            result = {"baseline": baseline.note, "strict": shown(found)}
            if found.ok:
                result["confirmed"] = interval(executor.compare(task, program, task.baseline))
        with campaign.fresh() as executor:
            result["kernelbench"] = shown(executor.evaluate(theirs, program))
        return result

    if campaign.kernelbench:
        for path in sorted(WRITTEN.glob("level*/*/*.py")):
            yield f"{path.parts[-3]}/{path.parent.name}/{path.stem}", partial(judged, path)


def _chosen(folder: Path) -> list[Path]:
    """Problems with a kernel of ours, then each third of the others."""
    paths = sorted(folder.glob("level[123]/*.py"))
    ours = [path for path in paths if (WRITTEN / path.parts[-2] / path.stem).is_dir()]
    return ours + [path for path in paths if path not in ours][::_EACH]


def agreement(campaign: Campaign) -> Iterator[Item]:
    """Our verdicts by KernelBench's rules beside those of its own evaluator.

    Of each problem the reference itself, zeros, and a kernel where one is written.
    """

    def judged(path: Path) -> dict[str, Any]:
        level, stem = path.parts[-2], path.stem
        task = campaign.problem(level, stem, mode="kernelbench")
        programs = {"reference": task.baseline}
        programs["zeros"] = Program.of(f"{task.baseline.code}\n{ZEROS}", "kernel.py")
        written = WRITTEN / level / stem / "float32.py"
        if written.exists():
            programs["kernel"] = _as_written(campaign, written, task)
        with campaign.fresh() as executor:
            ours = {name: executor.evaluate(task, program) for name, program in programs.items()}
        theirs = their_verdicts(campaign, task, programs)
        return {
            "agree": {
                name: isinstance(theirs.get(name), list) and one.ok == theirs[name][1]
                for name, one in ours.items()
            },
            "verdicts": {
                name: {"theirs": theirs.get(name), "ours": shown(one)} for name, one in ours.items()
            },
        }

    if campaign.kernelbench:
        for path in _chosen(campaign.kernelbench):
            yield f"{path.parts[-2]}/{path.stem}", partial(judged, path)


def their_verdicts(
    campaign: Campaign, task: KernelTask, programs: Mapping[str, Program]
) -> dict[str, Any]:
    """KernelBench's verdict on each program: compiled, correct, milliseconds; or its last words.

    A program without a verdict ended the evaluator's process.
    """
    assert campaign.kernelbench
    variant, *_ = task.judging.variants_on("cuda")  # the one that we time
    device = [str(campaign.gpu.device.parent)] if campaign.small else []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "reference.py").write_text(task.reference_of(variant))
        for label, program in programs.items():
            (folder / f"{label}.candidate.py").write_text(program.code)
        source = str(campaign.kernelbench.parent / "src")
        command = [sys.executable, str(_EVALUATOR), source, name, *device]
        done = subprocess.run(command, capture_output=True, check=False, timeout=_PATIENCE)
    lines = done.stdout.decode("utf-8", "replace").splitlines()
    answers = [json.loads(line) for line in lines if line.startswith('{"candidate"')]
    found = {one["candidate"]: one["found"] for one in answers}
    return found or {"reference": done.stderr.decode("utf-8", "replace")[-400:]}


@dataclass(frozen=True, slots=True)
class Part:
    """A number of items: ``share`` is seconds a round, ``longest`` those for one item."""

    items: Callable[[Campaign], Iterator[Item]]
    share: float
    longest: float


PARTS: Mapping[str, Part] = {
    one.items.__name__: one
    for one in (
        Part(verdicts, 60.0, 60.0),
        Part(cheats, 90.0, 30.0),
        Part(equals, 75.0, 45.0),
        Part(power, 60.0, 45.0),
        Part(agreement, 90.0, 90.0),
        Part(kernels, 90.0, 300.0),
    )
}
"""By name, in the order of what they are worth."""
