"""All searches on C++ examples with the offline generator: what `maxcode compare` found, kept.

The runs are made by that command, hours of them, and a store may hold as many as there was time
for; figures use the tasks and seeds with which every method came to its end::

    cd examples/cpp
    maxcode compare edit_distance word_count prime_sieve partitions big_sums matrix_product \
        --policy maxcode:k=4 --policy cuda-llm:n=4@none --policy cuda-llm:n=4@trajectory \
        --policy cuda-llm:n=4@best --policy cuda-llm:n=4@trajectory,best \
        --policy effi-learner:steps=16 --policy beam:width=2,k=2 --policy islands \
        --policy treequest --seeds 8 --budget evaluations=16 --jobs 2 --store runs.db

The generator reads no critiques, so the ablation is one of the other two switches, under the policy
whose step need not be the best program.

Usage: python benchmarks/compare_cpp.py --store runs.db
"""

from __future__ import annotations

import argparse
from typing import Any

from common import machine, save

from maxcode.comparison.contest import Contest
from maxcode.comparison.documents import document
from maxcode.comparison.method import CONTROL, RECIPE
from maxcode.comparison.outcome import (
    Outcome,
    read_outcome,
)
from maxcode.journal.events import RunStarted
from maxcode.journal.journal import Journal

SWITCHES = {
    "showing the trajectory": (("trajectory", "trajectory,best"), ("none", "best")),
    "showing the best": (("best", "trajectory,best"), ("none", "trajectory")),
}


def outcomes(journal: Journal) -> list[Outcome]:
    """Of all runs of comparisons that came to their end."""
    found = []
    for run_id in reversed(journal.run_ids()):
        log = journal.run(run_id)
        started = next(log.events()).event
        recipe = started.options.recipe.get(RECIPE) if isinstance(started, RunStarted) else None
        if isinstance(started, RunStarted) and isinstance(recipe, dict):
            outcome = read_outcome(log, str(recipe["method"]), started.options.seed)
            found += [outcome] if outcome else []
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--store", required=True)
    with Journal.open(parser.parse_args().store, create=False) as journal:
        found = outcomes(journal)
    methods = tuple(dict.fromkeys(one.method for one in found))
    budget = f"evaluations={max(one.spent.evaluations for one in found)}"
    contest = Contest(methods, CONTROL, tuple(found), planned=len(found), budget=budget)
    pairs = set(contest.pairs)
    kept = tuple(one for one in found if (one.task, one.seed) in pairs)
    contest = Contest(methods, CONTROL, kept, planned=len(kept), budget=budget)
    names = [(name, "not showing it") for name in SWITCHES]
    sides = [
        tuple([f"cuda-llm:n=4@{shown}" for shown in side] for side in both)
        for both in SWITCHES.values()
    ]
    effects = contest.contrasts([(on, off) for on, off in sides], names)
    figures: dict[str, Any] = document(contest, effects)
    for one in (*contest.differences(), *effects):
        print(one)
    save("compare_cpp", figures, machine())


if __name__ == "__main__":
    main()
