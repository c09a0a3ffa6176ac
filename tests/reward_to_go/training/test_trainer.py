"""How well held-out rows are ranked."""

from typing import TYPE_CHECKING

import numpy as np
import pytest
from tests._later import Later
from tests.reward_to_go.training.conftest import row

from maxcode.reward_to_go.rows import Row

if TYPE_CHECKING:
    from maxcode.reward_to_go.training import trainer
else:
    trainer = Later("maxcode.reward_to_go.training.trainer")


def held_out(decisions: int, outcomes: tuple[float, ...]) -> list[Row]:
    return [
        row(decision, 0, "plain", targets=((outcome + 100 * decision, 1.0),))
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


@pytest.mark.slow
@pytest.mark.parametrize(
    ("decisions", "outcomes"), [(9, (1.0, 2.0, 3.0)), (50, (1.0, 2.0)), (50, (1.0,) * 3)]
)
def test_where_decisions_are_few_or_small_nothing_is_ranked(
    decisions: int, outcomes: tuple[float, ...]
) -> None:
    assert not trainer.Ranking(held_out(decisions, outcomes)).possible
