"""Comparisons made of figures, without any search."""

from collections.abc import Mapping, Sequence

from maxcode.budget import Cost
from maxcode.comparison.contest import Contest
from maxcode.comparison.outcome import Outcome, Point

CONTROL = "best-of-n"


def outcome(method: str, task: str, seed: int, raw: float) -> Outcome:
    """A run of 10 evaluations, 0.1 dollars and 3 seconds that found its best half-way."""
    speedup = max(1.0, raw)
    half, whole = Cost(5, 50, 0.05, 1.5), Cost(10, 100, 0.1, 3.0)
    curve = (Point(half, speedup),) if speedup > 1 else ()
    return Outcome(
        method, task, seed, "run", speedup, raw, speedup, speedup, True, whole, curve=curve
    )


def contest(raw: Mapping[str, Mapping[str, Sequence[float]]]) -> Contest:
    """Of raw speedups by method, task and seed; the first method is the control."""
    outcomes = [
        outcome(method, task, seed, value)
        for method, tasks in raw.items()
        for task, values in tasks.items()
        for seed, value in enumerate(values)
    ]
    return Contest(tuple(raw), next(iter(raw)), tuple(outcomes), planned=len(outcomes))
