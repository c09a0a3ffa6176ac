"""What KernelBench's rules say of a candidate: its result, and how certain the speedup is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import exp, log, sqrt
from statistics import NormalDist, fmean, pstdev, variance

from pydantic import BaseModel, JsonValue

from maxcode.evaluation import Evaluation, Interval, Status
from maxcode.executors.kernel.sides import KernelFailedError, Told
from maxcode.tasks.kernelbench_results import EvalResult, RuntimeStats

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
