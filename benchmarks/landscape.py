"""Searches on simulated landscapes: all policies, the eight observations, and growth with depth.

One run for each landscape and condition, the same landscapes and seeds for all. What counts is the
true speedup of the program that the search confirmed as best. Intervals are percentiles of a
bootstrap over landscapes, 95 %.

Usage: python benchmarks/landscape.py [--seeds 200] [--evaluations 64] [--jobs 2]
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from functools import partial
from itertools import product
from multiprocessing import get_context
from typing import Any

import numpy as np
from common import machine, save

from maxcode import Budget, Journal, Observe, Options, Result, Search
from maxcode.cli.plugins import POLICIES, make_policy
from maxcode.errors import ToolError
from maxcode.landscape import (
    Landscape,
    LandscapeCritic,
    LandscapeExecutor,
    LandscapeGenerator,
    Terrain,
)

Statistic = Callable[[np.ndarray], float]
Row = dict[str, Any]

ALL, NONE = "trajectory,critique,best", "none"
ABLATED = ("maxcode", "cuda-llm")
ENDLESS = {"effi-learner": "effi-learner:steps=1000"}  # until the budget ends
ROUND = 8  # candidates a step
RESAMPLES = 2000


def landscape(seed: int) -> Landscape:
    return Landscape.on(Terrain(seed=seed))


def conditions() -> list[tuple[str, str]]:
    """Each policy that can be made here with nothing and with everything shown, and ablations."""
    switches = [
        Observe(trajectory=t, critique=c, best=b) for t, c, b in product((False, True), repeat=3)
    ]
    found = []
    for name in POLICIES:
        try:
            make_policy(name)
        except ToolError as error:
            print(f"left out: {name}: {error}")
            continue
        found += [(name, str(o)) for o in switches if name in ABLATED or str(o) in (NONE, ALL)]
    return found


def runs(seed: int, wanted: Sequence[tuple[str, str]], evaluations: int) -> list[Row]:
    """All conditions on one landscape."""
    task = landscape(seed)
    with Journal.open(":memory:") as journal:
        return [one(task, journal, *condition, evaluations) for condition in wanted]


def one(task: Landscape, journal: Journal, policy: str, observe: str, evaluations: int) -> Row:
    search = Search(
        task,
        generator=LandscapeGenerator(),
        executor=LandscapeExecutor(),
        critic=LandscapeCritic(),
        policy=make_policy(ENDLESS.get(policy, policy)),
        budget=Budget(evaluations=evaluations),
        journal=journal,
        options=Options(seed=task.terrain.seed, threads=1, observe=Observe.parse(observe)),
    )
    judged, after = 0, {}
    for step in search.steps():
        judged += step.duplicate_of is None
        after[step.expansion] = (judged, task.speedup(search.state.tree.best.program))
    result = Result.of(search.state)
    highest = max(result.tree, key=lambda step: step.reward)
    true = task.speedup(result.program)
    return {
        "policy": policy,
        "observe": observe,
        "seed": task.terrain.seed,
        "speedup": true,
        "growth": [
            best_within(depth * ROUND, after) for depth in range(1, evaluations // ROUND + 1)
        ],
        "steps": len(result.tree) - 1,
        "failed": sum(not step.evaluation.ok for step in result.tree),
        "score_over_truth": highest.reward / task.speedup(highest.program),
        "confirmed_over_truth": result.speedup.value / true,
    }


def best_within(evaluations: int, after: dict[int, tuple[int, float]]) -> float:
    """The best program's speedup after the last expansion that ended within so many evaluations."""
    return [1.0, *(best for judged, best in after.values() if judged <= evaluations)][-1]


def geometric_mean(values: np.ndarray) -> float:
    return float(np.exp(np.log(values).mean()))


def bounded(values: Sequence[float], statistic: Statistic) -> dict[str, float]:
    """The statistic over landscapes, with its interval."""
    data = np.asarray(values)
    rng = np.random.default_rng(0)
    drawn = [statistic(data[rng.integers(len(data), size=len(data))]) for _ in range(RESAMPLES)]
    low, high = (round(float(bound), 4) for bound in np.quantile(drawn, (0.025, 0.975)))
    return {"value": round(statistic(data), 4), "low": low, "high": high}


def median(values: np.ndarray) -> float:
    return float(np.median(values))


def over(rows: Sequence[Row], others: Sequence[Row]) -> dict[str, float]:
    """How much better one condition is than another on the same landscapes."""
    pairs = zip(rows, others, strict=True)
    return bounded([row["speedup"] / other["speedup"] for row, other in pairs], geometric_mean)


def summary(rows: Sequence[Row], control: Sequence[Row], hidden: Sequence[Row]) -> Row:
    """One condition, also against best-of-n and against the same policy with nothing shown."""
    speedups = [row["speedup"] for row in rows]
    steps = sum(row["steps"] for row in rows)
    return {
        "policy": rows[0]["policy"],
        "observe": rows[0]["observe"],
        "median": bounded(speedups, median),
        "geometric_mean": bounded(speedups, geometric_mean),
        "over_control": over(rows, control),
        "over_nothing_shown": over(rows, hidden),
        "failed": round(sum(row["failed"] for row in rows) / steps, 3),
        "score_over_truth": bounded([r["score_over_truth"] for r in rows], geometric_mean),
        "confirmed_over_truth": bounded([r["confirmed_over_truth"] for r in rows], geometric_mean),
    }


def growth(shown: Sequence[Row], hidden: Sequence[Row]) -> list[Row]:
    """The best so far by depth, with everything and with nothing shown, and their ratio."""
    found = []
    for depth in range(min(len(row["growth"]) for row in (*shown, *hidden))):
        on, off = ([row["growth"][depth] for row in rows] for rows in (shown, hidden))
        ratios = [a / b for a, b in zip(on, off, strict=True)]
        found.append(
            {
                "depth": depth + 1,
                "shown": bounded(on, geometric_mean),
                "hidden": bounded(off, geometric_mean),
                "ratio": bounded(ratios, geometric_mean),
            }
        )
    return found


def told(figure: dict[str, float]) -> str:
    return f"{figure['value']:5.2f} [{figure['low']:.2f}, {figure['high']:.2f}]"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", type=int, default=200)
    parser.add_argument("--evaluations", type=int, default=64)
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    taken_on, wanted = machine(), conditions()
    work = partial(runs, wanted=wanted, evaluations=arguments.evaluations)
    started = time.perf_counter()
    with get_context("spawn").Pool(arguments.jobs) as pool:
        by_seed = list(pool.imap(work, range(arguments.seeds)))
    seconds = time.perf_counter() - started
    rows = dict(zip(wanted, zip(*by_seed, strict=True), strict=True))
    judged = len(wanted) * arguments.seeds * arguments.evaluations

    table = [
        summary(found, rows["best-of-n", NONE], rows[policy, NONE])
        for (policy, _), found in rows.items()
    ]
    names = ("median", "geometric mean", "over best-of-n", "over nothing shown")
    print(f"\n{'policy':14}{'shown':26}" + "".join(f"{name:22}" for name in names))
    for row in table:
        keys = ("median", "geometric_mean", "over_control", "over_nothing_shown")
        told_of = "".join(f"{told(row[key]):22}" for key in keys)
        print(f"{row['policy']:14}{row['observe']:26}{told_of}")

    by_depth = {
        name: growth(rows[name, ALL], rows[name, NONE]) for name in ABLATED if (name, ALL) in rows
    }
    for name, depths in by_depth.items():
        print(f"\n{name}: geometric mean by depth, of {ROUND} evaluations each")
        print(f"{'depth':8}{'all shown':22}{'nothing shown':22}ratio")
        for row in depths:
            told_of = "".join(f"{told(row[key]):22}" for key in ("shown", "hidden", "ratio"))
            print(f"{row['depth']:<8}{told_of}")
    record = {
        "seeds": arguments.seeds,
        "evaluations": arguments.evaluations,
        "terrain": repr(Terrain()),
        "generator": LandscapeGenerator().chances,
        "evaluations_a_second": round(judged / seconds),
        "jobs": arguments.jobs,
        "conditions": table,
        "growth": by_depth,
    }
    save("landscape", record, taken_on)


if __name__ == "__main__":
    main()
