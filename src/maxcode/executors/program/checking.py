"""Checking: judges outputs by a task's checker or checker program."""

from __future__ import annotations

import tempfile
from hashlib import sha256
from pathlib import Path
from threading import Lock

from maxcode.errors import ExecutorError, TaskError
from maxcode.measure.lane import other_processors, timing_processors
from maxcode.program import Program
from maxcode.sandbox.base import Files, Limits, Sandbox
from maxcode.tasks.checkers import Difference
from maxcode.tasks.languages import CPP, language_of
from maxcode.tasks.program import Judging, ProgramTask
from maxcode.toolchain.base import Command
from maxcode.toolchain.toolchains import Toolchains

_REFUSED = (1, 2)  # exit codes of testlib: a wrong answer, or one in a wrong form
_MAX_KNOWN = 10_000  # verdicts that are kept
_MAX_SAID = 500  # characters of what a checker prints
_FLAGS = ("-O2", "-std=gnu++20")  # of a checker in C++


class Checking:
    """Compares outputs with expected ones; a checker program runs in the sandbox.

    It gets three files as arguments, as in testlib: the input, the output and the original's
    output. ``folder`` is for these files. Safe to use from several threads.
    """

    def __init__(self, sandbox: Sandbox, toolchains: Toolchains, folder: Path) -> None:
        self._sandbox = sandbox
        self._toolchains = toolchains
        self._folder = folder
        self._known: dict[bytes, Difference | None] = {}
        self._lock = Lock()

    def difference(
        self, judging: Judging, data: bytes, expected: bytes, got: bytes
    ) -> Difference | None:
        """The first difference, or None if the output is right.

        Raises :class:`~maxcode.errors.ExecutorError` when a checker program fails.
        """
        if not judging.checker.program or expected == got:
            return judging.checker.difference(expected, got)
        parts = (judging.checker.text.encode(), data, expected, got)
        key = b"".join(sha256(part).digest() for part in parts)
        if key not in self._known:
            found = self._asked(judging, data, expected, got)
            with self._lock:
                if len(self._known) >= _MAX_KNOWN:
                    self._known.clear()
                self._known[key] = found
        return self._known[key]

    def check_program(self, task: ProgramTask) -> None:
        """Raise :class:`~maxcode.errors.TaskError` if it refuses the original's own outputs."""
        judging = task.judging
        if not judging.checker.program:
            return
        for test in task.tests:
            if found := self._asked(judging, test.input, test.expected, test.expected):
                raise TaskError(
                    f"task {task.name!r}: {judging.checker.program} refuses the output that test "
                    f"{test.name} expects: {found.hidden or found.reason}"
                )

    def _asked(
        self, judging: Judging, data: bytes, expected: bytes, got: bytes
    ) -> Difference | None:
        """The verdict of the checker program."""
        name, command = judging.checker.program, self._command(judging)
        with tempfile.TemporaryDirectory(prefix="checked-", dir=self._folder) as folder:
            paths = [Path(folder, one) for one in ("input", "output", "answer")]
            for path, content in zip(paths, (data, got, expected), strict=True):
                path.write_bytes(content)
                path.chmod(0o444)
            limits = Limits(
                judging.timeout,
                max(judging.memory, Limits().memory or 0),
                processors=other_processors(timing_processors()),
            )
            program = [command.program] if command.program else []
            files = Files(read=(*command.read, *program, *paths))
            words = [*command.words, *map(str, paths)]
            completed = self._sandbox.run(words, command.limits(limits), files)
        if completed.ok:
            return None
        text = (completed.stderr.strip() or completed.stdout.strip()).decode("utf-8", "replace")
        said = text[-_MAX_SAID:]
        if completed.code in _REFUSED and not completed.timed_out:
            return Difference(1, None, None, f"{name} refuses the output", said)
        raise ExecutorError(f"the checker {name} {completed.cause}\n{said}".strip())

    def _command(self, judging: Judging) -> Command:
        checker = judging.checker
        language = language_of(checker.program) or CPP
        flags = _FLAGS if language is CPP else language.flags
        toolchain = self._toolchains.of(language.name)
        program = Program.of(checker.text, checker.program)
        built = toolchain.build(program, flags, judging.build_timeout)
        if built.executable is None:
            raise ExecutorError(f"the checker {checker.program} does not build:\n{built.errors}")
        return toolchain.command(built.executable, flags)
