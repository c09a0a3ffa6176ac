"""Whether what finishes first changes what a search finds: random schedules, each policy.

Four expansions are under way; generator, executor and critic take a random time for each call, and
every role is played. Each schedule's tree is compared, in every detail but times, with that of a
search on one thread in which nothing takes any time. How many orders of completion there were says
whether the schedules differed at all.

Usage: python benchmarks/schedules.py [--schedules 100]
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

from common import machine, save

from maxcode import (
    Beam,
    BestOfN,
    Budget,
    CudaLLM,
    EffiLearner,
    Islands,
    MaxCodeLoop,
    Observation,
    Observe,
    Options,
    Profile,
    Program,
    SearchPolicy,
    Step,
    TreeQuestPolicy,
)
from maxcode.events import Evaluated, Event
from maxcode.state import RunState
from maxcode.testing import (
    Answer,
    ScriptedCritic,
    ScriptedExecutor,
    ScriptedGenerator,
    outline,
    toy_answers,
    toy_search,
    toy_verdict,
)

POLICIES: dict[str, Callable[[], SearchPolicy]] = {
    "best-of-n": lambda: BestOfN(batch=2),
    "maxcode": lambda: MaxCodeLoop(k=3),
    "cuda-llm": lambda: CudaLLM(n=3),
    "effi-learner": lambda: EffiLearner(steps=None),
    "beam": lambda: Beam(width=3, k=1),
    "beam:by=reward-to-go": lambda: Beam(width=3, k=1, by="reward-to-go"),
    "islands": lambda: Islands(count=3, k=1, migration=2),
    "treequest:abmcts-a": TreeQuestPolicy,
    "treequest:mcts": lambda: TreeQuestPolicy("mcts", k=2),
}
PAUSES = (0.0, 0.0, 1e-4, 5e-4)  # seconds


@dataclass(frozen=True)
class Found:
    """A search's tree in words, and the programs in the order in which they were judged."""

    tree: list[str]
    order: tuple[str, ...]


def found(policy: SearchPolicy, threads: int, pauses: Random | None) -> Found:
    def pause() -> float:
        return pauses.choice(PAUSES) if pauses else 0.0

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

    def hear(event: Event, state: RunState) -> None:
        if isinstance(event, Evaluated):
            order.append(event.program)

    search = toy_search(
        generator=ScriptedGenerator(answers),
        executor=ScriptedExecutor(toy_verdict, profiles=profile, delay=lambda _: pause()),
        critic=ScriptedCritic(diagnosis),
        policy=policy,
        budget=Budget(evaluations=20),
        options=Options(seed=5, in_flight=4, threads=threads, observe=Observe()),
        observers=[hear],
    )
    return Found(outline(search.run().tree), tuple(order))


def measure(make: Callable[[], SearchPolicy], schedules: int) -> dict[str, Any]:
    expected = found(make(), threads=1, pauses=None)
    runs = [found(make(), (1, 16)[i % 2], Random(i)) for i in range(schedules)]
    return {
        "identical_trees": sum(run.tree == expected.tree for run in runs),
        "orders_of_completion": len({run.order for run in runs}),
        "steps": len(expected.tree) - 1,
    }


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--schedules", type=int, default=100)
    schedules = parser.parse_args().schedules
    taken_on, rows = machine(), {}
    for name, make in POLICIES.items():
        rows[name] = measure(make, schedules)
        print(f"{name:24} {rows[name]}", flush=True)
    save("schedules", {"schedules": schedules, "policies": rows}, taken_on)


if __name__ == "__main__":
    main()
