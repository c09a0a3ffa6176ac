"""Whatever finishes first, the same seed and the same answers give the same tree."""

import time
from collections.abc import Callable
from random import Random

import pytest

from maxcode.budget import Budget
from maxcode.evaluation import Profile
from maxcode.events import Evaluated, Event
from maxcode.interfaces import SearchPolicy
from maxcode.observation import Observation, Observe
from maxcode.options import Options
from maxcode.policies.beam import Beam
from maxcode.policies.best_of_n import BestOfN
from maxcode.policies.cuda_llm import CudaLLM
from maxcode.policies.effi_learner import EffiLearner
from maxcode.policies.islands import Islands
from maxcode.policies.maxcode_loop import MaxCodeLoop
from maxcode.policies.tree_quest import TreeQuestPolicy
from maxcode.program import Program
from maxcode.state import RunState
from maxcode.testing import (
    Answer,
    ScriptedCritic,
    ScriptedExecutor,
    ScriptedGenerator,
    ToyPolicy,
    outline,
    toy_answers,
    toy_search,
    toy_verdict,
)
from maxcode.tree import Step

POLICIES: list[Callable[[], SearchPolicy]] = [
    lambda: BestOfN(batch=2),
    lambda: MaxCodeLoop(k=3),
    lambda: CudaLLM(n=3),
    lambda: EffiLearner(steps=None),
    lambda: Beam(width=3, k=1),
    lambda: Islands(count=3, k=1, migration=2),
    TreeQuestPolicy,
    lambda: TreeQuestPolicy("mcts", k=2),
    ToyPolicy,
]
IN_FLIGHT = 4
SCHEDULES = 8  # of each policy; benchmarks/schedules.py tries a hundred


def found(
    make: Callable[[], SearchPolicy], threads: int, pauses: Random | None
) -> tuple[list[str], tuple[str, ...]]:
    """What a search finds in which everything takes as long as ``pauses`` has it, or no time.

    Also the programs in the order in which they were judged.
    """

    def pause() -> float:
        return pauses.choice([0.0, 0.0, 1e-4, 5e-4]) if pauses else 0.0

    def answers(observation: Observation, n: int) -> list[Answer]:
        time.sleep(pause())
        return toy_answers(observation, n)

    def diagnosis(observation: Observation, step: Step) -> str:
        time.sleep(pause())
        others = [shown.id for shown in observation.shown if shown.critique]
        return f"slow: {step.program.code}; {others} are diagnosed"

    def delay(program: Program) -> float:
        return pause()

    judged: list[str] = []

    def hear(event: Event, state: RunState) -> None:
        if isinstance(event, Evaluated):
            judged.append(event.program)

    search = toy_search(
        generator=ScriptedGenerator(answers),
        executor=ScriptedExecutor(
            toy_verdict, profiles=lambda p: Profile(f"hot: {p.code}"), delay=delay
        ),
        critic=ScriptedCritic(diagnosis),
        policy=make(),
        budget=Budget(evaluations=10),
        options=Options(seed=5, in_flight=IN_FLIGHT, threads=threads, observe=Observe()),
        observers=[hear],
    )
    return outline(search.run().tree), tuple(judged)


@pytest.mark.parametrize("make", POLICIES, ids=lambda make: type(make()).__name__)
def test_the_order_of_completion_changes_nothing(make: Callable[[], SearchPolicy]) -> None:
    expected, _ = found(make, threads=1, pauses=None)
    for schedule in range(SCHEDULES):
        threads = (1, 16)[schedule % 2]
        tree, _ = found(make, threads, Random(schedule))
        assert tree == expected, f"schedule {schedule}"


def test_the_order_of_completion_differs() -> None:
    runs = (found(lambda: BestOfN(batch=2), 16, Random(schedule)) for schedule in range(10))
    assert len({judged for _, judged in runs}) > 1
