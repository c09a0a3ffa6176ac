"""Which search should be the default: forms of MaxCode's loop on simulated tasks of several kinds.

One run of each policy on each task, to the largest budget; what it had by the smaller ones is read
off on the way, since no policy knows its budget. What counts is the true speedup of the best
program by then. Ratios are to the policy named first, paired by task; intervals are 95 %, over the
tasks of a kind by Student's t on logarithms, p-values corrected by Holm's method over all ratios at
a budget and kind. Over kinds, each kind counts alike.

Searches here are loops of their own, without a journal, which are quicker and find the same: that
is checked on the first task of each kind and policy, step by step.

A policy shows its generator everything, or what is named behind ``@`` as in ``best-of-n@none``.
With ``+truth`` each step has the true value of its state as an estimate: the highest speedup that
is reached from it by taking the best single change again and again, with ``+truth1`` once; with
``+gamma=0.9`` returns are discounted; ``+novel=0.9`` rejects proposals that share more than 9 lines
of 10 with a program that was there.

Usage: python benchmarks/default_policy.py [--seeds 24] [--first 0] [--save NAME] [POLICY...]
"""

from __future__ import annotations

import argparse
import shlex
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from multiprocessing import get_context
from random import Random
from typing import Any

import numpy as np
from common import machine, save

from maxcode import Budget, Observe, Options, Program, Search, SearchTree
from maxcode.cli.plugins import make_policy
from maxcode.interfaces import Critic, Generator, Proposal, SearchPolicy
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
from maxcode.observation import Observation, observe
from maxcode.options import derive
from maxcode.tree import Step, Value

Row = dict[str, Any]

BUDGETS = (32, 64, 256)
CONVOLUTIONS = ("a100", "a4000", "mi250x", "w6600")
PATIENCE, ATTEMPTS = Options().patience, Options().attempts

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


@dataclass(frozen=True)
class Form:
    """A policy as it takes part: what is shown, how far ahead its estimates look, the discount."""

    name: str

    @property
    def policy(self) -> SearchPolicy:
        return make_policy(self._parts[0])

    @property
    def observe(self) -> Observe:
        shown = self.name.partition("@")[2]
        return Observe.parse(shown) if shown else Observe()

    @property
    def ahead(self) -> int | None:
        """Changes that an estimate looks ahead; None without estimates."""
        named = [part.removeprefix("truth") for part in self._parts if part.startswith("truth")]
        return int(named[0] or 1_000) if named else None

    @property
    def gamma(self) -> float:
        named = [part.removeprefix("gamma=") for part in self._parts if part.startswith("gamma=")]
        return float(named[0]) if named else 1.0

    @property
    def generator(self) -> Generator:
        named = [part.removeprefix("novel=") for part in self._parts if part.startswith("novel=")]
        return Novel(float(named[0])) if named else LandscapeGenerator()

    @property
    def _parts(self) -> list[str]:
        return self.name.partition("@")[0].split("+")


class Novel(Generator):
    """Rejects what is too like a program of the search, by its lines without comments and spaces.

    Of two programs the likeness is the share of lines that they have in common. Each proposal is
    drawn again until it is novel, up to eight times.
    """

    trusted = True

    def __init__(self, most: float) -> None:
        self.most, self.inner = most, LandscapeGenerator()

    def propose(self, observation: Observation, n: int) -> list[Proposal]:
        known = [self._lines(step.program) for step in observation.history]
        found: list[Proposal] = []
        for number in range(n):
            for draw in range(8):
                seed = derive(observation.seed, "novel", 8 * number + draw)
                (proposal,) = self.inner.propose(replace(observation, seed=seed), 1)
                assert proposal.program is not None
                lines = self._lines(proposal.program)
                if all(len(lines & one) / len(lines) <= self.most for one in known):
                    break
            known.append(lines)
            found.append(proposal)
        return found

    def _lines(self, program: Program) -> frozenset[str]:
        bare = (line.partition("//")[0].replace(" ", "") for line in program.code.splitlines())
        return frozenset(line for line in bare if line)


def foreseen(task: Landscape, program: Program, changes: int) -> Value:
    """The true speedup that so many best single changes, one after the other, lead to."""
    point, best = task.read(program), task.speedup(program)
    for _ in range(changes):
        gains = {
            (site, choice): gain
            for site in range(task.terrain.size)
            for choice, gain in task.terrain.gains(point, site).items()
        }
        site, choice = max(gains, key=lambda move: gains[move], default=(0, point[0]))
        after = (*point[:site], choice, *point[site + 1 :])
        speedup = task.speedup(task.write(after))
        if speedup <= best:
            break
        point, best = after, speedup
    return Value(best)


def searched(
    task: Landscape, form: Form, critic: Critic | None, seed: int, evaluations: int
) -> tuple[SearchTree, list[tuple[int, float]]]:
    """The tree of a search, and the true speedup of its best program by evaluations spent."""
    generator, executor = form.generator, LandscapeExecutor()
    policy, switches, ahead = form.policy, form.observe, form.ahead
    tree = SearchTree.planted(task.baseline, executor.prepare(task), form.gamma)
    spent = barren = 0
    decided: set[int] = set()
    growth = [(0, 1.0)]
    while spent < evaluations and barren < PATIENCE:
        asked = policy.ask(tree, Random(derive(seed, "policy", tree.expansions)))
        if not asked:
            break
        (expansion,) = asked
        number = tree.ask(expansion)
        shown = observe(tree, task, number, derive(seed, "generator", number), switches, ATTEMPTS)
        if critic and switches.critique:
            criticise(tree, critic, shown)
        shown = observe(tree, task, number, derive(seed, "generator", number), switches, ATTEMPTS)
        granted = min(expansion.children, evaluations - spent)
        new = []
        for proposal in generator.propose(shown, granted):
            assert proposal.program is not None
            first = tree.find(proposal.program.digest)
            evaluation = first.evaluation if first else executor.evaluate(task, proposal.program)
            spent += first is None
            barren = 0 if first is None else barren + 1
            step = Step(
                id=len(tree),
                parent=expansion.parent,
                program=proposal.program,
                evaluation=evaluation,
                expansion=number,
                summary=proposal.summary,
                tags=proposal.tags,
                duplicate_of=first.id if first else None,
            )
            if ahead is not None:
                step = replace(step, value=foreseen(task, step.program, ahead))
            tree.add(step)
            new.append(step)
        tree.close(number, cut_short=granted < expansion.children)
        for step in sorted(new, key=lambda step: (-step.reward, step.id)):
            promising = step.reward > tree.best_speedup.value and step.duplicate_of is None
            if promising and step.id not in decided:
                decided.add(step.id)
                ratio = executor.compare(task, step.program, tree.best.program).ratio
                if ratio is not None and ratio.low > 1:
                    tree.promote(step.id, ratio)
        growth.append((spent, task.speedup(tree.best.program)))
    return tree, growth


def criticise(tree: SearchTree, critic: Critic, shown: Observation) -> None:
    for step in shown.shown:
        subject = step.id if step.duplicate_of is None else step.duplicate_of
        if tree[subject].critique is None:
            tree.annotate(subject, critique=critic.critique(shown, step))


def check(task: Landscape, form: Form, critic: Critic, seed: int, tree: SearchTree) -> None:
    """That the library's own search has the same steps."""
    evaluations = len({step.program.digest for step in tree}) - 1
    search = Search(
        task,
        generator=form.generator,
        executor=LandscapeExecutor(),
        critic=critic,
        policy=form.policy,
        budget=Budget(evaluations=evaluations),
        options=Options(
            seed=seed, threads=1, fuzz=0, minimise=0.0, observe=form.observe, gamma=form.gamma
        ),
    )
    own = search.run().tree
    assert [step.program.digest for step in own] == [step.program.digest for step in tree]
    assert [step.parent for step in own] == [step.parent for step in tree]


def runs(job: tuple[str, int], policies: Sequence[str], evaluations: int) -> list[Row]:
    """All policies on one task."""
    kind, seed = job
    task, critic = Landscape.on(KINDS[kind](seed)), LandscapeCritic()
    rows = []
    for name in policies:
        form, started = Form(name), time.process_time()
        _, growth = searched(task, form, critic, seed, evaluations)
        seconds = time.process_time() - started
        if seed % 100 == 0 and form.ahead is None:
            small, _ = searched(task, form, critic, seed, 32)
            check(task, form, critic, seed, small)
        best = {b: max(v for spent, v in growth if spent <= b) for b in BUDGETS if b <= evaluations}
        rows.append(
            {
                "kind": kind,
                "task": task.name,
                "seed": seed,
                "policy": name,
                "optimum": round(task.terrain.optimum, 4),
                "speedups": {str(budget): round(value, 4) for budget, value in best.items()},
                "evaluations": growth[-1][0],
                "processor_seconds": round(seconds, 3),
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
    taken_on, started = machine(), time.perf_counter()
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
        own = [
            next(r for r in by_kind if (r["policy"], r["kind"], r["budget"]) == (policy, k, b))
            for b in budgets
            for k in kinds
        ]
        each = " ".join(f"{one['over_first']['value']:.2f}" for one in own)
        print(f"{policy:38}{shown}  {each}")
    print(f"{seconds:.0f} s, {sum(row['processor_seconds'] for row in rows):.0f} of a processor")
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
        save(arguments.save, record, taken_on)


if __name__ == "__main__":
    main()
