"""How far a reward-to-go model can be trusted, in figures with 95 % intervals, and as documents."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace

import numpy as np
from pydantic import JsonValue

from maxcode.budget import FREE, Cost
from maxcode.errors import InputError
from maxcode.interfaces import RewardToGo
from maxcode.measure.statistics import Estimate, Floats
from maxcode.ranking import Agreement
from maxcode.reward_to_go.decisions import Decision
from maxcode.reward_to_go.evaluation.calibration import Calibration, calibration
from maxcode.reward_to_go.evaluation.judgement import Judgement, Resampling, judge, objective_of
from maxcode.reward_to_go.evaluation.ranking import (
    Correlation,
    Future,
    Regret,
    Savings,
    agreement,
    future,
    regrets,
    savings,
    within,
)
from maxcode.reward_to_go.objective import Objective


@dataclass(frozen=True)
class Trust:
    """The figures. Tasks weigh the same, and so do the runs of a task.

    ``within`` are means over decisions with different outcomes of the correlation among their
    candidates: what reranking uses. ``overall`` correlates all candidates, whose states differ too.
    Each is against the target, and as ``..._reward`` against the candidate's own reward.
    ``steered``: runs had a model, whose estimates may have decided what was followed further.
    Targets are means over what followed, so they may be high where that model's estimates are, even
    if it knows nothing: the verdict is then by own rewards. ``agreement`` is over all pairs within
    decisions, with the outcome that the verdict is by. ``calibration`` is None for a model without
    distributions. ``future`` says how much of the targets one step shows already. The arrays have
    an item for each candidate.
    """

    tasks: int
    runs: int
    decisions: int
    candidates: int
    explored: int
    steered: bool
    cost: Cost
    within: Correlation
    within_reward: Correlation
    overall: Correlation
    overall_reward: Correlation
    agreement: Agreement
    regrets: tuple[Regret, ...]
    saved: Savings
    calibration: Calibration | None
    future: Future
    estimates: Floats = field(repr=False)
    targets: Floats = field(repr=False)
    rewards: Floats = field(repr=False)
    families: Mapping[str, Trust] = field(default_factory=dict, repr=False)
    caveat: str = ""
    """Why there is no verdict, whatever the figures are."""

    @classmethod
    def of(
        cls,
        judgements: Sequence[Judgement],
        *,
        family: str | None = None,
        base_rates: Sequence[float] | None = None,
    ) -> Trust:
        """The figures of decisions that were judged, for all and by family of tasks.

        The first group of the regular expression ``family`` in a task's name is its family; a task
        in which it is not found is of the family "other". Without it each name is a family. For
        ``base_rates`` see :func:`~maxcode.reward_to_go.evaluation.calibration.calibration`. Raises
        :class:`InputError` for a bad expression, and where there is nothing to judge by.
        """
        if not judgements:
            raise InputError("no decisions: nothing was run that a model could be judged by")
        named = family_of(family)
        groups: dict[str, list[Judgement]] = {}
        for judgement in judgements:
            groups.setdefault(named(judgement.name), []).append(judgement)
        families = {name: _trust(found, {}, base_rates) for name, found in sorted(groups.items())}
        return _trust(judgements, families, base_rates)

    def without_verdict(self, caveat: str) -> Trust:
        """The same figures, from which nothing is concluded."""
        families = {name: one.without_verdict(caveat) for name, one in self.families.items()}
        return replace(self, caveat=caveat, families=families)

    @property
    def figures(self) -> dict[str, Estimate | None]:
        """All figures by name; None for those that are not defined."""
        named: dict[str, Estimate | None] = {}
        for name in ("within", "within_reward", "overall", "overall_reward"):
            one: Correlation = getattr(self, name)
            named |= {f"{name}.spearman": one.spearman, f"{name}.kendall": one.kendall}
        for regret in self.regrets:
            named[f"regret@{regret.k}"] = regret.model
            named[f"random_regret@{regret.k}"] = regret.random
        of_one = self.future.one_step
        named |= {"one_step.spearman": of_one.spearman, "one_step.kendall": of_one.kendall}
        for name in ("leaves", "same", "factor"):
            named[f"future.{name}"] = getattr(self.future, name)
        named |= {"saved.decision": self.saved.decision, "saved.path": self.saved.path}
        for name in ("brier", "skill", "ece"):
            named[name] = getattr(self.calibration, name, None)
        return named

    @property
    def ranks(self) -> bool:
        """Whether it ranks the candidates of a state better than chance.

        Both the interval over tasks and runs and that over pairs must lie above 0: the former has
        no width with a single run.
        """
        tau = self._tau
        ranked = tau is not None and tau.low > 0 and self.agreement.believed
        return ranked and not self.caveat

    @property
    def _tau(self) -> Estimate | None:
        return (self.within_reward if self.steered else self.within).kendall

    @property
    def verdict(self) -> str:
        """Whether it ranks better than chance, in words."""
        return f"no verdict: {self.caveat}" if self.caveat else self._verdict()

    def _verdict(self) -> str:
        tau, own = self._tau, self.within_reward.kendall
        if tau is None:
            return "says nothing yet: no decision has candidates that turned out differently"
        if self.ranks:
            return "ranks better than chance"
        if not self.agreement.most:
            return "ranks no better than chance: it likes all candidates of a state alike"
        if tau.high < 0 and self.agreement.tau < -self.agreement.chance:
            return "ranks worse than chance: what it likes least turns out best"
        if tau.low > 0 or tau.high < 0:
            return "has too few pairs of candidates to tell it from chance"
        verdict = "ranks no better than chance: the interval of its correlation includes zero"
        if not self.steered and own and own.low > 0:
            verdict += (
                "; it does tell which candidates are faster themselves, not what follows them"
            )
        return verdict


def evaluate(
    model: RewardToGo,
    decisions: Iterable[Decision],
    *,
    objective: Objective | None = None,
    family: str | None = None,
    base_rates: Sequence[float] | None = None,
) -> Trust:
    """Ask a model for estimates of the candidates of finished runs, and compare with outcomes.

    ``objective`` is what it estimates, by default what :func:`objective_of` finds. The other
    arguments are those of :meth:`Trust.of`. Raises :class:`InputError` where there are no
    decisions, and what the model raises.
    """
    objective = objective or objective_of(model)
    judgements = [judge(model, decision, objective) for decision in decisions]
    return Trust.of(judgements, family=family, base_rates=base_rates)


def family_of(pattern: str | None) -> Callable[[str], str]:
    """The function from a task's name to its family; see :meth:`Trust.of`.

    Raises :class:`InputError` for a bad expression.
    """
    if pattern is None:
        return str
    try:
        compiled = re.compile(pattern)
    except re.error as error:
        raise InputError(f"family {pattern!r}: {error}") from error
    if not compiled.groups:
        raise InputError(f"family {pattern!r}: put the part that names the family in (...)")

    def family(name: str) -> str:
        found = compiled.search(name)
        return (found[1] or "other") if found else "other"

    return family


def _trust(
    judgements: Sequence[Judgement],
    families: Mapping[str, Trust],
    base_rates: Sequence[float] | None,
) -> Trust:
    by_run: dict[tuple[str, str], list[Judgement]] = {}
    for one in judgements:
        by_run.setdefault((one.task, one.run), []).append(one)
    runs = list(by_run.values())
    resampling = Resampling([task for task, _ in by_run])
    estimates, targets, rewards = (
        np.concatenate([getattr(one, name) for run in runs for one in run])
        for name in ("estimates", "targets", "rewards")
    )
    of_run = np.repeat(np.arange(len(runs)), [sum(len(one.steps) for one in run) for run in runs])
    steered = any(one.steered for one in judgements)

    def overall(outcomes: Floats) -> Correlation:
        return Correlation(
            resampling.spearman(of_run, estimates, outcomes),
            resampling.kendall(of_run, estimates, outcomes),
        )

    return Trust(
        tasks=len({task for task, _ in by_run}),
        runs=len(runs),
        decisions=len(judgements),
        candidates=len(estimates),
        explored=sum(one.explored for one in judgements),
        steered=steered,
        cost=sum((one.cost for one in judgements), FREE),
        within=within(runs, resampling, "targets"),
        within_reward=within(runs, resampling, "rewards"),
        overall=overall(targets),
        overall_reward=overall(rewards),
        agreement=agreement(judgements, "rewards" if steered else "targets"),
        regrets=regrets(runs, resampling),
        saved=savings(runs, resampling),
        calibration=calibration(runs, resampling, base_rates),
        future=future(runs, resampling),
        estimates=estimates,
        targets=targets,
        rewards=rewards,
        families=families,
    )


Document = dict[str, JsonValue]

_COLUMNS = ("model", "family", "figure", "value", "low", "high")
ALL = "all"
"""What stands for all families in a table."""


def document(trust: Trust) -> Document:
    """Every figure with its interval, for all tasks and by family."""
    found = trust.calibration
    return {
        "tasks": trust.tasks,
        "runs": trust.runs,
        "decisions": trust.decisions,
        "candidates": trust.candidates,
        "explored": trust.explored,
        "ranks": trust.ranks,
        "judged_by": "reward" if trust.steered else "target",
        "agreement": {
            "tau": trust.agreement.tau,
            "chance": trust.agreement.chance if trust.agreement.variance else None,
        },
        "verdict": trust.verdict,
        "dollars": trust.cost.dollars,
        "tokens": trust.cost.tokens,
        "figures": {name: asdict(one) if one else None for name, one in trust.figures.items()},
        "reliability": [asdict(one) for one in found.curve] if found else [],
        "calibrated_runs": found.runs if found else 0,
        "base_rates": list(found.base_rates) if found else [],
        "families": {name: document(one) for name, one in trust.families.items()},
    }


def table(models: Mapping[str, Trust]) -> str:
    """A line of CSV for each model, family and figure, under a line of names."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_COLUMNS)
    for model, trust in models.items():
        for family, one in {ALL: trust, **trust.families}.items():
            for figure, found in one.figures.items():
                if found:
                    writer.writerow((model, family, figure, found.value, found.low, found.high))
    return text.getvalue()
