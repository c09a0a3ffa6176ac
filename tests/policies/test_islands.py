from collections import Counter
from random import Random

import pytest
from tests._runs import MakeSearch
from tests._trees import add, grown

from maxcode.budget import Budget
from maxcode.interfaces import SearchPolicy
from maxcode.options import Options
from maxcode.policies.islands import Islands
from maxcode.program import Program
from maxcode.testing import ScriptedExecutor, ScriptedGenerator, SearchPolicyContract
from maxcode.tree import ROOT, Expansion, SearchTree


class TestIslands(SearchPolicyContract):
    def make(self) -> SearchPolicy:
        return Islands()


def tree_of(*rewards: float) -> SearchTree:
    """A tree of steps from the baseline."""
    return grown((ROOT, reward) for reward in rewards)


def parents(policy: Islands, tree: SearchTree, draws: int = 2000) -> Counter[int]:
    return Counter(policy.ask(tree, Random(i))[0].parent for i in range(draws))


@pytest.mark.slow
def test_islands_evolve_apart(toy: MakeSearch) -> None:
    """Each child is its parent's text and a letter more, so its island's line can be read off."""
    generator = ScriptedGenerator(
        lambda seen, n: [f"{seen.step.program.code}{'abc'[seen.number % 3]}{seen.number}"] * n
    )
    search = toy(
        generator=generator,
        executor=ScriptedExecutor(lambda program: 1 + len(program.code) / 100),
        policy=Islands(count=3, k=1, migration=1000),
        budget=Budget(evaluations=40),
        options=Options(in_flight=4),
    )
    tree = search.run().tree
    lines = [{c for c in step.program.code if c in "abc"} for step in list(tree)[1:]]
    assert {frozenset(line) for line in lines} == {frozenset(c) for c in "abc"}
    assert len(tree.path(len(tree) - 1).steps) > 3


@pytest.mark.slow
def test_now_and_then_both_parents_come_from_the_island_before() -> None:
    policy = Islands(count=2, migration=4)
    rewards = [1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7]  # odd steps are of the first island
    assert set(parents(policy, tree_of(*rewards[:4]))) == {1, 3}
    assert set(parents(policy, tree_of(*rewards[:6]))) == {2, 4, 6}  # its fourth turn
    assert set(parents(policy, tree_of(*rewards))) == {1, 3, 5, 7}


@pytest.mark.slow
def test_the_better_ones_are_drawn_more_often_by_rank() -> None:
    counts = parents(Islands(count=1, migration=100), tree_of(1.1, 5.0, 1.2, 0.0), draws=6000)
    shares = {step_id: count / 6000 for step_id, count in counts.items()}
    assert shares == pytest.approx({2: 3 / 6, 3: 2 / 6, 1: 1 / 6}, abs=0.03)


def test_programs_die_of_age() -> None:
    policy = Islands(count=1, size=3, migration=100)
    assert set(parents(policy, tree_of(9.0, 1.1, 0.0, 1.2, 1.3))) == {2, 4, 5}


def found(tree: SearchTree, code: str, reward: float) -> None:
    """One more step, by the next island; a program that was there is a duplicate."""
    program = Program.of(code)
    first = tree.find(program.digest)
    add(tree, ROOT, reward, program=program, duplicate_of=first and first.id)


def test_what_another_island_found_first_is_an_islands_own_too() -> None:
    tree = tree_of(1.1)
    for code in ("same", "1.2", "same", "same"):  # by islands 1, 0, 1, 0
        found(tree, code, 1.5)
    tree.ask(Expansion(ROOT))  # a turn of island 1
    assert tree[5].duplicate_of == 2
    assert set(parents(Islands(count=2, migration=100), tree)) == {1, 3, 5}


def test_a_second_parent_is_shown() -> None:
    policy = Islands(count=1, migration=100)
    answers = [policy.ask(tree_of(1.1, 1.2), Random(i))[0] for i in range(50)]
    pairs = {(answer.parent, answer.exemplars) for answer in answers}
    assert pairs == {(1, ()), (1, (2,)), (2, ()), (2, (1,))}
