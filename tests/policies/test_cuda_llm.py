import pytest
from tests._runs import MakeSearch

from maxcode.budget import Budget
from maxcode.interfaces import Proposal, SearchPolicy
from maxcode.options import Options
from maxcode.policies.cuda_llm import CudaLLM
from maxcode.search.result import Result
from maxcode.testing import ScriptedGenerator, SearchPolicyContract
from maxcode.tree import ROOT


class TestCudaLLM(SearchPolicyContract):
    def make(self) -> SearchPolicy:
        return CudaLLM(n=3, d=4)


ROUNDS = [["1.5", "2.0", "timeout"], ["1.8", "1.7"], ["build_error 1", "wrong_answer 1"], ["1.6"]]


def run(toy: MakeSearch, policy: SearchPolicy) -> Result:
    return toy(
        generator=ScriptedGenerator(ROUNDS),
        policy=policy,
        budget=Budget(),
        options=Options(in_flight=4),
    ).run()


def test_the_fastest_of_a_round_goes_on_even_if_it_is_slower(toy: MakeSearch) -> None:
    tree = run(toy, CudaLLM(n=3, d=4)).tree
    parents = [tree[step.parent or ROOT].program.code for step in tree]
    assert parents[1:] == ["1.0"] * 3 + ["2.0"] * 2 + ["1.8"] * 2 + ["1.8"]


def test_after_a_failed_round_the_nearest_miss_is_shown(toy: MakeSearch) -> None:
    unreadable = Proposal(None, problem="no code")
    generator = ScriptedGenerator(
        [["wrong_answer 1", unreadable], ["build_error 1", "timeout 2", "build_error 3"], ["2.0"]]
    )
    toy(generator=generator, policy=CudaLLM(n=3, d=4), budget=Budget()).run()
    shown = [[step.program.code for step in seen.shown] for seen, _ in generator.calls]
    assert shown == [["1.0"], ["1.0", "wrong_answer 1"], ["1.0", "timeout 2"], ["2.0"]]
    assert generator.calls[1][0].exemplars[0].evaluation.feedback


def test_failed_and_empty_rounds_count(toy: MakeSearch) -> None:
    generator = ScriptedGenerator([["timeout"], [], ["2.0"], ["3.0"]])
    toy(generator=generator, policy=CudaLLM(n=1, d=3), budget=Budget()).run()
    assert len(generator.calls) == 3


def test_the_best_ever_seen_is_handed_back(toy: MakeSearch) -> None:
    result = run(toy, CudaLLM(n=3, d=4))
    assert (result.program.code, result.returned, result.confirmed) == ("2.0", None, True)


@pytest.mark.parametrize(
    ("evaluations", "returned"),
    [
        (3, "1.5"),  # one whole round
        (5, "1.5"),  # and two of the second
        (6, "1.2"),
        (8, "1.2"),
        (2, "1.4"),  # there is no other
    ],
)
def test_a_round_that_the_budget_cut_short_is_not_the_last(
    toy: MakeSearch, evaluations: int, returned: str
) -> None:
    rounds = [["1.4", "1.3", "1.5"], ["1.1", "1.2", "1.15"], ["1.6", "1.7", "1.8"]]
    result = toy(
        generator=ScriptedGenerator(rounds),
        policy=CudaLLM(n=3, final_round=True),
        budget=Budget(evaluations=evaluations),
    ).run()
    assert result.program.code == returned
    assert result.confirmed
