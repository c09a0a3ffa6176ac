"""KernelBenchJudge: KernelBench's rules, and differences from strict verdicts."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace
from math import exp, log, sqrt
from random import Random
from statistics import NormalDist, fmean, pstdev, variance

from pydantic import BaseModel, JsonValue

from maxcode.errors import TaskError
from maxcode.evaluation import Comparison, Evaluation, Interval, Measurement, Status
from maxcode.executors.kernel.candidate import Candidate, KernelFailedError
from maxcode.executors.kernel.judge import Alone, KernelJudge, Setting
from maxcode.executors.kernel.resources import note
from maxcode.executors.kernel.worker.messages import ModuleSpec
from maxcode.measure.rounds import SCORE, Plan, interleave
from maxcode.program import Program
from maxcode.tasks.kernel import KernelTask, Variant
from maxcode.tasks.kernelbench import EvalResult, RuntimeStats

_TOLERANCE = {"float32": 1e-4, "float16": 1e-2, "bfloat16": 1e-2}  # absolute and relative alike
_SEED = 42
_TRIAL_SEEDS = (734796314, 576165995, 2197670066, 839703249, 2584932063)  # torch's draws of it
_TRIALS = len(_TRIAL_SEEDS)  # inputs that outputs are compared on
_EXCESSIVE = 10.0  # a larger speedup is flagged, and passes
_ROUNDS = (3, 1, 100)  # calls that warm up, that are dropped, and that count
_BRIEF = (3, 1, 10)  # the same for a round of a comparison
_SECONDS = 180.0  # that a whole evaluation may take there
_RULES = "KernelBench's rules"
_FAR = 1.5  # times: what two honest measurements of one program hardly differ by


class Verdict(BaseModel):
    """KernelBench's own result of an evaluation, stored in its ``details`` as JSON."""

    result: EvalResult

    @classmethod
    def of(cls, evaluation: Evaluation) -> Verdict:
        """Parse an evaluation's verdict. Raises ValueError for an evaluation in strict mode."""
        return cls.model_validate_json(evaluation.details)


def ratio_of_means(over: Sequence[float], under: Sequence[float]) -> Interval:
    """Ratio of the mean of ``over`` to the mean of ``under``, with a 95 % interval.

    By the delta method (Casella and Berger, "Statistical Inference", 2nd edition, section 5.5.4);
    it covers repeated sampling of the same processes. Means are above 0.
    """
    value = fmean(over) / fmean(under)
    spread = sqrt(sum(variance(one) / len(one) / fmean(one) ** 2 for one in (over, under)))
    reach = NormalDist().inv_cdf(0.975) * spread
    return Interval(value, exp(log(value) - reach), exp(log(value) + reach), 0.95)


def stats_of(milliseconds: Sequence[float], hardware: str, device: str) -> RuntimeStats:
    """Statistics of call times, rounded to three significant digits as in KernelBench."""
    found = (fmean(milliseconds), pstdev(milliseconds), min(milliseconds), max(milliseconds))
    mean, std, least, most = (float(f"{one:.3g}") for one in found)
    about = {"hardware": hardware, "device": device}
    return RuntimeStats(
        mean=mean, std=std, min=least, max=most, num_trials=len(milliseconds), **about
    )


class KernelBenchJudge(KernelJudge):
    """Judges by KernelBench's rules, on ``get_inputs`` of the first variant.

    Raises :class:`~maxcode.errors.TaskError` for tasks outside these rules.
    """

    rules = "by the rules of KernelBench"

    def __init__(self, setting: Setting, task: KernelTask) -> None:
        dtype = task.judging.dtype or "float32"
        spec = ModuleSpec(setting.device, _SEED, dtype, train=None, kernelbench=True)
        super().__init__(setting, task, spec)
        self._tolerance = _TOLERANCE[dtype]
        self.tolerance = f"tolerance: {self._tolerance:g}, absolute and relative to each element"
        timed = task.judging.variants_on(setting.device)[0]
        self._variant = Variant(timed.name, timed.constants)
        self._drew = False  # whether forward draws random numbers

    @property
    def variants(self) -> tuple[Variant, ...]:
        """The timed variant of the device."""
        return (self._variant,)

    def prepare(self) -> None:
        """Learn expected outputs, and judge the task's own module."""
        super().prepare()
        evaluation = self.judge(self.task.baseline, SCORE, nullcontext())
        if not evaluation.ok:
            drew = "; its forward draws random numbers, and a candidate gets those that follow"
            raise TaskError(
                f"task {self.task.name!r}: its own module fails as a candidate by {_RULES} "
                f"({evaluation.status.replace('_', ' ')}): {evaluation.feedback}"
                + (drew if self._drew else "")
            )
        self.samples = evaluation.reference[0]

    def judge(self, program: Program, plan: Plan, alone: Alone) -> Evaluation:  # noqa: ARG002
        """See :meth:`KernelJudge.judge`; ``plan`` is ignored, the number of trials is fixed."""
        stage = "load"
        try:
            with self._open(program) as candidate, alone:
                stage = "run"
                self._check(candidate)
                stage = "timed"
                ours = self._timed(candidate, _ROUNDS)
                theirs = self.reference.work.time(self._variant.name, _ROUNDS)
        except KernelFailedError as failed:
            return self._failed(stage, failed)
        return self._passed(ours, theirs, note(candidate.extensions.resources))

    def compare(self, a: Program, b: Program, plan: Plan, alone: Alone) -> Comparison:
        """See :meth:`KernelJudge.compare`; on the same inputs, by the processes' own times."""
        with self._open(a) as first, self._open(b) as second, alone:
            for candidate in (first, second):
                self._check(candidate)
            rng = Random(self._secret.getrandbits(64))
            ours, theirs, ratio = interleave(
                lambda: fmean(self._timed(first, _BRIEF)),
                lambda: fmean(self._timed(second, _BRIEF)),
                lambda milliseconds: milliseconds,
                plan,
                rng,
            )
        return Comparison(ratio, (_measurement(ours),), (_measurement(theirs),))

    def _learn(self) -> None:
        reference, variant = self.reference, self._variant
        reference.load(variant)
        passing: list[set[str]] = []
        for seed in _TRIAL_SEEDS:
            reference.work.make(variant.name, [seed])
            outputs = reference.work.run(variant.name, [seed])
            if outputs.tree != {"tensor": 0}:
                raise TaskError(
                    f"task {self.task.name!r}: its forward returns no single tensor, and "
                    "KernelBench compares nothing else, so that no candidate could pass; judge it "
                    'with mode = "strict"'
                )
            passing.append(set(reference.work.find_trivial(variant.name, self._tolerance)))
        self._drew = reference.work.drew(variant.name, _TRIAL_SEEDS[-1])
        always = sorted(set.intersection(*passing))
        self.trivial = [f"{variant.name}: {answer}" for answer in always]

    def _check(self, candidate: Candidate) -> None:
        """Run trials on inputs common to all candidates, the reference first."""
        reference, variant, problems = self.reference, self._variant, []
        candidate.construct(reference.load(variant))
        for seed in _TRIAL_SEEDS:
            inputs = reference.work.make(variant.name, [seed])
            outputs = reference.work.run(variant.name, [seed])
            candidate.take(inputs)
            # There both are in one process: what the reference drew is not drawn again.
            candidate.run([seed + self._drew], outputs, watch=False)
            answers = candidate.answers(outputs, [0])
            problems.append(reference.close(variant, answers, self._tolerance))
        if any(problems):
            raise _MismatchError(problems, self._tolerance)

    def _timed(self, candidate: Candidate, rounds: Sequence[int]) -> Sequence[float]:
        """Milliseconds of its calls, all on the same inputs."""
        candidate.pin(self._setting.timing)
        candidate.take(self.reference.work.make(self._variant.name, [_SEED]))
        times = candidate.timed(rounds, max(_SECONDS, self.task.judging.timeout))
        if not fmean(times) > 0:
            raise KernelFailedError(Status.SUSPECT, "its process says that calls take no time")
        return times

    def _passed(self, ours: Sequence[float], theirs: Sequence[float], remark: str) -> Evaluation:
        ratio, metadata = ratio_of_means(theirs, ours), self._hardware()
        stats, reference = (stats_of(times, **metadata) for times in (ours, theirs))
        found: dict[str, JsonValue] = {**metadata, "correctness_trials": _passed_trials(_TRIALS)}
        feedback = (
            f"{_RULES}: {_TRIALS} of {_TRIALS} trials pass, {ratio} against the "
            f"reference by its own process's clock, {stats.mean:g} ms a call{remark}"
        )
        if stats.mean > 0 and reference.mean / stats.mean > _EXCESSIVE:
            found["excessive_speedup"] = True
            feedback += f"; flagged as excessive: more than {_EXCESSIVE:g}x"
        result = EvalResult(
            compiled=True,
            correctness=True,
            metadata=found,
            runtime=stats.mean,
            runtime_stats=stats,
        )
        return Evaluation(
            Status.OK,
            ratio,
            feedback=feedback,
            details=Verdict(result=result).model_dump_json(),
            measurements=(_measurement(ours),),
            reference=(_measurement(theirs),),
        )

    def _failed(self, stage: str, failed: KernelFailedError) -> Evaluation:
        keys = {"load": "compilation_error", "timed": "error_during_performance"}
        key, said = keys.get(stage, "runtime_error"), failed.feedback
        metadata: dict[str, JsonValue] = {**self._hardware()}
        if failed.status is Status.WRONG_ANSWER:
            key = "correctness_issue"
        if isinstance(failed, _MismatchError):
            said = "Output mismatch"
            metadata["correctness_trials"] = failed.trials
        metadata[key] = said
        # A process that is gone, or lies, counts as not compiled there.
        compiled = stage != "load" and (bool(failed.kind) or key == "correctness_issue")
        result = EvalResult(
            compiled=compiled,
            correctness=stage == "timed" and compiled,
            metadata=metadata,
            runtime=-1.0,
            runtime_stats={},
        )
        details = Verdict(result=result).model_dump_json()
        return Evaluation(failed.status, feedback=f"{_RULES}: {failed.feedback}", details=details)

    def _hardware(self) -> dict[str, str]:
        device = "cuda:0" if self._setting.gpu else "cpu"
        return {"hardware": self._gpu_name or device, "device": device}


class _MismatchError(KernelFailedError):
    """Outputs of some trials are not close, for these reasons, "" for those that are."""

    def __init__(self, problems: Sequence[str], tolerance: float) -> None:
        passed = problems.count("")
        self.trials = _passed_trials(passed)
        super().__init__(
            Status.WRONG_ANSWER,
            f"{passed} of {_TRIALS} trials are close enough, with absolute and relative tolerance "
            f"{tolerance:g}; {next(filter(None, problems))}",
        )


def _passed_trials(count: int) -> str:
    """Trials passed, as in KernelBench's results."""
    return f"({count} / {_TRIALS})"


def _measurement(milliseconds: Sequence[float]) -> Measurement:
    return Measurement("wall", "s", tuple(one / 1e3 for one in milliseconds))


def in_mode(task: KernelTask, mode: str) -> KernelTask:
    """The task, judged by these rules."""
    return replace(task, judging=replace(task.judging, mode=mode))


def reason(strict: Evaluation, kernelbench: Evaluation) -> str:
    """Reason for the difference between two evaluations of a program; "" where they agree.

    They agree if neither passes, or if both do with similar speedups.
    """
    for mode, one in (("strict mode", strict), (_RULES, kernelbench)):
        if one.status is Status.INFRASTRUCTURE:
            return f"{mode} cannot judge it: {one.feedback}"
    ours, theirs = (one.feedback.partition("\n")[0] for one in (strict, kernelbench))
    if strict.ok != kernelbench.ok:
        if kernelbench.ok:
            return f"passes there, fails here: {ours}"
        return f"fails there, passes here: {theirs}"
    here, there = strict.speedup, kernelbench.speedup
    if not (here and there) or (here.low <= there.high and there.low <= here.high):
        return ""
    if max(here.value, there.value) <= _FAR * min(here.value, there.value):
        return ""
    return (
        f"{there.value:.3g}x there and {here.value:.3g}x here: KernelBench times one input again "
        "and again by the process's clock, strict mode fresh inputs by its own"
    )
