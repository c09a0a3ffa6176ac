"""Error and power of comparisons: equal methods called different, differences found.

Simulated log differences of paired runs, put to the library's own rule. Equal methods: normal and
heavy-tailed noise, rare gains (most pairs equal), skewed speedups of either method, and tasks that
differ in noise by a factor of ten. Each design is read once, after its last seed, and after every
seed until a difference is found, up to 20 seeds. Besides, methods that are equal on average over
tasks, but not on each: how often the verdict is for other tasks, too. Power is of a ratio of 1.2.

Usage: python benchmarks/comparison_level.py [--draws 1000] [--looks 200] [--jobs 2]
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from multiprocessing import get_context
from typing import Any

import numpy as np
from common import options, save

from maxcode.comparison.decision import SignTest, look_weights
from maxcode.measure.statistics import Floats, t_test

LEVEL = 0.05
DESIGNS = ((3, 4), (2, 6), (6, 2), (3, 8), (10, 3), (1, 12))  # tasks, seeds
MOST = 20  # seeds added at most
GAIN = float(np.log(1.2))
NOISE = 0.2  # of a difference of logarithms, where it is normal

Draw = Callable[[np.random.Generator, int, int], Floats]


def normal(rng: np.random.Generator, tasks: int, seeds: int) -> Floats:
    return rng.normal(0, NOISE, (tasks, seeds))


def heavy(rng: np.random.Generator, tasks: int, seeds: int) -> Floats:
    return NOISE * rng.standard_t(2, (tasks, seeds))


def rare(rng: np.random.Generator, tasks: int, seeds: int) -> Floats:
    found = rng.random((2, tasks, seeds)) < 0.2  # each method gains now and then
    gains = found * rng.lognormal(0, 0.5, (2, tasks, seeds))
    return np.asarray(gains[0] - gains[1])


def skewed(rng: np.random.Generator, tasks: int, seeds: int) -> Floats:
    both = rng.exponential(0.4, (2, tasks, seeds))
    return np.asarray(both[0] - both[1])


def uneven(rng: np.random.Generator, tasks: int, seeds: int) -> Floats:
    return rng.normal(0, 1, (tasks, seeds)) * np.geomspace(0.05, 0.5, tasks)[:, None]


NULLS: dict[str, Draw] = {
    "normal": normal,
    "heavy tails": heavy,
    "rare gains": rare,
    "skewed speedups": skewed,
    "tasks of uneven noise": uneven,
}


def rule(differences: Floats, *, looks: bool) -> tuple[bool, bool]:
    """Whether methods are called different, and whether for other tasks, too.

    Read once after the last seed, or with ``looks`` after every seed.
    """
    tasks, seeds = differences.shape
    pairs = [(str(task), seed) for seed in range(seeds) for task in range(tasks)]
    test = SignTest(differences.T.ravel(), look_weights(pairs, range(seeds)))
    first = test.found_at(LEVEL)
    if first is None:
        return False, False
    read = range(first, seeds + 1) if looks else [seeds]
    shares = test.shares
    return True, any(beyond(differences[:, :seed], LEVEL * shares[seed - 1]) for seed in read)


def beyond(differences: Floats, level: float) -> bool:
    """Whether the t-test over tasks finds a difference."""
    return len(differences) > 1 and t_test(differences.mean(axis=1))[1] <= level


def called(
    draw: Draw, design: tuple[int, int], number: int, *, gain: float = 0.0, looks: bool = False
) -> tuple[bool, bool]:
    """Verdicts on a draw; with ``looks`` whether there was any after some seed."""
    tasks, seeds = design
    rng = np.random.default_rng((number, tasks, seeds))
    differences = draw(rng, tasks, seeds) + gain
    return rule(differences, looks=looks)


def favoured(design: tuple[int, int], number: int, *, looks: bool = False) -> tuple[bool, bool]:
    """Verdicts on methods that are each better on some tasks, and equal on average."""
    tasks, seeds = design
    rng = np.random.default_rng((number, tasks, seeds, 1))
    effects = rng.normal(0, 0.3, (tasks, 1))
    differences = effects + rng.normal(0, 0.1, (tasks, seeds))
    return rule(differences, looks=looks)


def main() -> None:
    given = options(__doc__, draws=1000, looks=200, jobs=2)
    started = time.perf_counter()
    rows: list[dict[str, Any]] = []
    with get_context("spawn").Pool(given.jobs) as pool:

        def add(
            about: dict[str, Any], work: Callable[[int], tuple[bool, bool]], draws: int
        ) -> None:
            shares = np.mean(pool.map(work, range(draws), chunksize=50), axis=0)
            names = ("different", "for other tasks")
            found = {name: round(float(s), 4) for name, s in zip(names, shares, strict=True)}
            rows.append({**about, "draws": draws, **found})
            print(rows[-1], flush=True)

        for design in DESIGNS:
            shape: dict[str, Any] = {"tasks": design[0], "seeds": design[1]}
            for name, draw in NULLS.items():
                about = {**shape, "null": name}
                add({**about, "read": "once"}, partial(called, draw, design), given.draws)
            about = {**shape, "ratio": 1.2}
            work = partial(called, normal, design, gain=GAIN)
            add({**about, "read": "once"}, work, given.draws)
            if design[0] > 1:
                about = {**shape, "null": "equal on average over tasks"}
                add({**about, "read": "once"}, partial(favoured, design), given.draws)
        for tasks in (1, 3, 6):
            design = (tasks, MOST)
            shape = {"tasks": tasks, "seeds": MOST, "read": "after every seed"}
            for name in ("normal", "rare gains", "skewed speedups"):
                work = partial(called, NULLS[name], design, looks=True)
                add({**shape, "null": name}, work, given.looks)
            if tasks > 1:
                work = partial(favoured, design, looks=True)
                add({**shape, "null": "equal on average over tasks"}, work, given.looks)
    seconds = round(time.perf_counter() - started)
    equal = [one for one in rows if one.get("null") in NULLS]
    worst = {
        read: max(one["different"] for one in equal if one["read"] == read)
        for read in ("once", "after every seed")
    }
    power = [
        {name: one[name] for name in ("tasks", "seeds", "different")}
        for one in rows
        if "ratio" in one
    ]
    print(worst, power, f"{seconds} s")
    record = {"draws": given.draws, "looks": given.looks, "ratio": 1.2, "noise": NOISE}
    record |= {"worst": worst, "power": power, "rows": rows, "seconds": seconds}
    save("comparison_level", record)


if __name__ == "__main__":
    main()
