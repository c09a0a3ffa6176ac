"""Schedules: searches in which everything takes its own time, and must find the same."""

from __future__ import annotations

import time
from dataclasses import dataclass
from random import Random

from maxcode.budget import Budget
from maxcode.evaluation import Profile
from maxcode.events import Evaluated, Event
from maxcode.interfaces import SearchPolicy
from maxcode.observation import Observation, Observe
from maxcode.options import Options
from maxcode.program import Program
from maxcode.state import RunState
from maxcode.testing.scripted import Answer, ScriptedCritic, ScriptedExecutor, ScriptedGenerator
from maxcode.testing.toy import outline, toy_answers, toy_search, toy_verdict
from maxcode.tree import Step

_PAUSES = (0.0, 0.0, 1e-4, 5e-4)  # seconds


@dataclass(frozen=True)
class Schedule:
    """A search's tree in words, and the programs in the order in which they were judged."""

    tree: list[str]
    order: tuple[str, ...]


def scheduled(
    policy: SearchPolicy, threads: int, pauses: Random | None, evaluations: int = 10
) -> Schedule:
    """What a policy finds on the toy task with four expansions under way and every role played.

    Generator, executor and critic take a time for each call that ``pauses`` draws, or none. The
    tree must not depend on that, nor on the number of threads.
    """

    def pause() -> float:
        return pauses.choice(_PAUSES) if pauses else 0.0

    def answers(observation: Observation, n: int) -> list[Answer]:
        time.sleep(pause())
        return toy_answers(observation, n)

    def diagnosis(observation: Observation, step: Step) -> str:
        time.sleep(pause())
        others = [shown.id for shown in observation.shown if shown.critique]
        return f"slow: {step.program.code}; {others} are diagnosed"

    def profile(program: Program) -> Profile:
        return Profile(f"hot: {program.code}")

    order: list[str] = []

    def hear(event: Event, state: RunState) -> None:  # noqa: ARG001 - an observer
        if isinstance(event, Evaluated):
            order.append(event.program)

    search = toy_search(
        generator=ScriptedGenerator(answers),
        executor=ScriptedExecutor(toy_verdict, profiles=profile, delay=lambda _: pause()),
        critic=ScriptedCritic(diagnosis),
        policy=policy,
        budget=Budget(evaluations=evaluations),
        options=Options(seed=5, in_flight=4, threads=threads, observe=Observe()),
        observers=[hear],
    )
    return Schedule(outline(search.run().tree), tuple(order))
