"""Who is asked in a mixture."""

from collections.abc import Callable, Sequence

import pytest

from maxcode.budget import (
    FREE,
    Budget,
    Cost,
)
from maxcode.errors import InputError
from maxcode.generators.mixture import Mixture
from maxcode.generators.rewrite import RewriteGenerator
from maxcode.interfaces import Generator, Proposal
from maxcode.observation import Observation, Observe, observe
from maxcode.options import Options
from maxcode.policies.best_of_n import BestOfN
from maxcode.search.search import Search
from maxcode.testing import (
    GeneratorContract,
    ScriptedExecutor,
    ScriptedGenerator,
    sample_task,
    sample_tree,
    toy_answers,
    toy_task,
    toy_verdict,
)
from maxcode.tree import ROOT, Expansion


def _scripted(text: str, cost: Cost = FREE) -> ScriptedGenerator:
    return ScriptedGenerator(
        lambda observation, n: [f"{text} {observation.seed} {i}" for i in range(n)], cost
    )


@pytest.mark.slow
class TestMixture(GeneratorContract):
    def make(self) -> Generator:
        paid = _scripted("paid", Cost(tokens=3, dollars=0.25))
        return Mixture({"paid": paid, "free": RewriteGenerator()})


def _observation(seed: int = 0) -> Observation:
    task = sample_task()
    tree = sample_tree(task)
    return observe(tree, task, tree.ask(Expansion(ROOT)), seed, Observe(), attempts=16)


@pytest.mark.slow
def test_weights_decide_how_often_each_is_asked() -> None:
    mixture = Mixture({"a": _scripted("a"), "b": _scripted("b")}, weights=[1, 3])
    drawn = [mixture.shares(_observation(seed), 8) for seed in range(200)]
    share = sum(one.get("b", 0) for one in drawn) / (200 * 8)
    assert 0.71 < share < 0.79
    proposals = mixture.propose(_observation(3), 8)
    tags = [proposal.tags[-1] for proposal in proposals]
    assert {tag: tags.count(tag) for tag in set(tags)} == {
        f"by:{name}": count for name, count in mixture.shares(_observation(3), 8).items()
    }


def _played(
    toy: Callable[..., Search], generators: dict[str, Generator], evaluations: int = 150
) -> list[str]:
    """Who made each step of a search on a mixture, in order."""
    search = toy(
        generator=Mixture(generators),
        policy=BestOfN(n=evaluations, batch=1),
        critic=None,
        reward_to_go=None,
        budget=Budget(evaluations=evaluations),
        options=Options(observe=Observe.nothing()),
    )
    steps = list(search.run().tree)[1:]
    return [step.tags[-1].removeprefix("by:") for step in steps]


def _climbing(rate: float, cost: Cost) -> Generator:
    """Finds something faster than all before at that rate."""

    def answers(observation: Observation, n: int) -> list[str]:
        best = max(step.reward for step in observation.history)
        lucky = observation.seed % 1000 < 1000 * rate
        return [f"{best * (1.01 if lucky else 0.5)} {observation.seed}"] * n

    return ScriptedGenerator(answers, cost)


@pytest.mark.slow
def test_the_bandit_learns_who_finds_more(toy: Callable[..., Search]) -> None:
    cost = Cost(tokens=10, dollars=0.1)
    names = _played(toy, {"poor": _climbing(0.05, cost), "good": _climbing(0.6, cost)})
    assert names[-75:].count("good") > 60
    assert "poor" in names


def test_others_stand_in_for_who_has_run_out() -> None:
    dry: Sequence[str] = ()
    observation = _observation()
    for paid in (FREE, Cost(dollars=1)):
        mixture = Mixture(
            {"dry": ScriptedGenerator([dry]), "wet": _scripted("wet", paid)},
            weights=[1000, 1e-9],
        )
        assert mixture.shares(observation, 3) == {"dry": 3}
        proposals = mixture.propose(observation, 3)
        assert [proposal.tags for proposal in proposals] == [("by:wet",)] * 3
        assert mixture.cost_ceiling(observation, 3).dollars == 3 * paid.dollars
    few = ScriptedGenerator(lambda _, n: ["1.0 a"])
    wet = _scripted("wet", Cost(dollars=1))
    both = Mixture({"few": few, "wet": wet}, weights=[1, 1])
    assert both.shares(observation, 8).keys() == {"few", "wet"}
    assert len(both.propose(observation, 8)) == 8
    assert [n for _, n in wet.calls] == [7]  # asked once: a second call would get the same again
    assert both.cost_ceiling(observation, 8).dollars == 8
    alone = Mixture({"dry": ScriptedGenerator([dry])})
    assert alone.propose(observation, 3) == []


@pytest.mark.parametrize("weights", [[1], [1, 2, 3], [1, 0], [1, float("nan")]])
def test_weights_must_fit(weights: list[float]) -> None:
    with pytest.raises(InputError, match="a weight above 0 for each"):
        Mixture([_scripted("a"), _scripted("b")], weights)


def test_a_generator_whose_answers_are_of_no_use_is_asked_no_more() -> None:
    empty = ScriptedGenerator(
        lambda observation, n: (
            [Proposal(None, tags=("empty",), problem="empty", cost=Cost(dollars=1.0))] * n
        ),
        Cost(dollars=1.0),
    )
    good = ScriptedGenerator(toy_answers, Cost(dollars=1.0))
    mixture = Mixture({"empty": empty, "good": good}, weights=[9, 1])
    search = Search(
        toy_task(),
        generator=mixture,
        executor=ScriptedExecutor(toy_verdict),
        policy=BestOfN(batch=1, n=30),
        budget=Budget(dollars=100),
        options=Options(in_flight=1, patience=100),
    )
    with pytest.warns(
        RuntimeWarning, match="empty is asked no more: 3 answers in a row were empty"
    ):
        tree = search.run().tree
    by = [step.tags[-1] for step in tree if step.parent is not None]
    assert by.count("by:empty") == 3
    assert len(by) == 30
