"""Worth of critics on simulated tasks: none, empty words, wrong advice, and right advice.

The same search with each critic, on the same tasks with the same seeds, as benchmarks/
default_policy.py makes them; ratios are to the search without a critic, paired by task, with 95 %
intervals by Student's t on logarithms over tasks; p-values are corrected by Holm's method at a
budget. A placebo that differs from no critic would be a fault of the generator or of this table.

Usage: python benchmarks/critics.py [--seeds 24] [--jobs 2] [--policy maxcode] [--save NAME]
"""

from __future__ import annotations

import argparse
import time
from functools import partial
from multiprocessing import get_context

import numpy as np
from common import save
from default_policy import BUDGETS, KINDS, Row, ratio, searched

from maxcode.cli.plugins import make_critic
from maxcode.landscape import Landscape
from maxcode.measure.statistics import holm

CRITICS = (
    "none",
    "placebo",
    "landscape-adversary:accuracy=1",
    "landscape:accuracy=0",
    "landscape:accuracy=0.4",
    "landscape:accuracy=0.8",
    "landscape:accuracy=1",
)


def runs(job: tuple[str, int], policy: str, evaluations: int) -> list[Row]:
    """A task with each critic."""
    kind, seed = job
    task, rows = Landscape.on(KINDS[kind](seed)), []
    for name in CRITICS:
        growth = searched(task, policy, make_critic(name), seed, evaluations)
        best = {b: max(v for spent, v in growth if spent <= b) for b in BUDGETS if b <= evaluations}
        speedups = {str(budget): round(value, 4) for budget, value in best.items()}
        rows.append({"kind": kind, "seed": seed, "critic": name, "speedups": speedups})
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=24)
    parser.add_argument("--evaluations", type=int, default=64)
    parser.add_argument("--kinds", default="usual,rugged,convolution")
    parser.add_argument("--policy", default="maxcode")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--save", metavar="NAME", default="critics")
    arguments = parser.parse_args()
    kinds = arguments.kinds.split(",")
    budgets = [budget for budget in BUDGETS if budget <= arguments.evaluations]
    started = time.perf_counter()
    jobs = [(kind, seed) for kind in kinds for seed in range(arguments.seeds)]
    work = partial(runs, policy=arguments.policy, evaluations=arguments.evaluations)
    with get_context("spawn").Pool(arguments.jobs) as pool:
        rows = [row for found in pool.imap(work, jobs) for row in found]
    table = []
    for kind in [*kinds, "all"]:
        for budget in budgets:
            logs = {
                name: np.log(
                    [
                        row["speedups"][str(budget)]
                        for row in rows
                        if row["critic"] == name and kind in (row["kind"], "all")
                    ]
                )
                for name in CRITICS
            }
            found = [ratio(logs[name] - logs["none"]) for name in CRITICS]
            corrected = [1.0, *holm([p for _, p in found[1:]])]
            for name, (over, _), q in zip(CRITICS, found, corrected, strict=True):
                mean = ratio(logs[name])[0]
                table.append(
                    {
                        "kind": kind,
                        "budget": budget,
                        "critic": name,
                        "geometric_mean": mean,
                        "over_none": over,
                        "corrected": round(q, 4),
                    }
                )
                figure = f"{over['value']:.3f} [{over['low']:.3f}, {over['high']:.3f}]"
                print(f"{kind:14}{budget:>5}  {name:32}{figure}  p = {q:.2g}")
    record = {
        "seeds": arguments.seeds,
        "policy": arguments.policy,
        "evaluations": arguments.evaluations,
        "command": "python benchmarks/critics.py "
        f"--seeds {arguments.seeds} --policy {arguments.policy} --save {arguments.save}",
        "table": table,
        "runs": rows,
        "seconds": round(time.perf_counter() - started),
    }
    save(arguments.save, record)


if __name__ == "__main__":
    main()
