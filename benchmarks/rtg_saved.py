"""Evaluations that reranking saves: how many it takes to find what best-of-N finds with all of its.

On landscapes of one family: a model of features is trained on journals of runs on some of them, and
searches on others are ranked by it, at random, and by the truth, which no model can beat. A search
has got there when its confirmed best is truly as fast as what best-of-N with the same seed returns;
one that does not get there counts with its whole budget. Rewards have noise, the truth has none.
Intervals are 95 % of bootstraps over tasks, each with its seeds.

Usage: python benchmarks/rtg_saved.py [--tasks 20] [--train 150] [--seeds 20] [--evaluations 64]
       [--jobs 2], where --train are the tasks to train on, and --tasks are others
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from common import options, save

from maxcode import Budget, Journal, MaxCodeLoop, Observation, Options, Program, Result, Search
from maxcode.interfaces import RewardToGo, SearchPolicy
from maxcode.landscape import (
    Landscape,
    LandscapeCritic,
    LandscapeExecutor,
    LandscapeGenerator,
    Terrain,
)
from maxcode.measure.statistics import Bootstrap, Estimate
from maxcode.policies.best_of_n import BestOfN
from maxcode.reward_to_go.baselines import RandomRewardToGo
from maxcode.reward_to_go.decisions import decisions
from maxcode.reward_to_go.feature_model import FeatureRewardToGo
from maxcode.reward_to_go.loading import load
from maxcode.reward_to_go.objective import Objective
from maxcode.reward_to_go.rows import Row, rows
from maxcode.tree import Value

KINSHIP = 0.8
TRAINED_ON = 100_000  # the seeds of terrains from here on are trained on
CANDIDATES = 4  # a step
CONTROL, PLAIN = "best-of-n", "maxcode"
RANKED = {  # who ranks, and how many are proposed for each that is run
    f"maxcode + {model}, {propose}:1": (model, propose)
    for model in ("features", "random", "oracle")
    for propose in (2, 4)
}

Figures = dict[str, dict[str, float]]


class Oracle(RewardToGo):
    """Knows the true speedup of every candidate, though not what may come after it."""

    def predict(self, observation: Observation, programs: Sequence[Program]) -> list[Value]:
        task, u = observation.task, observation.path.u
        assert isinstance(task, Landscape)
        return [Value(max(u, task.speedup(program))) for program in programs]


def landscape(seed: int) -> Landscape:
    return Landscape.on(Terrain(seed=seed, kinship=KINSHIP, family=1))


def search(
    task: Landscape,
    journal: Journal,
    policy: SearchPolicy,
    seed: int,
    evaluations: int,
    model: RewardToGo | None = None,
    propose: int = 1,
) -> Search:
    return Search(
        task,
        generator=LandscapeGenerator(),
        executor=LandscapeExecutor(seed=seed),
        critic=LandscapeCritic(),
        reward_to_go=model,
        policy=policy,
        budget=Budget(evaluations=evaluations),
        journal=journal,
        options=Options(seed=seed, threads=1, propose=propose, run=1),
    )


def learned(seed: int, evaluations: int) -> list[Row]:
    """The rows of two runs on one terrain."""
    task = landscape(TRAINED_ON + seed)
    found: list[Row] = []
    for policy in (MaxCodeLoop(k=CANDIDATES), BestOfN(batch=CANDIDATES)):
        with Journal.open(":memory:") as journal:
            run = search(task, journal, policy, seed, evaluations)
            run.run()
            for decision in decisions(run.state.log):
                found += rows(decision, Objective())
    return found


def growth(run: Search) -> list[tuple[int, float]]:
    """After each expansion: how many were judged, and the true speedup of the best."""
    task = run.task
    assert isinstance(task, Landscape)
    judged, after = 0, {0: (0, 1.0)}
    for step in run.steps():
        judged += step.cost.evaluations
        after[step.expansion + 1] = (judged, task.speedup(run.state.tree.best.program))
    return [*after.values(), (judged, task.speedup(Result.of(run.state).program))]


def needed(after: Sequence[tuple[int, float]], goal: float, evaluations: int) -> int:
    return next((judged for judged, best in after if best >= goal), evaluations)


def compared(number: int, seeds: int, evaluations: int, folder: str) -> list[dict[str, Any]]:
    """All methods on one task that was not trained on, with each seed."""
    task = landscape(number)
    models: dict[str, RewardToGo] = {
        "features": load(folder),
        "random": RandomRewardToGo(),
        "oracle": Oracle(),
    }
    found = []
    for seed in range(seeds):
        with Journal.open(":memory:") as journal:
            make = partial(search, task, journal, seed=seed, evaluations=evaluations)
            runs = {CONTROL: make(policy=BestOfN(batch=CANDIDATES))}
            runs[PLAIN] = make(policy=MaxCodeLoop(k=CANDIDATES))
            for name, (model, propose) in RANKED.items():
                policy = MaxCodeLoop(k=CANDIDATES)
                runs[name] = make(policy=policy, model=models[model], propose=propose)
            grown = {name: growth(run) for name, run in runs.items()}
            goal = grown[CONTROL][-1][1]
            found.append(
                {
                    "task": task.name,
                    "tau": {
                        name: run.state.progress.estimates.agreement.tau
                        for name, run in runs.items()
                    },
                    "needed": {n: needed(g, goal, evaluations) for n, g in grown.items()},
                    "reached": {n: float(g[-1][1] >= goal) for n, g in grown.items()},
                    "speedup": {name: after[-1][1] for name, after in grown.items()},
                }
            )
    return found


def figure_of(estimate: Estimate) -> dict[str, float]:
    return {name: round(value, 4) for name, value in vars(estimate).items()}


def figures(found: Sequence[dict[str, Any]]) -> dict[str, Figures]:
    """Of each method: evaluations needed, also against maxcode alone, and what it ends with."""
    bootstrap = Bootstrap([one["task"] for one in found])

    def column(kind: str, name: str) -> np.ndarray:
        return np.array([one[kind][name] for one in found], float)

    plain = np.log(np.maximum(column("needed", PLAIN), 1))
    table = {}
    for name in (CONTROL, PLAIN, *RANKED):
        evaluations = np.maximum(column("needed", name), 1)
        table[name] = {
            "evaluations": figure_of(bootstrap.mean(evaluations)),
            "geometric_mean": figure_of(bootstrap.geometric_mean(np.log(evaluations))),
            "over_maxcode": figure_of(bootstrap.geometric_mean(np.log(evaluations) - plain)),
            "reached": figure_of(bootstrap.mean(column("reached", name))),
            "speedup": figure_of(bootstrap.geometric_mean(np.log(column("speedup", name)))),
            "tau": figure_of(bootstrap.mean(column("tau", name))),
        }
    return table


def main() -> None:
    given = options(__doc__, tasks=20, train=150, seeds=20, evaluations=64, jobs=2)
    with TemporaryDirectory() as folder, get_context("spawn").Pool(given.jobs) as pool:
        work = partial(learned, evaluations=given.evaluations)
        known = [row for rows in pool.imap(work, range(given.train)) for row in rows]
        started = time.perf_counter()
        FeatureRewardToGo.train(known, Objective()).save(Path(folder))
        seconds = time.perf_counter() - started
        print(f"trained on {len(known):,} rows of {2 * given.train} runs in {seconds:.1f} s")
        tried = partial(compared, seeds=given.seeds, evaluations=given.evaluations, folder=folder)
        found = [one for part in pool.imap(tried, range(given.tasks)) for one in part]
    table = figures(found)

    print(f"\n{'method':28}{'evaluations needed':24}{'over maxcode':24}{'reached':10}speedup")
    for name, row in table.items():
        cells = [
            f"{row[key]['value']:6.2f} [{row[key]['low']:.2f}, {row[key]['high']:.2f}]"
            for key in ("evaluations", "over_maxcode")
        ]
        speedup = f"{row['speedup']['value']:.2f}"
        print(f"{name:28}{cells[0]:24}{cells[1]:24}{row['reached']['value']:<10.2f}{speedup}")
    record = {
        "kinship": KINSHIP,
        "tasks": given.tasks,
        "seeds": given.seeds,
        "evaluations": given.evaluations,
        "candidates": CANDIDATES,
        "trained": {"tasks": given.train, "runs": 2 * given.train, "rows": len(known)},
        "training_seconds": round(seconds, 1),
        "methods": table,
    }
    save("rtg_saved", record)


if __name__ == "__main__":
    main()
