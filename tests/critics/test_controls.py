"""Critics to compare with: words without content, and advice that is wrong."""

from dataclasses import replace

import pytest

from maxcode.critics.controls import AdversarialCritic, PlaceboCritic
from maxcode.evaluation import Evaluation, Interval, Status
from maxcode.interfaces import Critic
from maxcode.landscape import (
    Landscape,
    LandscapeAdversary,
    LandscapeCritic,
    LandscapeExecutor,
    Terrain,
)
from maxcode.observation import Observation
from maxcode.program import Program
from maxcode.testing import toy_task
from maxcode.tree import SearchTree, Step


def seen(seed: int, language: str = "c++") -> Observation:
    task = replace(toy_task(), language=language)
    evaluation = Evaluation(Status.OK, Interval(1.0, 1.0, 1.0))
    return Observation(task, Step(0, None, Program.of("x"), evaluation), seed=seed)


@pytest.mark.parametrize("critic", [PlaceboCritic(), AdversarialCritic()])
def test_it_says_the_same_of_the_same_and_not_always_the_same(critic: Critic) -> None:
    texts = [critic.critique(seen(seed), seen(seed).step).text for seed in range(20)]
    assert texts == [critic.critique(seen(seed), seen(seed).step).text for seed in range(20)]
    assert len(set(texts)) > 2


def test_a_placebo_names_nothing() -> None:
    critique = PlaceboCritic().critique(seen(1), seen(1).step)
    assert (critique.bottleneck, critique.evidence, critique.suggestions) == ("", "", ())
    assert not any(character.isdigit() for character in critique.text)


def test_wrong_advice_fits_the_language_and_looks_like_advice() -> None:
    cpp = {AdversarialCritic().critique(seen(s), seen(s).step).suggestions for s in range(40)}
    python = seen(1, "python")
    assert any("std::list" in text for (text,) in cpp)
    assert "std::" not in AdversarialCritic().critique(python, python.step).text
    failed = replace(python.step, evaluation=Evaluation(Status.WRONG_ANSWER))
    assert "Propose it again" in AdversarialCritic().critique(python, failed).text


def test_on_a_landscape_it_names_where_least_is_gained() -> None:
    space = Terrain(seed=3)
    task = Landscape.on(space)
    tree = SearchTree.planted(task.baseline, LandscapeExecutor().prepare(task))
    observation = Observation(task, tree.root)
    gains = {
        site: max(space.gains(space.origin, site).values(), default=0.0)
        for site in range(len(space.shape))
    }
    named = {
        type(critic): task.sites_in(critic.critique(observation, tree.root).text)
        for critic in (LandscapeCritic(accuracy=1, names=1), LandscapeAdversary(1, 1))
    }
    assert named == {
        LandscapeCritic: {max(gains, key=lambda site: gains[site])},
        LandscapeAdversary: {min(gains, key=lambda site: gains[site])},
    }
