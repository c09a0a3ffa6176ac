"""With ``evaluations=4`` and 8 threads exactly 4 evaluations run; the best of all 4 is reported.

Repeated many times with evaluations that take a random time, since a race would show rarely.

Usage: python benchmarks/exact_budget.py [--rounds 200]
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from random import Random

from common import machine, save

from maxcode import BestOfN, Budget, MaxCodeLoop, Options, Program, SearchPolicy, Task, optimize
from maxcode.testing import ScriptedExecutor, ScriptedGenerator

THREADS, EVALUATIONS = 8, 4


def one_round(seed: int, policy: SearchPolicy, in_flight: int) -> tuple[int, bool]:
    """Evaluations that ran, and whether the best of them was reported."""

    def score(program: Program) -> float:
        if program.code == "start":
            return 1.0
        time.sleep(Random(program.digest).uniform(0, 0.01))
        return 1.5 + int(program.digest[:8], 16) / 2**32

    codes = (f"{seed}.{k}" for k in range(1000))
    executor = ScriptedExecutor(score)
    result = optimize(
        Task("exact", "", Program.of("start")),
        generator=ScriptedGenerator(lambda _, n: [Program.of(next(codes)) for _ in range(n)]),
        executor=executor,
        policy=policy,
        budget=Budget(evaluations=EVALUATIONS),
        options=Options(seed=seed, threads=THREADS, in_flight=in_flight),
    )
    best = max(step.reward for step in result.tree)
    return len(result.tree) - 1, result.best.reward == best


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=200)
    arguments = parser.parse_args()
    taken_on = machine()
    policies: list[Callable[[], SearchPolicy]] = [
        lambda: BestOfN(batch=8),
        lambda: BestOfN(batch=1),
        lambda: MaxCodeLoop(k=8),
        lambda: MaxCodeLoop(k=3),
    ]
    exact = reported = rounds = 0
    for seed in range(arguments.rounds):
        evaluations, best = one_round(seed, policies[seed % 4](), in_flight=1 + seed % 8)
        rounds += 1
        exact += evaluations == EVALUATIONS
        reported += best
    figures = {
        "threads": THREADS,
        "evaluations_allowed": EVALUATIONS,
        "rounds": rounds,
        "rounds_with_exactly_that_many": exact,
        "rounds_that_reported_the_best_of_all": reported,
    }
    print(figures)
    save("exact_budget", figures, taken_on)


if __name__ == "__main__":
    main()
