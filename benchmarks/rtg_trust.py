"""Trust in reward-to-go models on tasks that they were not trained on.

Two worlds: landscapes of two families, whose runs are made here, and the runs of the stores that
are given (C++ examples with RewriteGenerator, made by `maxcode compare`). Tasks are dealt into
folds; models are trained on the runs of all folds but one and judged on that one. What training
needs for stopping early is held out from the training folds, so the fold that judges is unseen.
A third table takes the families of landscapes for folds: a shift to tasks that are no kin.

Usage: python benchmarks/rtg_trust.py [--store URL]... [--out rtg_trust] [--tasks 40] [--seeds 2]
           [--evaluations 48] [--jobs 1]
"""

from __future__ import annotations

import argparse
import re
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from itertools import count, product
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from common import save

from maxcode import Budget, Journal, Options, Search
from maxcode.cli.console import standard_output
from maxcode.cli.plugins import make_policy
from maxcode.cli.rtg import print_trust
from maxcode.interfaces import RewardToGo
from maxcode.journal.events import RunStarted
from maxcode.journal.journal import RunLog
from maxcode.landscape import (
    Landscape,
    LandscapeCritic,
    LandscapeExecutor,
    LandscapeGenerator,
    Terrain,
)
from maxcode.reward_to_go.baselines import (
    RandomRewardToGo,
    RewardSoFar,
)
from maxcode.reward_to_go.building import Split, build
from maxcode.reward_to_go.dataset import Dataset
from maxcode.reward_to_go.decisions import decisions
from maxcode.reward_to_go.evaluation.figures import Trust, document
from maxcode.reward_to_go.evaluation.judgement import (
    Judgement,
    judge,
    objective_of,
)
from maxcode.reward_to_go.feature_model import FeatureRewardToGo

POLICIES = ("best-of-n", "maxcode:k=6", "beam", "cuda-llm")
FAMILIES = (1, 2)
FAMILY = r"family=(\d+)"
KINSHIP = 0.8
FOLDS = 5


@dataclass
class World:
    """Runs by task, the tasks of each fold, and what names a task's family."""

    name: str
    tasks: dict[str, list[RunLog]]
    folds: list[list[str]]
    family: str | None = None


@dataclass
class Figures:
    """Figures of one model, over the folds."""

    judgements: list[Judgement] = field(default_factory=list)
    training: list[float] = field(default_factory=list)
    rows: list[int] = field(default_factory=list)
    asking: float = 0.0


def landscape_runs(store: str, evaluations: int, wanted: tuple[str, int, int, int]) -> None:
    """One run, with everything shown."""
    policy, family, number, seed = wanted
    terrain = Terrain(seed=1000 * family + number, kinship=KINSHIP, family=family)
    with Journal.open(store) as journal:
        search = Search(
            Landscape.on(terrain),
            generator=LandscapeGenerator(),
            executor=LandscapeExecutor(),
            critic=LandscapeCritic(),
            policy=make_policy(policy),
            budget=Budget(evaluations=evaluations),
            journal=journal,
            options=Options(seed=seed, threads=1),
        )
        for _ in search.steps():
            pass


def make_landscapes(folder: Path, arguments: argparse.Namespace) -> list[str]:
    """Journals of runs, a store for each policy and family so that processes do not wait."""
    wanted: dict[str, list[tuple[str, int, int, int]]] = {}
    seeds = count()
    for policy, family in product(POLICIES, FAMILIES):
        store = str(folder / f"{policy.partition(':')[0]}-{family}.db")
        Journal.open(store).close()
        wanted[store] = [
            (policy, family, number, next(seeds))
            for number in range(arguments.tasks // len(FAMILIES))
            for _ in range(arguments.seeds)
        ]
    with get_context("spawn").Pool(arguments.jobs) as pool:
        work = [
            pool.map_async(partial(landscape_runs, store, arguments.evaluations), runs)
            for store, runs in wanted.items()
        ]
        for one in work:
            one.get()
    return list(wanted)


def by_task(journals: Sequence[Journal]) -> dict[str, list[RunLog]]:
    """Runs by the digest of their task, tasks in the order of their names."""
    found: dict[tuple[str, str], list[RunLog]] = {}
    for journal in journals:
        for run_id in reversed(journal.run_ids()):
            log = journal.run(run_id)
            first = next(log.events(), None)
            if first and isinstance(first.event, RunStarted):
                found.setdefault((first.event.task, first.event.task_digest), []).append(log)
    return {digest: found[name, digest] for name, digest in sorted(found)}


def models(folder: Path, logs: Sequence[RunLog]) -> Iterator[tuple[str, RewardToGo, float, int]]:
    """Each model with the seconds that its training took, and the rows it learned from."""
    yield "random", RandomRewardToGo(), 0.0, 0
    yield "reward-so-far", RewardSoFar(), 0.0, 0
    build(folder / "data", ("benchmark",), logs, split=Split(share=0.15))
    dataset = Dataset(folder / "data")
    started, card = time.perf_counter(), dataset.card
    features = FeatureRewardToGo.train(dataset.rows("train"), card.objective)
    yield "features", features, time.perf_counter() - started, card.trained_on.rows


def judged(world: World) -> dict[str, Figures]:
    """Every model on each fold, trained on the others."""
    found: dict[str, Figures] = {}
    for fold, unseen in enumerate(world.folds):
        logs = [
            log
            for digest, of_task in world.tasks.items()
            if digest not in unseen
            for log in of_task
        ]
        states = [
            state for digest in unseen for log in world.tasks[digest] for state in decisions(log)
        ]
        with tempfile.TemporaryDirectory() as folder:
            for name, model, seconds, rows in models(Path(folder), logs):
                print(f"{world.name}, fold {fold + 1}: {name}, trained in {seconds:.0f} s")
                objective, started = objective_of(model), time.perf_counter()
                judgements = [judge(model, state, objective) for state in states]
                asking = time.perf_counter() - started
                figures = found.setdefault(name, Figures())
                figures.judgements += judgements
                figures.asking += asking
                figures.training.append(seconds)
                figures.rows.append(rows)
    return found


def record(world: World) -> dict[str, Any]:
    """The world's figures, which are printed too."""
    found = judged(world)
    trusts = {name: Trust.of(figures.judgements) for name, figures in found.items()}
    print(f"\n== {world.name}")
    print_trust(standard_output(), trusts)
    return {
        "runs": sum(map(len, world.tasks.values())),
        "tasks": len(world.tasks),
        "folds": len(world.folds),
        "models": {
            name: {
                "training_seconds": [round(seconds, 1) for seconds in found[name].training],
                "rows": found[name].rows,
                "estimates_a_second": round(trust.candidates / found[name].asking, 1),
                **document(trust),
            }
            for name, trust in trusts.items()
        },
    }


def dealt(digests: Sequence[str]) -> list[list[str]]:
    """Every fold has every fifth task."""
    return [list(digests[fold::FOLDS]) for fold in range(min(FOLDS, len(digests)))]


def by_family(tasks: dict[str, list[RunLog]]) -> list[list[str]]:
    """A fold for each family."""
    found: dict[str, list[str]] = {}
    for digest, (log, *_) in tasks.items():
        first = next(log.events()).event
        assert isinstance(first, RunStarted)
        family = re.search(FAMILY, first.task)
        found.setdefault(family[1] if family else "other", []).append(digest)
    return list(found.values())


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--store", action="append", default=[], help="runs of C++ tasks")
    parser.add_argument("--out", default="rtg_trust")
    parser.add_argument("--tasks", type=int, default=40, help="landscapes")
    parser.add_argument("--seeds", type=int, default=2, help="runs of a policy on a landscape")
    parser.add_argument("--evaluations", type=int, default=48)
    parser.add_argument("--jobs", type=int, default=1, help="processes that make landscape runs")
    arguments = parser.parse_args()
    worlds = {}
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))

        def opened(stores: Sequence[str]) -> dict[str, list[RunLog]]:
            return by_task([stack.enter_context(Journal.open(s, create=False)) for s in stores])

        given = opened(arguments.store)
        if 0 < len(given) < 3:
            parser.error("the stores have runs of fewer than 3 tasks: too few to hold any out")
        here = opened(make_landscapes(folder, arguments))
        worlds["landscapes"] = World("landscapes", here, dealt(list(here)), FAMILY)
        worlds["new_family"] = World("landscapes of a new family", here, by_family(here), FAMILY)
        if given:
            worlds["stores"] = World("stores", given, dealt(list(given)))
        figures = {name: record(world) for name, world in worlds.items()}
    options = {
        name: value for name, value in vars(arguments).items() if name not in ("store", "out")
    }
    save(arguments.out, {"options": options, "policies": POLICIES, **figures})


if __name__ == "__main__":
    main()
