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
from collections.abc import Callable, Iterator
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
RATIO = 1.2
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


def favoured(rng: np.random.Generator, tasks: int, seeds: int) -> Floats:
    """Methods that are each better on some tasks, and equal on average."""
    return rng.normal(0, 0.3, (tasks, 1)) + rng.normal(0, 0.1, (tasks, seeds))


NULLS: dict[str, Draw] = {
    "normal": normal,
    "heavy tails": heavy,
    "rare gains": rare,
    "skewed speedups": skewed,
    "tasks of uneven noise": uneven,
}
FAVOURED: dict[str, Draw] = {"equal on average over tasks": favoured}


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
    rng = np.random.default_rng((number, *design))
    return rule(draw(rng, *design) + gain, looks=looks)


def cases() -> Iterator[tuple[dict[str, Any], Callable[[int], tuple[bool, bool]]]]:
    """Descriptions of what is drawn, with a function of the draw's number."""
    for design in DESIGNS:
        about: dict[str, Any] = {"tasks": design[0], "seeds": design[1], "read": "once"}
        for name, draw in (NULLS | (FAVOURED if design[0] > 1 else {})).items():
            yield {**about, "null": name}, partial(called, draw, design)
        yield {**about, "ratio": RATIO}, partial(called, normal, design, gain=float(np.log(RATIO)))
    for tasks in (1, 3, 6):
        about = {"tasks": tasks, "seeds": MOST, "read": "after every seed"}
        usual = {name: NULLS[name] for name in ("normal", "rare gains", "skewed speedups")}
        for name, draw in (usual | (FAVOURED if tasks > 1 else {})).items():
            yield {**about, "null": name}, partial(called, draw, (tasks, MOST), looks=True)


def main() -> None:
    given = options(__doc__, draws=1000, looks=200, jobs=2)
    started = time.perf_counter()
    rows: list[dict[str, Any]] = []
    with get_context("spawn").Pool(given.jobs) as pool:
        for about, work in cases():
            draws = given.draws if about["read"] == "once" else given.looks
            here, others = np.mean(pool.map(work, range(draws), chunksize=50), axis=0)
            found = {"different": round(float(here), 4), "for other tasks": round(float(others), 4)}
            rows.append({**about, "draws": draws, **found})
            print(rows[-1], flush=True)
    figures = {
        "ratio": RATIO,
        "noise": NOISE,
        "worst": {
            read: max(
                row["different"] for row in rows if row["read"] == read and row.get("null") in NULLS
            )
            for read in ("once", "after every seed")
        },
        "power": [
            {name: row[name] for name in ("tasks", "seeds", "different")}
            for row in rows
            if "ratio" in row
        ],
        "rows": rows,
        "seconds": round(time.perf_counter() - started),
    }
    print(figures["worst"], figures["power"])
    save("comparison_level", figures)


if __name__ == "__main__":
    main()
