"""Rewards of completions, with the signature of TRL's ``GRPOTrainer(reward_funcs=[...])``."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from math import log
from typing import Any, Literal, get_args

from maxcode.errors import InputError
from maxcode.evaluation import Evaluation, Status
from maxcode.observation import Observation
from maxcode.prompts.prompts import Prompts
from maxcode.rl.judge import ExecutorFor, Judge
from maxcode.task import Task
from maxcode.tree import Expansion, SearchTree

Shape = Literal["log", "speedup", "improvement"]
"""Form of a reward; see :class:`Shaping`."""


@dataclass(frozen=True)
class Shaping:
    """Reward of a speedup r, at most ``cap``.

    * "log": its natural logarithm, at least -log(cap); the baseline earns 0
    * "speedup": r itself
    * "improvement": r - 1, and 0 where it is not faster than the baseline

    A program that is wrong, crashes, takes too long or is suspected of cheating earns the least
    value of the shape, -log(cap), 0 or 0, and so does an answer without a program.
    """

    shape: Shape = "log"
    cap: float = 10.0

    def __post_init__(self) -> None:
        if self.shape not in get_args(Shape):
            raise InputError(f"shape is {', '.join(get_args(Shape))}, not {self.shape!r}")
        if self.cap <= 1:
            raise InputError(f"cap is a speedup above 1, not {self.cap}")

    def __call__(self, speedup: float) -> float:
        """Reward of a correct program's speedup."""
        speedup = min(speedup, self.cap)
        if self.shape == "log":
            return log(max(speedup, 1 / self.cap))
        return speedup if self.shape == "speedup" else max(0.0, speedup - 1)

    @property
    def least(self) -> float:
        """Reward of a failure."""
        return -log(self.cap) if self.shape == "log" else 0.0

    def of(self, evaluation: Evaluation) -> float | None:
        """Reward of a verdict; None where the harness failed, which is nobody's fault."""
        if evaluation.status is Status.INFRASTRUCTURE:
            return None
        return self(evaluation.reward) if evaluation.ok else self.least

    def raised(self, evaluation: Evaluation, best: float) -> float | None:
        """Max-reward form: ``max(u, r) - u`` in this shape, ``best`` being u; never negative."""
        if evaluation.status is Status.INFRASTRUCTURE:
            return None
        return self(max(best, evaluation.reward)) - self(best)


class RewardFunction:
    """Rewards of batches of completions, for TRL's ``GRPOTrainer(reward_funcs=[...])``.

    Called with ``prompts``, ``completions`` and the columns of the data set, of which ``task``
    names each row's task. Equal programs are judged once. None, which TRL leaves out, is the reward
    where the harness failed.

    ``executor`` is an instance or a function of the task; without it each task's own is made. With
    ``best_so_far`` a completion earns ``max(u, r) - u``, u being the task's best of the batches
    before, at first the baseline. ``lanes`` completions are judged at a time, in threads.
    """

    __name__ = "maxcode_reward"  # TRL's name of the metric

    def __init__(
        self,
        tasks: Task | Sequence[Task],
        executor: ExecutorFor | None = None,
        *,
        shaping: Shaping | None = None,
        best_so_far: bool = False,
        lanes: int = 1,
    ) -> None:
        if lanes < 1:
            raise InputError(f"lanes must be at least 1, not {lanes}")
        judge = self.judge = Judge(tasks, executor)
        self.shaping = shaping or Shaping()
        self.best: dict[str, float] | None = (
            dict.fromkeys(judge.tasks, 1.0) if best_so_far else None
        )
        self._lanes = lanes

    def __call__(
        self,
        prompts: Sequence[object] = (),  # noqa: ARG002 - the task says enough
        completions: Sequence[object] = (),
        task: Sequence[str] | None = None,
        **columns: object,  # noqa: ARG002 - further columns of the data set
    ) -> list[float | None]:
        """Reward of each completion; an unknown task is an :class:`~maxcode.errors.InputError`."""
        names: Sequence[str | None] = [None] * len(completions) if task is None else task
        tasks = [self.judge.task(name) for name in names]
        texts = [text_of(one) for one in completions]
        with ThreadPoolExecutor(self._lanes, "rewards") as pool:
            judged = list(pool.map(self.judge.judge, tasks, texts))
        verdicts = [one.evaluation for one in judged]
        if self.best is None:
            return [self.shaping.of(one) for one in verdicts]
        before = dict(self.best)
        for own, verdict in zip(tasks, verdicts, strict=True):
            self.best[own.name] = max(self.best[own.name], verdict.reward)
        return [
            self.shaping.raised(verdict, before[own.name])
            for own, verdict in zip(tasks, verdicts, strict=True)
        ]

    def rows(self, prompts: Prompts | None = None) -> list[dict[str, Any]]:
        """Rows of a data set, one for each task: ``prompt``, chat messages, and ``task``.

        Measures the baselines, which prompts describe.
        """
        writer = prompts or Prompts(form="program")
        found = []
        for task in self.judge.tasks.values():
            _, baseline = self.judge.prepared(task)
            tree = SearchTree.planted(task.baseline, baseline)
            tree.ask(Expansion())
            observation = Observation(task, tree.root, machine=baseline.machine)
            found.append({"prompt": writer.generator(observation).messages, "task": task.name})
        return found

    def close(self) -> None:
        """Close the executors made for the tasks."""
        self.judge.close()


def text_of(completion: object) -> str:
    """Text of a completion: itself, or the content of the assistant's messages."""
    if isinstance(completion, str):
        return completion
    if isinstance(completion, Sequence):
        said = [one for one in completion if isinstance(one, dict) and one["role"] == "assistant"]
        return "\n".join(str(one.get("content") or "") for one in said)
    raise InputError(f"a completion is a text or a list of messages, not {completion!r}")
