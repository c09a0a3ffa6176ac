"""Rollouts by the library verifiers, with a client that answers from a script."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest
from tests._later import needs
from tests.rl._world import executor, task

from maxcode.rl import Shaping, load_environment

pytestmark = [pytest.mark.slow, needs("verifiers"), pytest.mark.filterwarnings("ignore")]


class Client:
    """As far as a client of OpenAI is asked: chat completions, in the order of the script."""

    def __init__(self, answers: list[str]) -> None:
        self.asked: list[Any] = []
        self._answers = iter(answers)
        self.base_url = "http://127.0.0.1:1/v1"
        self.api_key = "none"
        self.chat = SimpleNamespace(completions=SimpleNamespace(create=self._create))

    async def _create(self, *, messages: Any, **_: Any) -> Any:
        from openai.types.chat import ChatCompletion  # noqa: PLC0415 - takes a while

        self.asked.append(messages)
        message = {"role": "assistant", "content": next(self._answers)}
        choice = {"index": 0, "finish_reason": "stop", "message": message}
        return ChatCompletion.model_validate(
            {
                "id": "1",
                "object": "chat.completion",
                "created": 0,
                "model": "scripted",
                "choices": [choice],
            }
        )


def test_a_rollout_is_an_episode_and_its_reward_that_of_the_best() -> None:
    environment = load_environment(task(), executor(), turns=3, shaping=Shaping("speedup"))
    client = Client(["```\n2.0\n```", "no program", "```\n3.0\n```"])
    rows = environment.get_dataset(1)
    outputs = asyncio.run(environment.generate(rows, client, "scripted", state_columns=[]))
    [found] = outputs["outputs"]
    assert found["reward"] == 3.0
    assert found["metrics"]["best_speedup"] == 3.0
    assert len(client.asked) == 3
    assert "2.0" in str(client.asked[1])  # the program to improve, as a search shows it
    assert all(len(asked) == 2 for asked in client.asked)
