"""Trust in reward-to-go models on tasks that they were not trained on.

Two worlds: landscapes of two families, whose runs are made here, and the runs of the stores that
are given (C++ examples with RewriteGenerator, made by `maxcode compare`). Tasks are dealt into
folds; models are trained on the runs of all folds but one and judged on that one. What training
needs for stopping early is held out from the training folds, so the fold that judges is unseen.
A third table takes the families of landscapes for folds: a shift to tasks that are no kin.

Usage: python benchmarks/rtg_trust.py [STORE...] [--tasks 40] [--seeds 2] [--evaluations 48]
       [--jobs 2]
"""

from __future__ import annotations

import re
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from itertools import product
from multiprocessing import get_context
from pathlib import Path
from random import Random
from typing import Any

from common import options, save

from maxcode import Budget, Journal, Options, Search
from maxcode.cli.plugins import make_policy
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
from maxcode.reward_to_go.baselines import RandomRewardToGo, RewardSoFar
from maxcode.reward_to_go.building import Split, build
from maxcode.reward_to_go.dataset import Dataset
from maxcode.reward_to_go.decisions import decisions
from maxcode.reward_to_go.evaluation.figures import Trust, document
from maxcode.reward_to_go.evaluation.judgement import Judgement, judge, objective_of
from maxcode.reward_to_go.feature_model import FeatureRewardToGo

POLICIES = ("best-of-n", "maxcode:k=6", "beam", "cuda-llm")
FAMILIES = (1, 2)
KINSHIP = 0.8
FOLDS = 5

Runs = dict[str, list[RunLog]]
"""Runs by the digest of their task."""


@dataclass
class Figures:
    """Figures of one model, over the folds."""

    judgements: list[Judgement] = field(default_factory=list)
    training: list[float] = field(default_factory=list)
    rows: list[int] = field(default_factory=list)
    asking: float = 0.0

    def record(self) -> dict[str, Any]:
        """Trust, what training took, and how many estimates a second there were."""
        trust = Trust.of(self.judgements)
        return {
            "training_seconds": [round(seconds, 1) for seconds in self.training],
            "rows": self.rows,
            "estimates_a_second": round(trust.candidates / self.asking, 1),
            **document(trust),
        }


def make_landscapes(
    of: tuple[str, int], folder: Path, tasks: int, seeds: int, evaluations: int
) -> str:
    """A store with the runs of a policy on the landscapes of a family, with everything shown."""
    policy, family = of
    store = str(folder / f"{policy.partition(':')[0]}-{family}.db")
    with Journal.open(store) as journal:
        for number, seed in product(range(tasks // len(FAMILIES)), range(seeds)):
            terrain = Terrain(seed=1000 * family + number, kinship=KINSHIP, family=family)
            Search(
                Landscape.on(terrain),
                generator=LandscapeGenerator(),
                executor=LandscapeExecutor(),
                critic=LandscapeCritic(),
                policy=make_policy(policy),
                budget=Budget(evaluations=evaluations),
                journal=journal,
                options=Options(seed=Random(f"{of} {number} {seed}").getrandbits(32), threads=1),
            ).run()
    return store


def by_task(journals: Sequence[Journal]) -> tuple[Runs, list[list[str]]]:
    """Runs by the digest of their task, and the digests by the family that their names tell."""
    found: dict[tuple[str, str], list[RunLog]] = {}
    for journal in journals:
        for run_id in reversed(journal.run_ids()):
            log = journal.run(run_id)
            first = next(log.events(), None)
            if first and isinstance(first.event, RunStarted):
                found.setdefault((first.event.task, first.event.task_digest), []).append(log)
    families: dict[str, list[str]] = {}
    for name, digest in sorted(found):
        family = re.search(r"family=\d+", name)
        families.setdefault(family[0] if family else "", []).append(digest)
    return {digest: found[name, digest] for name, digest in sorted(found)}, list(families.values())


def models(folder: Path, logs: Sequence[RunLog]) -> Iterator[tuple[str, RewardToGo, float, int]]:
    """Each model with the seconds that its training took, and the rows it learned from."""
    yield "random", RandomRewardToGo(), 0.0, 0
    yield "reward-so-far", RewardSoFar(), 0.0, 0
    build(folder / "data", ("benchmark",), logs, split=Split(share=0.15))
    dataset = Dataset(folder / "data")
    started, card = time.perf_counter(), dataset.card
    features = FeatureRewardToGo.train(dataset.rows("train"), card.objective)
    yield "features", features, time.perf_counter() - started, card.trained_on.rows


def judged(runs: Runs, folds: Sequence[Sequence[str]]) -> dict[str, Any]:
    """Figures of every model on each fold, trained on the others."""
    found: dict[str, Figures] = {}
    for fold, unseen in enumerate(folds):
        logs = [log for digest in runs if digest not in unseen for log in runs[digest]]
        states = [state for digest in unseen for log in runs[digest] for state in decisions(log)]
        with tempfile.TemporaryDirectory() as folder:
            for name, model, seconds, rows in models(Path(folder), logs):
                objective, started = objective_of(model), time.perf_counter()
                judgements = [judge(model, state, objective) for state in states]
                figures = found.setdefault(name, Figures())
                figures.asking += time.perf_counter() - started
                figures.judgements += judgements
                figures.training.append(seconds)
                figures.rows.append(rows)
                print(f"fold {fold + 1}: {name}: {Trust.of(judgements).verdict}", flush=True)
    return {
        "runs": sum(map(len, runs.values())),
        "tasks": len(runs),
        "folds": len(folds),
        "models": {name: figures.record() for name, figures in found.items()},
    }


def dealt(runs: Runs) -> list[list[str]]:
    """Every fold has every fifth task."""
    return [list(runs)[fold::FOLDS] for fold in range(min(FOLDS, len(runs)))]


def main() -> None:
    given = options(__doc__, "stores", tasks=40, seeds=2, evaluations=48, jobs=2)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))

        def opened(stores: Sequence[str]) -> tuple[Runs, list[list[str]]]:
            return by_task([stack.enter_context(Journal.open(s, create=False)) for s in stores])

        make = partial(
            make_landscapes,
            folder=folder,
            tasks=given.tasks,
            seeds=given.seeds,
            evaluations=given.evaluations,
        )
        with get_context("spawn").Pool(given.jobs) as pool:
            runs, families = opened(pool.map(make, list(product(POLICIES, FAMILIES)), 1))
        figures = {
            "landscapes": judged(runs, dealt(runs)),
            "new_family": judged(runs, families),
        }
        if given.stores:
            runs, _ = opened(given.stores)
            figures["stores"] = judged(runs, dealt(runs))
    options_used = {"tasks": given.tasks, "seeds": given.seeds, "evaluations": given.evaluations}
    save("rtg_trust", {"options": options_used, "policies": POLICIES, **figures})


if __name__ == "__main__":
    main()
