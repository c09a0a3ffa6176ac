"""The generator: the contract, and that it heeds what it is shown as often as it is told to."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from maxcode.errors import GeneratorError, InputError
from maxcode.evaluation import Critique, Evaluation, Interval, Status
from maxcode.interfaces import Generator
from maxcode.landscape import Landscape, LandscapeGenerator, Point, Terrain
from maxcode.observation import Observation
from maxcode.task import Task
from maxcode.testing import GeneratorContract, sample_observations, sample_task
from maxcode.tree import Step, Trajectory

TASK = Landscape.on(Terrain(size=12, choices=3, interactions=1))
ORIGIN = TASK.terrain.origin
Move = tuple[int, int]


class TestLandscapeGenerator(GeneratorContract):
    def make(self) -> Generator:
        return LandscapeGenerator()

    def task(self) -> Task:
        return TASK


def step(number: int, verdict: float | Status, *moves: Move, feedback: str = "") -> Step:
    """The baseline with some changes; from it grew all others."""
    point = list(ORIGIN)
    for site, choice in moves:
        point[site] = choice
    if isinstance(verdict, Status):
        evaluation = Evaluation(verdict, feedback=feedback)
    else:
        evaluation = Evaluation(Status.OK, Interval(verdict, verdict, verdict))
    return Step(number, 0 if number else None, TASK.write(tuple(point)), evaluation)


ROOT = step(0, 1.0)


def proposed(generator: Generator, observation: Observation) -> list[Point]:
    """Many proposals."""
    seeds = range(100)
    asked = [replace(observation, seed=seed) for seed in seeds]
    found = [proposal.program for one in asked for proposal in generator.propose(one, 3)]
    return [TASK.read(program) for program in found if program]


def changed(point: Point, before: Point = ORIGIN) -> set[Move]:
    return set(enumerate(point)) - set(enumerate(before))


def with_attempts(*attempts: Step) -> Observation:
    return Observation(TASK, ROOT, trajectory=Trajectory((ROOT,)), attempts=attempts)


def only(name: str, **given: float) -> LandscapeGenerator:
    """Heeds that always and nothing else; makes one change."""
    chances = {"trajectory": 0.0, "critique": 0.0, "best": 0.0, name: 1.0}
    return LandscapeGenerator(**{**chances, "further": 0.0, **given})


def test_blind_changes_are_spread_evenly() -> None:
    found = [changed(point) for point in proposed(only("best"), Observation(TASK, ROOT))]
    assert {len(changes) for changes in found} == {1}
    assert len(set.union(*found)) == 12 * 2  # every one that there is


def test_further_changes_come_with_their_chance() -> None:
    found = proposed(LandscapeGenerator(further=0.5), Observation(TASK, ROOT))
    sizes = [len(changed(point)) for point in found]
    assert min(sizes) == 1
    assert sum(sizes) / len(sizes) == pytest.approx(2.0, abs=0.25)


def test_a_critique_leads_the_first_change() -> None:
    step = replace(ROOT, critique=Critique("change site 3, or site 7"))
    found = proposed(only("critique"), Observation(TASK, step))
    assert {site for point in found for site, _ in changed(point)} == {3, 7}
    further = [changed(p) for p in proposed(only("critique", further=0.5), Observation(TASK, step))]
    assert all({3, 7} & {site for site, _ in changes} for changes in further)
    assert {site for changes in further if len(changes) == 2 for site, _ in changes} == set(
        range(12)
    )


def test_the_best_is_crossed_with_the_step() -> None:
    moves: list[Move] = [(site, 1) for site in range(12)]
    observation = Observation(TASK, ROOT, best=step(1, 3.0, *moves))
    shares = [sum(choice == 1 for choice in p) / 12 for p in proposed(only("best"), observation)]
    assert 0.5 < sum(shares) / len(shares) < 0.75
    assert min(shares) < 0.4
    assert max(shares) > 0.9


@pytest.mark.parametrize(
    "lesson",
    [
        lambda: step(1, Status.TIMEOUT, (3, 1), feedback="test 1: timeout"),
        lambda: step(1, Status.BUILD_ERROR, (3, 1), (5, 2), feedback="error: site 3 does not go"),
        lambda: step(1, 0.9, (3, 1)),
    ],
)
def test_what_failed_or_slowed_is_not_tried_again(lesson: Callable[[], Step]) -> None:
    found = proposed(only("trajectory"), with_attempts(lesson()))
    tried = set.union(*map(changed, found))
    assert (3, 1) not in tried
    assert {(3, 2), (5, 2)} <= tried


def test_a_failure_is_not_blamed_on_what_passed_elsewhere() -> None:
    failed = step(1, Status.WRONG_ANSWER, (3, 1), (5, 2), feedback="test 1: wrong answer")
    found = proposed(only("trajectory"), with_attempts(failed, step(2, 1.2, (5, 2))))
    tried = [next(iter(changed(point))) for point in found]
    assert (3, 1) not in tried
    others = (len(tried) - tried.count((5, 2))) / 22
    assert tried.count((5, 2)) > 2 * others  # it made the program faster


def test_what_is_no_point_is_begun_anew() -> None:
    broken = replace(ROOT, program=TASK.baseline.with_code("?"))
    found = proposed(only("trajectory"), Observation(TASK, broken))
    assert {len(changed(point)) for point in found} == {1}


def test_other_tasks_and_chances_are_refused() -> None:
    with pytest.raises(GeneratorError, match="'sample' is no landscape"):
        LandscapeGenerator().propose(sample_observations(sample_task())[0], 1)
    with pytest.raises(InputError, match=r"critique lies in \[0, 1\], not at 1.5"):
        LandscapeGenerator(critique=1.5)
