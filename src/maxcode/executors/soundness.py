"""Soundness of a task: whether anything is compared, and the original's output is stable.

Gaps of a comparison are found from the recorded outputs, and from another run of the original, for
the files it leaves. They are texts for users.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence

from maxcode.errors import ExecutorError, TaskError
from maxcode.readers.formats import PROCESS
from maxcode.tasks.program import ProgramTask, TestCase
from maxcode.tasks.project import ProjectTask

Passes = Callable[[TestCase, bytes], bool]
"""Whether an output is right for a test."""

_NEVER_RESULTS = re.compile(r"/\.|/__pycache__/|^/tmp/home/|^/tmp/maxcode/")
_LIST = "find {} -type f -size +0 -printf '%s %T@ %p\\n'"
_BETWEEN = "--"
_MAX_NAMED = 5  # files that a gap names


class ChangedOriginalError(ExecutorError):
    """The original's output changed, so it cannot judge others."""

    def __init__(self, difference: object) -> None:
        super().__init__(
            f"the original no longer prints what it printed: {difference}; remove what depends on "
            "time, addresses or chance from its output"
        )


def program_gaps(
    task: ProgramTask, passes: Passes, left: Sequence[str], without_input: bytes | None
) -> tuple[str, ...]:
    """Gaps of a program's tests, even if they pass.

    ``left`` are the files the original leaves, and ``without_input`` is its output for an empty
    input; None if it fails. Raises :class:`~maxcode.errors.TaskError` if a program that prints
    nothing passes.
    """
    tests = task.tests
    all_tests = f"all {len(tests)} tests" if len(tests) > 1 else "its only test"

    def would_pass(printed: Iterable[bytes]) -> bool:
        return all(passes(test, one) for test, one in zip(tests, printed, strict=True))

    said = _written(left)
    if would_pass(b"" for _ in tests):
        raise TaskError(
            f"task {task.name!r}: nothing is compared: a program that prints nothing passes "
            f"{'; '.join((all_tests, *said))}. Have it print what it computes, or make it "
            "a project, whose files are compared: maxcode init FOLDER --build '...' --command "
            "'./program' --outputs FILE"
        )
    found = []
    if without_input is not None and would_pass(without_input for _ in tests):
        found.append(
            f"a program that prints what this one does without an input passes {all_tests}"
        )
    elif len(tests) > 1 and would_pass(tests[0].expected for _ in tests):
        found.append(f"a program that always prints the first test's output passes {all_tests}")
    if would_pass(test.input for test in tests):
        found.append(f"a program that copies its input passes {all_tests}")
    return (*found, *said)


def project_gaps(
    task: ProjectTask,
    prints: Mapping[str, Sequence[bytes]],
    left: Sequence[str],
) -> tuple[str, ...]:
    """Gaps of a project's comparison, even if it passes.

    ``prints`` is each command's output and its named outputs, if compared, and ``left`` are other
    files it leaves. Raises :class:`~maxcode.errors.TaskError` if neither tests nor outputs are
    compared.
    """
    silent = [command for command, parts in prints.items() if not any(parts)]
    said = _written(left)
    tested = bool(task.commands.test)
    if not tested and len(silent) == len(prints):
        why = "its benchmark's figures alone are read"
        if task.benchmark.format == PROCESS:
            why = "its command prints nothing and writes no named output"
        raise TaskError(
            f"task {task.name!r}: nothing is compared: it has no tests, and {why}, so a program "
            f"that does nothing passes{''.join(f'; {one}' for one in said)}. Name a test command "
            "by test in [commands] (--test of maxcode init)"
            + (", or files by outputs in [bench] (--outputs)" if prints else "")
        )
    alone = "its tests alone say" if tested else "nothing says"
    return (
        *(
            f"{one!r} prints nothing and writes no named output: {alone} what is right"
            for one in silent
        ),
        *said,
    )


def watched(command: str, *, isolated: bool) -> str:
    """A shell command to run ``command``, and list files before and after it.

    :func:`left_over` reads the lists. Without isolation only its own folder is listed: others write
    to the common folder.
    """
    files = _LIST.format('"$PWD" /tmp' if isolated else '"$PWD"')
    return f'echo "$PWD"; {files}; echo {_BETWEEN}; ({command}\n) > /dev/null 2>&1; {files}'


def left_over(printed: bytes, named: Iterable[str] = ()) -> list[str]:
    """Files left by a :func:`watched` command, except ``named``, caches and hidden files.

    Empty if the command was stopped, or GNU find is missing.
    """
    here, _, rest = printed.decode("utf-8", "replace").partition("\n")
    before, _, after = rest.partition(f"{_BETWEEN}\n")
    lines = {*after.splitlines()} - {*before.splitlines()}
    paths = {line.split(" ", 2)[-1] for line in lines}
    results = {path for path in paths if not _NEVER_RESULTS.search(path.removeprefix(here))}
    return sorted({path.removeprefix(f"{here}/") for path in results} - {*named})


def _written(left: Sequence[str]) -> list[str]:
    if not left:
        return []
    more = f" and {len(left) - _MAX_NAMED} more" if len(left) > _MAX_NAMED else ""
    are = "is" if len(left) == 1 else "are"
    return [f"it writes {', '.join(left[:_MAX_NAMED])}{more}, which {are} not compared"]
