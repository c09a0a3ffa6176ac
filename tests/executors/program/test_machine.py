"""What judging does to the machine it runs on, and what a failing machine does to judging."""

import math
import tempfile
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from threading import Lock
from time import monotonic

import pytest

from maxcode.executors.program.executor import ProgramExecutor
from maxcode.measure.lane import other_processors, timing_processors
from maxcode.measure.rounds import Plan
from maxcode.program import Program
from maxcode.sandbox.base import NO_FILES, Completed, Files, Limits
from maxcode.sandbox.process import ProcessSandbox
from maxcode.tasks.program import Judging, ProgramTask, TestCase

ROUNDS = 3
BRIEF = Plan(least=ROUNDS, most=ROUNDS, seconds=math.inf)


def counting(to: int) -> Program:
    return Program.of(
        "#include <cstdio>\n"
        f'int main() {{ for (volatile int i = 0; i < {to}; i = i + 1) {{}} puts("done"); }}\n'
    )


SLOW, FAST = counting(5_000_000), counting(0)
CRASHING = Program.of("int main() { return *(int* volatile)nullptr; }\n")
TASK = ProgramTask(
    "count",
    "Say that it is done.",
    SLOW,
    tests=(TestCase("001", b"", b"done\n"), TestCase("002", b"again", b"done\n")),
    judging=Judging(flags=("-O0",)),
)


@dataclass(frozen=True)
class Span:
    """When and where a command ran."""

    processors: tuple[int, ...]
    command: str
    files: Files
    began: float
    ended: float

    @property
    def compiles(self) -> bool:
        return any(folder.name == "src" for folder in self.files.read)


class WatchedSandbox(ProcessSandbox):
    """Notes when each command ran."""

    def __init__(self) -> None:
        super().__init__()
        self.spans: list[Span] = []
        self._lock = Lock()

    def run(self, command: Sequence[str], limits: Limits, files: Files = NO_FILES) -> Completed:
        began = monotonic()
        completed = super().run(command, limits, files)
        with self._lock:
            self.spans.append(Span(limits.processors, command[0], files, began, monotonic()))
        return completed


@pytest.mark.slow
@pytest.mark.usefixtures("every_processor")
def test_timed_passes_never_overlap_those_of_another_thread() -> None:
    if other_processors(timing_processors()) == timing_processors():
        pytest.skip("with one processor nothing tells a timed run from another")
    sandbox = WatchedSandbox()
    candidates = [counting(5_000_001 + number) for number in range(4)]
    with ProgramExecutor(sandbox, score=BRIEF) as executor:
        executor.prepare(TASK)
        sandbox.spans.clear()
        with ThreadPoolExecutor(4) as pool:
            found = list(pool.map(lambda one: executor.evaluate(TASK, one), candidates))
    assert all(evaluation.ok for evaluation in found)
    timed = [span for span in sandbox.spans if span.processors == timing_processors()]
    baseline = Counter(span.command for span in timed).most_common(1)[0][0]
    of_candidate: dict[str, list[Span]] = {}
    for span in timed:
        if span.command != baseline:
            of_candidate.setdefault(span.command, []).append(span)
    turns = [(spans[0].began, spans[-1].ended) for spans in of_candidate.values()]
    assert len(turns) == 4
    for (began, ended), (other_began, other_ended) in combinations(turns, 2):
        assert ended <= other_began or other_ended <= began


@pytest.mark.slow
def test_closing_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    executor = ProgramExecutor(score=BRIEF)
    executor.prepare(TASK)
    executor.evaluate(TASK, FAST)
    executor.evaluate(TASK, CRASHING)
    assert list(tmp_path.iterdir())
    executor.close()
    left = [one.name for one in tmp_path.iterdir()]
    assert left == ["maxcode-lanes"]  # where all processes wait for the timing lane
