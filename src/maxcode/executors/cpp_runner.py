"""CppRunner: builds a C++ program and passes it over a task's tests."""

from __future__ import annotations

import tempfile
from pathlib import Path
from threading import Event, Lock

from maxcode.evaluation import Evaluation, Status
from maxcode.program import Program
from maxcode.sandbox.base import Completed, Limits, Sandbox
from maxcode.tasks.checkers import Difference
from maxcode.tasks.cpp import CppTask, TestCase
from maxcode.toolchain.gxx import Gxx

Pass = list[Completed]
"""The runs of one program on all tests of a task, in their order."""


class ProgramFailedError(Exception):
    """A program did not build or pass; carries the verdict."""

    def __init__(self, status: Status, feedback: str, details: str = "") -> None:
        super().__init__(feedback)
        self.evaluation = Evaluation(status, feedback=feedback, details=details or feedback)


class StoppedError(Exception):
    """A pass was given up because ``CppRunner.stopped`` is set."""


class CppRunner:
    """Runs programs on tests. Safe to use from several threads.

    ``folder`` is where it works; it belongs to the caller.
    """

    def __init__(self, sandbox: Sandbox, folder: Path) -> None:
        self._sandbox = sandbox
        self._folder = folder
        self._gxx = Gxx(sandbox, folder / "build")
        self._inputs: dict[str, Path] = {}  # folders of input files, by task
        self._usual: dict[str, list[float]] = {}  # seconds the baseline takes for each test
        self._lock = Lock()
        self.stopped = Event()

    def expect(self, task: CppTask, seconds: list[float]) -> None:
        """Note how long the baseline takes for each test, so that a hopeless run is cut short."""
        self._usual[task.digest] = seconds

    def run(self, task: CppTask, program: Program) -> Pass:
        """One pass over all tests.

        Raises :class:`ProgramFailedError` at the first that fails, :class:`StoppedError` between
        two of them once ``stopped`` is set.
        """
        executable = self._build(task, program)
        inputs = self._input_folder(task)
        usual = self._usual.get(task.digest, [])
        runs = []
        with tempfile.TemporaryDirectory(dir=self._folder, prefix="run-") as folder:
            for number, test in enumerate(task.tests):
                if self.stopped.is_set():
                    raise StoppedError
                timeout = task.judging.timeout
                if usual:  # ten times slower than the baseline is as good as never
                    timeout = min(timeout, 1.0 + 10 * usual[number])
                limits = Limits(timeout, task.judging.memory, _output_limit(test))
                completed = self._sandbox.run(
                    [str(executable)], Path(folder), limits, inputs / f"{number}.in"
                )
                _verify(task, test, completed)
                runs.append(completed)
        return runs

    def _build(self, task: CppTask, program: Program) -> Path:
        judging = task.judging
        built = self._gxx.build(program, judging.flags, judging.build_timeout)
        if built.executable is None:
            status = Status.TIMEOUT if built.timed_out else Status.BUILD_ERROR
            raise ProgramFailedError(status, built.errors)
        return built.executable

    def _input_folder(self, task: CppTask) -> Path:
        with self._lock:
            if task.digest not in self._inputs:
                folder = self._folder / "tests" / task.digest[:24]
                folder.mkdir(parents=True, exist_ok=True)
                for number, test in enumerate(task.tests):
                    (folder / f"{number}.in").write_bytes(test.input)
                self._inputs[task.digest] = folder
            return self._inputs[task.digest]


def _output_limit(test: TestCase) -> int:
    return 2 * len(test.expected) + (1 << 20)


def _verify(task: CppTask, test: TestCase, completed: Completed) -> None:
    where = f"test {test.name}"
    if completed.timed_out:
        raise ProgramFailedError(Status.TIMEOUT, f"{where}: {completed.cause}")
    if completed.out_of_memory:
        raise ProgramFailedError(Status.OUT_OF_MEMORY, f"{where}: {completed.cause}")
    if not completed.ok or completed.flooded:
        complaint = completed.stderr.decode("utf-8", "replace").strip()[:500]
        said = f"; it wrote to standard error: {complaint}" if complaint else ""
        raise ProgramFailedError(Status.RUNTIME_ERROR, f"{where}: {completed.cause}{said}")
    difference: Difference | None = task.judging.checker.difference(test.expected, completed.stdout)
    if difference is not None:
        raise ProgramFailedError(
            Status.WRONG_ANSWER,
            f"{where}: {difference.without_expected}",
            f"{where}: {difference}",
        )
