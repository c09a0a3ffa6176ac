"""Which search should be the default: forms of MaxCode's loop on simulated tasks of several kinds.

One run of each policy on each task, to the largest budget; what it had by the smaller ones is read
off on the way, since no policy knows its budget. What counts is the true speedup of the best
program by then. Ratios are to the policy named first, paired by task; intervals are 95 %, over the
tasks of a kind by Student's t on logarithms, p-values corrected by Holm's method over all ratios at
a budget and kind. Over kinds, each kind counts alike.

A policy shows its generator everything, or what is named behind ``@`` as in ``best-of-n@none``.

Usage: python benchmarks/default_policy.py [--seeds 24] [--first 0] [--save NAME] [POLICY...]
"""

from __future__ import annotations

import argparse
import shlex
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from multiprocessing import get_context
from typing import Any

import numpy as np
from common import save

from maxcode import Budget, Observe, Options, Search
from maxcode.cli.plugins import make_policy
from maxcode.interfaces import Critic
from maxcode.landscape import (
    Landscape,
    LandscapeCritic,
    LandscapeExecutor,
    LandscapeGenerator,
    Space,
    Terrain,
    Tuning,
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
    + [f"maxcode:k={k},stall={s},then=branch" for k, s in ((8, 2), (4, 4), (2, 8), (1, 8))]
    + [f"maxcode:k={k},stall={s},then=restart" for k, s in ((8, 4), (4, 8), (2, 16), (1, 32))]
)


def searched(
    task: Landscape, name: str, critic: Critic | None, seed: int, evaluations: int
) -> list[tuple[int, float]]:
    """The true speedup of the best program of a search, by evaluations spent."""
    policy, _, shown = name.partition("@")
    search = Search(
        task,
        generator=LandscapeGenerator(),
        executor=LandscapeExecutor(),
        critic=critic,
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


def runs(job: tuple[str, int], policies: Sequence[str], evaluations: int) -> list[Row]:
    """All policies on one task."""
    kind, seed = job
    task, critic = Landscape.on(KINDS[kind](seed)), LandscapeCritic()
    rows = []
    for name in policies:
        growth = searched(task, name, critic, seed, evaluations)
        best = {b: max(v for spent, v in growth if spent <= b) for b in BUDGETS if b <= evaluations}
        rows.append(
            {
                "kind": kind,
                "task": task.name,
                "seed": seed,
                "policy": name,
                "optimum": round(task.terrain.speedup(task.terrain.peak), 4),
                "speedups": {str(budget): round(value, 4) for budget, value in best.items()},
                "evaluations": growth[-1][0],
            }
        )
    return rows


def ratio(logs: Floats) -> tuple[dict[str, float], float]:
    """A geometric mean of ratios with its interval, and the p-value of 1."""
    mean, p = t_test(logs)
    value, low, high = (round(float(np.exp(x)), 4) for x in (mean.value, mean.low, mean.high))
    return {"value": value, "low": low, "high": high}, p


def table(rows: Sequence[Row], policies: Sequence[str], kind: str, budget: int) -> list[Row]:
    """Each policy at a budget on a kind of task, also against the first."""

    def logs(policy: str) -> Floats:
        own = [r for r in rows if (r["kind"], r["policy"]) == (kind, policy)]
        return np.log([r["speedups"][str(budget)] for r in own])

    found = [ratio(logs(policy) - logs(policies[0])) for policy in policies]
    corrected = [1.0, *holm([p for _, p in found[1:]])]
    return [
        {
            "kind": kind,
            "budget": budget,
            "policy": policy,
            "geometric_mean": ratio(logs(policy))[0],
            "over_first": over,
            "corrected": round(q, 4),
        }
        for policy, (over, _), q in zip(policies, found, corrected, strict=True)
    ]


def overall(
    rows: Sequence[Row], policies: Sequence[str], kinds: Sequence[str], budget: int
) -> list[Row]:
    """Each policy at a budget over all kinds, which count alike, against the first."""
    found = []
    for policy in policies:
        of_kinds = []
        for kind in kinds:
            own, first = (
                np.log(
                    [
                        r["speedups"][str(budget)]
                        for r in rows
                        if (r["kind"], r["policy"]) == (kind, name)
                    ]
                )
                for name in (policy, policies[0])
            )
            of_kinds.append(own - first)
        mean = float(np.mean([logs.mean() for logs in of_kinds]))
        error = float(
            np.sqrt(sum(logs.var(ddof=1) / len(logs) for logs in of_kinds)) / len(of_kinds)
        )
        value, low, high = (float(np.exp(mean + z * error)) for z in (0, -1.96, 1.96))
        figure = {"value": round(value, 4), "low": round(low, 4), "high": round(high, 4)}
        found.append({"budget": budget, "policy": policy, "over_first": figure})
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("policies", nargs="*", metavar="POLICY")
    parser.add_argument("--seeds", type=int, default=24)
    parser.add_argument("--first", type=int, default=0, help="the first of the seeds")
    parser.add_argument("--evaluations", type=int, default=max(BUDGETS))
    parser.add_argument("--kinds", default=",".join(KINDS))
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--save", metavar="NAME", default="")
    arguments = parser.parse_args()
    policies, kinds = arguments.policies or FORMS, arguments.kinds.split(",")
    budgets = [budget for budget in BUDGETS if budget <= arguments.evaluations]
    started = time.perf_counter()
    seeds = range(arguments.first, arguments.first + arguments.seeds)
    jobs = [(kind, seed) for seed in seeds for kind in kinds]
    work = partial(runs, policies=policies, evaluations=arguments.evaluations)
    with get_context("spawn").Pool(arguments.jobs) as pool:
        rows = [row for found in pool.imap(work, jobs) for row in found]
    seconds = time.perf_counter() - started
    by_kind = [one for kind in kinds for b in budgets for one in table(rows, policies, kind, b)]
    over_all = [one for budget in budgets for one in overall(rows, policies, kinds, budget)]
    print(f"{'policy':38}" + "".join(f"{budget:>22}" for budget in budgets))
    for policy in policies:
        figures = [one["over_first"] for one in over_all if one["policy"] == policy]
        shown = "".join(f"{f['value']:8.3f} [{f['low']:.2f}, {f['high']:.2f}]" for f in figures)
        print(f"{policy:38}{shown}")
    if arguments.save:
        record = {
            "command": shlex.join(["python", *sys.argv]),
            "seeds": [*seeds],
            "evaluations": arguments.evaluations,
            "jobs": arguments.jobs,
            "kinds": {kind: repr(KINDS[kind](0)) for kind in kinds},
            "policies": list(policies),
            "over_all_kinds": over_all,
            "by_kind": by_kind,
            "runs": rows,
            "seconds": round(seconds),
        }
        save(arguments.save, record)


if __name__ == "__main__":
    main()
