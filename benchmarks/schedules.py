"""Whether what finishes first changes what a search finds: random schedules, each policy.

Four expansions are under way; generator, executor and critic take a random time for each call, and
every role is played. Each schedule's tree is compared, in every detail but times, with that of a
search on one thread in which nothing takes any time. How many orders of completion there were says
whether the schedules differed at all.

Usage: python benchmarks/schedules.py [--schedules 100]
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from random import Random
from typing import Any

from common import machine, save

from maxcode import (
    PUCT,
    Beam,
    BestOfN,
    CudaLLM,
    EffiLearner,
    Islands,
    MaxCode,
    MaxCodeLoop,
    SearchPolicy,
    TreeQuestPolicy,
)
from maxcode.testing import scheduled

POLICIES: dict[str, Callable[[], SearchPolicy]] = {
    "best-of-n": lambda: BestOfN(batch=2),
    "maxcode": lambda: MaxCode(k=2, stall=2),
    "maxcode-greedy": lambda: MaxCodeLoop(k=3),
    "cuda-llm": lambda: CudaLLM(n=3),
    "effi-learner": lambda: EffiLearner(steps=None),
    "beam": lambda: Beam(width=3, k=1),
    "beam:by=reward-to-go": lambda: Beam(width=3, k=1, by="reward-to-go"),
    "islands": lambda: Islands(count=3, k=1, migration=2),
    "puct": PUCT,
    "treequest:abmcts-a": TreeQuestPolicy,
    "treequest:mcts": lambda: TreeQuestPolicy("mcts", k=2),
}
EVALUATIONS = 20


def measure(make: Callable[[], SearchPolicy], schedules: int) -> dict[str, Any]:
    expected = scheduled(make(), 1, None, EVALUATIONS)
    runs = [scheduled(make(), (1, 16)[i % 2], Random(i), EVALUATIONS) for i in range(schedules)]
    return {
        "identical_trees": sum(run.tree == expected.tree for run in runs),
        "orders_of_completion": len({run.order for run in runs}),
        "steps": len(expected.tree) - 1,
    }


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--schedules", type=int, default=100)
    schedules = parser.parse_args().schedules
    taken_on, rows = machine(), {}
    for name, make in POLICIES.items():
        rows[name] = measure(make, schedules)
        print(f"{name:24} {rows[name]}", flush=True)
    save("schedules", {"schedules": schedules, "policies": rows}, taken_on)


if __name__ == "__main__":
    main()
