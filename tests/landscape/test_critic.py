"""The critic: the contract, and how often it is right."""

from random import Random
from statistics import fmean

import pytest

from maxcode.errors import CriticError, InputError
from maxcode.evaluation import Status
from maxcode.interfaces import Critic
from maxcode.landscape import Landscape, LandscapeCritic, Point, Terrain
from maxcode.observation import Observation
from maxcode.task import Task
from maxcode.testing import CriticContract, sample_evaluation, sample_observations, sample_task
from maxcode.tree import Step

TASK = Landscape.on(Terrain())


class TestLandscapeCritic(CriticContract):
    def make(self) -> Critic:
        return LandscapeCritic()

    def task(self) -> Task:
        return TASK


def named(critic: Critic, point: Point, seed: int = 0) -> set[int]:
    step = Step(0, None, TASK.write(point), sample_evaluation(Status.OK))
    return TASK.sites_in(critic.critique(Observation(TASK, step, seed=seed), step).text)


def points() -> list[Point]:
    rng = Random(0)
    return [tuple(map(rng.randrange, TASK.terrain.shape)) for _ in range(300)]


def best_site(point: Point) -> int:
    gains = TASK.terrain.gains
    return max(range(len(point)), key=lambda site: max(gains(point, site).values(), default=0.0))


@pytest.mark.parametrize(("accuracy", "right"), [(0.0, 1 / 24), (0.7, 0.7), (1.0, 1.0)])
def test_it_names_the_best_site_as_often_as_it_is_accurate(accuracy: float, right: float) -> None:
    critic = LandscapeCritic(accuracy, names=1)
    passing = [point for point in points() if not TASK.terrain.failure(point)]
    passing += [(0,) * 24] * 200
    hits = [named(critic, p, seed) == {best_site(p)} for seed, p in enumerate(passing)]
    assert fmean(hits) == pytest.approx(right, abs=0.08)


def test_of_a_failure_it_names_the_site_to_blame() -> None:
    failing = [(point, failure) for point in points() if (failure := TASK.terrain.failure(point))]
    assert len(failing) > 100
    for point, failure in failing:
        assert named(LandscapeCritic(1.0), point) == {failure[0]}


def test_what_is_no_point_is_told_so() -> None:
    step = Step(0, None, TASK.baseline.with_code("?"), sample_evaluation(Status.BUILD_ERROR))
    critique = LandscapeCritic().critique(Observation(TASK, step), step)
    assert critique.text == "point.txt:1: error: expected 'site 0: choice 0' to '... 3'"


def test_other_tasks_are_refused() -> None:
    observation = sample_observations(sample_task())[0]
    with pytest.raises(CriticError, match="'sample' is no landscape"):
        LandscapeCritic().critique(observation, observation.step)
    with pytest.raises(InputError, match="accuracy lies in"):
        LandscapeCritic(accuracy=2)
