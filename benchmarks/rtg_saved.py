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
from dataclasses import asdict
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
from maxcode.measure.statistics import Bootstrap, Floats
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


def compared(number: int, seeds: int, evaluations: int, folder: str) -> list[dict[str, Any]]:
    """Evaluations needed by all methods on one task, with each seed, and their speedups."""
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
            grown = {CONTROL: growth(make(policy=BestOfN(batch=CANDIDATES)))}
            loop = partial(make, policy=MaxCodeLoop(k=CANDIDATES))
            grown[PLAIN] = growth(loop())
            for name, (model, propose) in RANKED.items():
                grown[name] = growth(loop(model=models[model], propose=propose))
        goal = grown[CONTROL][-1][1]
        needed = {
            name: next((judged for judged, best in after if best >= goal), evaluations)
            for name, after in grown.items()
        }
        speedups = {name: after[-1][1] for name, after in grown.items()}
        found.append({"task": task.name, "needed": needed, "speedup": speedups})
    return found


def figures(found: Sequence[dict[str, Any]]) -> dict[str, dict[str, dict[str, float]]]:
    """Of each method: evaluations needed, also against maxcode alone, and what it ends with."""
    bootstrap = Bootstrap([one["task"] for one in found])

    def column(kind: str, name: str) -> Floats:
        return np.array([one[kind][name] for one in found], float)

    plain = np.log(np.maximum(column("needed", PLAIN), 1))
    table = {}
    for name in (CONTROL, PLAIN, *RANKED):
        needed = np.maximum(column("needed", name), 1)
        estimates = {
            "evaluations": bootstrap.mean(needed),
            "over_maxcode": bootstrap.geometric_mean(np.log(needed) - plain),
            "speedup": bootstrap.geometric_mean(np.log(column("speedup", name))),
        }
        print(f"{name:28}", *estimates.values())
        table[name] = {key: asdict(estimate) for key, estimate in estimates.items()}
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
    record = {
        "kinship": KINSHIP,
        "tasks": given.tasks,
        "seeds": given.seeds,
        "evaluations": given.evaluations,
        "candidates": CANDIDATES,
        "trained": {"tasks": given.train, "runs": 2 * given.train, "rows": len(known)},
        "training_seconds": round(seconds, 1),
        "methods": figures(found),
    }
    save("rtg_saved", record)


if __name__ == "__main__":
    main()
