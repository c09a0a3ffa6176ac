"""Episodes show what a search shows, and pay for what raises the best."""

from math import log

import pytest
from tests.rl._world import executor, task

from maxcode.observation import Observe
from maxcode.rl import Episode, Shaping
from maxcode.rl.judge import Judge
from maxcode.testing import ScriptedCritic


def episode(**given: object) -> Episode:
    return Episode(Judge(task(), executor()), task(), **given)  # type: ignore[arg-type]


def test_rewards_add_up_to_that_of_the_best() -> None:
    turns = episode(turns=4)
    rewards = [turns.answer(f"```\n{n}\n```")[1] for n in ("2.0", "timeout 1", "1.5", "3.0")]
    assert rewards == pytest.approx([log(2), 0.0, 0.0, log(3) - log(2)])
    assert turns.done
    assert turns.reward == pytest.approx(log(3))
    assert [step.parent for step in turns.tree] == [None, 0, 1, 1, 3]


def test_failures_alone_earn_least() -> None:
    turns = episode(turns=1, shaping=Shaping("speedup"))
    turns.answer("I cannot.")
    assert (turns.done, turns.reward) == (True, 0.0)


def test_each_turn_shows_trajectory_critique_and_best() -> None:
    critic = ScriptedCritic(lambda _, step: f"slow: {step.program.code.strip()}")
    turns = episode(critic=critic)
    assert "slow: 1.0" in turns.messages()[1]["content"]
    turns.answer("```\n2.0\n```")
    shown = turns.messages()[1]["content"]
    assert "slow: 2.0" in shown
    assert turns.observation.best == turns.tree[1]
    assert turns.observation.trajectory is not None
    hidden = episode(critic=critic, observe=Observe.nothing())
    assert "slow" not in hidden.messages()[1]["content"]
    assert hidden.observation.best is None
