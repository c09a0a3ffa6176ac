"""TreeQuest's state, updated with the steps of a search tree.

The library draws from numpy's global generator, a child at a time, and goes over all observations
for each new one. Here draws come from a generator of the search's own, for all children at once,
and observations update them as they come; the distributions are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import numpy as np
from treequest import Algorithm
from treequest.algos.ab_mcts_a.algo import ABMCTSAAlgoState, ABMCTSAStateManager
from treequest.algos.ab_mcts_a.prob_state import NodeProbState, PriorConfig, ProbabilisticDist
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
        self._draws = _Draws()
        if isinstance(self._state, ABMCTSAAlgoState):
            prior = self._state.thompson_states.default_prior_config
            self._state.thompson_states = _NodeStates(prior, self._draws)
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
        self._draws.generator = np.random.default_rng(seed)
        state.trial_store = type(state.trial_store)()
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


class _NodeStates(ABMCTSAStateManager[int]):
    """Makes node states that share their source of draws."""

    def __init__(self, prior: PriorConfig | None, draws: _Draws) -> None:
        super().__init__(default_prior_config=prior)
        self._draws = draws

    def create(self, node: Node[int], actions: list[str], *_: Any, **__: Any) -> NodeProbState:
        state = _NodeState(actions, self.default_prior_config, self._draws)
        self.states[node.expand_idx] = state
        return state


class _NodeState(NodeProbState):
    """Thompson sampling at a node, as the library does it."""

    def __init__(self, actions: list[str], prior: PriorConfig | None, draws: _Draws) -> None:
        super().__init__(actions, prior, model_selection_strategy="multiarm_bandit_thompson")
        self._draws = draws
        self.action_probas = _Posteriors(prior, actions)
        self.gen_vs_cont_probas = {"shared": _Posteriors(prior, ["GEN", "CONT"])}
        self.node_probas = {"shared": _Posteriors(prior)}

    def thompson_sampling(self, probas: dict[Any, ProbabilisticDist]) -> Any:
        """The name whose draw is the highest."""
        if not isinstance(probas, _Posteriors):
            raise TypeError("TreeQuest draws from posteriors that are not ours")
        return list(probas)[self._draws.highest(probas)]


class _Posteriors(dict[Any, ProbabilisticDist]):
    """Posteriors by name, made when they are asked for; their parameters are rows of a table."""

    def __init__(self, prior: PriorConfig | None, names: Iterable[str] = ()) -> None:
        super().__init__()
        self._prior = prior or PriorConfig()
        self._rows = np.empty((2, len(self._prior.get_params())))
        self.family = self._prior.dist_type
        for name in names:
            self[name]  # makes it

    @property
    def table(self) -> np.ndarray[Any, np.dtype[np.float64]]:
        """A row for each, in the order in which they were made."""
        return self._rows[: len(self)]

    def __missing__(self, name: Any) -> ProbabilisticDist:
        row = len(self)
        if row == len(self._rows):
            self._rows = np.concatenate([self._rows, np.empty_like(self._rows)])
        self[name] = made = _Distribution(self._prior, partial(self._write, row))
        return made

    def _write(self, row: int, parameters: Iterable[float]) -> None:
        self._rows[row] = tuple(parameters)


class _Distribution(ProbabilisticDist):
    """The library's posterior, updated by each observation as it comes."""

    def __init__(self, prior: PriorConfig, write: Callable[[Iterable[float]], None]) -> None:
        super().__init__(prior)
        self._write = write
        self._count, self._mean, self._squares = 0, 0.0, 0.0
        write(self.params.values())

    def tell_observation(self, obs: float) -> None:
        if self.dist_type == "beta":
            super().tell_observation(obs)
        else:
            self._update(obs)
        self._write(self.params.values())

    def _update(self, score: float) -> None:
        self._count += 1
        off = score - self._mean
        self._mean += off / self._count
        self._squares += off * (score - self._mean)  # Welford's sum of squared deviations
        n, prior = self._count, self.prior_params
        kappa, nu = prior["kappa"] + n, prior["nu"] + n
        from_prior = n * prior["kappa"] * (prior["m"] - self._mean) ** 2 / kappa
        self.params = {
            "m": (prior["kappa"] * prior["m"] + n * self._mean) / kappa,
            "kappa": kappa,
            "nu": nu,
            "tau_square": (prior["nu"] * prior["tau_square"] + self._squares + from_prior) / nu,
        }


class _Draws:
    """Draws of a mean from each posterior; ``generator`` is set before each question."""

    def __init__(self) -> None:
        self.generator = np.random.default_rng(0)

    def highest(self, posteriors: _Posteriors) -> int:
        """The index of the highest draw."""
        if posteriors.family == "beta":
            a, b = posteriors.table.T
            return int(np.argmax(self.generator.beta(a, b)))
        m, kappa, nu, tau_square = posteriors.table.T
        variance = nu * tau_square / 2 / self.generator.gamma(nu / 2)  # inverse gamma
        return int(np.argmax(self.generator.normal(m, np.sqrt(variance / kappa))))
