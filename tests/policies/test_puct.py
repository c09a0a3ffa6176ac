from collections.abc import Sequence
from random import Random

import pytest

from maxcode.evaluation import Interval, Status
from maxcode.interfaces import SearchPolicy
from maxcode.policies.puct import PUCT
from maxcode.program import Program
from maxcode.testing import SearchPolicyContract, sample_evaluation, toy_task
from maxcode.tree import ROOT, Expansion, SearchTree, Step, Value


@pytest.mark.slow
class TestPUCT(SearchPolicyContract):
    def make(self) -> SearchPolicy:
        return PUCT()


@pytest.mark.slow
class TestPUCTThatIsGreedy(SearchPolicyContract):
    def make(self) -> SearchPolicy:
        return PUCT(k=3, c=0, d=20)


def grown(
    steps: Sequence[tuple[int, float]], gamma: float = 1.0, promise: float | None = None
) -> SearchTree:
    """A tree of steps, each with its parent and its reward, one to an expansion; 0 is a failure."""
    tree = SearchTree(Step(ROOT, None, toy_task().baseline, sample_evaluation(Status.OK)), gamma)
    for step_id, (parent, reward) in enumerate(steps, 1):
        number = tree.ask(Expansion(parent))
        verdict = sample_evaluation(Status.OK if reward else Status.TIMEOUT, reward)
        value = Value(promise) if promise is not None and step_id == len(steps) else None
        tree.add(Step(step_id, parent, Program.of(f"{step_id}"), verdict, number, value=value))
        tree.close(number)
    return tree


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
    number = tree.ask(Expansion(ROOT))
    verdict = sample_evaluation(Status.OK, 5.0)
    tree.add(Step(2, ROOT, tree.root.program, verdict, number, duplicate_of=ROOT))
    assert grows(PUCT(), tree) == ROOT


@pytest.mark.slow
def test_the_best_is_a_state_however_long_ago_it_was_found() -> None:
    tree = grown([(0, 3.0), *[(0, 1.1)] * 1500])
    assert grows(PUCT(c=0), tree) != 1
    tree.promote(1, Interval(3.0, 2.9, 3.1))
    assert grows(PUCT(c=0), tree) == 1
