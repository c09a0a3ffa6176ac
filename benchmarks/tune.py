"""Evaluations that tuning needs on three recorded spaces, beside random search.

A space is recorded once, by ``--record``: each allowed point of a program in ``tune_programs`` is
compiled with g++ -O3 and run; its time is the least processor time of five runs of the work in each
of three processes. The benchmark then replays searches from the record, an evaluation at a time, as
the search loop asks: the generator sees all that was tried. A search may evaluate a quarter of the
points; its figure is the best time of all over the best that it found.

Usage: python benchmarks/tune.py [--record] [--seeds 20]
"""

from __future__ import annotations

import json
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from random import Random
from statistics import median
from typing import Any

from common import ROOT, earlier, options, save

from maxcode import Evaluation, Expansion, Interval, Program, SearchTree, Status, Step
from maxcode.generators.parameters import Point, Tunable, read
from maxcode.generators.tune import TuneGenerator
from maxcode.observation import Observe, observe
from maxcode.task import Task

PROGRAMS = sorted((ROOT / "benchmarks" / "tune_programs").glob("*.cpp"))
PROCESSES = 3

Times = dict[Point, float]


def tunable(path: Path) -> Tunable:
    program = Program.of(path.read_text())
    found = read(program, program.files)
    assert found is not None
    return found


def recorded(path: Path) -> dict[str, Any]:
    """Seconds of every allowed point, named by its values."""
    space = tunable(path)
    points = list(space.points())
    Random(0).shuffle(points)  # so that a slow minute does not fall on neighbours
    seconds: Times = {}
    answers: set[str] = set()
    with tempfile.TemporaryDirectory() as folder:
        source, binary = Path(folder, "main.cpp"), Path(folder, "main")
        for number, point in enumerate(points):
            source.write_text(space.with_values(point).code)
            command = ["g++", "-O3", "-std=c++17", str(source), "-o", str(binary)]
            subprocess.run(command, check=True)
            printed = [
                subprocess.run([str(binary)], capture_output=True, text=True, check=True).stdout
                for _ in range(PROCESSES)
            ]
            answers.update(text.split()[1] for text in printed)
            seconds[point] = min(int(text.split()[0]) for text in printed) / 1e9
            if number % 50 == 0:
                print(path.stem, number, len(points), flush=True)
    assert len(answers) == 1, answers  # all points compute the same
    return {
        "parameters": {one.name: one.values for one in space.parameters},
        "seconds": {" ".join(point): seconds[point] for point in space.points()},
    }


def tuned(path: Path, times: Times, seed: int, budget: int) -> list[float]:
    """The times of what the generator proposes, one after the other, with the start first."""
    space = tunable(path)
    task = Task(path.stem, "", space.program, language="c++")
    at = {space.with_values(point): point for point in times}
    found = [times[space.values]]
    tree = SearchTree(Step(0, None, space.program, verdict(1.0)))
    generator = TuneGenerator()
    for number in range(budget):
        asked = tree.ask(Expansion(tree.best.id))
        drawn_from = Random(f"{seed} {number}").getrandbits(32)
        (one,) = generator.propose(observe(tree, task, asked, drawn_from, Observe(), 32), 1)
        assert one.program is not None
        found.append(times[at[one.program]])
        speedup = found[0] / found[-1]
        tree.add(Step(len(tree), tree.best.id, one.program, verdict(speedup), asked))
        tree.close(asked)
        if speedup > tree.best.reward:
            ratio = speedup / tree.best.reward
            tree.promote(len(tree) - 1, Interval(ratio, ratio, ratio))
    return found


def verdict(speedup: float) -> Evaluation:
    return Evaluation(Status.OK, Interval(speedup, speedup, speedup))


def drawn(path: Path, times: Times, seed: int, budget: int) -> list[float]:
    """The times of points drawn at random, without replacement, with the start first."""
    return [times[tunable(path).values], *Random(seed).sample(list(times.values()), budget)]


def figures(
    search: Callable[[Path, Times, int, int], list[float]], path: Path, times: Times, seeds: int
) -> dict[str, Any]:
    """Shares of the brute-force best, and how many evaluations it took to reach 95 % of that."""
    best, budget = min(times.values()), len(times) // 4
    runs = [search(path, times, seed, budget) for seed in range(seeds)]
    shares = sorted(best / min(run) for run in runs)
    needed = sorted(
        next((n for n, one in enumerate(run) if best / one >= 0.95), budget + 1) for run in runs
    )
    return {
        "median_share": round(median(shares), 4),
        "worst_share": round(shares[0], 4),
        "seeds_at_95_percent": sum(share >= 0.95 for share in shares),
        "median_evaluations_to_95_percent": median(needed),
        "most_evaluations_to_95_percent": needed[-1] if needed[-1] <= budget else None,
    }


def main() -> None:
    given = options(__doc__, record=False, seeds=20)
    if given.record:
        save("tune_spaces", {"spaces": {path.stem: recorded(path) for path in PROGRAMS}})
    record = earlier("tune_spaces")
    found: dict[str, Any] = {}
    for path in PROGRAMS:
        seconds = record["spaces"][path.stem]["seconds"]
        times = {tuple(point.split()): one for point, one in seconds.items()}
        best = min(times.values())
        found[path.stem] = {
            "points": len(times),
            "evaluations": len(times) // 4,
            "points_at_95_percent": sum(best / one >= 0.95 for one in times.values()),
            "slowest_over_best": round(max(times.values()) / best, 2),
            "start_share": round(best / times[tunable(path).values], 4),
            "tune": figures(tuned, path, times, given.seeds),
            "random": figures(drawn, path, times, given.seeds),
        }
        print(path.stem, json.dumps(found[path.stem], indent=1), flush=True)
    of_all = {"seeds": given.seeds, "recorded_on": record["machine"], "spaces": found}
    save("tune", of_all)


if __name__ == "__main__":
    main()
