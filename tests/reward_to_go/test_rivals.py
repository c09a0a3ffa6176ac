"""Rivals that tell nothing of a candidate, each in its own way."""

from dataclasses import replace

from maxcode.interfaces import RewardToGo
from maxcode.observation import Observation
from maxcode.program import Program
from maxcode.reward_to_go.baselines import RandomRewardToGo, RewardSoFar
from maxcode.testing import RewardToGoContract, sample_task, sample_tree


class TestRandom(RewardToGoContract):
    def make(self) -> RewardToGo:
        return RandomRewardToGo(seed=3)


class TestRewardSoFar(RewardToGoContract):
    def make(self) -> RewardToGo:
        return RewardSoFar()


def _observation(step: int) -> Observation:
    path = sample_tree(sample_task()).path(step)
    return Observation(sample_task(), path.steps[-1], trajectory=path)


def test_a_seed_gives_an_order_of_its_own() -> None:
    programs = [Program.of(str(i)) for i in range(20)]
    orders = []
    for seed in (0, 0, 1):
        values = RandomRewardToGo(seed).predict(_observation(0), programs)
        assert len({value.expected for value in values}) == 20
        orders.append(sorted(range(20), key=lambda i: values[i].expected))
    assert orders[0] == orders[1] != orders[2]


def test_the_reward_so_far_is_the_path_s_best_and_at_first_the_baseline_s() -> None:
    tree = sample_tree(sample_task())
    programs = [Program.of("a"), Program.of("b")]
    first, later = (
        [value.expected for value in RewardSoFar().predict(_observation(step), programs)]
        for step in (0, tree.best.id)
    )
    assert first == [1.0, 1.0]
    assert later == [tree.best.reward] * 2


def test_luck_with_a_program_is_no_luck_with_it_elsewhere() -> None:
    """Tasks that are kin share programs."""
    programs = [Program.of(str(i)) for i in range(20)]
    first = _observation(0)
    others = (
        replace(first, number=first.number + 1),
        replace(first, task=replace(first.task, name="kin")),
    )
    orders = [
        sorted(range(20), key=[v.expected for v in found].__getitem__)
        for found in (RandomRewardToGo().predict(one, programs) for one in (first, *others))
    ]
    assert orders[0] != orders[1] != orders[2] != orders[0]
