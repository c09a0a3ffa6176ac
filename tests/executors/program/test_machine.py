"""The timing lane, and the folder of builds."""

import math
import tempfile
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from time import monotonic

import pytest

from maxcode.executors.program.executor import ProgramExecutor
from maxcode.measure.lane import other_processors, timing_processors
from maxcode.measure.rounds import Plan
from maxcode.program import Program
from maxcode.sandbox.base import NO_FILES, Completed, Files, Limits
from maxcode.sandbox.process import ProcessSandbox
from maxcode.tasks.program import Judging, ProgramTask, TestCase

pytestmark = pytest.mark.slow

BRIEF = Plan(least=3, most=3, seconds=math.inf)


def counting(to: int) -> Program:
    return Program.of(
        "#include <cstdio>\n"
        f'int main() {{ for (volatile int i = 0; i < {to}; i = i + 1) {{}} puts("done"); }}\n'
    )


TASK = ProgramTask(
    "count",
    "Say that it is done.",
    counting(5_000_000),
    tests=(TestCase("001", b"", b"done\n"), TestCase("002", b"again", b"done\n")),
    judging=Judging(flags=("-O0",)),
)


class WatchedSandbox(ProcessSandbox):
    """Notes when each command ran on the timing processors."""

    def __init__(self) -> None:
        super().__init__()
        self.timed: list[tuple[str, float, float]] = []

    def run(self, command: Sequence[str], limits: Limits, files: Files = NO_FILES) -> Completed:
        began = monotonic()
        completed = super().run(command, limits, files)
        if limits.processors == timing_processors():
            self.timed.append((command[0], began, monotonic()))
        return completed


@pytest.mark.usefixtures("every_processor")
def test_timed_pairs_of_several_threads_take_turns() -> None:
    if other_processors(timing_processors()) == timing_processors():
        pytest.skip("with one processor nothing tells a timed run from another")
    sandbox = WatchedSandbox()
    candidates = [counting(5_000_001 + number) for number in range(4)]
    with ProgramExecutor(sandbox, score=BRIEF) as executor:
        executor.prepare(TASK)
        sandbox.timed.clear()
        with ThreadPoolExecutor(4) as pool:
            found = list(pool.map(lambda one: executor.evaluate(TASK, one), candidates))
    assert all(evaluation.ok for evaluation in found)
    [(baseline, _)] = Counter(name for name, *_ in sandbox.timed).most_common(1)
    turns: dict[str, list[float]] = {}
    for name, *times in sandbox.timed:
        if name != baseline:
            turns.setdefault(name, []).extend(times)
    assert len(turns) == 4
    spans = sorted((min(times), max(times)) for times in turns.values())
    assert all(ended <= began for (_, ended), (began, _) in pairwise(spans))


def test_closing_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    executor = ProgramExecutor(score=BRIEF)
    executor.prepare(TASK)
    executor.evaluate(TASK, counting(0))
    executor.evaluate(TASK, Program.of("int main() { return *(int* volatile)nullptr; }\n"))
    assert list(tmp_path.iterdir())
    executor.close()
    left = [one.name for one in tmp_path.iterdir()]
    assert left == ["maxcode-lanes"]  # where all processes wait for the timing lane
