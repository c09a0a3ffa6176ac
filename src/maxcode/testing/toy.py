"""A toy world for instant searches: a program is a number, which is its speedup.

Everything in it is a function of the observation: two searches find the same exactly if they show
the generator the same.
"""

from __future__ import annotations

from random import Random
from typing import Any

from maxcode.budget import Budget, Cost
from maxcode.evaluation import Profile, Status
from maxcode.interfaces import Proposal, SearchPolicy
from maxcode.observation import Observation
from maxcode.options import Options
from maxcode.program import Program
from maxcode.search.search import Search
from maxcode.task import Task
from maxcode.testing.scripted import (
    Answer,
    ScriptedCritic,
    ScriptedExecutor,
    ScriptedGenerator,
    ScriptedRewardToGo,
    Verdict,
)
from maxcode.tree import Expansion, SearchTree, Step

_FAILURES = (Status.BUILD_ERROR, Status.WRONG_ANSWER, Status.TIMEOUT)


def toy_task() -> Task:
    """The number 1, to be made larger."""
    return Task("toy", "Make the number larger.", Program.of("1.0", "number.txt"))


def toy_verdict(program: Program) -> Verdict:
    """The number in the program's text, or the status in its first word."""
    word = program.code.split()[0]
    return Status(word) if word in list(Status) else float(word)


def toy_answers(observation: Observation, n: int) -> list[Answer]:
    """``n`` answers drawn from the seed and the steps shown.

    Most are numbers near the current one; some fail, some are repeated, and some are no program.
    """
    words = [
        f"{step.id} {step.program.digest} {step.evaluation.status} {step.critique} {step.profile}"
        for step in observation.shown
    ]
    rng = Random(f"{observation.seed} {words}")
    return [_answer(observation, rng) for _ in range(n)]


class ToyPolicy(SearchPolicy):
    """Expands a random step and shows the best beside it, sometimes with a profile."""

    def ask(self, tree: SearchTree, rng: Random) -> list[Expansion]:
        """An expansion with two children."""
        parent = rng.randrange(len(tree))
        return [Expansion(parent, 2, exemplars=(tree.best.id,), profile=rng.random() < 0.5)]


def toy_plugins() -> dict[str, Any]:
    """New plug-ins for every role, by its name."""
    return {
        "generator": ScriptedGenerator(toy_answers, cost=Cost(tokens=2)),
        "executor": ScriptedExecutor(toy_verdict, profiles=lambda p: Profile(f"hot: {p.code}")),
        "critic": ScriptedCritic(_diagnosis, Cost(tokens=1)),
        "reward_to_go": ScriptedRewardToGo(lambda _, program: int(program.digest[:2], 16) / 100),
        "policy": ToyPolicy(),
    }


def toy_search(**given: Any) -> Search:
    """A search with a plug-in for every role; arguments override those of Search."""
    arguments = {
        "task": toy_task(),
        **toy_plugins(),
        "budget": Budget(evaluations=30),
        "options": Options(seed=5, in_flight=4, threads=4),
    }
    return Search(**{**arguments, **given})


def _diagnosis(observation: Observation, step: Step) -> str:
    others = sum(shown.critique is not None for shown in observation.shown)
    return f"slow: {step.program.code}; {others} others shown are diagnosed"


def _answer(observation: Observation, rng: Random) -> Answer:
    kind = rng.random()
    if kind < 0.1:
        return Proposal(None, problem="the answer holds no number")
    if kind < 0.2:
        return rng.choice(observation.shown).program
    if kind < 0.4:
        return f"{rng.choice(_FAILURES)} {rng.randrange(100)}"
    verdict = toy_verdict(observation.step.program)
    number = verdict if isinstance(verdict, float) else 1.0
    return f"{number * rng.uniform(0.8, 1.3):.4f}"


def outline(tree: SearchTree) -> list[str]:
    """Text of a tree to compare with others: a line for each step, and a line for the best.

    Times and pending work are left out.
    """
    lines = [
        f"{step.id} under {step.parent} by {step.expansion}: {step.program.digest[:12]} "
        f"{step.evaluation.status} {step.reward:.6g}, feedback {step.evaluation.feedback!r}, "
        f"duplicate of {step.duplicate_of}, value {step.value}, critique {step.critique}, "
        f"profile {step.profile}, paid {step.cost}, summary {step.summary!r} {step.tags}, "
        f"confirmed {tree.confirmed(step.id)}"
        for step in tree
    ]
    return [*lines, f"best {tree.best.id}, {tree.best_speedup}"]
