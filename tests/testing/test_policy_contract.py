"""The policy contract fails for plug-ins that break it, one for each promise."""

from collections.abc import Callable
from random import Random

import pytest

from maxcode.interfaces import SearchPolicy
from maxcode.testing import SearchPolicyContract
from maxcode.tree import ROOT, Expansion, SearchTree

pytestmark = pytest.mark.slow


class Rule(SearchPolicy):
    """Asks by a function of itself, the tree and the random numbers."""

    def __init__(self, rule: Callable[["Rule", SearchTree, Random], list[Expansion]]) -> None:
        self.rule = rule
        self.asked = 0

    def ask(self, tree: SearchTree, rng: Random) -> list[Expansion]:
        self.asked += 1
        return self.rule(self, tree, rng)


def meddles(_: Rule, tree: SearchTree, rng: Random) -> list[Expansion]:
    if len(tree) > 3:
        tree.demote()
    return [Expansion(ROOT, 2)]


@pytest.mark.parametrize(
    ("test", "rule"),
    [
        ("test_begins_with_the_baseline", lambda self, tree, rng: []),
        ("test_begins_with_the_baseline", lambda self, tree, rng: [Expansion(1)]),
        (
            "test_answers_are_valid_and_come_from_the_tree_alone",
            lambda self, tree, rng: [Expansion(len(tree))],
        ),
        (
            "test_answers_are_valid_and_come_from_the_tree_alone",
            lambda self, tree, rng: [Expansion(ROOT, self.asked)],
        ),
        ("test_answers_are_valid_and_come_from_the_tree_alone", meddles),
        ("test_a_resumed_search_gets_the_same_answers", lambda s, t, r: [Expansion(ROOT, s.asked)]),
    ],
)
def test_a_broken_policy(
    test: str, rule: Callable[[Rule, SearchTree, Random], list[Expansion]]
) -> None:
    class Contract(SearchPolicyContract):
        def make(self) -> SearchPolicy:
            return Rule(rule)

    with pytest.raises(AssertionError):
        getattr(Contract(), test)()
