"""Outcome of one run of a comparison, read from its journal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from maxcode.budget import Cost
from maxcode.comparison.efficiency import RunOverhead, overhead_of
from maxcode.evaluation import Reason
from maxcode.journal.events import Compared, Fuzzed
from maxcode.journal.journal import RunLog
from maxcode.journal.state import RunState
from maxcode.measure.statistics import LEVEL, Floats
from maxcode.search.result import Result
from maxcode.tree import ROOT


@dataclass(frozen=True)
class Point:
    """Best confirmed speedup, and the spending from which on it was reached."""

    spent: Cost
    speedup: float


@dataclass(frozen=True)
class Outcome:
    """A method's result on a task with a seed.

    * ``speedup``: the confirmed speedup of the returned program, 1.0 where it is wrong or slower
    * ``raw``: the same without this floor; without a confirmed gain the highest score of a correct
      candidate, at most 1.0, and 0.0 where none was correct
    * ``low``, ``high``: the confirmed interval, 1.0 and 1.0 without; ``level`` is its
    * ``confirmed``: whether it was compared with the baseline side by side; a run whose seconds
      ended may have only the product of the comparisons along its way
    * ``reason``: why it ended, in words; ``cause``: for programs
    * ``scores``: unconfirmed score of each candidate in their order, copies included; 0.0 if wrong
    * ``overhead``: time and memory of the returned program and of the baseline
    * ``curve``: the best confirmed speedup so far, a point for each rise
    * ``program``: the digest of the returned program
    """

    method: str
    task: str
    seed: int
    run_id: str
    speedup: float
    raw: float
    low: float
    high: float
    confirmed: bool
    spent: Cost
    reason: str = ""
    scores: tuple[float, ...] = ()
    overhead: RunOverhead | None = None
    curve: tuple[Point, ...] = ()
    program: str = ""
    level: float = LEVEL
    cause: Reason | None = None

    @property
    def correct(self) -> bool:
        """Whether the search found a correct program of its own, fast or slow."""
        return self.raw > 0

    def row(self) -> dict[str, str | int | float | bool]:
        """Outcome without its curve, flat, as a row of a table."""
        shown = ("method", "task", "seed", "speedup", "raw", "low", "high", "confirmed", "correct")
        return {
            **{name: getattr(self, name) for name in shown},
            "evaluations": self.spent.evaluations,
            "tokens": self.spent.tokens,
            "dollars": self.spent.dollars,
            "unpriced_tokens": self.spent.unpriced,
            "seconds": self.spent.seconds,
            "reason": self.reason,
            "run_id": self.run_id,
            "program": self.program,
        }


def read_outcome(log: RunLog, method: str, seed: int) -> Outcome | None:
    """Outcome of a completed run; None of any other."""
    state = RunState(log)
    # Without expansions under way: how far they are is a matter of luck.
    spent: dict[int, Cost] = {}  # when each incumbent rose
    for recorded in log.events():
        state.apply(recorded)
        if isinstance(recorded.event, Compared | Fuzzed):
            by_now = state.account.settled
            spent = {step: spent.get(step, by_now) for step, _ in state.tree.incumbents}
    if state.stopped is None or state.stopped.status != "done":
        return None
    result = Result.of(state)
    speedup, raw = result.speedup, _raw(result)
    return Outcome(
        method=method,
        task=result.task,
        seed=seed,
        run_id=result.run_id,
        speedup=max(1.0, raw),
        raw=raw,
        low=speedup.low,
        high=speedup.high,
        confirmed=result.confirmed,
        spent=result.spent,
        reason=result.reason,
        scores=tuple(step.reward for step in result.tree if step.parent is not None),
        overhead=overhead_of(result),
        curve=tuple(
            Point(spent[step], min((result.tree.confirmed(step) or ratio).value, max(1.0, raw)))
            for step, ratio in result.tree.incumbents
            if step in spent and step != ROOT
        ),
        program=result.program.digest,
        level=speedup.level,
        cause=result.cause,
    )


def _raw(result: Result) -> float:
    if result.best.parent is not None:
        value = result.speedup.value
        return value if result.improved else min(1.0, value)
    own = (s for s in result.tree if s.parent is not None and s.duplicate_of != ROOT)
    found = (step.reward for step in own)
    return min(1.0, max(found, default=0.0))


Axis = Literal["evaluations", "tokens", "dollars", "seconds"]

AXES: tuple[Axis, ...] = ("evaluations", "tokens", "dollars", "seconds")

_POINTS = 200


@dataclass(frozen=True)
class Curve:
    """A method's best confirmed speedup so far, against a run's spending by then.

    ``value`` is the geometric mean over tasks and seeds, ``low`` and ``high`` bound its 95 %
    interval, and ``x`` is in evaluations, tokens, dollars or seconds. A run that ended earlier
    keeps its last value.
    """

    method: str
    axis: Axis
    x: tuple[float, ...]
    value: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]


def curve_of(
    method: str, axis: Axis, runs: Sequence[Outcome], weights: tuple[Floats, Floats], end: float
) -> Curve:
    """Curve over runs, given the weight of each, as it is and in each resample."""
    whole = axis in ("evaluations", "tokens") and end <= _POINTS
    x = np.arange(end + 1) if whole else np.linspace(0, end, _POINTS)
    logs = np.array([_steps(run, axis, x) for run in runs])
    plain, resampled = weights
    tail = 100 * (1 - LEVEL) / 2
    low, high = np.percentile(resampled @ logs, (tail, 100 - tail), axis=0)
    value, low, high = (tuple(map(float, np.exp(one))) for one in (plain @ logs, low, high))
    return Curve(method, axis, tuple(map(float, x)), value, low, high)


def _steps(run: Outcome, axis: Axis, x: Floats) -> Floats:
    """The logarithm of the best confirmed speedup at each ``x``."""
    rises = [getattr(point.spent, axis) for point in run.curve]
    levels = np.log([1.0, *(max(1.0, point.speedup) for point in run.curve)])
    return levels[np.searchsorted(rises, x, side="right")]
