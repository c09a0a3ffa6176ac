"""How well estimates order the candidates of a decision. Equal ones are in random order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import comb

import numpy as np
from numpy.typing import NDArray

from maxcode.measure.statistics import Estimate, Floats
from maxcode.ranking import Agreement
from maxcode.reward_to_go.evaluation.judgement import (
    Judgement,
    Resampling,
    estimate,
    share,
    spearman,
)

Runs = Sequence[Sequence[Judgement]]
"""The judgements of each run."""

TOP = (1, 2, 4)


@dataclass(frozen=True)
class Correlation:
    """Spearman's rho and Kendall's tau-b; None where nothing can be said."""

    spearman: Estimate | None = None
    kendall: Estimate | None = None


@dataclass(frozen=True)
class Regret:
    """What is lost by running only the k candidates with the highest estimates.

    The mean over decisions with more than k candidates of ``1 - best of those k / best of all``;
    ``random`` is expected of k drawn at random. Decisions in which all fail are left out.
    """

    k: int
    decisions: int
    model: Estimate
    random: Estimate


@dataclass(frozen=True)
class Savings:
    """The share of evaluations that the model's order saves, against random order.

    ``decision``: until the best candidate of a decision is found. ``path``: until each step on the
    path to the run's best program is found, over the decisions on that path alone; those that led
    nowhere are not counted, so it is not what a whole run would save. Below 0 it costs some.
    """

    decision: Estimate | None
    path: Estimate | None


def correlations(estimates: Floats, outcomes: Floats) -> tuple[float, float] | None:
    """Spearman's rho and Kendall's tau-b; None where the outcomes are all equal.

    Where the estimates are all equal, both are 0.
    """
    if len(set(outcomes.tolist())) < 2:
        return None
    rho = spearman(estimates, outcomes)
    return rho, Agreement().plus(estimates.tolist(), outcomes.tolist()).tau


def expected_best(estimates: Floats, rewards: Floats, k: int) -> float:
    """The best reward that is expected among the k candidates of the highest estimates."""
    best, left = 0.0, k
    for group in _descending(estimates):
        values: list[float] = sorted(rewards[group].tolist(), reverse=True)
        if len(values) > left:  # so many of these are drawn
            chances = (comb(len(values) - 1 - i, left - 1) for i in range(len(values) - left + 1))
            ways = zip(chances, values, strict=False)  # the lowest can be no maximum
            return sum(n * max(best, value) for n, value in ways) / comb(len(values), left)
        best, left = max(best, values[0]), left - len(values)
        if not left:
            break
    return best


def expected_place(estimates: Floats, wanted: NDArray[np.bool_]) -> float:
    """How many candidates are expected to be run, in the order of estimates, until a wanted one is.

    The first of j wanted ones among m in random order is expected at place (m + 1) / (j + 1).
    Raises :class:`ValueError` when none is wanted.
    """
    before = 0
    for group in _descending(estimates):
        found = int(wanted[group].sum())
        if found:
            return before + (len(group) + 1) / (found + 1)
        before += len(group)
    raise ValueError("no candidate is wanted")


def _descending(estimates: Floats) -> Iterator[NDArray[np.intp]]:
    """Indices of equal estimates, the highest first."""
    for value in np.unique(estimates)[::-1]:
        yield np.flatnonzero(estimates == value)


def agreement(judgements: Iterable[Judgement], outcome: str) -> Agreement:
    """The agreement of estimates with the outcome of that name, over all pairs of a decision."""
    found = Agreement()
    for one in judgements:
        found = found.plus(one.estimates.tolist(), getattr(one, outcome).tolist())
    return found


def _sums(runs: Runs, terms: Callable[[Judgement], tuple[float, ...]]) -> Floats:
    """Each term summed over the decisions of each run: a row a term, a column a run."""
    return np.array([np.sum([terms(one) for one in run], axis=0) for run in runs]).T


def within(runs: Runs, resampling: Resampling, outcome: str) -> Correlation:
    """Means over the decisions of a run, then runs and tasks.

    ``outcome`` is the attribute that estimates are compared with.
    """

    def terms(one: Judgement) -> tuple[float, ...]:
        found = correlations(one.estimates, getattr(one, outcome))
        return (*found, 1) if found else (0, 0, 0)

    rho, tau, count = _sums(runs, terms)
    means = (estimate(resampling.means(share(total, count))) for total in (rho, tau))
    return Correlation(*means)


def added(
    ours: Sequence[Judgement], theirs: Sequence[Judgement], outcome: str = "targets"
) -> Estimate | None:
    """By how much one model's tau within decisions is above another's, decision by decision.

    Both judged the same decisions, in the same order. The mean over runs and tasks, tasks
    resampled; None where no decision has outcomes that differ.
    """
    by_run: dict[tuple[str, str], list[float]] = {}
    for a, b in zip(ours, theirs, strict=True):
        found = [correlations(one.estimates, getattr(one, outcome)) for one in (a, b)]
        if found[0] and found[1]:
            by_run.setdefault((a.task, a.run), []).append(found[0][1] - found[1][1])
    if not by_run:
        return None
    means = np.array([np.mean(differences) for differences in by_run.values()])
    return estimate(Resampling([task for task, _ in by_run]).means(means))


@dataclass(frozen=True)
class Future:
    """How much targets depend on what followed a candidate.

    * ``leaves``: share of candidates that nothing was grown from
    * ``same``: share of targets that are what one step alone gives
    * ``factor``: geometric mean of targets over those of one step, of candidates that have both
    * ``one_step``: how the candidates' own rewards order targets, within decisions: a model that is
      asked before a candidate runs cannot know them, and what it adds to them is the future
    """

    leaves: Estimate | None
    same: Estimate | None
    factor: Estimate | None
    one_step: Correlation


def future(runs: Runs, resampling: Resampling) -> Future:
    """Means over the candidates of a run, then runs and tasks."""

    def terms(one: Judgement) -> tuple[float, ...]:
        both = (one.one_step > 0) & (one.targets > 0)
        factors = np.log(one.targets[both] / one.one_step[both])
        same = np.isclose(one.targets, one.one_step)
        count = len(one.targets)
        return one.leaves.sum(), same.sum(), factors.sum(), count, int(both.sum())

    leaves, same, factors, count, both = _sums(runs, terms)
    own = [[replace(one, estimates=one.rewards) for one in run] for run in runs]
    return Future(
        leaves=estimate(resampling.means(share(leaves, count))),
        same=estimate(resampling.means(share(same, count))),
        factor=estimate(np.exp(resampling.means(share(factors, both)))),
        one_step=within(own, resampling, "targets"),
    )


def regrets(runs: Runs, resampling: Resampling) -> tuple[Regret, ...]:
    """The regret for each k for which there are decisions with more candidates."""
    return tuple(filter(None, (_regret(runs, resampling, k) for k in TOP)))


def _regret(runs: Runs, resampling: Resampling, k: int) -> Regret | None:
    def terms(one: Judgement) -> tuple[float, ...]:
        best = one.rewards.max()
        if len(one.rewards) <= k or best == 0:
            return (0, 0, 0)
        alike = np.zeros_like(one.estimates)
        kept = (expected_best(order, one.rewards, k) for order in (one.estimates, alike))
        return (*((best - min(reward, best)) / best for reward in kept), 1)

    lost, at_random, count = _sums(runs, terms)
    model, random = (estimate(resampling.means(share(sums, count))) for sums in (lost, at_random))
    return Regret(k, int(count.sum()), model, random) if model and random else None


def savings(runs: Runs, resampling: Resampling) -> Savings:
    """Those of decisions with a candidate that passed, and of runs with a faster program."""

    def to_best(one: Judgement) -> tuple[float, ...]:
        top = one.rewards.max()
        chosen = top > 0 and len(one.rewards) > 1
        return _places(one, one.rewards == top) if chosen else (0, 0)

    def on_path(one: Judgement) -> tuple[float, ...]:
        return _places(one, np.isin(one.steps, one.winning))

    found = (share(*_sums(runs, terms)) for terms in (to_best, on_path))
    return Savings(*(estimate(1 - resampling.means(ratios)) for ratios in found))


def _places(one: Judgement, wanted: NDArray[np.bool_]) -> tuple[float, float]:
    """At which place a wanted candidate comes by the estimates, and at random; 0 without any."""
    if not wanted.any():
        return 0, 0
    alike = np.zeros_like(one.estimates)
    return expected_place(one.estimates, wanted), expected_place(alike, wanted)
