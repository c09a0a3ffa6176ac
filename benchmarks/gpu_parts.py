"""The parts of gpu_campaign.py: what is measured, item by item. Each item is JSON in the end."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, redirect_stderr, redirect_stdout
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any
from unittest import mock

from common import ROOT
from gpu_kernelbench import Theirs, agreement, kernels
from gpu_protocol import protocol
from gpu_setting import EXAMPLES, KERNELS, Campaign, Item, equal, more, shown

from maxcode.executors.kernel.executor import KernelExecutor
from maxcode.program import Program
from maxcode.toolchain.build_cache import BuildCache

_BESIDE = """
_forward = ModelNew.forward


def _beside(self, *given):
    current = torch.cuda.current_stream()
    for own in [torch.cuda.Stream() for _ in range(4)]:
        own.wait_stream(current)
        with torch.cuda.stream(own):
            value = _forward(self, *given)
        current.wait_stream(own)
    return value


ModelNew.forward = _beside
"""
_LEFT = """
_forward = ModelNew.forward


def _left(self, *given):
    with torch.cuda.stream(torch.cuda.Stream()):
        if hasattr(torch.cuda, "simulated"):
            torch.cuda.simulated.launch(lambda: None, 0.01)
        else:
            torch.cuda._sleep(10_000_000)  # clocks
    return _forward(self, *given)


ModelNew.forward = _left
"""
_KINDS = {"plain": "", "side streams": _BESIDE, "kernel left running": _LEFT}
_THREADS = r"constexpr int THREADS = \d+;"
_TUNED = """
PARTS = 1  # tune: 1 2 4
"""  # makes other programs of the task's own module, which they leave as fast as it is


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


def searches(campaign: Campaign) -> Iterator[Item]:
    """``maxcode optimize`` with an example's pool and ``tune``, and the report, start to end."""

    def searched(example: str) -> dict[str, Any]:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            task, store = _searched_task(campaign, example, folder), str(folder / "runs.db")
            page, budget = folder / "report.html", 6 if campaign.small else 14
            optimized = maxcode(
                campaign,
                *("optimize", str(task), "--store", store, "--json", "--seed", "1"),
                *("--generator", f"pool:folder={folder / 'pool'} + tune"),
                *("--budget", f"evaluations={budget}", "--out", str(folder / "best.py")),
            )
            report = maxcode(campaign, "report", "last", "--store", store, "--out", str(page))
            text = page.read_text() if page.exists() else ""
            about = {"bytes": len(text), "tuned": "tune" in text}
            return {"optimize": optimized, "report": report, **about}

    for example in EXAMPLES[-1:] if campaign.small else EXAMPLES:
        yield example, partial(searched, example)


def _searched_task(campaign: Campaign, example: str, folder: Path) -> Path:
    """The folder of the task; beside it a pool, in which one kernel declares what may be tuned."""
    pool, source = folder / "pool", KERNELS / example
    pool.mkdir()
    if campaign.small:
        task = folder / example
        task.mkdir()
        (task / "reference.py").write_text((source / "reference.py").read_text() + _TUNED)
        about = f'name = "{example}"\nstatement = "a search"\n[kernel]\ndevice = "cuda"\n'
        (task / "task.toml").write_text(about)
        (pool / "plain.py").write_text((source / "candidates" / "plain.py").read_text())
        return task
    for path in sorted((source / "candidates").glob("*.py")):
        text = path.read_text()
        if "cuda_sources" in text or "load_inline" not in text:
            tuned = re.sub(_THREADS, r"\g<0>  // tune: 128 256 512 1024", text)
            (pool / path.name).write_text(tuned)
    return source


def maxcode(campaign: Campaign, *arguments: str) -> dict[str, Any]:
    """What the command says, run in this process and in the campaign's sandbox."""
    from maxcode.cli import main, tasks  # noqa: PLC0415 - with all that commands need

    out, said = io.StringIO(), io.StringIO()
    with ExitStack() as stack:
        made = mock.Mock(return_value=campaign.sandbox)
        stack.enter_context(mock.patch.object(tasks, "BubblewrapSandbox", made))
        stack.enter_context(mock.patch.object(sys, "argv", ["maxcode", *arguments]))
        stack.enter_context(redirect_stdout(out))
        stack.enter_context(redirect_stderr(said))
        try:
            main.main()
            code: Any = 0
        except SystemExit as ended:
            code = ended.code
    if code not in (None, 0, 1):  # 1 where nothing faster was found
        raise ValueError(f"maxcode {arguments[0]}: {said.getvalue()[-800:]}")
    return {"code": code, "out": out.getvalue()[-4000:], "said": said.getvalue()[-1000:]}


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
                item = partial(compared, campaign, example, 2 * number, more(share))
                yield f"{example}/{share}/{number}", item


def compared(campaign: Campaign, example: str, number: int, added: str = "") -> dict[str, Any]:
    """How much faster a candidate is than an equal one, or one that does more."""
    task = campaign.task(example)
    found = campaign.executor.compare(task, equal(task, number), equal(task, number + 1, added))
    ratio = found.ratio and [found.ratio.value, found.ratio.low, found.ratio.high]
    return {"ratio": ratio, "problem": found.problem, "seconds": found.seconds}


def seconds(campaign: Campaign) -> Iterator[Item]:
    """What a verdict takes, in both modes, and KernelBench's own evaluator where it is at hand."""

    def taken(example: str, mode: str) -> dict[str, Any]:
        task = campaign.task(example, mode)
        with KernelExecutor(campaign.sandbox) as own:  # which has prepared nothing yet
            prepared = own.prepare(task)
            found = own.evaluate(task, equal(task, 0))
        return {"prepare": prepared.seconds, "evaluate": found.seconds, "status": found.status.name}

    def theirs(example: str) -> dict[str, Any]:
        task = campaign.task(example, "kernelbench")
        with tempfile.TemporaryDirectory() as folder:
            evaluator = Theirs(campaign, Path(folder), task, {"reference": equal(task, 0)})
            began = time.monotonic()
            found = evaluator.said().get("reference")
            process = time.monotonic() - began
        return {"process": process, "evaluate": evaluator.seconds.get("reference"), "found": found}

    for example in EXAMPLES:
        for mode in ("strict", "kernelbench"):
            yield f"{example}/{mode}", partial(taken, example, mode)
        if Theirs.source(campaign):
            yield f"{example}/KernelBench itself", partial(theirs, example)


def builds(campaign: Campaign) -> Iterator[Item]:
    """A CUDA extension: a verdict with a build and without, and torch's own build of it."""

    def built(example: str) -> dict[str, Any]:
        task = campaign.task(example)
        kernel = "fused_cpp.py" if campaign.small else "fused_cuda.py"
        text = (KERNELS / example / "candidates" / kernel).read_text()
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
            taken["by torch"]["stderr"] = done.stderr.decode("utf-8", "replace")[-2000:]
        return taken

    for example in EXAMPLES:
        if (KERNELS / example / "candidates" / "fused_cuda.py").exists():
            yield example, partial(built, example)


def memory(campaign: Campaign) -> Iterator[Item]:
    """What is in use of the device and of the host as 500 candidates are judged.

    Of five, one works on streams of its own, and one leaves a kernel running as it returns.
    """
    judged = Counter[str]()

    def used(first: int) -> dict[str, Any]:
        task, found = campaign.task("softmax"), {kind: Counter[str]() for kind in _KINDS}
        for number in range(first, first + (3 if campaign.small else 50)):
            kind = [*_KINDS, "plain", "plain"][number % 5]
            verdict = campaign.executor.evaluate(task, equal(task, number, _KINDS[kind]))
            found[kind][verdict.status.name] += 1
            judged["all"] += 1
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        running = campaign.asked("pid,used_memory", "compute-apps")
        return {
            "used": campaign.asked("memory.used"),  # MiB
            "compute processes": None if running is None else len(running.splitlines()),
            "resident": pages * os.sysconf("SC_PAGE_SIZE"),
            "descriptors": len(os.listdir("/proc/self/fd")),
            "judged by this process": judged["all"],
            "statuses": found,
        }

    for first in range(0, 500, 50):
        yield str(first + 50), partial(used, first)


def tests(campaign: Campaign) -> Iterator[Item]:
    """The tests that are marked ``gpu``, by example; without a GPU all of them are left out."""

    def run(example: str) -> dict[str, Any]:
        command = [sys.executable, "-m", "pytest", "-q", "-rfEs", "-m", "gpu", "-k", example]
        done = subprocess.run(
            [*command, "tests/executors/kernel/test_on_gpu.py"],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
        end = (done.stdout + done.stderr)[-4000:]
        ran = "passed" in end or "failed" in end
        if done.returncode or not (ran or campaign.small):
            raise ValueError(f"code {done.returncode}: {end}")
        return {"code": done.returncode, "end": end}

    for example in EXAMPLES:
        yield example, partial(run, example)


@dataclass(frozen=True, slots=True)
class Part:
    """A number of items: ``share`` is seconds a round, ``longest`` those for one item."""

    items: Callable[[Campaign], Iterator[Item]]
    share: float
    longest: float


PARTS: Mapping[str, Part] = {
    one.items.__name__: one
    for one in (
        Part(protocol, 45.0, 180.0),
        Part(tests, 90.0, 90.0),
        Part(cheats, 90.0, 30.0),
        Part(equals, 75.0, 45.0),
        Part(power, 60.0, 45.0),
        Part(agreement, 90.0, 90.0),
        Part(kernels, 90.0, 300.0),
        Part(builds, 40.0, 120.0),
        Part(searches, 60.0, 120.0),
        Part(verdicts, 30.0, 60.0),
        Part(seconds, 30.0, 60.0),
        Part(memory, 30.0, 120.0),
    )
}
"""By name, in the order of what they are worth."""
