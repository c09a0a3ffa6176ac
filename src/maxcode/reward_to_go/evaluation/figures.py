"""Trust in a reward-to-go model: figures with 95 % intervals, and their document."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass

from pydantic import JsonValue

from maxcode.budget import FREE, Cost
from maxcode.errors import InputError
from maxcode.interfaces import RewardToGo
from maxcode.measure.statistics import Estimate
from maxcode.ranking import Agreement
from maxcode.reward_to_go.decisions import Decision
from maxcode.reward_to_go.evaluation.calibration import calibration
from maxcode.reward_to_go.evaluation.judgement import Judgement, Resampling, judge, objective_of
from maxcode.reward_to_go.evaluation.ranking import (
    agreement,
    regret,
    savings,
    within,
)
from maxcode.reward_to_go.objective import Objective


@dataclass(frozen=True)
class Trust:
    """The figures of a model, each None if undefined. Tasks weigh the same, and so do their runs.

    * ``within.kendall``: tau-b among the candidates of a decision, on which reranking depends, the
      mean over decisions with different outcomes; against the target, and as
      ``within_reward.kendall`` against the candidate's own reward
    * ``regret@1``: loss from running only the candidate ranked first; ``random_regret@1``: one at
      random
    * ``saved``: the share of evaluations saved
    * ``brier`` and ``skill`` of probabilities, in the ``calibrated_runs`` that have them

    ``steered``: the runs had a model, whose estimates may have decided which candidates were
    followed further. Targets are means over what followed, so they may be high where that model's
    estimates are, even if it knows nothing: the verdict is then by own rewards. ``agreement`` is
    over all pairs within decisions, with the outcome of the verdict. With a ``caveat`` there is no
    verdict.
    """

    tasks: int
    runs: int
    decisions: int
    candidates: int
    explored: int
    steered: bool
    cost: Cost
    figures: dict[str, Estimate | None]
    agreement: Agreement
    calibrated_runs: int
    caveat: str = ""

    @classmethod
    def of(cls, judgements: Sequence[Judgement], caveat: str = "") -> Trust:
        """Figures of judged decisions. Raises :class:`InputError` where there are none."""
        if not judgements:
            raise InputError("no decisions: nothing was run that a model could be judged by")
        by_run: dict[tuple[str, str], list[Judgement]] = {}
        for one in judgements:
            by_run.setdefault((one.task, one.run), []).append(one)
        runs = list(by_run.values())
        resampling = Resampling([task for task, _ in by_run])
        steered = any(one.steered for one in judgements)
        lost, lost_at_random = regret(runs, resampling)
        brier, skill, calibrated = calibration(runs, resampling)
        return cls(
            tasks=len({task for task, _ in by_run}),
            runs=len(runs),
            decisions=len(judgements),
            candidates=sum(len(one.estimates) for one in judgements),
            explored=sum(one.explored for one in judgements),
            steered=steered,
            cost=sum((one.cost for one in judgements), FREE),
            figures={
                "within.kendall": within(runs, resampling, "targets"),
                "within_reward.kendall": within(runs, resampling, "rewards"),
                "regret@1": lost,
                "random_regret@1": lost_at_random,
                "saved": savings(runs, resampling),
                "brier": brier,
                "skill": skill,
            },
            agreement=agreement(judgements, "rewards" if steered else "targets"),
            calibrated_runs=calibrated,
            caveat=caveat,
        )

    @property
    def ranks(self) -> bool:
        """Whether it ranks the candidates of a state better than chance.

        The interval over tasks and runs and the interval over pairs must lie above 0: the former
        has no width with a single run.
        """
        tau = self._tau
        ranked = tau is not None and tau.low > 0 and self.agreement.believed
        return ranked and not self.caveat

    @property
    def _tau(self) -> Estimate | None:
        return self.figures["within_reward.kendall" if self.steered else "within.kendall"]

    @property
    def verdict(self) -> str:
        """Whether it ranks better than chance, in words."""
        tau = self._tau
        if self.caveat:
            return f"no verdict: {self.caveat}"
        if tau is None:
            return "says nothing yet: no decision has candidates that turned out differently"
        if self.ranks:
            return "ranks better than chance"
        if not self.agreement.most:
            return "ranks no better than chance: it likes all candidates of a state alike"
        if tau.low > 0 or tau.high < 0:
            worse = self.agreement.tau < -self.agreement.chance
            return "ranks worse than chance" if worse else "has too few pairs of candidates to tell"
        return "ranks no better than chance: the interval of its correlation includes zero"


def evaluate(
    model: RewardToGo,
    decisions: Iterable[Decision],
    *,
    objective: Objective | None = None,
) -> Trust:
    """Ask a model for estimates of the candidates of finished runs, and compare with outcomes.

    ``objective`` is the target of its estimates, by default the result of :func:`objective_of`.
    Raises :class:`InputError` where there are no decisions, and the model's errors.
    """
    objective = objective or objective_of(model)
    return Trust.of([judge(model, decision, objective) for decision in decisions])


Document = dict[str, JsonValue]


def document(trust: Trust) -> Document:
    """Every figure with its interval."""
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
        "calibrated_runs": trust.calibrated_runs,
    }
