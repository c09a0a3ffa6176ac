import sys
from random import Random

import numpy as np
import pytest
from tests._runs import MakeSearch
from tests._trees import add, grown

from maxcode.budget import Budget
from maxcode.errors import ToolError
from maxcode.evaluation import Status
from maxcode.interfaces import SearchPolicy
from maxcode.policies.tree_quest import TreeQuestPolicy
from maxcode.testing import ScriptedExecutor, ScriptedGenerator, SearchPolicyContract
from maxcode.tree import ROOT, SearchTree, Step


class Counting(SearchTree):
    """Counts how many steps are looked at."""

    looks = 0

    def __getitem__(self, step_id: int) -> Step:
        self.looks += 1
        return super().__getitem__(step_id)


@pytest.mark.slow
class TestABMCTSA(SearchPolicyContract):
    def make(self) -> SearchPolicy:
        return TreeQuestPolicy()

    def test_an_instance_is_told_new_steps_alone(self) -> None:
        tree = grown([(0, 1.5)] * 100, kind=Counting)
        assert isinstance(tree, Counting)
        policy = self.make()
        policy.ask(tree, Random(0))
        tree.looks = 0
        add(tree, 1, 2.0)
        policy.ask(tree, Random(0))
        assert tree.looks <= 3


@pytest.mark.slow
class TestMCTS(SearchPolicyContract):
    def make(self) -> SearchPolicy:
        return TreeQuestPolicy("mcts", k=3)


def share_below(tree: SearchTree, step_id: int, policy: TreeQuestPolicy, draws: int) -> float:
    """How often it grows from a step or what comes from it."""
    answers = [policy.ask(tree, Random(i))[0].parent for i in range(draws)]
    return sum(step_id in [s.id for s in tree.path(a).steps] for a in answers) / draws


@pytest.mark.slow
@pytest.mark.parametrize("distribution", ["gaussian", "beta"])
def test_it_goes_deeper_where_that_pays_and_wider_where_not(distribution: str) -> None:
    policy = TreeQuestPolicy(distribution=distribution)  # type: ignore[arg-type]
    pays = grown([(0, 0.0), (0, 3.0), (0, 0.0), (2, 9.0), (4, 12.0), (5, 15.0)])
    fails = grown([(0, 2.0), (0, 2.5), (0, 3.0), (3, 0.0), (3, 0.0), (3, 0.0), (2, 0.0)])
    assert share_below(pays, 2, policy, 400) > 0.6
    assert share_below(fails, ROOT, policy, 400) == 1
    assert sum(policy.ask(fails, Random(i))[0].parent == ROOT for i in range(400)) > 240


def test_numpys_global_generator_is_left_alone() -> None:
    tree = grown([(0, 1.5), (1, 2.0), (1, 0.0)])
    before = np.random.get_state()[1].tolist()  # type: ignore[index]
    TreeQuestPolicy().ask(tree, Random(0))
    assert np.random.get_state()[1].tolist() == before  # type: ignore[index]


def test_what_the_harness_failed_on_is_not_told(toy: MakeSearch) -> None:
    executor = ScriptedExecutor(lambda p: Status(p.code) if p.code.isalpha() else float(p.code))
    generator = ScriptedGenerator(lambda seen, n: ["infrastructure", f"{2 + seen.number}"][-n:])
    policy = TreeQuestPolicy("mcts", k=2)
    tree = (
        toy(generator=generator, executor=executor, policy=policy, budget=Budget(evaluations=6))
        .run()
        .tree
    )
    assert all(tree[step.parent or 0].evaluation.ok for step in tree)


def test_without_the_library_it_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "treequest", None)
    with pytest.raises(ToolError, match=r"pip install 'maxcode\[treequest\]'"):
        TreeQuestPolicy()
