"""The executor: the contract, and noise that is what it is said to be."""

from collections.abc import Sequence
from math import log
from statistics import correlation, stdev

import pytest

from maxcode.errors import TaskError
from maxcode.evaluation import Status
from maxcode.interfaces import Executor
from maxcode.landscape import Landscape, LandscapeExecutor, Terrain
from maxcode.program import Program
from maxcode.task import Task
from maxcode.testing import Broken, ExecutorContract, sample_task

TASK = Landscape.on(Terrain(seed=1, failures=0.5))
NOISY = Landscape.on(Terrain(noise=0.1, failures=0.0))


class TestLandscapeExecutor(ExecutorContract):
    def make(self) -> Executor:
        return LandscapeExecutor()

    def task(self) -> Task:
        return TASK

    def faster(self) -> Program:
        return TASK.write(TASK.terrain.peak)

    def broken(self) -> Sequence[Broken]:
        terrain = TASK.terrain
        found = {Status.BUILD_ERROR: Program.of("no point", TASK.baseline.entry)}
        for site, choices in enumerate(terrain.shape):
            for choice in range(1, choices):
                point = (*terrain.origin[:site], choice, *terrain.origin[site + 1 :])
                if failure := terrain.failure(point):
                    found.setdefault(failure[1], TASK.write(point))
        assert len(found) == 4
        return [(program, frozenset({status})) for status, program in found.items()]


def same_points(number: int) -> list[Program]:
    """Programs with one point, so that they differ in luck alone."""
    return [NOISY.baseline.with_code(f"{NOISY.baseline.code}// {i}\n") for i in range(number)]


@pytest.mark.slow
def test_a_comparison_does_not_inherit_the_luck_of_the_score() -> None:
    executor, programs = LandscapeExecutor(), same_points(1000)
    scores = [log(executor.evaluate(NOISY, program).reward) for program in programs]
    ratios = [executor.compare(NOISY, program, NOISY.baseline).ratio for program in programs]
    logs = [log(ratio.value) for ratio in ratios if ratio]
    assert abs(correlation(scores, logs)) < 0.1
    assert stdev(logs) == pytest.approx(0.05, rel=0.1)
    luckiest = max(range(len(programs)), key=scores.__getitem__)
    assert scores[luckiest] > 0.25
    assert abs(logs[luckiest]) < 0.15
    assert not any(ratio.low > 1 for ratio in ratios[:500] if ratio)


def test_the_same_seed_judges_alike_and_another_does_not() -> None:
    program = same_points(1)[0]
    verdicts = [LandscapeExecutor(seed).evaluate(NOISY, program) for seed in (1, 1, 2)]
    assert verdicts[0] == verdicts[1] != verdicts[2]


def test_other_tasks_are_refused() -> None:
    with pytest.raises(TaskError, match="'sample' is no landscape"):
        LandscapeExecutor().prepare(sample_task())
