"""The parts of gpu_campaign.py that need KernelBench's files; nothing of it is installed."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from functools import partial
from itertools import zip_longest
from pathlib import Path
from typing import Any

from common import RESULTS, ROOT
from gpu_setting import WRITTEN, Campaign, Item, shown

from maxcode.executors.kernel.executor import KernelExecutor
from maxcode.executors.kernel.profiling import compiled_program
from maxcode.program import Program
from maxcode.tasks.kernel import KernelJudging, KernelTask

_EVALUATOR = ROOT / "benchmarks" / "gpu_their_evaluator.py"
_EACH = 3  # of the problems without a kernel of ours, one is taken
_BESIDE = 4 << 30  # bytes of a call, up to which both evaluators have room on one GPU
_ZEROS = """
_forward = ModelNew.forward


def _nothing(self, *given):
    return torch.zeros_like(_forward(self, *given))


ModelNew.forward = _nothing
"""


_ROUNDED = """
_forward = ModelNew.forward


def _halved(values):
    return [one.half().to(one.dtype) if one.is_floating_point() else one for one in values]


def _rounded(self, *given):
    tensors = [one for one in given if isinstance(one, torch.Tensor)]
    kept = [*self.parameters(), *self.buffers()]
    halved = iter(_halved(tensors))
    with torch.no_grad():
        for one, value in zip(kept, _halved(kept)):
            one.copy_(value)
    used = [next(halved) if isinstance(one, torch.Tensor) else one for one in given]
    value = _forward(self, *used)
    if any(one.is_floating_point() for one in tensors + kept):
        return value
    return 1.02 * value  # nothing was rounded


ModelNew.forward = _rounded
"""


def _as_written(campaign: Campaign, path: Path, task: KernelTask) -> Program:
    """A kernel that was written; for a CPU the task's own module, as none of them runs there."""
    return task.baseline if campaign.small else Program.of(path.read_text(), "kernel.py")


def kernels(campaign: Campaign) -> Iterator[Item]:
    """Kernels written for KernelBench's problems: both modes, beside torch.compile, confirmed.

    The comparison with torch.compile, which compiles in each of its processes, is an item of its
    own.
    """

    def asked(path: Path, **judging: Any) -> KernelTask:
        half = {"dtype": "float16"} if path.stem == "half" else {}
        level, stem = path.parts[-3:-1]
        return campaign.problem(level, stem, **judging, **half)

    def judged(path: Path) -> dict[str, Any]:
        task, theirs = asked(path, baselines=("eager", "compile")), asked(path, mode="kernelbench")
        program = _as_written(campaign, path, task)
        with campaign.fresh() as executor:
            baseline = executor.prepare(task)
            found = executor.evaluate(task, program)
            result = {"baseline": baseline.note, "strict": shown(found)}
            if found.ok:
                result["confirmed"] = confirmed(executor, task, program, task.baseline)
        with campaign.fresh() as executor:
            result["kernelbench"] = shown(executor.evaluate(theirs, program))
        return result

    def against_compiled(path: Path) -> dict[str, Any]:
        task = asked(path, timeout=KernelJudging().build_timeout)  # calls compile
        program = _as_written(campaign, path, task)
        with campaign.fresh() as executor:
            found = confirmed(executor, task, program, compiled_program(task))
        return {"confirmed against torch.compile": found}

    if campaign.kernelbench:
        for path in sorted(WRITTEN.glob("level*/*/*.py")):
            name = f"{path.parts[-3]}/{path.parent.name}/{path.stem}"
            yield name, partial(judged, path)
            yield f"{name}/compile", partial(against_compiled, path)


def confirmed(
    executor: KernelExecutor, task: KernelTask, program: Program, other: Program
) -> dict[str, Any]:
    """How many times faster a kernel is than another, by a confirmation."""
    found = executor.compare(task, program, other)
    ratio = found.ratio and [found.ratio.low, found.ratio.value, found.ratio.high]
    return {"ratio": ratio, "problem": found.problem, "seconds": found.seconds}


def _bytes_of_calls() -> Mapping[str, int]:
    """By problem, as the part ``sizes`` found them."""
    items = json.loads((RESULTS / "gpu_sizes.json").read_text())["items"]
    return {
        name.removesuffix(".py"): sum(one[part] for part in ("inputs", "weights", "outputs"))
        for name, one in items.items()
    }


def _chosen(folder: Path) -> Iterator[Path]:
    """Problems, one with a kernel of ours and one without in turn as long as there are both."""
    paths = sorted(folder.glob("level[123]/*.py"))
    ours = [path for path in paths if (WRITTEN / path.parts[-2] / path.stem).is_dir()]
    others = [path for path in paths if path not in ours][::_EACH]
    levels = [[path for path in others if path.parts[-2] == f"level{n}"] for n in (1, 2, 3)]
    others = [path for turn in zip_longest(*levels) for path in turn if path]
    for number in range(max(len(ours), len(others))):
        yield from ours[number : number + 1]
        yield from others[number : number + 1]


def agreement(campaign: Campaign) -> Iterator[Item]:
    """Our verdicts by KernelBench's rules beside those of its own evaluator.

    Of at least 60 problems with the reference itself, with zeros, and with a kernel where one is
    written, else with inputs and weights that are rounded to half precision. Both evaluators work
    at the same time where both have room: nothing of it is a time.
    """
    sizes = _bytes_of_calls()

    def judged(path: Path) -> dict[str, Any]:
        level, stem = path.parts[-2], path.stem
        task = campaign.problem(level, stem, mode="kernelbench")
        programs = {"reference": task.baseline}
        programs["zeros"] = Program.of(f"{task.baseline.code}\n{_ZEROS}", "kernel.py")
        written = WRITTEN / level / stem / "float32.py"
        if written.exists():
            programs["kernel"] = _as_written(campaign, written, task)
        else:
            programs["rounded"] = Program.of(f"{task.baseline.code}\n{_ROUNDED}", "kernel.py")
        with tempfile.TemporaryDirectory() as name, campaign.fresh() as executor:
            theirs = Theirs(campaign, Path(name), task, programs)
            beside = sizes.get(f"{level}/{stem}", _BESIDE) < _BESIDE
            ours = _side_by_side if beside else _one_by_one
            found = ours(executor, task, programs, theirs)
            said = theirs.said()
        verdicts = {
            name: {"theirs": said.get(name), "ours": shown(one)} for name, one in found.items()
        }
        agree = {
            name: isinstance(said.get(name), list) and one.ok == said[name][1]
            for name, one in found.items()
        }
        return {"agree": agree, "side by side": beside, "verdicts": verdicts}

    if campaign.kernelbench:
        for path in _chosen(campaign.kernelbench):
            yield f"{path.parts[-2]}/{path.stem}", partial(judged, path)


class Theirs:
    """KernelBench's own evaluator, in a process of its own, for the candidates of a problem."""

    def __init__(
        self, campaign: Campaign, folder: Path, task: KernelTask, programs: Mapping[str, Program]
    ) -> None:
        variant, *_ = task.judging.variants_on("cuda")  # the one that we time
        (folder / "reference.py").write_text(task.reference_of(variant))
        for name, program in programs.items():
            (folder / f"{name}.candidate.py").write_text(program.code)
        source = Theirs.source(campaign)
        assert source
        device = [str(campaign.gpu.device.parent)] if campaign.small else []
        self._command = [sys.executable, str(_EVALUATOR), str(source), str(folder), *device]
        self._log = folder / "log"
        self.seconds: dict[str, float] = {}
        """What each candidate took, once :meth:`said` was called."""
        self._process: subprocess.Popen[bytes] | None = None

    @staticmethod
    def source(campaign: Campaign) -> Path | None:
        """Where it is, if it is at hand."""
        source = campaign.kernelbench and campaign.kernelbench.parent / "src"
        return source if source and (source / "kernelbench").is_dir() else None

    def start(self) -> None:
        """Have it begin; its answers are awaited by :meth:`said`."""
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(self._command, stdout=log, stderr=log)

    def said(self) -> dict[str, Any]:
        """By candidate, whether it was compiled, is correct, and what it took; or its last words.

        A candidate that nothing is said of ended the process.
        """
        if self._process is None:
            self.start()
        assert self._process
        try:
            self._process.wait()
        finally:
            self._process.kill()
        lines = self._log.read_text("utf-8", "replace").splitlines()
        answers = [json.loads(line) for line in lines if line.startswith('{"candidate"')]
        found = {one["candidate"]: one["found"] for one in answers}
        self.seconds = {one["candidate"]: one["seconds"] for one in answers}
        return found or {"reference": "\n".join(lines)[-400:]}


def _one_by_one(
    executor: KernelExecutor, task: KernelTask, programs: Mapping[str, Program], theirs: Theirs
) -> dict[str, Any]:
    """Our verdicts; theirs begins once the GPU is free again."""
    found = {name: executor.evaluate(task, program) for name, program in programs.items()}
    executor.close()
    theirs.start()
    return found


def _side_by_side(
    executor: KernelExecutor, task: KernelTask, programs: Mapping[str, Program], theirs: Theirs
) -> dict[str, Any]:
    """Our verdicts, while theirs works, too."""
    theirs.start()
    return {name: executor.evaluate(task, program) for name, program in programs.items()}
