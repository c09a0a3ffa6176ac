"""Judges by the rules of FlashInfer-Bench and of SOL-ExecBench, on the workloads of a definition.

As their sources have them (flashinfer_bench/bench/evaluators/default.py and config.py;
sol_execbench/core/bench/correctness.py and driver/templates/eval_driver.py). What is other here:
candidate and reference have processes of their own, seeds are secret, times on a GPU are those of
events and not of CUPTI, and judging ends with the first workload that fails.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime
from math import exp, isfinite, log, pi, sqrt
from random import Random
from statistics import NormalDist, fmean, median, quantiles
from typing import ClassVar

from pydantic import BaseModel, JsonValue

from maxcode.errors import TaskError
from maxcode.evaluation import Comparison, Evaluation, Interval, Measurement, Status
from maxcode.executors.kernel.candidate import Candidate, KernelFailedError
from maxcode.executors.kernel.clocks import Clocks, watched
from maxcode.executors.kernel.judge import Alone, KernelJudge, Setting
from maxcode.executors.kernel.reference import ModuleSpec, Outputs, Reply
from maxcode.executors.kernel.resources import note
from maxcode.measure.rounds import SCORE, Plan, interleave
from maxcode.program import Program
from maxcode.tasks.kernel import KernelTask, Variant
from maxcode.tasks.trace_format import (
    Definition,
    Problem,
    Tolerance,
    Trace,
    TraceEvaluation,
    Workload,
)

_ROUNDS = (10, 0, 50)  # calls that warm up, that are dropped, and that count
_BRIEF = (3, 0, 10)  # the same for a round of a comparison
_SECONDS = 300.0  # that the calls of a workload may take
_SHARE = 0.95  # of elements that must be right where few bits are kept


@dataclass(frozen=True, slots=True)
class Rule:
    """When an output is right; the first fields as in worker/tensors.py.

    At least the ``share`` of its elements must be right, and none be off by more than ``cap``.
    ``zeros`` fail where that is not what is expected.
    """

    absolute: float
    relative: float
    either: bool
    least: float
    share: float
    negative_infinity: bool = False
    cap: float | None = None
    zeros: bool = False

    def elements(self) -> Mapping[str, float | bool]:
        """What is asked of each element."""
        return {
            "absolute": self.absolute,
            "relative": self.relative,
            "either": self.either,
            "least": self.least,
            "negative_infinity": self.negative_infinity,
        }

    def problem(self, found: Reply) -> str:
        """What is wrong with an output; "" where nothing is."""
        if found["odd"]:
            return "it has elements that are NaN or infinite"
        if self.zeros and found["empty"]:
            return "it is zero throughout"
        if self.cap is not None and not float(found["absolute"]) <= self.cap:
            return f"an element is off by {found['absolute']}; {self.cap:g} is allowed"
        bad, count = found["bad"], found["count"]
        if count and 1 - bad / count < self.share:
            word = "or" if self.either else "and"
            return (
                f"{bad} of {count} elements are off by more than {self.absolute:g} {word} "
                f"{self.relative:g} of their size, at most by {found['absolute']}; a share of "
                f"{self.share:g} must be right"
            )
        return ""


class TraceVerdict(BaseModel):
    """What judging by these rules adds to an evaluation, whose ``details`` it is, as JSON.

    One trace for each workload that was judged; they name no solution.
    """

    traces: list[Trace]

    @classmethod
    def of(cls, evaluation: Evaluation) -> TraceVerdict:
        """That of an evaluation. Raises ValueError for one of another mode."""
        return cls.model_validate_json(evaluation.details)


@dataclass(frozen=True, slots=True)
class _Timed:
    """Milliseconds of the calls of a workload, and of the reference's, for each of the inputs."""

    ours: Sequence[Sequence[float]]
    theirs: Sequence[Sequence[float]]

    @property
    def latencies(self) -> tuple[float, float]:
        """The mean of medians."""
        return fmean(map(median, self.ours)), fmean(map(median, self.theirs))


def speedup_of(timed: Sequence[_Timed]) -> Interval:
    """How many times faster, as the geometric mean over workloads, with a 95 % interval.

    A median of n samples varies by about pi s^2 / (2 n), its logarithm by that over its square, and
    the mean over k workloads by the sum of theirs over k^2 (Kenney and Keeping, "Mathematics of
    Statistics", part 1, section 13.8); s is the distance between quartiles over 1.349, which
    outliers do not change. It says nothing of whether times are to be believed.
    """
    logs, spread = [], 0.0
    for one in timed:
        ours, theirs = one.latencies
        if not (ours > 0 and theirs > 0):
            raise KernelFailedError(Status.SUSPECT, "its process says that calls take no time")
        logs.append(log(theirs / ours))
        for side in (one.ours, one.theirs):
            for times in side:
                low, _, high = quantiles(times, n=4)
                part = pi / 2 * ((high - low) / 1.349 / median(times)) ** 2 / len(times)
                spread += part / len(side) ** 2
    value, reach = fmean(logs), NormalDist().inv_cdf(0.975) * sqrt(spread) / len(logs)
    return Interval(exp(value), exp(value - reach), exp(value + reach), 0.95)


class TraceJudge(KernelJudge):
    """Judges on all workloads of a task's definition; the speedup is the geometric mean.

    Raises :class:`~maxcode.errors.TaskError` for a task that cannot be judged by the rules.
    """

    trials: ClassVar[int]
    """Inputs of a workload that outputs are compared on."""
    timed_inputs: ClassVar[int]
    """Inputs of a workload that are timed."""
    _suspect: ClassVar[str]

    def __init__(self, setting: Setting, task: KernelTask) -> None:
        super().__init__(setting, task)
        if task.problem is None:
            raise TaskError(f"task {task.name!r} has no definition to be judged by")
        self._problem: Problem = task.problem
        self._outputs: dict[str, Outputs] = {}
        self._check_definition(self._problem.definition)

    @abstractmethod
    def rule(self, workload: Workload) -> Rule:
        """When outputs of a workload are right."""

    def _check_definition(self, definition: Definition) -> None:
        """Raise :class:`TaskError` for one that is judged by rules of its own."""

    def prepare(self) -> None:
        """Learn what is expected, and judge the task's own module."""
        super().prepare()
        evaluation = self.judge(self.task.baseline, SCORE, nullcontext())
        if not evaluation.ok:
            raise TaskError(
                f"task {self.task.name!r}: its own module fails as a candidate {self.rules} "
                f"({evaluation.status.replace('_', ' ')}): {evaluation.feedback}"
            )
        self.samples = evaluation.reference[0]

    def judge(self, program: Program, plan: Plan, alone: Alone) -> Evaluation:  # noqa: ARG002
        """See :meth:`KernelJudge.judge`; there is a number of trials, and no plan."""
        traces: list[Trace] = []
        timed: list[_Timed] = []
        clocks = Clocks()
        try:
            with self._open(program) as candidate, alone:
                for variant in self.task.judging.variants:
                    found = self._checked(candidate, variant, traces)
                    with watched(self._setting.gpu, self._setting.others, clocks):
                        timed.append(self._timed(candidate, variant, self.timed_inputs, _ROUNDS))
                    ours, theirs = timed[-1].latencies
                    performance = {"latency_ms": ours, "reference_latency_ms": theirs}
                    performance["speedup_factor"] = theirs / ours if ours > 0 else 0.0
                    traces.append(self._trace(variant, "PASSED", "", found, performance))
                ratio = speedup_of(timed)
        except KernelFailedError as failed:
            return self._failed(failed, traces)
        count = len(timed)
        latency = timed[0].latencies[0]
        return Evaluation(
            Status.OK,
            ratio,
            feedback=f"{self.rules}: right on {count} workload{'s' if count > 1 else ''}, {ratio} "
            f"against the reference by its own process's clock, {latency:.3g} ms a call of the "
            f"first{note(candidate.resources)}{clocks.remark}",
            details=TraceVerdict(traces=traces).model_dump_json(exclude_none=True),
            measurements=(_measurement(timed[0].ours),),
            reference=(_measurement(timed[0].theirs),),
        )

    def compare(self, a: Program, b: Program, plan: Plan, alone: Alone) -> Comparison:
        """See :meth:`KernelJudge.compare`; by what processes say of calls of the first workload."""
        first = self.task.judging.variants[0]
        with self._open(a) as ours, self._open(b) as theirs, alone:
            for candidate in (ours, theirs):
                self._checked(candidate, first, [])

            def mean(candidate: Candidate) -> float:
                candidate.pin(self._setting.timing)
                candidate.take(self.reference.make(first, [seed]))
                return fmean(candidate.timed(_BRIEF, _SECONDS))

            seed, rng = self._seeds(1)[0], Random(self._secret.getrandbits(64))
            left, right, ratio = interleave(
                lambda: mean(ours),
                lambda: mean(theirs),
                lambda milliseconds: milliseconds,
                plan,
                rng,
            )
        return Comparison(ratio, (_measurement([left]),), (_measurement([right]),))

    def _module_spec(self) -> ModuleSpec:
        seed = self._secret.getrandbits(31)
        return ModuleSpec(self._setting.device, seed, "", train=None, kernelbench=True)

    def _learn(self) -> None:
        """See that the reference can be called on each workload, and what answers would do."""
        for variant in self.task.judging.variants:
            self.reference.load(variant)
            rule, passing = self.rule(self._problem.workload(variant.name)), []
            for seed in self._seeds(2):
                self.reference.make(variant, [seed])
                _, outputs = self.reference.run(variant, [seed], 0)
                passing.append({*self.reference.audit(variant, rule.absolute)})
            self._outputs[variant.name] = outputs
            self.trivial += [
                f"{variant.name}: {answer}" for answer in sorted(set.intersection(*passing))
            ]

    def _checked(
        self, candidate: Candidate, variant: Variant, traces: list[Trace]
    ) -> dict[str, JsonValue]:
        """Hold outputs on fresh inputs of a workload against the rule; how far off they are."""
        reference, rule = self.reference, self.rule(self._problem.workload(variant.name))
        correctness: dict[str, JsonValue] = {}
        largest = {"absolute": 0.0, "relative": 0.0}
        try:
            candidate.construct(reference.load(variant))
            for seed in self._seeds(self.trials):
                inputs = reference.make(variant, [seed])
                _, outputs = reference.run(variant, [seed], 0)
                candidate.take(inputs)
                candidate.run([seed], outputs, watch=False)
                found = reference.apart(variant, candidate.answers(outputs, [0]), rule.elements())
                for name, before in largest.items():
                    largest[name] = max(before, *(_finite(one[name]) for one in found))
                correctness = {
                    "max_relative_error": largest["relative"],
                    "max_absolute_error": largest["absolute"],
                }
                for named, one in zip(outputs.tensors, found, strict=True):
                    if problem := rule.problem(one):
                        which = f"{named['name']}: " if len(found) > 1 else ""
                        raise KernelFailedError(Status.WRONG_ANSWER, f"{which}{problem}")
        except KernelFailedError as failed:
            status = _status(failed, self._suspect)
            known = correctness if status == "INCORRECT_NUMERICAL" else None
            traces.append(self._trace(variant, status, failed.feedback, known))
            text = f"workload {variant.name}: {failed.feedback}"
            raise KernelFailedError(failed.status, text, failed.kind) from failed
        return correctness

    def _timed(
        self, candidate: Candidate, variant: Variant, inputs: int, rounds: Sequence[int]
    ) -> _Timed:
        """Milliseconds of calls, on inputs that are the same for the reference."""
        candidate.pin(self._setting.timing)
        ours, theirs = [], []
        for seed in self._seeds(inputs):
            candidate.take(self.reference.make(variant, [seed]))
            ours.append(candidate.timed(rounds, max(_SECONDS, self.task.judging.timeout)))
            theirs.append(self.reference.timed(variant, rounds))
        return _Timed(ours, theirs)

    def _trace(
        self,
        variant: Variant,
        status: str,
        text: str,
        correctness: dict[str, JsonValue] | None = None,
        performance: dict[str, float] | None = None,
    ) -> Trace:
        environment: dict[str, JsonValue] = {
            "hardware": self._gpu_name or "cpu",
            "libs": {"torch": self.machine.torch.version},
        }
        evaluation = TraceEvaluation(
            status=status,
            environment=environment,
            timestamp=datetime.now(UTC).isoformat(timespec="seconds"),
            log=text[:4000],
            correctness=correctness,
            performance=performance,
        )
        workload = self._problem.workload(variant.name)
        name = self._problem.definition.name
        return Trace(definition=name, workload=workload, evaluation=evaluation)

    def _failed(self, failed: KernelFailedError, traces: list[Trace]) -> Evaluation:
        if not traces or (traces[-1].evaluation and traces[-1].evaluation.status == "PASSED"):
            variant = self.task.judging.variants[min(len(traces), len(self.variants) - 1)]
            text = failed.feedback
            traces = [*traces, self._trace(variant, _status(failed, self._suspect), text)]
        details = TraceVerdict(traces=traces).model_dump_json(exclude_none=True)
        return Evaluation(
            failed.status, feedback=f"{self.rules}: {failed.feedback}", details=details
        )


class FlashInferJudge(TraceJudge):
    """By the rules of FlashInfer-Bench; see docs/how_to/kernels.md."""

    rules = "by the rules of FlashInfer-Bench"
    trials = 3
    timed_inputs = 3
    _suspect = "RUNTIME_ERROR"

    def _check_definition(self, definition: Definition) -> None:
        if definition.op_type == "sampling" or definition.name.startswith("dsa_"):
            raise TaskError(
                f"definition {definition.name!r}: FlashInfer-Bench judges it by rules of its own, "
                'which are not known here; use mode = "strict"'
            )

    def rule(self, workload: Workload) -> Rule:  # noqa: ARG002 - alike for all
        """See :meth:`TraceJudge.rule`."""
        definition = self._problem.definition
        few = definition.op_type == "moe" or "moe_fp8_block_scale" in definition.name
        return Rule(1e-2, 1e-2, either=True, least=1e-8, share=_SHARE if few else 1.0)


class SolJudge(TraceJudge):
    """By the rules of SOL-ExecBench; see docs/how_to/kernels.md."""

    rules = "by the rules of SOL-ExecBench"
    trials = 10
    timed_inputs = 1
    _suspect = "REWARD_HACK"

    def rule(self, workload: Workload) -> Rule:
        """See :meth:`TraceJudge.rule`."""
        given = workload.tolerance or Tolerance()
        return Rule(
            given.max_atol,
            given.max_rtol,
            either=False,
            least=given.max_atol,
            share=given.required_matched_ratio,
            negative_infinity=given.allow_negative_inf,
            cap=given.max_error_cap,
            zeros=True,
        )


def difference(strict: Evaluation, theirs: Evaluation) -> str:
    """Why the evaluations of a program differ, strict mode's and theirs; "" where they agree."""
    if strict.ok == theirs.ok:
        return ""
    ours, there = (one.feedback.partition("\n")[0] for one in (strict, theirs))
    if theirs.ok:
        return f"passes there, fails here: {ours}; {there}"
    return f"fails there, passes here: {there}"


def _status(failed: KernelFailedError, suspect: str) -> str:
    """What both benchmarks call it."""
    if failed.status is Status.WRONG_ANSWER:
        if " has dtype " in failed.feedback:
            return "INCORRECT_DTYPE"
        shape = " has shape " in failed.feedback or "another structure" in failed.feedback
        return "INCORRECT_SHAPE" if shape else "INCORRECT_NUMERICAL"
    known = {
        Status.BUILD_ERROR: "COMPILE_ERROR",
        Status.TIMEOUT: "TIMEOUT",
        Status.SUSPECT: suspect,
    }
    return known.get(failed.status, "RUNTIME_ERROR")


def _finite(text: str) -> float:
    """The number that a text holds; the largest for one that is none."""
    number = float(text)
    return number if isfinite(number) else 3.4e38


def _measurement(milliseconds: Sequence[Sequence[float]]) -> Measurement:
    return Measurement("wall", "s", tuple(one / 1e3 for times in milliseconds for one in times))
