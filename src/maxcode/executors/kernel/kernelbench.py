"""What KernelBench's rules say of a candidate: its result, and how certain the speedup is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from math import exp, log, sqrt
from random import Random
from statistics import NormalDist, fmean, pstdev, variance

from pydantic import BaseModel, JsonValue

from maxcode.errors import MaxcodeError, TaskError
from maxcode.evaluation import Comparison, Evaluation, Interval, Measurement, Status
from maxcode.executors.kernel.candidate import CandidateSide
from maxcode.executors.kernel.judge import Alone, KernelJudge, Setting
from maxcode.executors.kernel.reference import KernelFailedError, Place, ReferenceSide, Told
from maxcode.interfaces import Executor
from maxcode.measure.rounds import SCORE, Plan, interleave
from maxcode.program import Program
from maxcode.task import Task
from maxcode.tasks.kernel import MODES, KernelTask, Variant
from maxcode.tasks.kernelbench import EvalResult, RuntimeStats

TRIALS = 5
"""Inputs that outputs are compared on."""

# What a constructor may raise for a candidate to count as compiled; anything else ends it there.
_RUNTIME = ("RuntimeError", "NotImplementedError", "RecursionError", "OutOfMemoryError")


class Verdict(BaseModel):
    """What judging by these rules tells besides an evaluation, whose ``details`` it is, as JSON.

    ``passed`` counts trials, ``tolerance`` is what they allow. ``largest`` is the largest distance
    of an element in any of them, and ``size`` the root mean square of what was expected there; as
    texts, for they may be no numbers. Of the reference: whether forward ``drew`` random numbers,
    whether it is in ``training`` mode, and whether that ``matters`` to what it returns.
    """

    result: EvalResult
    passed: int
    tolerance: float
    largest: str
    size: str
    drew: bool
    training: bool
    matters: bool

    @classmethod
    def of(cls, evaluation: Evaluation) -> Verdict:
        """That of an evaluation. Raises ValueError for one of strict mode."""
        return cls.model_validate_json(evaluation.details)


@dataclass
class Attempt:
    """A judging under way: how far it came, and what is known of it."""

    stage: str = "load"
    passed: int = 0
    largest: str = "0"
    size: str = "0"
    metadata: dict[str, JsonValue] = field(default_factory=dict)

    def trial(self, told: Told) -> None:
        """Take note of how a trial ended."""
        if not float(told["largest"]) <= float(self.largest):  # or it is no number
            self.largest, self.size = told["largest"], told["size"]
        if told["close"]:
            self.passed += 1
            return
        for name, found in (("max_difference", "largest"), ("avg_difference", "mean")):
            held = self.metadata.setdefault(name, [])
            if isinstance(held, list):
                held.append(f"{float(told[found]):.6f}")
        self.metadata["correctness_issue"] = "Output mismatch"


def ratio_of_means(over: Sequence[float], under: Sequence[float], level: float = 0.95) -> Interval:
    """How many times larger the mean of ``over`` is, with an interval from how samples spread.

    By the delta method: the log of a mean of n samples varies by about s^2 / (n mean^2), the two
    are independent, and nearly normal (Casella and Berger, "Statistical Inference", 2nd edition,
    section 5.5.4). It says what other samples of the same processes would have given, and nothing
    of whether they are to be believed. Raises ValueError for a mean that is not above 0.
    """
    if not (fmean(over) > 0 and fmean(under) > 0):
        raise ValueError("a ratio of means needs means above 0")
    value = fmean(over) / fmean(under)
    spread = sqrt(sum(variance(one) / len(one) / fmean(one) ** 2 for one in (over, under)))
    reach = NormalDist().inv_cdf((1 + level) / 2) * spread
    return Interval(value, exp(log(value) - reach), exp(log(value) + reach), level)


def described(stage: str, failed: KernelFailedError) -> tuple[bool, dict[str, JsonValue]]:
    """Whether a failed candidate counts as compiled, and what the metadata say of it."""
    text, name = failed.feedback, failed.kind
    if failed.status is Status.WRONG_ANSWER:
        return True, {"correctness_issue": text, "correctness_issue_name": "correctness_issue"}
    if not name and failed.status is not Status.BUILD_ERROR:  # its process is gone, or lies
        return False, {"error": text}
    if stage == "timed":
        return True, {"error_during_performance": text}
    if stage == "load":  # where the class is missing, that benchmark says "SyntaxError", too
        return False, {"compilation_error": text, "compilation_error_name": name or "SyntaxError"}
    if stage == "construct" and name not in _RUNTIME:
        return False, {"other_error": text, "other_error_name": name}
    return True, {"runtime_error": text, "runtime_error_name": name}


def stats_of(milliseconds: Sequence[float], hardware: str, device: str) -> RuntimeStats:
    """Times of calls, rounded to three significant digits as that benchmark does."""
    found = (fmean(milliseconds), pstdev(milliseconds), min(milliseconds), max(milliseconds))
    mean, std, least, most = (float(f"{one:.3g}") for one in found)
    return RuntimeStats(
        mean=mean,
        std=std,
        min=least,
        max=most,
        num_trials=len(milliseconds),
        hardware=hardware,
        device=device,
    )


TOLERANCE = {"float32": 1e-4, "float16": 1e-2, "bfloat16": 1e-2}
"""Of ``torch.allclose``, absolute and relative alike."""

_SEED = 42
_EXCESSIVE = 10.0  # a larger speedup is flagged, and passes
_ROUNDS = (3, 1, 100)  # calls that warm up, that are dropped, and that count
_BRIEF = (3, 1, 10)  # the same for a round of a comparison
_SECONDS = 180.0  # that a whole evaluation may take there


class CompatBench(KernelJudge):
    """Judges by KernelBench's rules, on the inputs of the first variant as ``get_inputs`` has them.

    Raises :class:`~maxcode.errors.TaskError` for a task that cannot be judged by them.
    """

    rules = "by the rules of KernelBench"

    def __init__(self, setting: Setting, task: KernelTask) -> None:
        super().__init__(setting, task)
        self._asked = _Rules(self._reference, self._exchange.inputs, task, self._place)
        self._trial_seeds: list[int] = []
        self._traits: dict[str, bool] = {}

    @property
    def variants(self) -> tuple[Variant, ...]:
        """The one that is timed on the device."""
        timed = self.task.judging.variants_on(self._setting.device)[0]
        return (Variant(timed.name, timed.constants),)

    def prepare(self) -> None:
        """Learn what is expected, and judge the task's own module."""
        super().prepare()
        evaluation = self.judge(self.task.baseline, SCORE, nullcontext())
        if not evaluation.ok:
            drawn = (
                "; its forward draws random numbers, and a candidate gets those that follow"
                if self._traits["drew"]
                else ""
            )
            raise TaskError(
                f"task {self.task.name!r}: its own module fails as a candidate by KernelBench's "
                f"rules ({evaluation.status.replace('_', ' ')}): {evaluation.feedback}{drawn}"
            )
        self.samples = evaluation.reference[0]

    def judge(self, program: Program, plan: Plan, alone: Alone) -> Evaluation:  # noqa: ARG002
        """See :meth:`KernelJudge.judge`; there is a number of trials, and no plan."""
        attempt = Attempt(metadata={"hardware": self._hardware, "device": self._device})
        try:
            with self._opened(program) as candidate, alone:
                self._check(candidate, attempt)
                attempt.stage = "timed"
                ours = self._timed(candidate, _ROUNDS)
                theirs = self._asked.timed(self.variants[0], _ROUNDS)
        except KernelFailedError as failed:
            return self._failed(attempt, failed)
        return self._passed(attempt, ours, theirs)

    def compare(self, a: Program, b: Program, plan: Plan, alone: Alone) -> Comparison:
        """See :meth:`KernelJudge.compare`; on the same inputs, by what the processes say."""
        with self._opened(a) as first, self._opened(b) as second, alone:
            for candidate in (first, second):
                self._check(candidate, Attempt())
            rng = Random(self._secret.getrandbits(64))
            ours, theirs, ratio = interleave(
                lambda: fmean(self._timed(first, _BRIEF)),
                lambda: fmean(self._timed(second, _BRIEF)),
                lambda milliseconds: milliseconds,
                plan,
                rng,
            )
        return Comparison(ratio, (_measurement(ours),), (_measurement(theirs),))

    def _placed(self) -> Place:
        dtype = self.task.judging.dtype or "float32"
        return Place(self._setting.device, _SEED, dtype, train=None, kernelbench=True)

    @property
    def _hardware(self) -> str:
        return self._gpu_name or self._device

    @property
    def _device(self) -> str:
        return "cuda:0" if self._setting.device == "cuda" else "cpu"

    @property
    def _allowed(self) -> float:
        return TOLERANCE[self._place.dtype]

    def _learn(self) -> None:
        [variant] = self.variants
        self._trial_seeds = self._asked.trial_seeds(TRIALS)
        self.side.load(variant)
        passing: set[str] | None = None
        for seed in self._trial_seeds:
            self.side.make(variant, [seed])
            _, outputs = self.side.run(variant, seed, 0)
            if outputs.tree != {"tensor": 0}:
                raise TaskError(
                    f"task {self.task.name!r}: its forward returns no single tensor, and "
                    "KernelBench compares nothing else, so that no candidate could pass; judge it "
                    'with mode = "strict"'
                )
            found = set(self.side.audit(variant, [self._allowed]))
            passing = found if passing is None else passing & found
        self._traits = self._asked.traits(variant, self._trial_seeds[-1])
        self.degenerate = [f"{variant.name}: {answer}" for answer in sorted(passing or ())]

    def _check(self, candidate: CandidateSide, attempt: Attempt) -> None:
        """Trials on inputs that are the same for all candidates, the reference first."""
        [variant] = self.variants
        attempt.stage = "construct"
        candidate.construct(self.side.load(variant))
        attempt.stage = "run"
        for seed in self._trial_seeds:
            inputs = self.side.make(variant, [seed])
            _, outputs = self.side.run(variant, seed, 0)
            candidate.take(inputs)
            # There both are in one process: what the reference drew is not drawn again.
            candidate.run(seed + self._traits["drew"], outputs, 1, watch=False)
            answer = candidate.written(outputs, 0)
            attempt.trial(self._asked.close(variant, answer, self._allowed))
        if attempt.passed < TRIALS:
            raise KernelFailedError(
                Status.WRONG_ANSWER,
                f"{attempt.passed} of {TRIALS} trials are close enough, with absolute and relative "
                f"tolerance {self._allowed:g}; an element is off by {attempt.largest} where values "
                f"have a root mean square of {attempt.size}",
            )

    def _timed(self, candidate: CandidateSide, rounds: Sequence[int]) -> list[float]:
        """Milliseconds of its calls, all on the same inputs."""
        candidate.pin(self._setting.timing)
        candidate.take(self.side.make(self.variants[0], [_SEED]))
        times = candidate.timed(rounds, max(_SECONDS, self.task.judging.timeout))
        if not fmean(times) > 0:
            raise KernelFailedError(Status.SUSPECT, "its process says that calls take no time")
        return times

    def _passed(self, attempt: Attempt, ours: list[float], theirs: list[float]) -> Evaluation:
        ratio = ratio_of_means(theirs, ours)
        stats, reference = (
            stats_of(times, self._hardware, self._device) for times in (ours, theirs)
        )
        attempt.metadata["correctness_trials"] = f"({attempt.passed} / {TRIALS})"
        excessive = stats.mean > 0 and reference.mean / stats.mean > _EXCESSIVE
        if excessive:
            attempt.metadata["excessive_speedup"] = True
        result = EvalResult(
            compiled=True,
            correctness=True,
            metadata=attempt.metadata,
            runtime=stats.mean,
            runtime_stats=stats,
        )
        return Evaluation(
            Status.OK,
            ratio,
            feedback=f"KernelBench's rules: {TRIALS} of {TRIALS} trials pass, {ratio} against the "
            f"reference by its own process's clock, {stats.mean:g} ms a call"
            + (f"; flagged as excessive: more than {_EXCESSIVE:g}x" if excessive else ""),
            details=self._verdict(attempt, result),
            measurements=(_measurement(ours),),
            reference=(_measurement(theirs),),
        )

    def _failed(self, attempt: Attempt, failed: KernelFailedError) -> Evaluation:
        compiled, found = described(attempt.stage, failed)
        if "correctness_issue" in attempt.metadata:  # by value; the trials have said how far
            found = {"correctness_trials": f"({attempt.passed} / {TRIALS})"}
        result = EvalResult(
            compiled=compiled,
            correctness=attempt.stage == "timed" and compiled,
            metadata={**attempt.metadata, **found},
            runtime=-1.0,
            runtime_stats={},
        )
        feedback = f"KernelBench's rules: {failed.feedback}"
        return Evaluation(failed.status, feedback=feedback, details=self._verdict(attempt, result))

    def _verdict(self, attempt: Attempt, result: EvalResult) -> str:
        return Verdict(
            result=result,
            passed=attempt.passed,
            tolerance=self._allowed,
            largest=attempt.largest,
            size=attempt.size,
            **self._traits,
        ).model_dump_json()


class _Rules(ReferenceSide):
    """What only these rules ask of a reference."""

    def trial_seeds(self, count: int) -> list[int]:
        """Seeds of inputs, drawn from the one seed."""
        told = self._ask("trial_seeds", Variant(), seed=_SEED, count=count)
        seeds: list[int] = told["seeds"]
        return seeds

    def traits(self, variant: Variant, seed: int) -> dict[str, bool]:
        """``drew``, ``training`` and ``matters``, see :class:`Verdict`; right after a call."""
        told = self._ask("traits", variant, seed=seed)
        return {name: told[name] for name in ("drew", "training", "matters")}

    def close(self, variant: Variant, answer: bytes, tolerance: float) -> Told:
        """Whether the bytes that a call wrote are ``close``, by ``torch.allclose``.

        With the ``largest`` and the ``mean`` distance of elements, and the ``size`` of what is
        expected.
        """
        self._answers.resize(len(answer))
        self._answers.write(answer)
        return self._ask("close", variant, tolerance=tolerance)

    def timed(self, variant: Variant, rounds: Sequence[int]) -> list[float]:
        """Milliseconds of calls on the inputs that were made last."""
        times: list[float] = self._ask("timed", variant, rounds=list(rounds))["milliseconds"]
        return times


def _measurement(milliseconds: Sequence[float]) -> Measurement:
    return Measurement("wall", "s", tuple(one / 1e3 for one in milliseconds))


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
