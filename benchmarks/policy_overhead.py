"""What a decision of each policy takes in a tree of 10,000 steps.

The tree is one that the policy grew itself, in a world where programs get better by little and a
third of them fails, and in one where none passes. Times are of the processor, each decision alone;
the median and the slowest of the last 200 are given, and the first decision of a new instance, as
after a run was resumed.

Usage: python benchmarks/policy_overhead.py [--steps 10000]
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from random import Random
from statistics import median
from time import process_time

from common import machine, save

from maxcode import (
    PUCT,
    Beam,
    BestOfN,
    CudaLLM,
    EffiLearner,
    Evaluation,
    Expansion,
    Interval,
    Islands,
    MaxCodeLoop,
    Program,
    SearchPolicy,
    SearchTree,
    Status,
    Step,
    TreeQuestPolicy,
)

POLICIES: dict[str, Callable[[], SearchPolicy]] = {
    "best-of-n": BestOfN,
    "maxcode": MaxCodeLoop,
    "cuda-llm": CudaLLM,
    "effi-learner": lambda: EffiLearner(steps=None),
    "beam": Beam,
    "islands": Islands,
    "puct": PUCT,
    "treequest:abmcts-a": TreeQuestPolicy,
    "treequest:abmcts-a,distribution=beta": lambda: TreeQuestPolicy(distribution="beta"),
    "treequest:mcts": lambda: TreeQuestPolicy("mcts"),
}


World = Callable[[Step, Random], Evaluation]
"""Judges a child of that step."""


def a_third_fails(parent: Step, rng: Random) -> Evaluation:
    if rng.random() < 1 / 3:
        return Evaluation(Status.WRONG_ANSWER)
    score = max(parent.reward, 1.0) * rng.uniform(0.9, 1.05)
    return Evaluation(Status.OK, Interval(score, score, score))


def none_passes(parent: Step, rng: Random) -> Evaluation:
    return Evaluation(Status.WRONG_ANSWER)


def grow(tree: SearchTree, expansion: Expansion, world: World, rng: Random) -> None:
    number = tree.ask(expansion)
    for _ in range(expansion.children):
        evaluation = world(tree[expansion.parent], rng)
        program = Program.of(str(len(tree)))
        tree.add(Step(len(tree), expansion.parent, program, evaluation, number))
        ratio = evaluation.reward / tree.best_speedup.value
        if ratio > 1:
            tree.promote(len(tree) - 1, Interval(ratio, ratio, ratio))
    tree.close(number)


def measure(make: Callable[[], SearchPolicy], world: World, steps: int) -> dict[str, float]:
    one = Interval(1.0, 1.0, 1.0)
    tree = SearchTree(Step(0, None, Program.of("0"), Evaluation(Status.OK, one)))
    policy, rng, taken = make(), Random(0), []
    while len(tree) <= steps:
        started = process_time()
        answer = policy.ask(tree, Random(tree.expansions))
        taken.append(1000 * (process_time() - started))
        for expansion in answer:
            grow(tree, expansion, world, rng)
    fresh = make()
    started = process_time()
    fresh.ask(tree, Random(tree.expansions))
    first = 1000 * (process_time() - started)
    last = taken[-200:]
    return {
        "decisions": len(taken),
        "ms": round(median(last), 4),
        "slowest_ms": round(max(last), 4),
        "first_of_a_new_instance_ms": round(first, 2),
    }


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=10_000)
    steps = parser.parse_args().steps
    taken_on = machine()
    found: dict[str, dict[str, dict[str, float]]] = {}
    for key, world in (("policies", a_third_fails), ("policies_where_none_passes", none_passes)):
        print(world.__name__)
        found[key] = {}
        for name, make in POLICIES.items():
            found[key][name] = measure(make, world, steps)
            print(f"{name:40} {found[key][name]}", flush=True)
    save("policy_overhead", {"steps": steps, **found}, taken_on)


if __name__ == "__main__":
    main()
