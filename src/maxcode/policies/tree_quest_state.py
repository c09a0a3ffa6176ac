"""TreeQuest's state, updated with the steps of a search tree."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from treequest import Algorithm
from treequest.algos.ab_mcts_a.algo import ABMCTSAAlgoState
from treequest.algos.standard_mcts import MCTSState
from treequest.algos.tree import Node, Tree

from maxcode.evaluation import Status
from maxcode.tree import ROOT, SearchTree, Step

_ACTIONS = ["rewrite"]  # there is one way to make a child


class TreeQuestState:
    """An algorithm of TreeQuest with its state: a function of the steps added to it."""

    def __init__(self, algorithm: Algorithm[int, Any]) -> None:
        self._algorithm = algorithm
        self._state = algorithm.init_tree()
        self._state.tree = _IndexedTree()
        self._nodes = {ROOT: self._state.tree.root}
        self._known = ROOT + 1  # steps before this one

    def catch_up(self, tree: SearchTree) -> None:
        """Add new steps."""
        for step_id in range(self._known, len(tree)):
            self._add(tree[step_id])
        self._known = len(tree)

    def ask(self, seed: int) -> int:
        """The id of the next step to grow by the algorithm; leaves nothing behind."""
        state = self._state
        state.trial_store = type(state.trial_store)()
        with _seeded(seed):
            _, (trial,) = self._algorithm.ask_batch(state, 1, _ACTIONS)
        return trial.parent_state or ROOT

    def _add(self, step: Step) -> None:
        """Leave out steps with a failed harness, and their descendants."""
        parent = self._nodes.get(step.parent or ROOT)
        if parent is None or step.evaluation.status is Status.INFRASTRUCTURE:
            return
        state = self._state
        state.trial_store = type(state.trial_store)()
        if isinstance(state, ABMCTSAAlgoState):
            state.thompson_states.get_or_create(parent, _ACTIONS)
        elif isinstance(state, MCTSState):
            state.trial_store.fill_nodes_queue([(parent, _ACTIONS[0])])
        trial = state.trial_store.create_trial(parent, _ACTIONS[0])
        score = step.reward / (1 + step.reward)
        self._algorithm.tell(state, trial.trial_id, (step.id, score))
        self._nodes[step.id] = parent.children[-1]


class _IndexedTree(Tree[int]):
    """Finds a node without sorting all of them."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._by_index = [self.root]

    def get_node(self, expand_idx: int) -> Node[int]:
        return self._by_index[expand_idx + 1]  # the root's is -1

    def add_node(self, *given: Any, **options: Any) -> Node[int]:
        node = super().add_node(*given, **options)
        self._by_index.append(node)
        return node


@contextmanager
def _seeded(seed: int) -> Iterator[None]:
    """Seed numpy's global generator, from which the library draws, and restore it."""
    before = np.random.get_state()
    np.random.seed(seed % 2**32)
    try:
        yield
    finally:
        np.random.set_state(before)
