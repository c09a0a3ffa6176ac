"""Environment for the library verifiers: an episode a rollout."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import partial
from importlib import import_module
from typing import Any

from maxcode.errors import InputError
from maxcode.interfaces import Critic
from maxcode.observation import Observe
from maxcode.rl.episode import Episode
from maxcode.rl.judge import ExecutorFor, Judge
from maxcode.rl.rewards import Shaping, text_of
from maxcode.system import check_libraries
from maxcode.task import Task


def load_environment(
    tasks: Task | Sequence[Task],
    executor: ExecutorFor | None = None,
    *,
    turns: int = 4,
    observe: Observe | None = None,
    critic: Critic | None = None,
    shaping: Shaping | None = None,
) -> Any:
    """Environment of verifiers, with a row for each task and rollouts of so many ``turns``.

    Each turn's prompt is the one that a search would send, so a rollout's trajectory is a list of
    prompts and completions and no growing conversation. The reward is that of
    :attr:`Episode.reward <maxcode.rl.Episode.reward>`. Raises :class:`~maxcode.errors.ToolError`
    without the extra ``verifiers``.
    """
    check_libraries("environments of verifiers need", ("verifiers", "datasets"), "verifiers")
    if turns < 1:
        raise InputError(f"turns must be at least 1, not {turns}")
    vf: Any = import_module("verifiers")  # without types, as the next
    rows_of = import_module("datasets").Dataset.from_list

    judge = Judge(tasks, executor)

    begun = partial(Episode, judge, turns=turns, observe=observe, critic=critic, shaping=shaping)

    async def best_speedup(state: Any) -> float:
        return float(state["episode"].best)

    async def maxcode_reward(state: Any) -> float:
        return float(state["episode"].reward)

    class MaxCodeEnvironment(vf.MultiTurnEnv):  # type: ignore[misc]
        """Rollouts of :class:`maxcode.rl.Episode`."""

        async def setup_state(self, state: Any) -> Any:
            state["episode"] = await asyncio.to_thread(begun, judge.task(state["task"]))
            return await super().setup_state(state)

        async def env_response(self, messages: Any, state: Any, **_: Any) -> Any:
            """Verdict on the last answer; after the last turn it ends the rollout."""
            current = state["episode"]
            evaluation, _ = await asyncio.to_thread(current.answer, text_of(messages[-1:]))
            if current.done:
                said = evaluation.feedback or evaluation.status.value
                state["final_env_response"] = [{"role": "user", "content": said}]
                return state["final_env_response"]
            return current.messages()

        async def _close(self) -> None:
            judge.close()

        close_executors = vf.teardown(_close)

        async def get_prompt_messages(self, state: Any) -> Any:
            """The prompt of the next turn, alone."""
            if not state["trajectory"]:
                return state["prompt"]
            return await self.env_response(state["trajectory"][-1]["completion"], state)

    rubric = vf.Rubric(funcs=[maxcode_reward])
    rubric.add_metric(best_speedup)
    rows = [{"prompt": begun(one).messages(), "task": name} for name, one in judge.tasks.items()]
    return MaxCodeEnvironment(dataset=rows_of(rows), rubric=rubric)
