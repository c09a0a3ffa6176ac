from tests._runs import MakeSearch

from maxcode.budget import Budget
from maxcode.interfaces import SearchPolicy
from maxcode.options import Options
from maxcode.policies.maxcode_loop import MaxCodeLoop
from maxcode.testing import ScriptedGenerator, SearchPolicyContract
from maxcode.tree import ROOT


class TestMaxCodeLoop(SearchPolicyContract):
    def make(self) -> SearchPolicy:
        return MaxCodeLoop(k=3, d=4)


ROUNDS = [["1.5", "2.0"], ["1.8", "wrong_answer"], ["1.9", "3.0"], ["2.5", "2.6"]]


def test_each_round_grows_from_the_best_so_far(toy: MakeSearch) -> None:
    result = toy(
        generator=ScriptedGenerator(ROUNDS),
        policy=MaxCodeLoop(k=2, d=4),
        budget=Budget(),
        options=Options(in_flight=4),
    ).run()
    parents = [step.parent and result.tree[step.parent].program.code for step in result.tree]
    assert parents == [None, ROOT, ROOT, "2.0", "2.0", "2.0", "2.0", "3.0", "3.0"]


def test_it_ends_after_d_rounds_and_not_before(toy: MakeSearch) -> None:
    generator = ScriptedGenerator([[f"{1 + i / 10}"] for i in range(20)])
    toy(generator=generator, policy=MaxCodeLoop(k=1, d=6), budget=Budget()).run()
    assert len(generator.calls) == 6
