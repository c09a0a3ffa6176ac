"""Which target a reward-to-go model should learn: means over paths, or the best of the subtree.

As in benchmarks/one_step.py a model by features learns from runs on landscapes of one family, by
turns of MaxCode and of a beam, and is judged on kin that it has not seen and on unlike ones. The
targets of a candidate are

* paths: the mean over the paths through it of the best reward on each (maxcode's);
* one step: max(u, own reward);
* subtree: the best reward below it, where what was never expanded has its own;
* imputed: the same, where what passed and was never expanded is censored: its gain from being
  expanded is that of expanded ones with a like reward, u and budget left, by a regression
  (single imputation; Little and Rubin, "Statistical Analysis with Missing Data", 2002).

"+ budget" adds the share of the budget that is left and the policy to a model's inputs. Models are
judged within decisions by Kendall's tau against three outcomes, and by the true speedup of searches
that they rank: MaxCode with two proposals for each that is run, and a beam that goes by estimates.
Ratios are to the same search with a model that ranks at random. 95 % intervals: of tau by a
bootstrap over tasks, of ratios by Student's t over tasks on logarithms.

Usage: OMP_NUM_THREADS=1 python benchmarks/subtree_target.py [--tasks 32] [--held 18] [--searches 9]
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from importlib import import_module
from itertools import chain
from math import exp, log
from typing import Any

import numpy as np
from common import machine, save
from default_policy import ratio
from one_step import CHILDREN, EVALUATIONS, figure, kin, one_step, runs, subtree, unlike

from maxcode import Beam, Budget, Journal, MaxCode, Options, Program, Search
from maxcode.interfaces import RewardToGo, SearchPolicy
from maxcode.landscape import (
    Landscape,
    LandscapeCritic,
    LandscapeExecutor,
    LandscapeGenerator,
    Space,
)
from maxcode.observation import Observation
from maxcode.reward_to_go.baselines import RandomRewardToGo
from maxcode.reward_to_go.decisions import Candidate, Decision
from maxcode.reward_to_go.evaluation.figures import evaluate
from maxcode.reward_to_go.features import NAMES, features
from maxcode.tree import Value

HistGradientBoostingRegressor: Any = import_module("sklearn.ensemble").HistGradientBoostingRegressor
Target = Callable[[Decision, Candidate], float]


def left(observation: Observation) -> float:
    """The share of the budget that is left: every expansion has as many children."""
    return max(0.0, 1 - observation.number * CHILDREN / EVALUATIONS)


def inputs(observation: Observation, program: Program, budget: bool, policy: int) -> list[float]:
    counted = features(observation, program)
    found = [counted[name] for name in NAMES]
    return [*found, left(observation), float(policy)] if budget else found


class Learned(RewardToGo):
    """Gradient boosting on features; ``policy`` is that of the search that asks."""

    def __init__(self, budget: bool, policy: int = 0) -> None:
        self.budget, self.policy = budget, policy
        self.regressor = HistGradientBoostingRegressor(early_stopping=False, random_state=0)

    def learn(self, decisions: Sequence[tuple[int, Decision]], target: Target) -> Learned:
        table, targets = [], []
        for policy, decision in decisions:
            for one in decision.judged:
                table.append(inputs(decision.observation, one.program, self.budget, policy))
                targets.append(target(decision, one))
        self.regressor.fit(np.array(table, np.float32), np.array(targets))
        return self

    def under(self, policy: int) -> Learned:
        other = Learned(self.budget, policy)
        other.regressor = self.regressor
        return other

    def predict(self, observation: Observation, programs: Sequence[Program]) -> list[Value]:
        table = [inputs(observation, one, self.budget, self.policy) for one in programs]
        found = self.regressor.predict(np.array(table, np.float32)) if table else []
        return [Value(max(observation.path.u, float(value))) for value in found]


def of_paths(decision: Decision, one: Candidate) -> float:
    u = decision.observation.path.u
    return float(np.mean([max(u, *future) for future in one.futures]))


def of_one_step(decision: Decision, one: Candidate) -> float:
    return max(decision.observation.path.u, one.futures[0][0])


def of_subtree(decision: Decision, one: Candidate) -> float:
    return max(decision.observation.path.u, *chain(*one.futures))


def expanded(one: Candidate) -> bool:
    return any(len(future) > 1 for future in one.futures)


class Imputed:
    """The best of the subtree, estimated for what passed and was never expanded."""

    def __init__(self, decisions: Sequence[tuple[int, Decision]]) -> None:
        known = [
            (policy, decision, one)
            for policy, decision in decisions
            for one in decision.judged
            if expanded(one)
        ]
        table = [self._row(decision, one) for _, decision, one in known]
        gains = [log(of_subtree(d, one) / max(of_one_step(d, one), 1e-9)) for _, d, one in known]
        self.regressor = HistGradientBoostingRegressor(
            max_depth=3, max_iter=60, early_stopping=False, random_state=0
        ).fit(np.array(table), np.array(gains))
        self.known = len(known)

    def __call__(self, decision: Decision, one: Candidate) -> float:
        seen = of_subtree(decision, one)
        if expanded(one) or one.futures[0][0] == 0:
            return seen
        gain = float(self.regressor.predict(np.array([self._row(decision, one)]))[0])
        return seen * exp(max(gain, 0.0))

    def _row(self, decision: Decision, one: Candidate) -> list[float]:
        u, reward = decision.observation.path.u, one.futures[0][0]
        return [reward, u, reward / max(u, 1.0), left(decision.observation)]


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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tasks", type=int, default=32)
    parser.add_argument("--held", type=int, default=18)
    parser.add_argument("--searches", type=int, default=9, help="on how many tasks of each")
    arguments = parser.parse_args()
    taken_on, started = machine(), time.perf_counter()

    def found(space: Callable[[int], Space], first: int, count: int) -> list[tuple[int, Decision]]:
        spaces = map(space, range(first, first + count))
        return [(n % 2, one) for n, run in enumerate(runs(spaces)) for one in run]

    learned = found(kin, 0, arguments.tasks)
    held = {"kin": (kin, 1000), "unlike": (unlike, 2000)}
    imputed = Imputed(learned)
    targets: dict[str, Target] = {
        "paths": of_paths,
        "one step": of_one_step,
        "subtree": of_subtree,
        "imputed": imputed,
    }
    models = {
        f"{name}{' + budget' if budget else ''}": Learned(budget).learn(learned, target)
        for name, target in targets.items()
        for budget in (False, True)
    }
    candidates = [one for _, decision in learned for one in decision.judged]
    share = sum(map(expanded, candidates)) / len(candidates)
    print(f"{len(candidates)} candidates, {share:.1%} of them expanded")
    ranking, searches = [], []
    outcomes = {"own reward": one_step, "paths": lambda one: one, "subtree, expanded": subtree}
    for where, (space, first) in held.items():
        decisions = found(space, first, arguments.held)
        for outcome, seen in outcomes.items():
            for name, model in models.items():
                by_policy = [
                    [one for policy, d in decisions if policy == p and (one := seen(d)).judged]
                    for p in (0, 1)
                ]
                # one set of figures: the decisions of each policy by a model that knows it
                trust = evaluate(_Either(model, by_policy), list(chain(*by_policy)))
                row: dict[str, Any] = {"on": where, "judged_by": outcome, "learned_from": name}
                row |= {"candidates": trust.candidates, "kendall": figure(trust.within.kendall)}
                ranking.append(row)
                print(where, outcome, name, row["kendall"])
        spaces = [space(first + n) for n in range(arguments.searches)]
        for kind, (policy, number, propose) in {
            "maxcode, 2 proposed": (MaxCode(k=CHILDREN), 0, 2),
            "beam by estimates": (Beam(width=4, k=CHILDREN, by="reward-to-go"), 1, 1),
        }.items():
            if arguments.searches < 2:
                break
            chance = [
                searched(one, n, policy, RandomRewardToGo(), propose)
                for n, one in enumerate(spaces)
            ]
            for name, model in models.items():
                ranked = model.under(number)
                speedups = [
                    searched(one, n, policy, ranked, propose) for n, one in enumerate(spaces)
                ]
                over, p = ratio(np.log(speedups) - np.log(chance))
                row = {"on": where, "search": kind, "learned_from": name, "over_random": over}
                searches.append({**row, "p": round(p, 4)})
                print(where, kind, name, over, f"p = {p:.2g}")
    record = {
        "tasks": arguments.tasks,
        "held_out": arguments.held,
        "seeds": {"learned": [0, arguments.tasks - 1], "kin": 1000, "unlike": 2000},
        "evaluations": EVALUATIONS,
        "command": "OMP_NUM_THREADS=1 python benchmarks/subtree_target.py "
        f"--tasks {arguments.tasks} --held {arguments.held} --searches {arguments.searches}",
        "candidates": len(candidates),
        "expanded": round(share, 4),
        "imputed_from": imputed.known,
        "ranking": ranking,
        "searches": searches,
        "seconds": round(time.perf_counter() - started),
    }
    save("subtree_target", record, taken_on)


class _Either(RewardToGo):
    """Asks the model about each decision under the policy that it is of."""

    def __init__(self, model: Learned, by_policy: Sequence[Sequence[Decision]]) -> None:
        self.models = [model.under(0), model.under(1)]
        self.beams = {one.observation.task.name for one in by_policy[1]}

    def predict(self, observation: Observation, programs: Sequence[Program]) -> list[Value]:
        return self.models[observation.task.name in self.beams].predict(observation, programs)


if __name__ == "__main__":
    main()
