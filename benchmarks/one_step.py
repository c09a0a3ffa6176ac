"""What a reward-to-go model learns of the future: three targets, on kin of its tasks and on others.

A model by features is trained on runs on landscapes of one family, by turns of MaxCode and of a
beam, since a loop expands one candidate a round and leaves none to compare it with. The targets are
the mean over paths of the best reward on them (what `maxcode rtg dataset` makes), one step (max(u,
own reward)), and the best of the whole subtree, of candidates that were expanded (of others nothing
is known, so they are left out as censored). Each model is judged within decisions by Kendall's tau
against all three, on landscapes of the same family and on unlike ones (no kinship, rugged, NK).
95 % intervals are those of a bootstrap over tasks.

Usage: python benchmarks/one_step.py [--tasks 32] [--held 24]
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterable, Iterator
from dataclasses import asdict, replace
from itertools import chain

from common import machine, save

from maxcode import Beam, Budget, Journal, MaxCode, Options, Search
from maxcode.interfaces import RewardToGo
from maxcode.landscape import (
    NK,
    Landscape,
    LandscapeCritic,
    LandscapeExecutor,
    LandscapeGenerator,
    Space,
    Terrain,
)
from maxcode.measure.statistics import Estimate
from maxcode.reward_to_go.baselines import RandomRewardToGo
from maxcode.reward_to_go.decisions import Decision, decisions
from maxcode.reward_to_go.evaluation.figures import evaluate
from maxcode.reward_to_go.feature_model import FeatureRewardToGo
from maxcode.reward_to_go.objective import Objective
from maxcode.reward_to_go.rows import rows

EVALUATIONS, CHILDREN = 64, 4


def kin(seed: int) -> Space:
    return Terrain(seed=seed, kinship=0.8, family=1)


def unlike(seed: int) -> Space:
    spaces = (Terrain(seed=seed), Terrain(seed=seed, ruggedness=1.0, failures=0.4), NK(seed=seed))
    return spaces[seed % 3]


def runs(spaces: Iterable[Space]) -> Iterator[list[Decision]]:
    """The decisions of a search on each."""
    for number, space in enumerate(spaces):
        with Journal.open(":memory:") as journal:
            search = Search(
                Landscape.on(space),
                generator=LandscapeGenerator(),
                executor=LandscapeExecutor(),
                critic=LandscapeCritic(),
                policy=(MaxCode(k=CHILDREN), Beam(width=4, k=CHILDREN))[number % 2],
                budget=Budget(evaluations=EVALUATIONS),
                journal=journal,
                options=Options(seed=number, threads=1, fuzz=0, minimise=0.0),
            )
            search.run()
            yield list(decisions(search.state.log))


def subtree(decision: Decision) -> Decision:
    """The same, each candidate with one future, its best; those never expanded left out."""
    kept = [
        replace(one, futures=((one.futures[0][0], max(chain(*one.futures))),))
        for one in decision.judged
        if any(len(future) > 1 for future in one.futures)
    ]
    return replace(decision, candidates=tuple(kept))


def one_step(decision: Decision) -> Decision:
    return replace(
        decision,
        candidates=tuple(replace(one, futures=(one.futures[0][:1],)) for one in decision.judged),
    )


TARGETS = {"paths": lambda decision: decision, "one step": one_step, "subtree": subtree}


def figure(estimate: Estimate | None) -> dict[str, float] | None:
    return {name: round(x, 3) for name, x in asdict(estimate).items()} if estimate else None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tasks", type=int, default=32)
    parser.add_argument("--held", type=int, default=24)
    arguments = parser.parse_args()
    taken_on, started = machine(), time.perf_counter()
    trained = list(chain(*runs(map(kin, range(arguments.tasks)))))
    held = {
        "kin": list(chain(*runs(map(kin, range(1000, 1000 + arguments.held))))),
        "unlike": list(chain(*runs(map(unlike, range(2000, 2000 + arguments.held))))),
    }
    objective = Objective()
    models: dict[str, RewardToGo] = {"random": RandomRewardToGo()}
    learned = {}
    for name, target in TARGETS.items():
        made = [row for one in trained for row in rows(target(one), objective)]
        learned[name] = len({(row.run, row.step) for row in made})
        models[name] = FeatureRewardToGo.train(made, objective)
    table = []
    for where, found in held.items():
        for by, target in TARGETS.items():
            judged = [one for one in map(target, found) if one.judged]
            for name, model in models.items():
                trust = evaluate(model, judged)
                row = {
                    "on": where,
                    "judged_by": by,
                    "trained_on": name,
                    "candidates": trust.candidates,
                    "kendall": figure(trust.within.kendall),
                    "regret_at_1": figure(trust.figures.get("regret@1")),
                }
                if by == "paths" and name == "random":
                    row |= {
                        key: figure(trust.figures[f"future.{key}"])
                        for key in ("leaves", "same", "factor")
                    }
                    row["one_step_kendall"] = figure(trust.figures["one_step.kendall"])
                table.append(row)
                print(
                    where,
                    by,
                    name,
                    row["kendall"],
                    {k: v for k, v in row.items() if k in ("leaves", "same", "factor")},
                )
    record = {
        "tasks": arguments.tasks,
        "held_out": arguments.held,
        "evaluations": EVALUATIONS,
        "command": f"python benchmarks/one_step.py --tasks {arguments.tasks}",
        "candidates_learned_from": learned,
        "table": table,
        "seconds": round(time.perf_counter() - started),
    }
    save("one_step", record, taken_on)


if __name__ == "__main__":
    main()
