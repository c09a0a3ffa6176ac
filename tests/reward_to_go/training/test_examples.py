"""Rows become examples, and examples a figure for how well they are ranked."""

from typing import TYPE_CHECKING

import numpy as np
import pytest
from tests._later import Later
from tests.reward_to_go.training.conftest import BINS
from tests.reward_to_go.training.conftest import row as word_row

from maxcode.reward_to_go.evaluation.judgement import spearman
from maxcode.reward_to_go.rows import Row
from maxcode.reward_to_go.training.settings import Example, examples

if TYPE_CHECKING:
    from maxcode.reward_to_go.training import trainer
else:
    trainer = Later("maxcode.reward_to_go.training.trainer")


def row(step: int, target: float, weight: float = 1.0) -> Row:
    other = {"reward": target, "target": target, "bin": BINS.index(target), "weight": weight}
    return word_row(step // 10, step, "plain", **other)


def test_the_futures_of_a_candidate_are_one_example() -> None:
    made = examples([row(1, 0.0, 0.25), row(1, 3.0, 0.75), row(2, 1.5)], BINS)
    assert len(made) == 2
    assert made[0].targets == (0.25, 0.0, 0.0, 0.75, 0.0)
    assert made[0].outcome == pytest.approx(2.25)
    assert made[1].targets == (0.0, 0.0, 1.0, 0.0, 0.0)
    assert [example.weight for example in made] == [1.0, 1.0]
    assert made[0].decision == made[1].decision == ("r", 0)


def test_weights_are_one_on_average() -> None:
    made = examples([row(1, 1.0, 3.0), row(2, 1.0, 1.0)], BINS)
    assert [example.weight for example in made] == [1.5, 0.5]


def held_out(decisions: int, outcomes: tuple[float, ...]) -> list[Example]:
    return [
        Example("p", "c", (), outcome + 100 * decision, 0.0, 1.0, ("r", decision))
        for decision in range(decisions)
        for outcome in outcomes
    ]


@pytest.mark.slow
def test_ranking_counts_only_what_it_orders_within_decisions() -> None:
    ranking = trainer.Ranking(held_out(10, (1.0, 2.0, 3.0)))
    assert ranking.possible
    levels = np.repeat(np.arange(10.0), 3)
    assert ranking.of(levels) == 0  # the state alone orders no candidates
    assert ranking.of(100 * levels + np.tile([1.0, 2.0, 3.0], 10)) == pytest.approx(1)
    assert ranking.of(100 * levels - np.tile([1.0, 2.0, 3.0], 10)) == pytest.approx(-1)


def test_where_decisions_are_few_or_small_nothing_is_ranked() -> None:
    for few in (held_out(9, (1.0, 2.0, 3.0)), held_out(50, (1.0, 2.0)), held_out(50, (1.0,) * 3)):
        assert not trainer.Ranking(
            few
        ).possible  # although the decisions differ, and so all outcomes


def test_spearman_with_ties() -> None:
    assert spearman([1, 2, 3, 4], [10, 20, 20, 90]) == pytest.approx(0.9486833)
    assert spearman([1, 1, 1], [1, 2, 3]) == 0
