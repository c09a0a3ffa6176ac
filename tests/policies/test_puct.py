from random import Random

import pytest
from tests._trees import add, grown

from maxcode.evaluation import Interval
from maxcode.interfaces import SearchPolicy
from maxcode.policies.puct import PUCT
from maxcode.testing import SearchPolicyContract
from maxcode.tree import ROOT, Expansion, SearchTree


@pytest.mark.slow
class TestPUCT(SearchPolicyContract):
    def make(self) -> SearchPolicy:
        return PUCT()


@pytest.mark.slow
class TestPUCTThatIsGreedy(SearchPolicyContract):
    def make(self) -> SearchPolicy:
        return PUCT(k=3, c=0, d=20)


def grows(policy: PUCT, tree: SearchTree) -> int:
    (expansion,) = policy.ask(tree, Random(0))
    return expansion.parent


def test_without_a_bonus_it_goes_on_from_the_fastest() -> None:
    assert grows(PUCT(c=0), grown([(0, 1.5), (0, 3.0), (0, 2.0), (0, 0.0)])) == 2


def test_a_slower_child_of_the_best_has_the_worth_of_its_path() -> None:
    steps = [(0, 3.0), (1, 2.5), (0, 2.9)]
    assert grows(PUCT(c=0), grown(steps)) == 1
    tried = [*steps, *[(1, 1.1)] * 8]  # the best was tried nine times, its child never
    assert grows(PUCT(c=1), grown(tried)) == 2


def test_a_discount_prefers_what_took_fewer_steps() -> None:
    steps = [(0, 2.0), (0, 1.5), (2, 2.1)]
    assert grows(PUCT(c=0), grown(steps, gamma=1.0)) == 3
    assert grows(PUCT(c=0), grown(steps, gamma=0.5)) == 1


def test_the_more_it_was_tried_the_less_it_is_worth_trying() -> None:
    steps = [(0, 2.0), (0, 1.9)]
    assert grows(PUCT(c=2), grown(steps)) == 1
    tree = grown([*steps, *[(1, 1.0)] * 6])
    assert grows(PUCT(c=2), tree) == 2
    for _ in range(12):
        tree.ask(Expansion(2))  # what is under way counts as tried
    assert grows(PUCT(c=2), tree) != 2


def test_failures_and_duplicates_are_not_grown_from() -> None:
    tree = grown([(0, 0.0)])
    assert grows(PUCT(), tree) == ROOT
    add(tree, ROOT, 5.0, program=tree.root.program, duplicate_of=ROOT)
    assert grows(PUCT(), tree) == ROOT


@pytest.mark.slow
def test_the_best_is_a_state_however_long_ago_it_was_found() -> None:
    tree = grown([(0, 3.0), *[(0, 1.1)] * 1500])
    assert grows(PUCT(c=0), tree) != 1
    tree.promote(1, Interval(3.0, 2.9, 3.1))
    assert grows(PUCT(c=0), tree) == 1
