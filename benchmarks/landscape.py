"""Searches on simulated landscapes: all policies, and the eight observations.

One run for each landscape and condition, the same landscapes and seeds for all. What counts is the
true speedup of the program that the search confirmed as best. Intervals are 95 %: percentiles of a
bootstrap over landscapes, and for differences those of a paired t-test on logarithms, whose
p-values are corrected by Holm's method.

Usage: python benchmarks/landscape.py [--seeds 200] [--evaluations 64] [--jobs 2]
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, fields, replace
from functools import cache, partial
from itertools import product
from multiprocessing import get_context
from typing import Any

import numpy as np
from common import save

from maxcode import Budget, Journal, Observe, Options, Search
from maxcode.cli.lookup import plugin_names
from maxcode.cli.plugins import make_policy
from maxcode.errors import ToolError
from maxcode.landscape import (
    Landscape,
    LandscapeCritic,
    LandscapeExecutor,
    LandscapeGenerator,
    Terrain,
)
from maxcode.measure.statistics import (
    Bootstrap,
    Estimate,
    Floats,
    holm,
    t_test,
)

Row = dict[str, Any]
Runs = Mapping[tuple[str, str], Sequence[Row]]  # by policy and what is shown; a row a landscape

ALL, NONE = "trajectory,critique,best", "none"
ABLATED = ("maxcode", "cuda-llm")
ENDLESS = {"effi-learner": "effi-learner:steps=1000"}  # until the budget ends
REAL = 0.05  # a corrected p-value below it


def landscape(seed: int) -> Landscape:
    return Landscape.on(Terrain(seed=seed))


def switches() -> list[Observe]:
    """Of what a landscape can show: it has no profiles."""
    return [
        Observe(trajectory, critique, best, profile=False)
        for trajectory, critique, best in product((False, True), repeat=3)
    ]


def conditions() -> list[tuple[str, str]]:
    """Each policy that can be made here with nothing and with everything shown, and ablations."""
    found = []
    for name in plugin_names("policy"):
        try:
            make_policy(name)
        except ToolError as error:
            print(f"left out: {name}: {error}")
            continue
        shown = [str(observe) for observe in switches()]
        found += [(name, o) for o in shown if name in ABLATED or o in (NONE, ALL)]
    return found


def runs(seed: int, wanted: Sequence[tuple[str, str]], evaluations: int) -> list[Row]:
    """All conditions on one landscape."""
    task = landscape(seed)
    with Journal.open(":memory:") as journal:
        return [one(task, seed, journal, *condition, evaluations) for condition in wanted]


def one(
    task: Landscape, seed: int, journal: Journal, policy: str, observe: str, evaluations: int
) -> Row:
    search = Search(
        task,
        generator=LandscapeGenerator(),
        executor=LandscapeExecutor(),
        critic=LandscapeCritic(),
        policy=make_policy(ENDLESS.get(policy, policy)),
        budget=Budget(evaluations=evaluations),
        journal=journal,
        options=Options(seed=seed, threads=1, observe=Observe.parse(observe)),
    )
    result = search.run()
    highest = max(result.tree, key=lambda step: step.reward)
    true = task.speedup(result.program)
    return {
        "policy": policy,
        "observe": observe,
        "seed": seed,
        "speedup": true,
        "steps": len(result.tree) - 1,
        "failed": sum(not step.evaluation.ok for step in result.tree),
        "score_over_truth": highest.reward / task.speedup(highest.program),
        "confirmed_over_truth": result.speedup.value / true,
        "evaluations": result.spent.evaluations,
        "ended": result.reason,
    }


@cache
def bootstrap(landscapes: int) -> Bootstrap:
    return Bootstrap([str(number) for number in range(landscapes)])


def figure(estimate: Estimate) -> dict[str, float]:
    return {name: round(value, 4) for name, value in asdict(estimate).items()}


def logs(rows: Sequence[Row], key: str = "speedup") -> Floats:
    return np.log([row[key] for row in rows])


def mean(of: Floats) -> dict[str, float]:
    """The geometric mean over landscapes, from logarithms."""
    return figure(bootstrap(len(of)).geometric_mean(of))


def summary(rows: Sequence[Row], control: Sequence[Row], hidden: Sequence[Row]) -> Row:
    """One condition, also against best-of-n and against the same policy with nothing shown."""
    speedups, total = logs(rows), Counter[str]()
    for row in rows:
        total.update({name: row[name] for name in ("steps", "failed", "evaluations")})
    return {
        "policy": rows[0]["policy"],
        "observe": rows[0]["observe"],
        "median": figure(bootstrap(len(rows)).median(speedups)),
        "geometric_mean": mean(speedups),
        "over_control": mean(speedups - logs(control)),
        "over_nothing_shown": mean(speedups - logs(hidden)),
        "failed": round(total["failed"] / total["steps"], 3),
        "score_over_truth": mean(logs(rows, "score_over_truth")),
        "confirmed_over_truth": mean(logs(rows, "confirmed_over_truth")),
        "evaluations": round(total["evaluations"] / len(rows), 2),
        "fewest_evaluations": min(row["evaluations"] for row in rows),
        "ended": dict(Counter(row["ended"] for row in rows).most_common()),
    }


def of_switches(found: Runs) -> list[Row]:
    """Worth of each switch, for each setting of the other two."""
    return contrasts(
        (
            {"policy": policy, "switch": switch.name, "given": str(given)},
            found[policy, str(replace(given, **{switch.name: True}))],
            found[policy, str(given)],
        )
        for policy in ABLATED
        for switch in fields(Observe)[:3]
        for given in switches()
        if not getattr(given, switch.name)
    )


def contrasts(pairs: Iterable[tuple[Row, Sequence[Row], Sequence[Row]]]) -> list[Row]:
    """Ratio of each pair, first over second, with its p-value."""
    names, firsts, seconds = zip(*pairs, strict=True)
    tested = [t_test(logs(a) - logs(b)) for a, b in zip(firsts, seconds, strict=True)]
    corrected = holm([p for _, p in tested])
    return [
        {**name, "ratio": figure(exp(ratio)), "p": p, "corrected": q, "real": q < REAL}
        for name, (ratio, p), q in zip(names, tested, corrected, strict=True)
    ]


def exp(of: Estimate) -> Estimate:
    return Estimate(*(float(np.exp(value)) for value in (of.value, of.low, of.high)))


def cell(figure: dict[str, float]) -> str:
    return f"{figure['value']:5.2f} [{figure['low']:.2f}, {figure['high']:.2f}]"


def show_contrast(row: Row, name: str) -> None:
    verdict = f"p = {row['corrected']:.2g}" if row["real"] else "not distinguishable"
    print(f"{name:66}{cell(row['ratio']):22}{verdict}")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeds", type=int, default=200)
    parser.add_argument("--evaluations", type=int, default=64)
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    wanted = conditions()
    work = partial(runs, wanted=wanted, evaluations=arguments.evaluations)
    with get_context("spawn").Pool(arguments.jobs) as pool:
        by_seed = list(pool.imap(work, range(arguments.seeds)))
    rows = dict(zip(wanted, zip(*by_seed, strict=True), strict=True))

    table = [
        summary(found, rows["best-of-n", NONE], rows[policy, NONE])
        for (policy, _), found in rows.items()
    ]
    names = ("median", "geometric mean", "over best-of-n", "over nothing shown")
    print(f"\n{'policy':14}{'shown':26}" + "".join(f"{name:22}" for name in names))
    for row in table:
        keys = ("median", "geometric_mean", "over_control", "over_nothing_shown")
        cells = "".join(f"{cell(row[key]):22}" for key in keys)
        print(f"{row['policy']:14}{row['observe']:26}{cells}")

    shown = of_switches(rows)
    print("\nworth of showing each, given what is shown already")
    for row in shown:
        show_contrast(row, f"{row['policy']}: {row['switch']} given {row['given']}")

    generator, critic = LandscapeGenerator(), LandscapeCritic()
    record = {
        "seeds": arguments.seeds,
        "evaluations": arguments.evaluations,
        "terrain": repr(Terrain()),
        "generator": {**generator.chances, "further": generator.further},
        "critic": {"accuracy": critic.accuracy, "names": critic.names},
        "jobs": arguments.jobs,
        "conditions": table,
        "of_switches": shown,
    }
    save("landscape", record)


if __name__ == "__main__":
    main()
