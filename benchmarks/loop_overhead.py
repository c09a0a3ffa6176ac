"""The cost of the loop itself for a candidate: a generator from memory, a scripted executor.

Every candidate is a new program of 8 kB; the journal is a file on disk. Each size runs in a
process of its own, so that peak memory is its own.

Usage: python benchmarks/loop_overhead.py [--sizes 200 2000 20000]
"""

from __future__ import annotations

import resource
import tempfile
import time
from multiprocessing import get_context
from pathlib import Path
from random import Random

from common import options, save

from maxcode import Budget, Generator, MaxCodeLoop, Observation, Program, Proposal, Search
from maxcode.testing import ScriptedExecutor, toy_task

SIZE = 8000


class NewPrograms(Generator):
    """Text that no compression shortens, different each time."""

    def propose(self, observation: Observation, n: int) -> list[Proposal]:
        rng = Random(observation.seed)
        texts = [rng.randbytes(SIZE // 2).hex() for _ in range(n)]
        return [Proposal(Program.of(text, "number.txt")) for text in texts]


def scored(program: Program) -> float:
    """A speedup by digest."""
    return 1.0 + int(program.digest[:8], 16) / 2**32


def measure(candidates: int) -> dict[str, float]:
    """Run in a process of its own; ``seconds`` leaves out imports and the opening of the store."""
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "runs.db"
        search = Search(
            toy_task(),
            generator=NewPrograms(),
            executor=ScriptedExecutor(scored),
            policy=MaxCodeLoop(),
            budget=Budget(evaluations=candidates),
            journal=str(store),
        )
        started = time.perf_counter()
        steps = sum(1 for _ in search.steps())
        seconds = time.perf_counter() - started
        size = sum(path.stat().st_size for path in Path(folder).iterdir())
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {
        "candidates": steps,
        "ms_each": round(1000 * seconds / steps, 3),
        "peak_memory_mb": round(peak, 1),
        "store_mb": round(size / 2**20, 1),
    }


def main() -> None:
    given = options(__doc__, sizes=[200, 2000, 20000])
    rows = []
    with get_context("spawn").Pool(1, maxtasksperchild=1) as pool:
        for size in given.sizes:
            repeats = pool.map(measure, [size] * 3, chunksize=1)
            print(*repeats, sep="\n", flush=True)
            rows.append(sorted(repeats, key=lambda row: row["ms_each"])[1])
    save("loop_overhead", {"program_bytes": SIZE, "median_of": 3, "sizes": rows})


if __name__ == "__main__":
    main()
