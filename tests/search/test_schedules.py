"""Whatever finishes first, the same seed and the same answers give the same tree."""

from collections.abc import Callable
from random import Random

import pytest

from maxcode.interfaces import SearchPolicy
from maxcode.policies.beam import Beam
from maxcode.policies.best_of_n import BestOfN
from maxcode.policies.cuda_llm import CudaLLM
from maxcode.policies.effi_learner import EffiLearner
from maxcode.policies.islands import Islands
from maxcode.policies.maxcode import MaxCode
from maxcode.policies.maxcode_loop import MaxCodeLoop
from maxcode.policies.puct import PUCT
from maxcode.testing import ToyPolicy, scheduled

pytestmark = pytest.mark.slow

POLICIES: list[Callable[[], SearchPolicy]] = [
    lambda: BestOfN(batch=2),
    lambda: MaxCode(k=2, stall=2),
    lambda: MaxCodeLoop(k=3),
    lambda: CudaLLM(n=3),
    lambda: EffiLearner(steps=None),
    lambda: Beam(width=3, k=1),
    lambda: Islands(count=3, k=1, migration=2),
    PUCT,
    ToyPolicy,
]
SCHEDULES = 8  # of each policy


@pytest.mark.parametrize("make", POLICIES, ids=lambda make: type(make()).__name__)
def test_the_order_of_completion_changes_nothing(make: Callable[[], SearchPolicy]) -> None:
    expected = scheduled(make(), threads=1, pauses=None).tree
    for schedule in range(SCHEDULES):
        threads = (1, 16)[schedule % 2]
        found = scheduled(make(), threads, Random(schedule))
        assert found.tree == expected, f"schedule {schedule}"


def test_the_order_of_completion_differs() -> None:
    runs = (scheduled(BestOfN(batch=2), 16, Random(schedule)) for schedule in range(10))
    assert len({run.order for run in runs}) > 1
