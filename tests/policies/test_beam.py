import pytest
from tests._runs import MakeSearch

from maxcode.budget import Budget
from maxcode.interfaces import SearchPolicy
from maxcode.options import Options
from maxcode.policies.beam import Beam
from maxcode.search.search import Search
from maxcode.testing import ScriptedGenerator, ScriptedRewardToGo, SearchPolicyContract
from maxcode.tree import SearchTree


@pytest.mark.slow
class TestBeam(SearchPolicyContract):
    def make(self) -> SearchPolicy:
        return Beam(width=3, k=2, d=4)


def beams(tree: SearchTree, width: int) -> list[list[str]]:
    """The programs that each round grew from, a step's parent for each of its steps."""
    found: dict[int, list[str]] = {}
    for step in list(tree)[1:]:
        codes = found.setdefault(step.expansion // width, [])
        code = tree[step.parent or 0].program.code
        if code not in codes:
            codes.append(code)
    return list(found.values())


def run(toy: MakeSearch, rounds: list[list[str]], beam: Beam, **more: object) -> Search:
    search = toy(generator=ScriptedGenerator(rounds), policy=beam, budget=Budget(), **more)
    search.run()
    return search


def test_the_best_of_beam_and_candidates_go_on(toy: MakeSearch) -> None:
    rounds = [["1.5", "0.5"], ["1.4", "timeout"], ["1.6", "1.3"], ["0.4", "1.2"], ["2.0"], ["2.1"]]
    options = Options(in_flight=4)
    tree = run(toy, rounds, Beam(width=2, k=2, d=3), options=options).state.tree
    assert beams(tree, 2) == [["1.0"], ["1.5", "1.4"], ["1.6", "1.5"]]


def test_it_ends_after_d_rounds(toy: MakeSearch) -> None:
    rounds = [[f"{1 + i / 10}"] for i in range(12)]
    search = run(toy, rounds, Beam(width=3, k=1, d=2))
    assert search.state.tree.expansions == 6


def test_a_round_in_which_nothing_came_back_is_forgotten(toy: MakeSearch) -> None:
    rounds: list[list[str]] = [["1.5"], ["1.4"], [], [], ["1.6"], ["1.7"]]
    tree = run(toy, rounds, Beam(width=2, k=1, d=3)).state.tree
    assert beams(tree, 2) == [["1.0"], ["1.5", "1.4"]]


def test_estimates_rank_where_they_shall(toy: MakeSearch) -> None:
    rounds = [["1.5", "1.4"], ["1.3", "1.2"], ["1.35"], ["1.25"]]
    promise = {"1.2": 9.0, "1.3": 1.0, "1.4": 8.0, "1.5": 1.0}
    model = ScriptedRewardToGo(lambda _, program: promise.get(program.code, 0.0))
    for by, expected in (("reward", ["1.5", "1.4"]), ("reward-to-go", ["1.2", "1.4"])):
        beam = Beam(width=2, k=2, d=2, by=by)  # type: ignore[arg-type]
        options = Options(propose=1)
        tree = run(toy, rounds, beam, reward_to_go=model, options=options).state.tree
        assert beams(tree, 2)[1] == expected
