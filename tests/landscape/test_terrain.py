"""The terrain against what its docstring says of it, and against brute force."""

from dataclasses import replace
from itertools import product
from math import log
from random import Random
from statistics import correlation

import pytest

from maxcode.errors import InputError
from maxcode.evaluation import Status
from maxcode.landscape import Point, Terrain

SMALL = Terrain(size=6, choices=3, interactions=2, failures=0.3)


def anywhere(terrain: Terrain, rng: Random) -> Point:
    return tuple(rng.randrange(terrain.choices) for _ in range(terrain.size))


def moved(point: Point, site: int, choice: int) -> Point:
    return (*point[:site], choice, *point[site + 1 :])


@pytest.mark.parametrize("interactions", [0, 1, 2, 5])
@pytest.mark.parametrize("seed", range(5))
def test_no_point_that_passes_is_higher_than_the_peak(seed: int, interactions: int) -> None:
    terrain = replace(SMALL, seed=seed, interactions=interactions)
    points = product(range(terrain.choices), repeat=terrain.size)
    highest = max(terrain.speedup(point) for point in points if not terrain.failure(point))
    assert terrain.speedup(terrain.peak) == pytest.approx(terrain.optimum)
    assert highest == pytest.approx(terrain.optimum)
    assert terrain.failure(terrain.peak) is None


def test_the_origin_passes_and_has_a_speedup_of_one() -> None:
    for seed in range(20):
        terrain = replace(SMALL, seed=seed, failures=0.9)
        assert terrain.speedup(terrain.origin) == 1
        assert terrain.failure(terrain.origin) is None


def test_there_is_always_something_to_gain() -> None:
    for seed in range(100):  # one choice besides the baseline's: often worse, or broken
        terrain = Terrain(seed, size=2, choices=2, interactions=1, failures=0.5)
        assert terrain.peak != terrain.origin


def test_gains_are_ratios_of_speedups() -> None:
    rng = Random(0)
    points = (anywhere(SMALL, rng) for _ in range(100))
    for point in [point for point in points if not SMALL.failure(point)]:
        for site in range(SMALL.size):
            others = {
                choice: moved(point, site, choice)
                for choice in set(range(SMALL.choices)) - {point[site]}
            }
            assert SMALL.gains(point, site) == {
                choice: pytest.approx(SMALL.speedup(other) / SMALL.speedup(point))
                for choice, other in others.items()
                if not SMALL.failure(other)
            }


def test_choices_fail_as_often_as_said_and_in_every_way() -> None:
    found = []
    for seed in range(20):
        terrain = Terrain(seed, failures=0.2, interactions=0)
        moves = product(range(terrain.size), range(1, terrain.choices))
        found += [terrain.failure(moved(terrain.origin, *move)) for move in moves]
    statuses = [failure[1] for failure in found if failure]
    assert len(statuses) / len(found) == pytest.approx(0.2, abs=0.03)
    ways = {Status.BUILD_ERROR, Status.WRONG_ANSWER, Status.RUNTIME_ERROR, Status.TIMEOUT}
    assert set(statuses) == ways


def alike(kinship: float) -> float:
    rng = Random(2)
    first, second = (Terrain(seed, kinship=kinship, interactions=1) for seed in (1, 2))
    points = [anywhere(first, rng) for _ in range(300)]
    heights = ([log(terrain.speedup(point)) for point in points] for terrain in (first, second))
    return correlation(*heights)


def test_a_family_has_in_common_what_its_kinship_says() -> None:
    assert abs(alike(0.0)) < 0.3
    assert 0.5 < alike(0.8) < 0.95
    terrain = Terrain(1, kinship=1.0)
    assert terrain.peak == replace(terrain, seed=2).peak
    assert terrain.peak != replace(terrain, family=1).peak


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"size": 1}, "size must be at least 2"),
        ({"choices": 1}, "choices must be at least 2"),
        ({"interactions": -1}, "interactions must be at least 0"),
        ({"size": 3, "interactions": 3}, "interactions must be fewer than size"),
        ({"interactions": 10}, "may be 1,000,000 at the most"),
        ({"ruggedness": 1.1}, r"ruggedness must lie in \[0, 1\], not at 1.1"),
        ({"failures": 1.0}, r"failures must lie in \[0, 0.9\]"),
        ({"noise": float("nan")}, "noise must lie"),
        ({"kinship": -0.1}, "kinship must lie"),
        ({"optimum": 1.0}, "optimum is a speedup above 1"),
    ],
)
def test_parameters_that_make_no_sense(wrong: dict[str, float], told: str) -> None:
    with pytest.raises(InputError, match=told):
        Terrain(**wrong)  # type: ignore[arg-type]
