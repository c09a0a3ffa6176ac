"""Whatever finishes first, the same seed and the same answers give the same tree."""

import time
from collections.abc import Callable
from random import Random

import pytest

from maxcode.budget import Budget
from maxcode.interfaces import SearchPolicy
from maxcode.observation import Observation
from maxcode.options import Options
from maxcode.policies.beam import Beam
from maxcode.policies.best_of_n import BestOfN
from maxcode.policies.cuda_llm import CudaLLM
from maxcode.policies.effi_learner import EffiLearner
from maxcode.policies.islands import Islands
from maxcode.policies.maxcode_loop import MaxCodeLoop
from maxcode.policies.tree_quest import TreeQuestPolicy
from maxcode.program import Program
from maxcode.testing import (
    Answer,
    ScriptedExecutor,
    ScriptedGenerator,
    ToyPolicy,
    outline,
    toy_answers,
    toy_search,
    toy_verdict,
)

POLICIES: list[Callable[[], SearchPolicy]] = [
    BestOfN,
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
SCHEDULES = 100


def found(make: Callable[[], SearchPolicy], threads: int, pauses: Random | None) -> list[str]:
    """What a search finds in which everything takes as long as ``pauses`` has it, or no time."""

    def pause() -> float:
        return pauses.choice([0.0, 0.0, 1e-4, 5e-4]) if pauses else 0.0

    def answers(observation: Observation, n: int) -> list[Answer]:
        time.sleep(pause())
        return toy_answers(observation, n)

    def delay(program: Program) -> float:
        return pause()

    search = toy_search(
        generator=ScriptedGenerator(answers),
        executor=ScriptedExecutor(toy_verdict, delay=delay),
        critic=None,
        reward_to_go=None,
        policy=make(),
        budget=Budget(evaluations=10),
        options=Options(seed=5, in_flight=IN_FLIGHT, threads=threads),
    )
    return outline(search.run().tree)


@pytest.mark.parametrize("make", POLICIES, ids=lambda make: type(make()).__name__)
def test_the_order_of_completion_changes_nothing(make: Callable[[], SearchPolicy]) -> None:
    expected = found(make, threads=1, pauses=None)
    for schedule in range(SCHEDULES // len(POLICIES) + 1):
        threads = (1, 16)[schedule % 2]
        assert found(make, threads, Random(schedule)) == expected, f"schedule {schedule}"
