from tests._runs import MakeSearch

from maxcode.budget import Budget
from maxcode.interfaces import SearchPolicy
from maxcode.options import Options
from maxcode.policies.maxcode import MaxCode
from maxcode.testing import ScriptedGenerator, SearchPolicyContract


class TestMaxCode(SearchPolicyContract):
    def make(self) -> SearchPolicy:
        return MaxCode(k=3, d=6, stall=2)


ROUNDS = [["3.0", "2.0"], ["1.5", "1.2"], ["1.6", "1.4"], ["2.5", "wrong_answer"], ["1.1"], ["1.3"]]


def parents(toy: MakeSearch, policy: SearchPolicy) -> list[str]:
    """The programs that the rounds grew from."""
    generator = ScriptedGenerator(ROUNDS)
    toy(
        generator=generator,
        policy=policy,
        budget=Budget(),
        options=Options(in_flight=4, minimise=0.0, fuzz=0),
    ).run()
    return [observation.step.program.code for observation, _ in generator.calls]


def test_each_round_grows_from_the_best_of_the_last_be_it_slower(
    toy: MakeSearch,
) -> None:
    policy = MaxCode(k=2, d=6, then="stay")
    assert parents(toy, policy) == ["1.0", "3.0", "1.5", "1.6", "2.5", "1.1"]


def test_after_rounds_without_a_new_best_it_leaves_its_trajectory(toy: MakeSearch) -> None:
    policy = MaxCode(k=2, d=6, stall=2)
    assert parents(toy, policy) == ["1.0", "3.0", "1.5", "3.0", "2.5", "3.0"]
