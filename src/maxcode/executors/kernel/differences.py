"""Where strict mode and KernelBench's rules differ about programs, and why, in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from maxcode.errors import MaxcodeError, TaskError
from maxcode.evaluation import Evaluation, Status
from maxcode.executors.kernel.compat_verdict import Verdict
from maxcode.interfaces import Executor
from maxcode.program import Program
from maxcode.task import Task
from maxcode.tasks.kernel import MODES, KernelTask

_FAR = 1.5  # times: what two honest measurements of one program hardly differ by


@dataclass(frozen=True, slots=True)
class Difference:
    """Both evaluations of a program; ``reason`` is empty where they agree."""

    name: str
    strict: Evaluation
    kernelbench: Evaluation
    reason: str


def differences(
    executor: Executor, task: KernelTask, programs: Mapping[str, Program]
) -> list[Difference]:
    """Judge programs in both modes, and say where the verdicts differ.

    ``executor`` judges kernels. A mode in which the task itself fails gives evaluations with the
    status INFRASTRUCTURE that say so.
    """
    strict, kernelbench = (_judged(executor, in_mode(task, mode), programs) for mode in MODES)
    return [
        Difference(name, strict[name], theirs, reason(task, strict[name], theirs))
        for name, theirs in kernelbench.items()
    ]


def in_mode(task: KernelTask, mode: str) -> KernelTask:
    """The task, judged by these rules."""
    return replace(task, judging=replace(task.judging, mode=mode))


def evaluations(
    executor: Executor, task: Task, programs: Mapping[str, Program]
) -> Iterator[tuple[str, Evaluation]]:
    """Evaluate programs one by one, once the task is prepared. Raises :class:`TaskError`."""
    executor.prepare(task)
    for name, program in programs.items():
        yield name, executor.evaluate(task, program)


def unjudged(error: MaxcodeError, programs: Iterable[str]) -> dict[str, Evaluation]:
    """Evaluations of programs whose task cannot be judged."""
    return dict.fromkeys(programs, Evaluation(Status.INFRASTRUCTURE, feedback=str(error)))


def _judged(
    executor: Executor, task: KernelTask, programs: Mapping[str, Program]
) -> dict[str, Evaluation]:
    try:
        return dict(evaluations(executor, task, programs))
    except TaskError as error:
        return unjudged(error, programs)


def reason(task: KernelTask, strict: Evaluation, kernelbench: Evaluation) -> str:
    """Why two evaluations of a program differ, from what they say; empty where they agree.

    They agree when neither passes, and when both do with speedups that are not far apart.
    """
    for mode, one in (("strict mode", strict), ("KernelBench's rules", kernelbench)):
        if one.status is Status.INFRASTRUCTURE:
            return f"{mode} cannot judge it: {one.feedback}"
    if strict.speedup and kernelbench.speedup:
        ours, theirs = strict.speedup, kernelbench.speedup
        far = max(ours.value, theirs.value) > _FAR * min(ours.value, theirs.value)
        if not far or (ours.low <= theirs.high and theirs.low <= ours.high):
            return ""
        return (
            f"{theirs.value:.3g}x there and {ours.value:.3g}x here: KernelBench times one input "
            "again and again, and believes the process; strict mode has a clock of its own, and "
            "fresh inputs for each call"
        )
    if strict.ok == kernelbench.ok:
        return ""
    verdict = Verdict.of(kernelbench)
    if kernelbench.ok:
        return f"passes there, fails here: {_why_there(task, strict, verdict)}"
    return f"fails there, passes here: {_why_here(task, kernelbench, verdict)}"


def _why_there(task: KernelTask, strict: Evaluation, verdict: Verdict) -> str:
    """Why it passes by KernelBench's rules only."""
    said = strict.feedback.partition("\n")[0]
    if "it changes its inputs" in said:
        return f"{said}; KernelBench does not look"
    if strict.status is Status.SUSPECT:
        return f"{said}; KernelBench believes the process"
    if said.startswith("right when it was checked"):
        return f"{said}; KernelBench looks at no output of a timed call"
    others = task.judging.variants[1:]
    if any(said.startswith(f"variant {one.name}: ") for one in others):
        return f"{said}; KernelBench looks at no other than the first"
    if strict.status is Status.WRONG_ANSWER and not _by_mode(task, verdict):
        return (
            f"{said}; KernelBench allows {verdict.tolerance:g}, absolute and relative to each "
            f"element; the largest distance was {verdict.largest} where values have a root mean "
            f"square of {verdict.size}"
        )
    return said + _by_mode(task, verdict)


def _why_here(task: KernelTask, kernelbench: Evaluation, verdict: Verdict) -> str:
    """Why it passes in strict mode only."""
    said = kernelbench.feedback.partition("\n")[0]
    if verdict.result.correctness:
        return f"{said}; KernelBench times with gradients on, and one input again and again"
    if verdict.drew:
        return (
            f"{said}; forward draws random numbers, and KernelBench lets a candidate go on where "
            "the reference stopped"
        )
    if by_mode := _by_mode(task, verdict):
        return said + by_mode
    if kernelbench.status is Status.WRONG_ANSWER:
        return (
            f"{said}; KernelBench compares element by element, and copies no weights; strict mode "
            "compares rows, with the reference's weights where names and shapes are the same"
        )
    return said


def _by_mode(task: KernelTask, verdict: Verdict) -> str:
    """What differs between training and evaluation mode, if anything does."""
    if not verdict.matters or verdict.training == task.judging.train:
        return ""
    there, here = ("training", "evaluation") if verdict.training else ("evaluation", "training")
    return (
        f"; KernelBench judges in {there} mode, strict mode in {here} mode, and the reference "
        "returns something else there"
    )
