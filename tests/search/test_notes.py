"""Critiques and profiles: made lazily, once a step, and kept."""

from random import Random

import pytest
from tests._runs import MakeSearch

from maxcode.critics.llm import LLMCritic
from maxcode.errors import NoAnswerError
from maxcode.evaluation import Profile
from maxcode.interfaces import SearchPolicy
from maxcode.journal.events import Critiqued, Profiled
from maxcode.observation import Observe
from maxcode.options import Options
from maxcode.policies.maxcode_loop import MaxCodeLoop
from maxcode.program import Program
from maxcode.search.search import Search
from maxcode.testing import (
    ScriptedCritic,
    ScriptedExecutor,
    ScriptedGenerator,
    ScriptedModel,
    toy_answers,
    toy_verdict,
)
from maxcode.tree import Expansion, SearchTree


def hot(program: Program) -> Profile:
    return Profile(f"hot: {program.code}")


def noted(search: Search, kind: type[Critiqued] | type[Profiled]) -> list[int]:
    return [r.event.step for r in search.state.log.events() if isinstance(r.event, kind)]


@pytest.mark.slow
@pytest.mark.parametrize("in_flight", [1, 4])
def test_critiques_are_made_once_a_step_and_only_for_those_to_improve(
    full: MakeSearch, in_flight: int
) -> None:
    generator, critic = ScriptedGenerator(toy_answers), ScriptedCritic()
    search = full(
        generator=generator, critic=critic, options=Options(in_flight=in_flight, threads=4)
    )
    tree = search.run().tree

    def first(step_id: int) -> int:
        """A duplicate has the critique of the step that it repeats."""
        repeated = tree[step_id].duplicate_of
        return step_id if repeated is None else repeated

    diagnosed = [step.id for _, step in critic.calls]
    improved = {observation.step.id for observation, _ in generator.calls}
    assert sorted(map(first, diagnosed)) == sorted(set(map(first, improved)))
    assert len(improved) < len({s.id for seen, _ in generator.calls for s in seen.shown})
    for observation, _ in generator.calls:
        assert observation.step.critique


@pytest.mark.parametrize("said", ["", NoAnswerError("the server is down")])
def test_a_critic_that_says_nothing_three_times_is_asked_no_more(
    full: MakeSearch, said: str | Exception
) -> None:
    model = ScriptedModel(lambda prompt, sample: said)
    search = full(critic=LLMCritic(model), options=Options(in_flight=1))
    with pytest.warns(RuntimeWarning, match="the critic is asked no more: 3 critiques in a row"):
        search.run()
    missing = [
        recorded.event.critique.missing
        for recorded in search.state.log.events()
        if isinstance(recorded.event, Critiqued)
    ]
    last = missing[-3:]  # before, answers without a program may have had critiques of their own
    assert len(last) == 3
    assert all(str(said) in one and one for one in last)


@pytest.mark.parametrize("critique", [True, False])
@pytest.mark.parametrize("profile", [True, False])
def test_critiques_and_profiles_are_shown_by_switches_of_their_own(
    toy: MakeSearch, critique: bool, profile: bool
) -> None:
    critic = ScriptedCritic(lambda _, step: f"{step.profile and step.profile.text}")
    generator = ScriptedGenerator([["2.0"], ["3.0"], []])
    toy(
        generator=generator,
        critic=critic,
        executor=ScriptedExecutor(toy_verdict, profiles=hot),
        policy=MaxCodeLoop(k=1, d=3),
        options=Options(observe=Observe(critique=critique, profile=profile)),
    ).run()
    improved = [observation.step for observation, _ in generator.calls]
    texts = ["hot: 1.0", "hot: 2.0", "hot: 3.0"]
    assert [s.critique and s.critique.text for s in improved] == (texts if critique else [None] * 3)
    assert [s.profile and s.profile.text for s in improved] == (texts if profile else [None] * 3)


class Asking(SearchPolicy):
    """Asks for the critique of every second parent, although none is shown otherwise."""

    observe = Observe.nothing()

    def ask(self, tree: SearchTree, rng: Random) -> list[Expansion]:
        if tree.pending or tree.expansions >= 4:
            return []
        parent = len(tree) - 1
        return [Expansion(parent, critique=tree.expansions % 2 == 1, profile=parent == 1)]


def test_a_policy_asks_for_critiques_that_are_not_shown_otherwise(toy: MakeSearch) -> None:
    critic, generator = ScriptedCritic(), ScriptedGenerator([["2.0"], ["3.0"], ["4.0"], ["5.0"]])
    search = toy(
        generator=generator,
        critic=critic,
        executor=ScriptedExecutor(toy_verdict, profiles=hot),
        policy=Asking(),
    )
    tree = search.run().tree
    shown = [bool(observation.step.critique) for observation, _ in generator.calls]
    assert shown == [False, True, False, True]
    assert noted(search, Critiqued) == [1, 3]
    assert [bool(step.critique) for step in tree] == [False, True, False, True, False]
    assert [step.id for _, step in critic.calls] == [1, 3]
