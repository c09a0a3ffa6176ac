"""Figures by hand, and of models that know all, nothing, or the reverse."""

from random import Random

import numpy as np
import pytest
from tests.reward_to_go.evaluation._decisions import BASELINE, Told, decision, step

from maxcode.reward_to_go.baselines import RandomRewardToGo
from maxcode.reward_to_go.decisions import Decision
from maxcode.reward_to_go.evaluation.figures import Trust, evaluate
from maxcode.reward_to_go.evaluation.judgement import judge, recorded
from maxcode.reward_to_go.objective import Objective
from maxcode.tree import Value

ORACLE = Told(lambda reward: reward)
REVERSE = Told(lambda reward: 20 - reward)


def world(tasks: int = 6, runs: int = 3, decisions: int = 4, size: int = 6) -> list[Decision]:
    """Runs that go from the best of each decision to the next; a fifth of candidates fails."""
    rng, found = Random(1), []
    for task in range(tasks):
        for run in range(runs):
            path, first = [BASELINE], 1
            for _ in range(decisions):
                here = [
                    0.0 if rng.random() < 0.2 else path[-1].reward * rng.uniform(0.6, 1.6)
                    for _ in range(size - 1)
                ]
                here.append(path[-1].reward * 1.1)
                name = f"kind={task % 2},seed={task}"
                found.append(decision(here, run=f"{task}-{run}", task=name, path=path, first=first))
                best = max(range(size), key=here.__getitem__)
                path = [*path, step(first + best, here[best], path[-1].id)]
                first += size
    return found


def known(trust: Trust, name: str) -> float:
    found = trust.figures[name]
    assert found is not None
    assert found.low <= found.value <= found.high
    return found.value


def test_one_decision_by_hand() -> None:
    told = Told({1.0: 3.0, 4.0: 2.0, 2.0: 2.0, 0.0: 1.0}.__getitem__)
    trust = evaluate(told, [decision([1.0, 4.0, 2.0, 0.0])])
    # of 6 pairs: 3 in order, 2 reversed, 1 tied among the estimates
    assert known(trust, "within.kendall") == pytest.approx(1 / np.sqrt(5 * 6))
    assert known(trust, "regret@1") == pytest.approx(3 / 4)
    assert known(trust, "random_regret@1") == pytest.approx(1 - 7 / 4 / 4)
    assert known(trust, "saved") == pytest.approx(1 - 2.5 / 2.5)
    assert (trust.tasks, trust.runs, trust.decisions, trust.candidates) == (1, 1, 1, 4)


def test_targets_are_means_over_futures_and_never_below_u() -> None:
    path = [BASELINE, step(1, 3.0)]
    one = decision([2.0, 1.0], path=path, first=2, futures=[[[2.0, 5.0], [2.0, 1.0]], [[1.0]]])
    judgement = judge(ORACLE, one, Objective())
    assert judgement.targets.tolist() == [4.0, 3.0]  # (5 + 3) / 2, and u
    assert judgement.rewards.tolist() == [2.0, 1.0]
    summed = judge(ORACLE, one, Objective(returns="sum", gamma=0.5))
    assert summed.targets.tolist() == [(4.5 + 2.5) / 2, 1.0]


@pytest.mark.slow
def test_an_oracle_ranks_and_its_reverse_ranks_worse_than_chance() -> None:
    decisions = world()
    oracle, reverse = evaluate(ORACLE, decisions), evaluate(REVERSE, decisions)
    assert known(oracle, "within_reward.kendall") == pytest.approx(1)
    assert known(reverse, "within_reward.kendall") == pytest.approx(-1)
    assert oracle.ranks
    assert oracle.verdict == "ranks better than chance"
    assert known(oracle, "regret@1") == 0
    assert known(oracle, "saved") > 0.5
    assert not reverse.ranks
    assert "worse than chance" in reverse.verdict
    assert known(reverse, "regret@1") > known(reverse, "random_regret@1")
    assert known(reverse, "saved") < -0.5


@pytest.mark.slow
def test_random_estimates_rank_no_better_than_chance() -> None:
    trust = evaluate(RandomRewardToGo(), world(tasks=20))
    tau = trust.figures["within.kendall"]
    assert tau is not None
    assert tau.low < 0 < tau.high
    assert "no better than chance: the interval" in trust.verdict
    assert known(trust, "regret@1") == pytest.approx(known(trust, "random_regret@1"), abs=0.07)


def test_estimates_of_runs_and_those_of_candidates_drawn_by_lot() -> None:
    one = decision(
        [1.0, 2.0, 3.0],
        estimates=[Value(1.0), None, Value(3.0)],
        explored=[True, True, False],
    )
    everyone = recorded(one)
    assert everyone is not None
    assert everyone.estimates.tolist() == [1.0, 3.0]
    assert (everyone.steps, everyone.explored) == ((1, 3), 1)
    drawn = recorded(one, drawn=True)
    assert drawn is not None
    assert drawn.rewards.tolist() == [1.0]
    assert recorded(decision([1.0])) is None


@pytest.mark.slow
def test_a_coin_that_steered_a_run_is_no_better_than_chance() -> None:
    """What it liked was followed further, and so reached more; by itself it was no faster."""
    rng, found = Random(4), []
    for number in range(40):
        rewards = [rng.uniform(1, 2) for _ in range(4)]
        coin = [rng.random() for _ in range(4)]
        liked = coin.index(max(coin))
        futures = [[[r, 3.0] if i == liked else [r]] for i, r in enumerate(rewards)]
        estimates = [Value(one) for one in coin]
        one = decision(
            rewards, run=str(number), task=str(number), futures=futures, estimates=estimates
        )
        found.append(one)
    trust = Trust.of([one for one in (recorded(decision) for decision in found) if one])
    tau = trust.figures["within.kendall"]
    assert tau is not None
    assert tau.low > 0.2  # by targets it would pass for knowing
    assert trust.steered
    assert not trust.ranks
    assert "no better than chance" in trust.verdict
    said = {
        candidate.step.reward: candidate.estimate.expected
        for one in found
        for candidate in one.candidates
        if candidate.step and candidate.estimate
    }
    again = evaluate(Told(said.__getitem__), found)
    assert not again.ranks  # a model that is asked later of runs that it steered
