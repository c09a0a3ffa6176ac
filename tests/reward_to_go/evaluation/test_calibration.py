"""Probabilities that are right, and such that promise too much."""

import pytest
from tests.reward_to_go.evaluation._decisions import BASELINE, Told, decision, step

from maxcode.reward_to_go.decisions import Decision
from maxcode.reward_to_go.evaluation.figures import Trust, evaluate
from maxcode.reward_to_go.objective import Bins, Objective

HALF = Objective(Bins((0.0, 2.0)))  # fails, below 2, at least 2


def ten(*, fast: int) -> list[Decision]:
    """Ten candidates in each of four runs; so many of them reach 2."""
    rewards = [3.0] * fast + [1.0] * (10 - fast)
    return [decision(rewards, run=str(i), task=str(i // 2)) for i in range(4)]


def calibrated(p: float, decisions: list[Decision]) -> Trust:
    model = Told(lambda reward: reward, lambda _: (0.0, 1 - p, p))
    return evaluate(model, decisions, objective=HALF)


def value(trust: Trust, name: str) -> float:
    found = trust.figures[name]
    assert found is not None
    return found.value


@pytest.mark.slow
def test_probabilities_that_come_true_as_often_as_they_say() -> None:
    found = calibrated(0.7, ten(fast=7))
    assert value(found, "brier") == pytest.approx(0.7 * 0.3)
    assert value(found, "skill") == pytest.approx(0)  # no more than the base rate


def test_futures_share_an_event_out() -> None:
    one = decision([1.0], futures=[[[1.0, 3.0], [1.0]]])
    assert value(calibrated(0.5, [one]), "brier") == 0.25


def test_edges_that_were_reached_before_are_left_out() -> None:
    before = decision([1.0, 1.0], path=[BASELINE, step(1, 2.5)], first=2)
    after = decision([1.0, 3.0], run="b")
    both, alone = calibrated(0.0, [before, after]), calibrated(0.0, [after])
    assert value(both, "brier") == value(alone, "brier")
    model = Told(lambda reward: 3.0, lambda _: (0.0, 0.5, 0.5))
    assert evaluate(model, [before], objective=HALF).figures["brier"] is None
