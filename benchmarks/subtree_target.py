"""Which target a reward-to-go model should learn: means over paths, or the best of the subtree.

As in benchmarks/one_step.py a model by features learns from runs on landscapes of one family, by
turns of MaxCode and of a beam, and is judged on kin that it has not seen and on unlike ones. The
targets of a candidate are maxcode's own (`maxcode rtg dataset --target`):

* paths: the mean over the paths through it of the best reward on each
* one step: max(u, own reward), which a model that looks ahead has to beat
* subtree: the best reward below it, where what was never grown from has its own; such a model knows
  the policy and what is left of the budget
* imputed: the same, and for what passed and was never grown from the gain is drawn from like
  candidates that were
* one step, subtree's inputs: one step by a model that knows policy and budget too

Models are judged within decisions by Kendall's tau against three outcomes, and each by how much its
tau is above that of one step, decision by decision. With --searches, also by the true speedup of
searches that they rank: MaxCode with two proposals for each that is run, and a beam that goes by
estimates, as ratios to the same search with a model that ranks at random. 95 % intervals: of tau by
a bootstrap over tasks, of ratios by Student's t over tasks on logarithms.

Usage: OMP_NUM_THREADS=1 python benchmarks/subtree_target.py [--tasks 32] [--held 18] [--searches 9]
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from common import machine, save
from default_policy import ratio
from one_step import CHILDREN, EVALUATIONS, figure, kin, runs, subtree, unlike

from maxcode import Beam, Budget, Journal, MaxCode, Options, Search
from maxcode.interfaces import RewardToGo, SearchPolicy
from maxcode.landscape import (
    Landscape,
    LandscapeCritic,
    LandscapeExecutor,
    LandscapeGenerator,
    Space,
)
from maxcode.reward_to_go.baselines import RandomRewardToGo
from maxcode.reward_to_go.censoring import Donors
from maxcode.reward_to_go.decisions import Decision
from maxcode.reward_to_go.evaluation.figures import Trust
from maxcode.reward_to_go.evaluation.judgement import judge
from maxcode.reward_to_go.evaluation.ranking import added
from maxcode.reward_to_go.feature_model import FeatureRewardToGo
from maxcode.reward_to_go.objective import Objective
from maxcode.reward_to_go.rows import rows

ONE_STEP = "one step"
PATHS, SUBTREE = Objective(), Objective(over="subtree")
OUTCOMES: dict[str, tuple[Objective, Callable[[Decision], Decision]]] = {
    "own reward": (Objective(returns="own"), lambda decision: decision),
    "paths": (PATHS, lambda decision: decision),
    "subtree, grown": (SUBTREE, subtree),
}


def learned(decisions: list[Decision]) -> tuple[dict[str, RewardToGo], Donors]:
    """A model of each target."""
    of_paths = [row for one in decisions for row in rows(one, PATHS)]
    of_trees = [row for one in decisions for row in rows(one, SUBTREE)]
    donors = Donors.of(of_trees)
    imputed = (more for row in of_trees for more in donors.imputed(row, SUBTREE.bins))
    models: dict[str, RewardToGo] = {
        ONE_STEP: FeatureRewardToGo.one_step(of_paths, PATHS),
        "one step, subtree's inputs": FeatureRewardToGo.one_step(of_trees, SUBTREE),
        "paths": FeatureRewardToGo.train(of_paths, PATHS),
        "subtree": FeatureRewardToGo.train(of_trees, SUBTREE),
        "imputed": FeatureRewardToGo.train(imputed, replace(SUBTREE, over="imputed")),
    }
    return models, donors


def searched(
    space: Space, seed: int, policy: SearchPolicy, model: RewardToGo, propose: int
) -> float:
    """The true speedup of what a search ranked by the model finds."""
    task = Landscape.on(space)
    with Journal.open(":memory:") as journal:
        result = Search(
            task,
            generator=LandscapeGenerator(),
            executor=LandscapeExecutor(),
            critic=LandscapeCritic(),
            reward_to_go=model,
            policy=policy,
            budget=Budget(evaluations=EVALUATIONS),
            journal=journal,
            options=Options(
                seed=seed, threads=1, fuzz=0, minimise=0.0, propose=propose, run=1, explore=0.0
            ),
        ).run()
        return task.speedup(result.program)


def searches(
    models: dict[str, RewardToGo], where: str, spaces: list[Space]
) -> list[dict[str, Any]]:
    """What searches find that go by each model, over those that go by chance."""
    table = []
    for kind, (policy, propose) in {
        "maxcode, 2 proposed": (MaxCode(k=CHILDREN), 2),
        "beam by estimates": (Beam(width=4, k=CHILDREN, by="reward-to-go"), 1),
    }.items():

        def speedups(
            model: RewardToGo, policy: SearchPolicy = policy, propose: int = propose
        ) -> list[float]:
            return [searched(one, n, policy, model, propose) for n, one in enumerate(spaces)]

        chance = np.log(speedups(RandomRewardToGo()))
        for name, model in models.items():
            over, p = ratio(np.log(speedups(model)) - chance)
            row = {"on": where, "search": kind, "learned_from": name, "over_random": over}
            table.append({**row, "p": round(p, 4)})
            print(where, kind, name, over, f"p = {p:.2g}", flush=True)
    return table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tasks", type=int, default=32)
    parser.add_argument("--held", type=int, default=18)
    parser.add_argument("--searches", type=int, default=9, help="on how many tasks of each")
    arguments = parser.parse_args()
    taken_on, started = machine(), time.perf_counter()

    def found(space: Callable[[int], Space], first: int, count: int) -> list[Decision]:
        return [one for run in runs(map(space, range(first, first + count))) for one in run]

    learning = found(kin, 0, arguments.tasks)
    models, donors = learned(learning)
    candidates = [one for decision in learning for one in decision.judged]
    censored = sum(one.censored for one in candidates) / len(candidates)
    print(f"{len(candidates)} candidates, {censored:.1%} of them censored", flush=True)
    ranking, found_by = [], []
    for where, (space, first) in {"kin": (kin, 1000), "unlike": (unlike, 2000)}.items():
        decisions = found(space, first, arguments.held)
        for outcome, (objective, seen) in OUTCOMES.items():
            kept = [one for one in map(seen, decisions) if one.judged]
            judged = {
                name: [judge(model, one, objective) for one in kept]
                for name, model in models.items()
            }
            for name, judgements in judged.items():
                trust = Trust.of(judgements)
                row: dict[str, Any] = {"on": where, "judged_by": outcome, "learned_from": name}
                row |= {
                    "candidates": trust.candidates,
                    "kendall": figure(trust.within.kendall),
                    "over_one_step": figure(added(judgements, judged[ONE_STEP])),
                    "over_paths": figure(added(judgements, judged["paths"])),
                }
                ranking.append(row)
                print(where, outcome, name, row["kendall"], row["over_one_step"], flush=True)
        if arguments.searches > 1:
            spaces = [space(first + n) for n in range(arguments.searches)]
            found_by += searches(models, where, spaces)
    record = {
        "tasks": arguments.tasks,
        "held_out": arguments.held,
        "seeds": {"learned": [0, arguments.tasks - 1], "kin": 1000, "unlike": 2000},
        "evaluations": EVALUATIONS,
        "command": "OMP_NUM_THREADS=1 python benchmarks/subtree_target.py "
        f"--tasks {arguments.tasks} --held {arguments.held} --searches {arguments.searches}",
        "candidates": len(candidates),
        "censored": round(censored, 4),
        "imputed_from": len(donors.gains),
        "ranking": ranking,
        "searches": found_by,
        "seconds": round(time.perf_counter() - started),
    }
    save("subtree_target", record, taken_on)


if __name__ == "__main__":
    main()
