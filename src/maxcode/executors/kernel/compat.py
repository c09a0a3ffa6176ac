"""KernelBench's own verdict: what its evaluator would say of a candidate.

The rules are those of ``eval_kernel_against_ref`` as ``scripts/eval_from_generations.py`` calls it
(https://github.com/ScalingIntelligence/KernelBench, January 2026). The candidate's process is
believed what it says of its own time, as it is there; all else is as in strict mode: three
processes, sandboxed. docs/manual/tasks.md lists what therefore differs.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from random import Random
from statistics import fmean

from maxcode.errors import TaskError
from maxcode.evaluation import Comparison, Evaluation, Measurement, Status
from maxcode.executors.kernel.bench import Alone, Bench, Setting
from maxcode.executors.kernel.candidate_side import CandidateSide
from maxcode.executors.kernel.compat_verdict import (
    TRIALS,
    Attempt,
    Verdict,
    described,
    ratio_of_means,
    stats_of,
)
from maxcode.executors.kernel.reference_side import ReferenceSide
from maxcode.executors.kernel.sides import KernelFailedError, Place, Told
from maxcode.measure.rounds import SCORE, Plan, interleave
from maxcode.program import Program
from maxcode.tasks.kernel import KernelTask, Variant
from maxcode.tasks.kernelbench_results import EvalResult

TOLERANCE = {"float32": 1e-4, "float16": 1e-2, "bfloat16": 1e-2}
"""Of ``torch.allclose``, absolute and relative alike."""

_SEED = 42
_EXCESSIVE = 10.0  # a larger speedup is flagged, and passes
_ROUNDS = (3, 1, 100)  # calls that warm up, that are dropped, and that count
_BRIEF = (3, 1, 10)  # the same for a round of a comparison
_SECONDS = 180.0  # that a whole evaluation may take there


class CompatBench(Bench):
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
        """See :meth:`Bench.judge`; there is a number of trials, and no plan."""
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
        """See :meth:`Bench.compare`; on the same inputs, by what the processes say."""
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
