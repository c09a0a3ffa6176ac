"""Whatever finishes first, the same seed and the same answers give the same tree."""

import time
from collections.abc import Callable
from random import Random

import pytest

from maxcode.budget import Budget
from maxcode.evaluation import Profile
from maxcode.interfaces import SearchPolicy
from maxcode.observation import Observation, Observe
from maxcode.options import Options
from maxcode.policies.beam import Beam
from maxcode.policies.best_of_n import BestOfN
from maxcode.policies.cuda_llm import CudaLLM
from maxcode.policies.effi_learner import EffiLearner
from maxcode.policies.islands import Islands
from maxcode.policies.maxcode import MaxCode
from maxcode.policies.maxcode_loop import MaxCodeLoop
from maxcode.policies.tree_quest import TreeQuestPolicy
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

pytestmark = pytest.mark.slow

POLICIES: list[Callable[[], SearchPolicy]] = [
    lambda: BestOfN(batch=2),
    lambda: MaxCode(k=2, stall=2),
    lambda: MaxCodeLoop(k=3),
    lambda: CudaLLM(n=3),
    lambda: EffiLearner(steps=None),
    lambda: Beam(width=3, k=1),
    lambda: Islands(count=3, k=1, migration=2),
    TreeQuestPolicy,
    lambda: TreeQuestPolicy("mcts", k=2),
    ToyPolicy,
]
SCHEDULES = 8  # of each policy
PAUSES = (0.0, 0.0, 1e-4, 5e-4)  # seconds


def tree_of(policy: SearchPolicy, threads: int, pauses: Random | None) -> list[str]:
    """Tree of a toy search whose generator, executor and critic take random times."""

    def pause() -> float:
        return pauses.choice(PAUSES) if pauses else 0.0

    def answers(observation: Observation, n: int) -> list[Answer]:
        time.sleep(pause())
        return toy_answers(observation, n)

    def diagnosis(observation: Observation, step: Step) -> str:
        time.sleep(pause())
        others = [shown.id for shown in observation.shown if shown.critique]
        return f"slow: {step.program.code}; {others} are diagnosed"

    search = toy_search(
        generator=ScriptedGenerator(answers),
        executor=ScriptedExecutor(
            toy_verdict, profiles=lambda one: Profile(f"hot: {one.code}"), delay=lambda _: pause()
        ),
        critic=ScriptedCritic(diagnosis),
        policy=policy,
        budget=Budget(evaluations=10),
        options=Options(seed=5, in_flight=4, threads=threads, observe=Observe()),
    )
    return outline(search.run().tree)


@pytest.mark.parametrize("make", POLICIES, ids=lambda make: type(make()).__name__)
def test_the_order_of_completion_changes_nothing(make: Callable[[], SearchPolicy]) -> None:
    expected = tree_of(make(), threads=1, pauses=None)
    for schedule in range(SCHEDULES):
        found = tree_of(make(), (1, 16)[schedule % 2], Random(schedule))
        assert found == expected, f"schedule {schedule}"
