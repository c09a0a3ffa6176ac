"""A suite of hostile C++ programs, each with an honest twin, judged as candidates are.

They lie in the folder ``hostile`` as ``NAME.cpp`` and ``NAME.honest.cpp``. The first line of a
hostile one names the verdicts it may get: ``// status: wrong_answer runtime_error``. An attack that
succeeds ends in the right answer, so ``ok`` is an escape, but for programs that say it themselves:
those do harm, if any, in another way. A line ``// slower`` says that the program takes several
times what the baseline takes and hides it; ``// sanitize`` that the sanitizers have to find it;
``// hasty`` that its build is given up soon; ``// meter NAME`` what it is judged by. All are to be
run in a sandbox that isolates, and nowhere else.
"""

from __future__ import annotations

import os
import random
import re
import socket
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from maxcode.evaluation import Evaluation, Status
from maxcode.executors.program.executor import ProgramExecutor
from maxcode.measure.rounds import Plan
from maxcode.program import Program
from maxcode.sandbox.bubblewrap import BubblewrapSandbox
from maxcode.tasks.program import Judging, ProgramTask, TestCase

FOLDER = Path(__file__).with_name("hostile")
BRIEF = Plan(least=2, most=2)
_HEADER = "answer.hpp"
_THREADS = 4
_TRACE = "maxcode-was-here"
_HASTE = 3.0
_SLOW = 0.5  # speedup that a program must stay below which takes several times as much


@dataclass(frozen=True)
class Case:
    """A hostile program, its twin, and what is to become of the two."""

    name: str
    hostile: Program
    honest: Program
    allowed: frozenset[Status]
    slower: bool
    task: ProgramTask
    haste: float | None = None  # seconds for the hostile one's build

    def jobs(self) -> Iterator[tuple[ProgramTask, Program]]:
        """What is to be judged."""
        judging = self.task.judging
        if self.haste is not None:
            judging = replace(judging, build_timeout=self.haste)
        yield replace(self.task, judging=judging), self.hostile
        yield self.task, self.honest

    def escaped(self, verdict: Evaluation) -> bool:
        """Whether the attack succeeded."""
        return verdict.ok and (Status.OK not in self.allowed or self.gained(verdict))

    def gained(self, verdict: Evaluation) -> bool:
        """Whether time that was spent is missing from the verdict, beyond what noise explains."""
        if not self.slower or verdict.speedup is None:
            return False
        return verdict.speedup.low >= _SLOW


def load() -> list[Case]:
    """The whole suite."""
    paths = sorted(path for path in FOLDER.glob("*.cpp") if ".honest" not in path.name)
    return [_case(path) for path in paths]


def _case(path: Path) -> Case:
    text = path.read_text()
    marks = re.findall(r"^// (?:status: )?([a-z_ ]+)$", text, re.MULTILINE)
    meters = [mark.removeprefix("meter ") for mark in marks if mark.startswith("meter ")]
    return Case(
        path.stem,
        _program(text),
        _program(path.with_suffix(".honest.cpp").read_text()),
        frozenset(map(Status, marks[0].split())),
        "slower" in marks,
        _task("sanitize" in marks, *meters),
        _HASTE if "hasty" in marks else None,
    )


def _program(text: str) -> Program:
    header = (FOLDER / _HEADER).read_text()
    return Program({"main.cpp": text, _HEADER: header}, "main.cpp")


def _task(sanitize: bool = False, meter: str = "cpu") -> ProgramTask:
    judging = Judging(("-O1", "-std=c++17"), timeout=1.0, memory=192 << 20, sanitize=sanitize)
    return ProgramTask(
        "hostile",
        "Print the sum of n numbers, and then the least and the largest.",
        _program(f'#include "{_HEADER}"\n\nint main() {{ solve(); }}\n'),
        # what is counted takes many times as long
        tests=(_test(60 if meter == "instructions" else 2000),),
        judging=replace(judging, meter=meter),
    )


def _test(count: int) -> TestCase:
    rng = random.Random(count)
    numbers = [rng.randrange(-(10**6), 10**6) for _ in range(count)]
    given = f"{count}\n{' '.join(map(str, numbers))}\n"
    expected = f"{sum(numbers)}\n{min(numbers)} {max(numbers)}\n"
    return TestCase("001", given.encode(), expected.encode())


@dataclass(frozen=True)
class Outcome:
    """What became of the suite: verdicts, and what was left of the programs."""

    verdicts: Mapping[Program, Evaluation]
    survivors: list[str]
    traces: list[Path]


def judge(cases: Sequence[Case]) -> Outcome:
    """Judge all programs of these cases as the executor judges candidates."""
    before = tempfile.tempdir
    with _bait(), tempfile.TemporaryDirectory(prefix="maxcode-hostile-") as folder:
        tempfile.tempdir = folder  # which marks whatever is built and run
        try:
            verdicts = _verdicts(cases)
        finally:
            tempfile.tempdir = before
        return Outcome(verdicts, list(_survivors(folder)), _traces())


def _verdicts(cases: Sequence[Case]) -> dict[Program, Evaluation]:
    processors = sorted(os.sched_getaffinity(0))  # for timing, too, so that all of them build
    with (
        ProgramExecutor(
            BubblewrapSandbox(), score=BRIEF, confirm=BRIEF, processors=processors
        ) as executor,
        ThreadPoolExecutor(_THREADS) as pool,
    ):
        for task in {case.task.digest: case.task for case in cases}.values():
            executor.prepare(task)
        wanted = [pair for case in cases for pair in case.jobs()]
        given = pool.map(lambda pair: executor.evaluate(*pair), wanted)
        verdicts = {pair[1]: verdict for pair, verdict in zip(wanted, given, strict=True)}
        for case in cases:  # the bombs beside an honest program may have taken its time
            if verdicts[case.honest].status in (Status.TIMEOUT, Status.INFRASTRUCTURE):
                verdicts[case.honest] = executor.evaluate(case.task, case.honest)
        return verdicts


@contextmanager
def _bait() -> Iterator[None]:
    """What an attack that gets out would find: outputs, sockets, a secret in the environment."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="maxcode-canary-")))
        folder.chmod(0o777)
        (folder / "expected").write_bytes(_task().tests[0].expected)
        abstract = stack.enter_context(socket.socket(socket.AF_UNIX))
        port = stack.enter_context(socket.socket())
        port.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        for bait, address in ((abstract, "\0maxcode-hostile"), (port, ("127.0.0.1", 48123))):
            with suppress(OSError):  # another run of the tests on this machine offers the same
                bait.bind(address)
                bait.listen()
        os.environ["MAXCODE_SECRET_KEY"] = "found"  # noqa: S105
        stack.callback(os.environ.pop, "MAXCODE_SECRET_KEY")
        yield


def _survivors(mark: str) -> Iterator[str]:
    """Processes that still run a program, or build one, from below a folder of that name."""
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            command = (
                (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
            )
            if mark in command or mark in os.readlink(folder / "exe"):
                yield command
        except OSError:
            continue


def _traces() -> list[Path]:
    """Files that an attack left outside its sandbox."""
    names = ("/", "/usr", "/usr/lib", "/etc", "/var/tmp", "/dev", "/dev/shm", "/run", "/home")  # noqa: S108
    places = [
        *map(Path, names),
        Path("/root"),
        Path(tempfile.gettempdir()),
        Path.home(),
        Path.cwd(),
    ]
    return [place / _TRACE for place in places if os.access(place / _TRACE, os.F_OK)]
