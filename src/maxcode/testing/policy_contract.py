"""Contract of any search policy."""

# ruff: noqa: S101 - these are tests: they assert

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from random import Random
from typing import Any

from maxcode.evaluation import Status
from maxcode.interfaces import SearchPolicy
from maxcode.journal.events import Asked
from maxcode.journal.state import RunState
from maxcode.options import Options
from maxcode.program import Program
from maxcode.search.search import Search
from maxcode.testing.samples import sample_evaluation
from maxcode.testing.scripted import ScriptedExecutor, Verdict
from maxcode.testing.toy import toy_search, toy_task, toy_verdict
from maxcode.tree import ROOT, Expansion, SearchTree, Step


class SearchPolicyContract(ABC):
    """Inherit from it in a test module; pytest then runs its tests against your policy.

    ``make`` returns a new policy, always configured alike, which asks for at least 8 candidates.
    The policy drives real searches in several worlds (some candidates pass, all, none, all are the
    same) with 1 and with 4 expansions under way; each of its answers is checked on the spot.
    """

    @abstractmethod
    def make(self) -> SearchPolicy:
        """A new policy."""

    def test_begins_with_the_baseline(self) -> None:
        """Ask for children of step 0 if there is no other step."""
        tree = SearchTree(Step(ROOT, None, toy_task().baseline, sample_evaluation(Status.OK)))
        answer = self.make().ask(tree, Random(0))
        assert answer, "nothing to ask for although nothing was tried"
        assert {expansion.parent for expansion in answer} == {ROOT}, f"unknown parents: {answer}"

    def test_answers_are_valid_and_come_from_the_tree_alone(self) -> None:
        """Name existing steps, change nothing, keep no state, draw only from ``rng``."""
        for world in _WORLDS.values():
            for in_flight in (1, 4):
                _run(_Watched(self.make), world, in_flight)

    def test_a_resumed_search_gets_the_same_answers(self) -> None:
        """Decide only from the tree: a resumed search has the same steps."""
        for name, world in _WORLDS.items():
            watched = _Watched(self.make)
            log = _run(watched, world, in_flight=4).state.log
            state, given = RunState(log), iter(watched.given)
            for recorded in log.events():
                if isinstance(recorded.event, Asked):
                    answer = self.make().ask(state.tree, _random(next(given)))
                    asked = list(recorded.event.expansions)
                    assert answer == asked, f"{name}: {asked} live, {answer} from the journal"
                state.apply(recorded)


class _Watched(SearchPolicy):
    """Checks every answer of a policy; ``given`` has the random states of non-empty ones."""

    def __init__(self, make: Callable[[], SearchPolicy]) -> None:
        self._make = make
        self._policy = make()
        self.observe = self._policy.observe
        self.given: list[tuple[Any, ...]] = []

    def ask(self, tree: SearchTree, rng: Random) -> list[Expansion]:
        """The policy's answer, checked against another instance on the same tree."""
        state, before = rng.getstate(), _facts(tree)
        answer = self._policy.ask(tree, rng)
        assert _facts(tree) == before, "the policy changed the tree"
        again = self._policy.ask(tree, _random(state))
        assert again == answer, f"asked twice: {answer}, then {again}"
        fresh = self._make().ask(tree, _random(state))
        assert fresh == answer, f"it keeps a state: {answer}, but {fresh} from a new instance"
        for expansion in answer:
            assert expansion.children >= 1, f"no children: {expansion}"
            for step_id in (expansion.parent, *expansion.exemplars):
                assert 0 <= step_id < len(tree), f"no step {step_id}: {expansion}"
        if answer:
            self.given.append(state)
        return answer


_WORLDS: dict[str, Callable[[Program], Verdict]] = {
    "mixed": toy_verdict,
    "all pass": lambda program: 1.0 + int(program.digest[:4], 16) / 2**16,
    "none passes": lambda _: Status.RUNTIME_ERROR,
    "all alike": lambda _: 1.0,
}


def _run(policy: SearchPolicy, world: Callable[[Program], Verdict], in_flight: int) -> Search:
    baseline = toy_task().baseline
    search = toy_search(
        policy=policy,
        executor=ScriptedExecutor(lambda one: 1.0 if one == baseline else world(one)),
        critic=None,
        reward_to_go=None,
        options=Options(in_flight=in_flight, threads=4),
    )
    search.run()
    return search


def _facts(tree: SearchTree) -> tuple[object, ...]:
    steps = [(step, tree.children(step.id), tree.confirmed(step.id)) for step in tree]
    return steps, tree.expansions, dict(tree.pending), tree.best.id, tree.best_speedup


def _random(state: tuple[Any, ...]) -> Random:
    rng = Random()
    rng.setstate(state)
    return rng
