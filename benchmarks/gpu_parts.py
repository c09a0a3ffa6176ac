"""The parts of gpu_campaign.py: what is measured, item by item. Each item is JSON in the end."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from common import ROOT

from maxcode.budget import Budget
from maxcode.evaluation import Evaluation
from maxcode.executors.kernel.executor import KernelExecutor
from maxcode.executors.kernel.machine import Gpu
from maxcode.executors.kernel.survey import survey_gpu
from maxcode.generators.pool import PoolGenerator
from maxcode.options import Options
from maxcode.policies.maxcode_loop import MaxCodeLoop
from maxcode.program import Program
from maxcode.sandbox.base import Sandbox
from maxcode.search.search import optimize as search
from maxcode.tasks import KernelTask, load_task
from maxcode.tasks.kernel import KernelJudging
from maxcode.tasks.kernelbench import load_kernelbench
from maxcode.toolchain.build_cache import BuildCache

KERNELS = ROOT / "examples" / "kernels"
EXAMPLES = sorted(path.parent.name for path in KERNELS.glob("*/task.toml"))
WRITTEN = ROOT / "examples" / "kernelbench" / "cuda"
Item = tuple[str, Callable[[], dict[str, Any]]]
_MORE = """
_forward = ModelNew.forward


def _and_more(self, *given):
    value = _forward(self, *given)
    _forward(self, *[one[: max(1, round({share} * len(one)))] for one in given])
    return value


ModelNew.forward = _and_more
"""
_ZEROS = """
_forward = ModelNew.forward


def _nothing(self, *given):
    return torch.zeros_like(_forward(self, *given))


ModelNew.forward = _nothing
"""
_THEIRS = """
import json, sys, torch
from kernelbench.eval import eval_kernel_against_ref
reference, candidate, build = sys.argv[1:]
found = eval_kernel_against_ref(
    open(reference).read(), open(candidate).read(), num_correct_trials=5, num_perf_trials=20,
    measure_performance=True, build_dir=build, device=torch.device("cuda:0"),
)
print(json.dumps([bool(found.compiled), bool(found.correctness), found.runtime]))
"""
_PATIENCE = 240.0  # seconds for their evaluator
_BUSY = """
import time, torch
a = torch.randn(4096, 4096, device="cuda")
until = time.monotonic() + 120
print("busy", flush=True)
while time.monotonic() < until:
    a = (a @ a).tanh()
    torch.cuda.synchronize()
"""


@dataclass
class Campaign:
    """What all parts share: where to judge, and where KernelBench lies if it is there at all.

    ``small`` tasks are those for a CPU, as a dry run needs them.
    """

    executor: KernelExecutor
    sandbox: Sandbox
    gpu: Gpu
    kernelbench: Path | None = None
    small: bool = False
    tasks: dict[tuple[str, str], KernelTask] = field(default_factory=dict)

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

    def problem(self, level: str, stem: str, **judging: Any) -> KernelTask:
        """A problem of KernelBench, which must be judged on the GPU."""
        assert self.kernelbench
        about = KernelJudging(device="cuda", memory=12 << 30, **judging)
        number = int(stem.partition("_")[0])
        [task] = load_kernelbench(self.kernelbench, int(level[-1]), about, ids=[number])
        return task


def equal(task: KernelTask, number: int, more: str = "") -> Program:
    """The task's own module but for a comment, and what is to follow it."""
    return Program.of(f"{task.baseline.code}\n# candidate {number}\n{more}", task.baseline.entry)


def shown(found: Evaluation) -> dict[str, Any]:
    """A verdict, with its interval and all times."""
    ratio = found.speedup and [found.speedup.low, found.speedup.value, found.speedup.high]
    times = {one.meter: one.median for one in (*found.measurements, *found.reference)}
    about = {"speedup": ratio, "seconds_of_calls": times, "seconds": found.seconds}
    return {"status": found.status.name, **about, "feedback": found.feedback[:2000]}


def protocol(campaign: Campaign) -> Iterator[Item]:
    """The device as the doctor sees it, and whether work of others on it is noticed."""
    yield "survey", lambda: asdict(survey_gpu(campaign.gpu, campaign.sandbox))
    if campaign.small:
        return

    def beside() -> dict[str, Any]:
        task = campaign.task("softmax")
        alone = shown(campaign.executor.evaluate(task, equal(task, 1)))
        command = [sys.executable, "-c", _BUSY]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as busy:
            assert busy.stdout
            busy.stdout.readline()
            try:
                together = shown(campaign.executor.evaluate(task, equal(task, 2)))
            finally:
                busy.kill()
        return {"alone": alone, "beside other work": together}

    yield "other work", beside


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


def kernels(campaign: Campaign) -> Iterator[Item]:
    """Kernels written for KernelBench's problems: both modes, beside torch.compile, confirmed."""

    def judged(path: Path) -> dict[str, Any]:
        level, stem = path.parts[-3:-1]
        half = {"dtype": "float16"} if path.stem == "half" else {}
        task = campaign.problem(level, stem, baselines=("eager", "compile"), **half)
        theirs = campaign.problem(level, stem, mode="kernelbench", **half)
        program = Program.of(path.read_text(), "kernel.py")
        baseline = campaign.executor.prepare(task)
        found = campaign.executor.evaluate(task, program)
        result = {"baseline": baseline.note, "strict": shown(found)}
        result["kernelbench"] = shown(campaign.executor.evaluate(theirs, program))
        if found.ok:
            confirmed = campaign.executor.compare(task, program, task.baseline)
            ratio = confirmed.ratio and [confirmed.ratio.low, confirmed.ratio.high]
            result["confirmed"] = {"ratio": ratio, "problem": confirmed.problem}
        return result

    if campaign.kernelbench:
        for path in sorted(WRITTEN.glob("level*/*/*.py")):
            yield f"{path.parts[-3]}/{path.parent.name}/{path.stem}", partial(judged, path)


def cheats(campaign: Campaign) -> Iterator[Item]:
    """The cheats and their honest twins, those that need CUDA among them."""
    from tests.executors.kernel import _cheats as suite  # noqa: PLC0415 - beside this folder

    def judged(case: suite.Case) -> dict[str, Any]:
        on_gpu = replace(case.task, judging=replace(case.task.judging, device="cuda"))
        cheat, honest = (
            campaign.executor.evaluate(on_gpu, one) for one in (case.cheat, case.honest)
        )
        one = suite.Outcome(case, cheat, honest)
        found = {"caught": one.caught, "escaped": one.escaped, "false_alarm": one.false_alarm}
        about = {"cheat": cheat.status.name, "twin": honest.status.name}
        return {**found, **about, "feedback": [cheat.feedback[:400], honest.feedback[:400]]}

    for case in suite.load(cuda=not campaign.small):
        yield case.name, partial(judged, case)


def agreement(campaign: Campaign) -> Iterator[Item]:
    """Our verdict by KernelBench's rules beside that of its own evaluator: at least 60 problems,
    with the reference itself, with zeros, and with a kernel where one is written."""

    def judged(path: Path, code: str) -> dict[str, Any]:
        level, stem = path.parts[-2], path.stem
        task = campaign.problem(level, stem, mode="kernelbench")
        ours = campaign.executor.evaluate(task, Program.of(code, "kernel.py"))
        with tempfile.TemporaryDirectory() as folder:
            candidate = Path(folder, "candidate.py")
            candidate.write_text(code)
            command = [sys.executable, "-c", _THEIRS, str(path), str(candidate), folder]
            assert campaign.kernelbench
            source = campaign.kernelbench.parent / "src"
            began = time.monotonic()
            try:
                done = subprocess.run(
                    command,
                    capture_output=True,
                    text=True,
                    check=False,
                    timeout=_PATIENCE,
                    env={
                        **os.environ,
                        "PYTHONPATH": f"{source}:{os.environ.get('PYTHONPATH', '')}",
                    },
                )
                said = done.stdout.splitlines()[-1:] or ["null"]
                theirs = json.loads(said[0]) if done.returncode == 0 else done.stderr[-400:]
            except (subprocess.TimeoutExpired, ValueError) as error:
                theirs = f"{type(error).__name__}"
            taken = time.monotonic() - began
        agree = isinstance(theirs, list) and ours.ok == bool(theirs[1])
        return {"agree": agree, "theirs": theirs, "their_seconds": taken, "ours": shown(ours)}

    if campaign.kernelbench is None:
        return
    for path in sorted(campaign.kernelbench.glob("level[123]/*.py"))[::3]:
        level, stem = path.parts[-2], path.stem
        code = campaign.problem(level, stem, mode="kernelbench").baseline.code
        yield f"{level}/{stem}/reference", partial(judged, path, code)
        yield f"{level}/{stem}/zeros", partial(judged, path, f"{code}\n{_ZEROS}")
        written = WRITTEN / level / stem / "float32.py"
        if written.exists():
            yield f"{level}/{stem}/kernel", partial(judged, path, written.read_text())


def searches(campaign: Campaign) -> Iterator[Item]:
    """A search over an example's pool of candidates, from start to end."""

    def searched(example: str) -> dict[str, Any]:
        pool = PoolGenerator(KERNELS / example / "candidates")
        found = search(
            campaign.task(example),
            generator=pool,
            executor=campaign.executor,
            policy=MaxCodeLoop(k=4),
            budget=Budget(evaluations=2 if campaign.small else 8),
            options=Options(seed=1),
        )
        return {"speedup": str(found.speedup), "confirmed": str(found.confirmed)}

    for example in EXAMPLES:
        yield example, partial(searched, example)


def equals(campaign: Campaign) -> Iterator[Item]:
    """Comparisons of candidates that are the same kernel, 64 for each of six examples."""
    for number in range(64):
        for example in EXAMPLES:
            yield f"{example}/{number}", partial(compared, campaign, example, 2 * number)


def power(campaign: Campaign) -> Iterator[Item]:
    """Candidates that compute 2, 5 and 10 % more than they need, against those that do not."""
    for number in range(8):
        for example in EXAMPLES:
            for share in (0.02, 0.05, 0.1):
                more = _MORE.format(share=share)
                item = partial(compared, campaign, example, 2 * number, more)
                yield f"{example}/{share}/{number}", item


def compared(campaign: Campaign, example: str, number: int, more: str = "") -> dict[str, Any]:
    """How much faster a candidate is than an equal one, or one that does more."""
    task = campaign.task(example)
    found = campaign.executor.compare(task, equal(task, number), equal(task, number + 1, more))
    ratio = found.ratio and [found.ratio.value, found.ratio.low, found.ratio.high]
    return {"ratio": ratio, "problem": found.problem, "seconds": found.seconds}


def seconds(campaign: Campaign) -> Iterator[Item]:
    """What a verdict takes, in both modes."""

    def taken(example: str, mode: str) -> dict[str, Any]:
        task = campaign.task(example, mode)
        with KernelExecutor(campaign.sandbox) as own:  # which has prepared nothing yet
            prepared = own.prepare(task)
            found = own.evaluate(task, equal(task, 0))
        return {"prepare": prepared.seconds, "evaluate": found.seconds, "status": found.status.name}

    for example in EXAMPLES:
        for mode in ("strict", "kernelbench"):
            yield f"{example}/{mode}", partial(taken, example, mode)


def builds(campaign: Campaign) -> Iterator[Item]:
    """A CUDA extension: a verdict with a build and without, and torch's own build of it."""

    def built(example: str) -> dict[str, Any]:
        task = campaign.task(example)
        text = (KERNELS / example / "candidates" / "fused_cuda.py").read_text()
        taken: dict[str, Any] = {}
        with tempfile.TemporaryDirectory() as folder:
            for name in ("built", "known"):
                cache = BuildCache(Path(folder, "cache"))
                with KernelExecutor(campaign.sandbox, cache=cache) as own:
                    own.prepare(task)
                    found = own.evaluate(task, Program.of(text, "kernel.py"))
                taken[name] = {"seconds": found.seconds, "status": found.status.name}
            Path(folder, "kernel.py").write_text(text)
            began = time.monotonic()
            done = subprocess.run(
                [sys.executable, "kernel.py"],
                cwd=folder,
                env={**os.environ, "TORCH_EXTENSIONS_DIR": folder},
                capture_output=True,
                check=False,
            )
            taken["by torch"] = {"seconds": time.monotonic() - began, "code": done.returncode}
        return taken

    for example in EXAMPLES:
        if (KERNELS / example / "candidates" / "fused_cuda.py").exists() and not campaign.small:
            yield example, partial(built, example)


def memory(campaign: Campaign) -> Iterator[Item]:
    """Memory of the device in use as 500 candidates are judged."""

    def used(first: int) -> dict[str, Any]:
        task = campaign.task("softmax")
        count = 2 if campaign.small else 50
        found = [
            campaign.executor.evaluate(task, equal(task, n)).status.name
            for n in range(first, first + count)
        ]
        command = ["nvidia-smi", "--query-gpu=memory.used", "--format=csv,noheader"]
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False)
        except OSError:
            return {"used": None, "statuses": sorted(set(found))}
        return {"used": done.stdout.strip(), "statuses": sorted(set(found))}

    for first in range(0, 500, 50):
        yield str(first + 50), partial(used, first)


def tests(campaign: Campaign) -> Iterator[Item]:
    """The tests that are marked ``gpu``."""

    def run() -> dict[str, Any]:
        command = [sys.executable, "-m", "pytest", "-q", "-m", "gpu", "tests/executors/kernel"]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        return {"code": done.returncode, "end": done.stdout[-4000:]}

    if not campaign.small:
        yield "all", run


PARTS: Mapping[str, tuple[Callable[[Campaign], Iterator[Item]], float]] = {
    one.__name__: (one, bound)
    for one, bound in (
        (protocol, 60.0),
        (verdicts, 90.0),
        (kernels, 120.0),
        (cheats, 90.0),
        (agreement, 90.0),
        (searches, 60.0),
        (equals, 120.0),
        (power, 90.0),
        (seconds, 60.0),
        (builds, 60.0),
        (memory, 60.0),
        (tests, 120.0),
    )
}
"""By name, in the order of what they are worth: the items, and seconds after which none begins."""
