"""A comparison that ends its process in the middle of a run; each proposal leaves a line."""

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from maxcode.budget import Budget
from maxcode.comparison.contest import Contest
from maxcode.comparison.method import Method
from maxcode.comparison.running import compare
from maxcode.observation import Observation
from maxcode.options import Options
from maxcode.policies.maxcode_loop import MaxCodeLoop
from maxcode.testing import ScriptedExecutor, ScriptedGenerator, toy_answers, toy_task, toy_verdict
from maxcode.testing.scripted import Answer


def contest(store: Path, trace: Path, limit: int) -> Contest:
    """Two methods with two seeds; the process ends at once at proposal number ``limit``."""

    def script(observation: Observation, n: int) -> Sequence[Answer]:
        with trace.open("a") as file:
            file.write(f"{observation.seed}\n")
        if len(trace.read_text().splitlines()) == limit:
            os._exit(9)
        return toy_answers(observation, n)

    return compare(
        [Method("loop", MaxCodeLoop(4))],
        [toy_task()],
        generator=ScriptedGenerator(script),
        executor=ScriptedExecutor(toy_verdict),
        budget=Budget(evaluations=12),
        seeds=2,
        journal=str(store),
        options=Options(threads=1),
    )


if __name__ == "__main__":
    contest(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]))
