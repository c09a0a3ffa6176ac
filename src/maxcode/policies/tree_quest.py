"""TreeQuestPolicy: tree searches of the ``treequest`` library, AB-MCTS first of all."""

from __future__ import annotations

from importlib import import_module
from random import Random
from typing import TYPE_CHECKING, Any, Literal
from weakref import WeakKeyDictionary

from maxcode.errors import InputError, ToolError
from maxcode.interfaces import SearchPolicy
from maxcode.observation import Observe
from maxcode.policies.rounds import check_choice, check_counts
from maxcode.tree import Expansion, SearchTree

if TYPE_CHECKING:
    from maxcode.policies.tree_quest_state import TreeQuestState

Algorithm = Literal["abmcts-a", "mcts"]
Distribution = Literal["gaussian", "beta"]


class TreeQuestPolicy(SearchPolicy):
    """A search of TreeQuest (https://github.com/SakanaAI/treequest); needs ``maxcode[treequest]``.

    * "abmcts-a": AB-MCTS with node aggregation (arXiv 2503.04412). Going down from the baseline,
      Thompson sampling decides at each step between a new child and the best of those there are;
      ``distribution`` is that of the scores, "gaussian" (the default) or "beta"
    * "mcts": Monte Carlo tree search by UCT; a leaf gets ``k`` children at once, 2 by default

    TreeQuest's scores lie in [0, 1]: a reward r becomes r/(1+r), a failure 0. "abmcts-a" can be
    asked while other expansions are under way, "mcts" waits. Raises
    :class:`~maxcode.errors.ToolError` when the library is not installed.
    """

    observe = Observe.nothing()

    def __init__(
        self,
        algorithm: Algorithm = "abmcts-a",
        k: int | None = None,
        distribution: Distribution = "gaussian",
    ) -> None:
        check_choice("treequest", "algorithm", algorithm, Algorithm)
        check_choice("treequest", "distribution", distribution, Distribution)
        check_counts("treequest", k=k)
        if algorithm == "abmcts-a" and k is not None:
            raise InputError("treequest: k is for algorithm=mcts; abmcts-a asks for one at a time")
        self.algorithm = algorithm
        self.k = k or (2 if algorithm == "mcts" else 1)
        self.distribution = distribution
        self._states: WeakKeyDictionary[SearchTree, TreeQuestState] = WeakKeyDictionary()
        self._new_state()  # raises now if the library is missing

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_states"}

    def __setstate__(self, options: dict[str, Any]) -> None:
        vars(self).update(options, _states=WeakKeyDictionary())

    def ask(self, tree: SearchTree, rng: Random) -> list[Expansion]:
        """The next step to grow by the algorithm."""
        if self.algorithm == "mcts" and tree.pending:
            return []
        state = self._states.get(tree)
        if state is None:
            state = self._states[tree] = self._new_state()
        state.catch_up(tree)
        return [Expansion(state.ask(rng.getrandbits(64)), self.k)]

    def _new_state(self) -> TreeQuestState:
        try:
            library: Any = import_module("treequest")
        except ImportError as error:
            raise ToolError(
                f"the policy treequest needs the library of that name ({error}); install it with: "
                "pip install 'maxcode[treequest]'"
            ) from error
        from maxcode.policies.tree_quest_state import TreeQuestState  # noqa: PLC0415 - heavy

        if self.algorithm == "mcts":
            return TreeQuestState(library.StandardMCTS(samples_per_action=self.k))
        return TreeQuestState(library.ABMCTSA(dist_type=self.distribution))
