"""OpenEnv server: an episode a session, over HTTP and WebSocket."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from importlib import import_module
from typing import Any

from pydantic import Field

from maxcode.errors import InputError
from maxcode.interfaces import Critic
from maxcode.observation import Observe
from maxcode.rl.episode import Episode
from maxcode.rl.judge import ExecutorFor, Judge
from maxcode.rl.rewards import Shaping
from maxcode.system import check_libraries
from maxcode.task import Task


def create_app(
    tasks: Task | Sequence[Task],
    executor: ExecutorFor | None = None,
    *,
    turns: int = 4,
    observe: Observe | None = None,
    critic: Critic | None = None,
    shaping: Shaping | None = None,
    sessions: int = 8,
) -> Any:
    """ASGI application with OpenEnv's protocol, for ``uvicorn`` or any other server.

    ``reset`` takes the name of a ``task`` and a ``seed``; an action has the text of an ``answer``.
    An observation has the next turn's ``messages``, the last one's ``feedback`` and ``status``, and
    the ``best`` speedup; its reward is what the answer adds to the best. At most ``sessions`` are
    open at once. Raises :class:`~maxcode.errors.ToolError` without the extra ``openenv``.
    """
    check_libraries("OpenEnv servers need", ("openenv",), "openenv")
    theirs: Any = import_module("openenv.core.env_server")  # without types

    judge = Judge(tasks, executor)
    begun = partial(Episode, judge, turns=turns, observe=observe, critic=critic, shaping=shaping)

    class AnswerAction(theirs.Action):  # type: ignore[misc]
        """A model's answer."""

        answer: str

    class ShownObservation(theirs.Observation):  # type: ignore[misc]
        """Prompt of the next turn, and the verdict on the last answer."""

        messages: list[dict[str, str]] = Field(default_factory=list)
        status: str = ""
        feedback: str = ""
        best: float = 1.0

    class MaxCodeEnvironment(theirs.Environment):  # type: ignore[misc]
        """Sessions of :class:`maxcode.rl.Episode`."""

        SUPPORTS_CONCURRENT_SESSIONS = True

        def __init__(self) -> None:
            super().__init__()
            self._episode: Episode | None = None
            self._state = theirs.State()

        def reset(
            self,
            seed: int | None = None,
            episode_id: str | None = None,
            task: str | None = None,
            **_: Any,
        ) -> Any:
            """Begin an episode."""
            current = self._episode = begun(judge.task(task), seed=seed or 0)
            self._state = theirs.State(episode_id=episode_id, step_count=0)
            return ShownObservation(messages=current.messages())

        def step(self, action: Any, timeout_s: float | None = None, **_: Any) -> Any:  # noqa: ARG002
            """Judge an answer. Raises :class:`InputError` before an episode, and after its end."""
            current = self._episode
            if current is None or current.done:
                raise InputError("there is no episode under way: reset first")
            evaluation, reward = current.answer(action.answer)
            self._state.step_count += 1
            return ShownObservation(
                messages=[] if current.done else current.messages(),
                status=evaluation.status.value,
                feedback=evaluation.feedback,
                best=current.best,
                reward=reward,
                done=current.done,
            )

        @property
        def state(self) -> Any:
            """Number of answers so far, and the session's id."""
            return self._state

    return theirs.create_fastapi_app(
        MaxCodeEnvironment, AnswerAction, ShownObservation, max_concurrent_envs=sessions
    )
