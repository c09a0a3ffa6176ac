import pytest
from tests._runs import MakeSearch

from maxcode.budget import Budget
from maxcode.interfaces import SearchPolicy
from maxcode.observation import Observe
from maxcode.options import Options
from maxcode.policies.best_of_n import BestOfN
from maxcode.testing import ScriptedGenerator, SearchPolicyContract, toy_answers
from maxcode.tree import ROOT


@pytest.mark.slow
class TestBestOfN(SearchPolicyContract):
    def make(self) -> SearchPolicy:
        return BestOfN(n=20, batch=3)


def test_draws_n_candidates_from_the_baseline_in_batches(toy: MakeSearch) -> None:
    generator = ScriptedGenerator(toy_answers)
    search = toy(
        generator=generator,
        policy=BestOfN(n=7, batch=3),
        budget=Budget(),
        options=Options(in_flight=4),
    )
    result = search.run()
    assert (len(result.tree) - 1, result.status) == (7, "done")
    assert {step.parent for step in list(result.tree)[1:]} == {ROOT}
    assert sorted(n for _, n in generator.calls) == [1, 3, 3]


def test_candidates_are_not_told_of_each_other(toy: MakeSearch) -> None:
    generator = ScriptedGenerator(toy_answers)
    toy(generator=generator, policy=BestOfN(n=9, batch=3)).run()
    assert BestOfN.observe == Observe.nothing()
    assert [[step.id for step in shown.shown] for shown, _ in generator.calls] == [[ROOT]] * 3
