"""Meters: the run of a program for measurement, and the sample read from it."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from maxcode.errors import ExecutorError, InputError
from maxcode.measure.valgrind import run_under_valgrind, widened
from maxcode.sandbox.base import NO_FILES, Completed, Ended, Files, Limits, Sandbox, SharedRun
from maxcode.system import ScratchFolder

SLOWDOWN = 50.0
"""How many times longer a program may take while it is counted: 10 to 40 were seen."""

_LOG = 16 << 10  # bytes; a usual log has 1,500, and a pipe holds 64 KiB, so all of it is written
_UNCOUNTED = 126


@dataclass(frozen=True, slots=True)
class Meter:
    """Runs a program and reads one figure off the run; smaller is better.

    ``name`` is its name in task files and the journal. A sample is the figure found by ``value`` in
    the sandbox's report, in ``unit``, but at least ``least``. ``together`` says whether runs may
    share a sandbox; else each is over before the next begins, since examining its outcome takes a
    processor. ``additive``: the readings of several runs add up; else the largest stands for all.
    ``repeatable`` is the relative width within which two readings of a program agree on any machine
    (0.001 is 0.1 %); 0 for noisy readings, where only samples can decide. ``alone``: a program may
    start no process and no thread.
    """

    name: str
    unit: str
    value: Callable[[Completed], float]
    least: float = 1.0
    together: bool = True
    additive: bool = True
    repeatable: float = 0.0
    alone: bool = False

    def run_each(
        self, sandbox: Sandbox, command: Sequence[str], runs: Sequence[SharedRun]
    ) -> Ended:
        """Run the command for a reading of the figure; see :meth:`Sandbox.run_each`."""
        if self.together:
            return sandbox.run_each(command, runs)
        return Sandbox.run_each(sandbox, command, runs)

    def read(self, completed: Completed) -> float:
        """The sample, always above 0."""
        return float(max(self.value(completed), self.least))


def _instructions(completed: Completed) -> float:
    if completed.instructions is None:
        raise ExecutorError("a run was read for its instructions, but they were not counted")
    return float(completed.instructions)


@dataclass(frozen=True, slots=True)
class Instructions(Meter):
    """Executed instructions of all processes, counted by valgrind's cachegrind.

    Only a few hundred instructions of the loader vary. Nothing is counted of a killed child, so
    where the sandbox isolates no process or thread can be started. The instrument lives in the
    program's process, takes no requests (:mod:`maxcode.measure.valgrind`), and speaks through a
    pipe in which nothing can be taken back. Nothing keeps a program from writing to its memory, so
    gains are held against processor time (:mod:`maxcode.executors.program.counts`).
    """

    name: str = "instructions"
    unit: str = "instructions"
    value: Callable[[Completed], float] = _instructions
    repeatable: float = 0.0005
    alone: bool = True

    def run_each(
        self, sandbox: Sandbox, command: Sequence[str], runs: Sequence[SharedRun]
    ) -> Ended:
        """Run each in turn; see ``run``."""
        for run in runs:
            yield self.run(sandbox, command, run.limits, run.files)

    def run(
        self, sandbox: Sandbox, command: Sequence[str], limits: Limits, files: Files = NO_FILES
    ) -> Completed:
        """Run the command under cachegrind; times and memory of the run are the instrument's.

        ``limits`` are the program's own and are widened for valgrind. A program that escaped the
        count has failed, with status 126 and the reason on standard error. Raises
        :class:`~maxcode.errors.ToolError` when valgrind is missing or of an unknown build, and
        :class:`~maxcode.errors.ExecutorError` when it does not start.
        """
        with ScratchFolder("maxcode-counting-") as folder:
            log = folder / "log"
            os.mkfifo(log)
            reading = os.open(log, os.O_RDONLY | os.O_NONBLOCK)
            try:
                log.chmod(0o222)  # for the run's own user; nobody reads but us
                completed = run_under_valgrind(
                    sandbox,
                    "cachegrind",
                    [*_OPTIONS, f"--log-file={log}", *command],
                    replace(
                        widened(limits, SLOWDOWN),
                        processes=1,
                        sole_program=True,
                    ),
                    replace(files, read=(*files.read, log)),
                )
                log_text = _drained(reading)
            finally:
                os.close(reading)
        return _counted(completed, log_text)


# The sum is taken from the log: the file has the same figures by function, and a program could
# replace it. Children are followed so that one which starts a program gives itself away.
_OPTIONS = (
    *("--cache-sim=no", "--cachegrind-out-file=/dev/null"),
    *("--trace-children=yes", "--vgdb=no"),
)
_STARTED = re.compile(rb"^==\d+== Command:", re.MULTILINE)
_COUNT = re.compile(rb"^==\d+== I +refs: +([\d,]{1,26})$", re.MULTILINE)
_ENDS = re.compile(rb"\n==\d+== I +refs: +[\d,]{1,26}\n\Z")
_UNKNOWN = b"Unrecognised instruction"
_REPLACED = b"EXEC FAILED"
_PROCESS = re.compile(rb"^(?:==|--)(\d+)(?:==|--) ", re.MULTILINE)


def _drained(reading: int) -> bytes:
    """Content of the pipe; only its beginning if longer than a log may be."""
    content = b""
    while len(content) <= _LOG:
        try:
            more = os.read(reading, _LOG)
        except BlockingIOError:  # a writer is left, which is about to be gone
            break
        if not more:
            break
        content += more
    return content


def _counted(completed: Completed, log: bytes) -> Completed:
    """The run with the count of valgrind's log, or marked as failed."""
    started = len(_STARTED.findall(log))
    if not started and not completed.timed_out:
        complaint = completed.stderr.decode("utf-8", "replace").strip()[:500]
        raise ExecutorError(f"valgrind did not start: it {completed.cause} {complaint}".strip())
    if not completed.ok:
        if completed.code == -signal.SIGILL and _UNKNOWN in log:
            return _failed(
                completed,
                completed.code,
                "valgrind does not know an instruction of this program, so it cannot count them: "
                "build without -march=native and the like, or measure cpu",
            )
        if _REPLACED in log:
            return _uncounted(completed, "it wanted to become another program")
        return completed
    counts = _COUNT.findall(log)
    reason = ""
    if started > 1 or len(set(_PROCESS.findall(log))) > 1:  # a child may end without a count
        reason = "it started another program or became one"
    elif not counts:
        reason = "it kept valgrind from reporting"
    elif len(counts) > 1 or len(log) > _LOG or not _ENDS.search(log):
        reason = "something but valgrind wrote to valgrind's log"
    if reason:
        return _uncounted(completed, reason)
    return replace(completed, instructions=int(counts[0].replace(b",", b"")))


def _uncounted(completed: Completed, reason: str) -> Completed:
    return _failed(completed, _UNCOUNTED, f"its instructions cannot be counted, because {reason}")


def _failed(completed: Completed, code: int, reason: str) -> Completed:
    stderr = b"\n".join(filter(None, (completed.stderr.rstrip(), reason.encode())))
    return replace(completed, code=code, stderr=stderr)


METERS: tuple[Meter, ...] = (
    # User plus system time: hardly disturbed by what else the machine does. Threads add up, so a
    # program that runs in parallel is better judged by the time on the clock.
    Meter("cpu", "s", lambda run: run.cpu, 1e-6),
    # From the start of the process to its end.
    Meter("wall", "s", lambda run: run.wall, 1e-6, together=False),
    Instructions(),
    # The most that was held at a time.
    Meter("peak_memory", "B", lambda run: run.peak_memory, additive=False),
    # Memory held by all processes, summed over time; a MB has 10^6 bytes.
    Meter("memory_integral", "MB*s", lambda run: run.memory_integral / 1e6, 1e-6, together=False),
)


def meter(name: str) -> Meter:
    """Meter with this name. Raises :class:`InputError`."""
    for known in METERS:
        if known.name == name:
            return known
    raise InputError(f"unknown meter {name!r}; known: {', '.join(m.name for m in METERS)}")
