"""Which search should be the default: forms of MaxCode's loop on simulated tasks of several kinds.

One run of each condition on each task, to the largest budget; what it had by the smaller ones is
read off on the way, since no policy knows its budget. What counts is the true speedup of the best
program by then. Ratios are to the condition named first, paired by task; intervals are 95 %, over
the tasks of a kind by Student's t on logarithms, p-values corrected by Holm's method over all
ratios at a budget and kind. Over kinds, each kind counts alike.

A condition is a policy, what it shows its generator behind ``@`` (everything, unless named), and a
critic behind ``%`` (``landscape``, unless named), as in ``best-of-n@none``. Critics are compared by

    python benchmarks/default_policy.py --save critics --seeds 8 --evaluations 64 --conditions
        maxcode:k=2%none maxcode:k=2%placebo maxcode:k=2%landscape:accuracy=1

Usage: python benchmarks/default_policy.py [--seeds 24] [--first 0] [--save NAME]
       [--kinds KIND...] [--conditions CONDITION...]
"""

from __future__ import annotations

import shlex
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from multiprocessing import get_context
from typing import Any

import numpy as np
from common import options, save
from recorded import Tuning

from maxcode import Budget, Observe, Options, Search
from maxcode.cli.plugins import make_critic, make_policy
from maxcode.landscape import (
    Landscape,
    LandscapeExecutor,
    LandscapeGenerator,
    Space,
    Terrain,
)
from maxcode.measure.statistics import Floats, holm, t_test

Row = dict[str, Any]

BUDGETS = (32, 64, 256)
CONVOLUTIONS = ("a100", "a4000", "mi250x", "w6600")

KINDS: dict[str, Callable[[int], Space]] = {
    "usual": lambda seed: Terrain(seed=seed),
    "rugged": lambda seed: Terrain(seed=seed, ruggedness=1.0, interactions=5, failures=0.5),
    "smooth": lambda seed: Terrain(seed=seed, ruggedness=0.0),
    "convolution": lambda seed: Tuning(f"convolution-{CONVOLUTIONS[seed % 4]}", seed),
    "dedispersion": lambda seed: Tuning("dedispersion-mi250x", seed),
}

FORMS = (
    [f"maxcode-greedy:k={k}" for k in (8, 4, 2, 1)]
    + [f"maxcode:k={k},then=stay" for k in (8, 4, 2, 1)]
    + [f"maxcode:k={k},stall={s},then=best" for k, s in ((8, 2), (4, 4), (2, 4), (2, 8), (1, 8))]
)


def searched(
    task: Landscape, condition: str, seed: int, evaluations: int
) -> list[tuple[int, float]]:
    """The true speedup of the best program of a search, by evaluations spent."""
    rest, _, critic = condition.partition("%")
    policy, _, shown = rest.partition("@")
    search = Search(
        task,
        generator=LandscapeGenerator(),
        executor=LandscapeExecutor(),
        critic=make_critic(critic or "landscape"),
        policy=make_policy(policy),
        budget=Budget(evaluations=evaluations),
        options=Options(
            seed=seed,
            threads=1,
            fuzz=0,
            minimise=0.0,
            observe=Observe.parse(shown) if shown else Observe(),
        ),
    )
    spent, growth = 0, [(0, 1.0)]
    for step in search.steps():
        spent += step.cost.evaluations
        growth.append((spent, task.speedup(search.state.tree.best.program)))
    return growth


def runs(job: tuple[str, int], conditions: Sequence[str], budgets: Sequence[int]) -> list[Row]:
    """All conditions on one task."""
    kind, seed = job
    task = Landscape.on(KINDS[kind](seed))
    rows = []
    for name in conditions:
        growth = searched(task, name, seed, max(budgets))
        best = {str(b): max(v for spent, v in growth if spent <= b) for b in budgets}
        rows.append(
            {
                "kind": kind,
                "seed": seed,
                "condition": name,
                "optimum": round(task.terrain.speedup(task.terrain.peak), 4),
                "speedups": {budget: round(value, 4) for budget, value in best.items()},
                "evaluations": growth[-1][0],
            }
        )
    return rows


def measured(
    conditions: Sequence[str],
    kinds: Sequence[str],
    seeds: Sequence[int],
    budgets: Sequence[int],
    jobs: int,
) -> list[Row]:
    """All conditions on all tasks, in so many processes."""
    wanted = [(kind, seed) for seed in seeds for kind in kinds]
    work = partial(runs, conditions=conditions, budgets=budgets)
    with get_context("spawn").Pool(jobs) as pool:
        return [row for found in pool.imap(work, wanted) for row in found]


def logs(rows: Sequence[Row], kind: str, condition: str, budget: int) -> Floats:
    """Logarithms of the speedups on the tasks of a kind."""
    own = [row for row in rows if (row["kind"], row["condition"]) == (kind, condition)]
    return np.log([row["speedups"][str(budget)] for row in own])


def figure(value: float, low: float, high: float) -> dict[str, float]:
    """A ratio with its interval, from logarithms."""
    found = {"value": value, "low": low, "high": high}
    return {name: round(float(np.exp(log)), 4) for name, log in found.items()}


def ratio(values: Floats) -> tuple[dict[str, float], float]:
    """A geometric mean of ratios with its interval, and the p-value of 1."""
    mean, p = t_test(values)
    return figure(mean.value, mean.low, mean.high), p


def table(rows: Sequence[Row], conditions: Sequence[str], kind: str, budget: int) -> list[Row]:
    """Each condition at a budget on a kind of task, also against the first."""
    of = {name: logs(rows, kind, name, budget) for name in conditions}
    found = [ratio(of[name] - of[conditions[0]]) for name in conditions]
    corrected = [1.0, *holm([p for _, p in found[1:]])]
    return [
        {
            "kind": kind,
            "budget": budget,
            "condition": name,
            "geometric_mean": ratio(of[name])[0],
            "over_first": over,
            "corrected": round(q, 4),
        }
        for name, (over, _), q in zip(conditions, found, corrected, strict=True)
    ]


def overall(rows: Sequence[Row], condition: str, first: str, budget: int) -> Row:
    """A condition at a budget over all kinds, which count alike, against the first."""
    kinds = list(dict.fromkeys(row["kind"] for row in rows))
    of = [logs(rows, kind, condition, budget) - logs(rows, kind, first, budget) for kind in kinds]
    mean = float(np.mean([one.mean() for one in of]))
    error = float(np.sqrt(sum(one.var(ddof=1) / len(one) for one in of)) / len(of))
    over = figure(mean, mean - 1.96 * error, mean + 1.96 * error)
    return {"budget": budget, "condition": condition, "over_first": over}


def main() -> None:
    given = options(
        __doc__,
        seeds=24,
        first=0,
        evaluations=max(BUDGETS),
        jobs=2,
        save="",
        kinds=list(KINDS),
        conditions=FORMS,
    )
    budgets = [budget for budget in BUDGETS if budget <= given.evaluations]
    started = time.perf_counter()
    seeds = range(given.first, given.first + given.seeds)
    rows = measured(given.conditions, given.kinds, seeds, budgets, given.jobs)
    over_all = []
    for condition in given.conditions:
        found = [overall(rows, condition, given.conditions[0], budget) for budget in budgets]
        shown = (one["over_first"] for one in found)
        cells = "".join(f"{f['value']:8.3f} [{f['low']:.2f}, {f['high']:.2f}]" for f in shown)
        print(f"{condition:38}{cells}")
        over_all += found
    if given.save:
        record = {
            "command": shlex.join(["python", *sys.argv]),
            "seeds": [*seeds],
            "kinds": {kind: repr(KINDS[kind](0)) for kind in given.kinds},
            "over_all_kinds": over_all,
            "by_kind": [
                one
                for kind in given.kinds
                for budget in budgets
                for one in table(rows, given.conditions, kind, budget)
            ],
            "runs": rows,
            "seconds": round(time.perf_counter() - started),
        }
        save(given.save, record)


if __name__ == "__main__":
    main()
