"""ProgramRunner: builds a program and passes it over a task's tests."""

from __future__ import annotations

import re
import shlex
import shutil
import tempfile
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from math import hypot, sqrt
from pathlib import Path
from random import Random
from statistics import fmean
from threading import Lock
from typing import Self

from maxcode.errors import ExecutorError
from maxcode.evaluation import FuzzResult, Status
from maxcode.executors.base import FailedError, machine_errors
from maxcode.executors.program.checking import Checking
from maxcode.executors.soundness import ChangedOriginalError, left_over, program_gaps, watched
from maxcode.measure.meters import meter
from maxcode.program import Program
from maxcode.sandbox.base import Completed, Deadline, Ended, Files, Limits, Sandbox, SharedRun
from maxcode.tasks.languages import Language, language_named, language_of
from maxcode.tasks.program import ProgramTask, TestCase
from maxcode.toolchain.base import Command, Toolchain
from maxcode.toolchain.gxx import sanitized_command, sanitized_flags, sanitizer_cause
from maxcode.toolchain.toolchains import Toolchains

Pass = list[Completed]
"""Runs of a program on all tests of a task, in their order."""

Sample = list[Pass]
"""Consecutive passes counted as a sample; a single pass unless the program is very quick."""


@dataclass(frozen=True, slots=True)
class KernelTime:
    """Seconds per pass the operating system's kernel works for a program.

    Mean of several passes and its standard deviation: the system samples a processor's state some
    hundred times a second, so samples form a Poisson process.
    """

    mean: float
    deviation: float

    @classmethod
    def of(cls, passes: Sequence[Pass]) -> Self:
        """Kernel time of these passes."""
        mean = fmean(sum(run.in_kernel for run in runs) for runs in passes)
        looked_at = max(mean, _LOOKED_AT / len(passes))
        return cls(mean, sqrt(_LOOKED_AT * looked_at / len(passes)))

    def beyond(self, other: KernelTime, deviations: float) -> float:
        """Lower bound of the difference to ``other``, by this many standard deviations."""
        return self.mean - other.mean - deviations * hypot(self.deviation, other.deviation)


RunEach = Callable[[Sequence[str], Sequence[SharedRun]], Ended]
"""Function to run a program on tests in turn, plainly or under an instrument."""

_LOOKED_AT = 0.004  # seconds: how often the system looks what a processor does
_SAID = 300  # characters of the beginning and of the end of a long standard error
_SANITIZED = 20.0  # times slower than without sanitizers, at the most
_SANITIZED_MEMORY = 4 << 30  # bytes, of all processes together


class ProgramFailedError(FailedError):
    """A program did not build or pass; :meth:`ProgramRunner.sample` sets ``program``.

    ``found`` has the counterexample if it was wrong on an input beyond the tests.
    """

    program: Program | None = None
    found: FuzzResult | None = None


@dataclass(frozen=True, slots=True)
class Place:
    """Where a pass runs: its processors, and its instrument if any.

    ``executable`` replaces the program's usual executable, as for another layout, and ``rng`` draws
    the order of tests; by default the quickest first.
    """

    processors: tuple[int, ...] = ()
    run_each: RunEach | None = None
    executable: Path | None = None
    rng: Random | None = None


class ProgramRunner:
    """Builds programs and runs them on tests. Safe to use from several threads.

    ``folder`` is where it works; it belongs to the caller. Nothing begins after the ``deadline``.
    """

    def __init__(
        self,
        sandbox: Sandbox,
        toolchains: Toolchains,
        folder: Path,
        deadline: Deadline | None = None,
    ) -> None:
        self._sandbox = sandbox
        self._toolchains = toolchains
        self._folder = folder
        self._commands: dict[Path, Command] = {}  # by executable, where they are not it alone
        self._inputs: dict[str, list[Path]] = {}  # files, by task
        self._usual: dict[str, list[float]] = {}  # seconds the baseline takes for each test
        self.checking = Checking(sandbox, toolchains, folder)
        self._lock = Lock()
        self.deadline = deadline or Deadline()

    def expect(self, task: ProgramTask, seconds: list[float]) -> None:
        """Record the baseline's seconds for each test.

        They limit hopeless runs, and the quickest tests are run first.
        """
        self._usual[task.digest] = seconds

    def usual(self, task: ProgramTask) -> list[float]:
        """Seconds of each test recorded by :meth:`expect`, or empty."""
        return self._usual.get(task.digest, [])

    def run(self, task: ProgramTask, program: Program, place: Place) -> Pass:
        """Pass over all tests. Raises as :meth:`sample` does."""
        return self.sample(task, program, place, 1)[0]

    def sample(self, task: ProgramTask, program: Program, place: Place, passes: int) -> Sample:
        """Several passes over all tests.

        Raises :class:`ProgramFailedError` at the first failure,
        :class:`~maxcode.sandbox.base.StoppedError` between tests once stopped, and
        :class:`~maxcode.errors.ExecutorError` if a baseline that passed before fails, or the
        machine does.
        """
        try:
            with machine_errors():
                return self._passes(task, program, place, passes)
        except ProgramFailedError as failed:
            failed.program = program
            if program != task.baseline or not self.usual(task):
                raise
            raise ExecutorError(f"the baseline passed before and fails now: {failed}") from failed

    def quickest(self, task: ProgramTask, program: Program, place: Place) -> None:
        """Run only the baseline's quickest test. Raises as :meth:`run` does."""
        executable = self.build(task, program, processors=place.processors)
        number = self._order(task)[0]
        with machine_errors():
            completed = self.once(task, executable, number, place)
        self._verify(task, task.tests[number], completed)

    def once(self, task: ProgramTask, executable: Path, number: int, place: Place) -> Completed:
        """Run a build on a test, whatever the outcome."""
        self.deadline.check()
        command = self.command(executable)
        limits = command.limits(self._limits(task, number, place))
        return self._sandbox.run(command.words, limits, command.files(self.inputs(task)[number]))

    def _passes(self, task: ProgramTask, program: Program, place: Place, passes: int) -> Sample:
        executable = place.executable or self.build(task, program, processors=place.processors)
        order, inputs, command = self._order(task), self.inputs(task), self.command(executable)
        runs_by_test = {
            number: SharedRun(
                command.limits(self._limits(task, number, place)), command.files(inputs[number])
            )
            for number in order
        }
        sample: list[dict[int, Completed]] = [{} for _ in range(passes)]
        coming = [
            (runs, number)
            for runs in sample
            for number in (place.rng.sample(order, len(order)) if place.rng else order)
        ]
        run_each = place.run_each or self._sandbox.run_each
        self.deadline.check()
        ended = run_each(command.words, [runs_by_test[number] for _, number in coming])
        with closing(ended):
            for (runs, number), completed in zip(coming, ended, strict=True):
                runs[number] = completed
                try:
                    self._verify(task, task.tests[number], completed)
                except ProgramFailedError as failed:
                    if failed.evaluation.status is Status.WRONG_ANSWER and program != task.baseline:
                        self._check_original(task, number, place)
                    raise
                self.deadline.check()
        return [[runs[number] for number in range(len(task.tests))] for runs in sample]

    def _verify(self, task: ProgramTask, test: TestCase, completed: Completed) -> None:
        where = f"test {test.name}"
        if completed.timed_out:
            raise ProgramFailedError(Status.TIMEOUT, f"{where}: {completed.cause}")
        if completed.out_of_memory:
            limit = f"the task allows {task.judging.memory >> 20} MiB"
            raise ProgramFailedError(Status.OUT_OF_MEMORY, f"{where}: {completed.cause}; {limit}")
        if not completed.ok or completed.flooded:
            complaint = said_by(completed, self._folder)
            wrote = f"; it wrote to standard error: {complaint}" if complaint else ""
            raise ProgramFailedError(Status.RUNTIME_ERROR, f"{where}: {completed.cause}{wrote}")
        difference = self.checking.difference(
            task.judging, test.input, test.expected, completed.stdout
        )
        if difference is not None:
            raise ProgramFailedError(
                Status.WRONG_ANSWER,
                f"{where}: {difference.without_expected}",
                f"{where}: {difference}",
            )

    def sanitize(self, task: ProgramTask, program: Program, place: Place) -> None:
        """Pass over all tests under sanitizers. Raises as :meth:`run` does."""
        flags = sanitized_flags(task.judging.flags)
        executable = self.build(task, program, flags=flags, processors=place.processors)
        for number in self._order(task):
            self.deadline.check()
            test = task.tests[number]
            limits = sanitized(self._limits(task, number, place))
            files = Files(stdin=self.inputs(task)[number], read=(executable,))
            completed = self._sandbox.run(sanitized_command(executable), limits, files)
            if not completed.ok and (cause := sanitizer_cause(completed.stderr)):
                raise ProgramFailedError(
                    Status.RUNTIME_ERROR,
                    f"test {test.name}: right by luck, as the sanitizers found: {cause}",
                )
            if completed.timed_out or completed.out_of_memory:
                return  # sanitizers make programs slow and large
            self._verify(task, test, completed)

    def _check_original(self, task: ProgramTask, number: int, place: Place) -> None:
        """Raise :class:`ChangedOriginalError` if it exits normally with changed output."""
        test = task.tests[number]
        ran = self.once(task, self.build(task, task.baseline), number, place)
        found = self.checking.difference(task.judging, test.input, test.expected, ran.stdout)
        if ran.ok and not ran.flooded and found:
            raise ChangedOriginalError(f"test {test.name}: {found}")

    def gaps(self, task: ProgramTask, place: Place) -> tuple[str, ...]:
        """Gaps of the tests, even if they pass.

        Raises :class:`~maxcode.errors.TaskError` if they show nothing.
        """
        self.checking.check_program(task)

        def passes(test: TestCase, got: bytes) -> bool:
            return not self.checking.difference(task.judging, test.input, test.expected, got)

        number, executable = self._order(task)[0], self.build(task, task.baseline)
        command = self.command(executable)
        limits = command.limits(self._limits(task, number, place))
        idle = self._sandbox.run(command.words, limits, command.files())
        read = (*command.read, *([command.program] if command.program else []))
        files = Files(stdin=self.inputs(task)[number], read=read)
        script = watched(shlex.join(command.words), isolated=self._sandbox.isolated)
        limits = replace(limits, processes=Limits().processes)
        left = left_over(self._sandbox.run(["/bin/sh", "-c", script], limits, files).stdout)
        return program_gaps(task, passes, left, idle.stdout if idle.ok else None)

    def on_each(
        self,
        executable: Path,
        inputs: Sequence[bytes],
        limits: Sequence[Limits],
        *,
        sanitized: bool = False,
    ) -> Ended:
        """Run an executable on inputs beyond the tests, in turn, whatever the outcome.

        Raises :class:`~maxcode.sandbox.base.StoppedError` once stopped, and
        :class:`~maxcode.errors.ExecutorError` if the machine fails.
        """
        command = self.command(executable)
        if sanitized:  # which look at /proc
            command = Command(tuple(sanitized_command(executable)), (executable,))
        with tempfile.TemporaryDirectory(prefix="inputs-", dir=self._folder) as folder:
            coming: list[SharedRun] = []
            for number, (data, limit) in enumerate(zip(inputs, limits, strict=True)):
                path = Path(folder, str(number))
                path.write_bytes(data)
                coming.append(SharedRun(command.limits(limit), command.files(path)))
            while coming:  # what fails is the last of those that share a sandbox
                with closing(self._sandbox.run_each(command.words, list(coming))) as ended:
                    for completed in ended:
                        del coming[0]
                        yield completed
                        self.deadline.check()

    def build(
        self,
        task: ProgramTask,
        program: Program,
        *,
        flags: tuple[str, ...] | None = None,
        processors: tuple[int, ...] = (),
    ) -> Path:
        """Build a program; returns the executable. Raises :class:`ProgramFailedError`."""
        self.deadline.check()
        language = language_of(program.entry) or self.language(task)
        if flags is None:  # a program that makes inputs may be in another language
            flags = task.judging.flags if language.name == task.language else language.flags
        timeout = self.deadline.within(task.judging.build_timeout)
        toolchain = self._toolchains.of(language.name)
        built = toolchain.build(program, flags, timeout, processors)
        if built.executable is None:
            status = Status.TIMEOUT if built.timed_out else Status.BUILD_ERROR
            raise ProgramFailedError(status, built.errors)
        self._commands[built.executable] = toolchain.command(built.executable, flags)
        return built.executable

    def command(self, executable: Path) -> Command:
        """The command of a build, or of an executable in another layout."""
        return self._commands.get(executable) or Command.of_executable(executable)

    def toolchain(self, task: ProgramTask) -> Toolchain:
        """The toolchain of the task's programs."""
        return self._toolchains.of(task.language)

    def language(self, task: ProgramTask) -> Language:
        """The language of the task's programs."""
        return language_named(task.language)

    def inputs(self, task: ProgramTask) -> list[Path]:
        """Files with the inputs of the tests, in their order."""
        with self._lock:
            if task.digest not in self._inputs:
                folder = self._folder / "tests" / task.digest[:24]
                folder.mkdir(parents=True, exist_ok=True)
                paths = [folder / f"{number}.in" for number in range(len(task.tests))]
                for path, test in zip(paths, task.tests, strict=True):
                    path.write_bytes(test.input)
                    path.chmod(0o444)
                self._inputs[task.digest] = paths
            return self._inputs[task.digest]

    def forget(self, task: ProgramTask) -> None:
        """Remove the files of a task's tests."""
        with self._lock:
            for path in self._inputs.pop(task.digest, [])[:1]:
                shutil.rmtree(path.parent)

    def _order(self, task: ProgramTask) -> list[int]:
        """Numbers of the tests, the quickest first, so most failures come early."""
        usual = self.usual(task) or [0.0] * len(task.tests)
        return sorted(range(len(task.tests)), key=usual.__getitem__)

    def _limits(self, task: ProgramTask, number: int, place: Place) -> Limits:
        usual = self.usual(task)
        seconds = usual[number] if usual else None
        return self.limits(task, seconds, task.tests[number].expected, place)

    def limits(
        self, task: ProgramTask, usual: float | None, expected: bytes, place: Place
    ) -> Limits:
        """Limits on an input for which the baseline takes ``usual`` seconds, if known."""
        timeout = task.judging.timeout
        if usual is not None:  # ten times slower than the baseline is as good as never
            timeout = min(timeout, 1.0 + 10 * usual)
        limits = Limits(
            seconds=self.deadline.within(timeout),
            memory=task.judging.memory,
            output=2 * len(expected) + (1 << 20),
            processors=place.processors,
        )
        return replace(limits, processes=1) if meter(task.judging.meter).alone else limits


def sanitized(limits: Limits) -> Limits:
    """Limits for a build with sanitizers."""
    return replace(
        limits,
        seconds=_SANITIZED * limits.seconds,
        memory=_SANITIZED_MEMORY,
        address_space=False,
        processes=Limits().processes,  # one looks for leaks
    )


def said_by(completed: Completed, folder: Path) -> str:
    """Standard error without the paths of builds in a folder; the middle of a long one left out."""
    build = rf"{re.escape(str(folder))}/\S*?/(?:program|src)/"
    text = re.sub(build, "", completed.stderr.decode("utf-8", "replace").strip())
    return text if len(text) <= 2 * _SAID else f"{text[:_SAID]}\n...\n{text[-_SAID:]}"
