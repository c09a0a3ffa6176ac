"""Makes a task of a program: runs it, and takes its outputs as the expected ones."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path

from maxcode.errors import InputError, TaskError
from maxcode.executors.program.runner import Place, ProgramRunner, said_by
from maxcode.files import read_bytes, read_source
from maxcode.program import Program
from maxcode.sandbox.base import Completed, Files, Limits
from maxcode.sandbox.process import ProcessSandbox
from maxcode.system import ScratchFolder
from maxcode.tasks.languages import CPP, Language, language_of
from maxcode.tasks.program import Judging, ProgramTask, TestCase
from maxcode.toolchain.build_cache import BuildCache
from maxcode.toolchain.toolchains import Toolchains

Report = Callable[[str, Completed], None]
"""Called after each input with its name and its slower run."""


def record_task(
    source: Path | str,
    inputs: Sequence[Path | str],
    *,
    files: Sequence[Path | str] = (),
    name: str | None = None,
    statement: str = "",
    judging: Judging | None = None,
    language: Language | None = None,
    report: Report | None = None,
    warn: Callable[[str], None] | None = None,
) -> ProgramTask:
    """Make a task from a program and the inputs it should become faster on.

    ``source`` is the entry file, and ``files`` are its other sources and headers. A ``language``
    is needed for files without a suffix of it; they get one in the task. The program runs twice on
    every input; its output becomes the expected output. Tests are numbered from the quickest to the
    slowest, so wrong programs fail early; ``warn`` is called with each gap of
    :func:`~maxcode.executors.soundness.program_gaps`. Raises :class:`~maxcode.errors.TaskError` for
    a program that does not build, fails, or prints a different output the second time or nothing at
    all; :class:`~maxcode.errors.InputError` for unreadable files.
    """
    source = Path(source)
    language = language or language_of(source.name) or CPP
    judging = (judging or Judging()).of(language)
    if not inputs:
        raise InputError(
            f"{source}: no inputs were given; without them nothing can be checked: "
            "--inputs 'inputs/*.txt'"
        )
    program = _program(source, [Path(file) for file in files], language)
    sandbox = ProcessSandbox()
    with ScratchFolder("maxcode-recording-") as folder:
        toolchains = Toolchains(sandbox, folder, BuildCache())
        toolchain = toolchains.of(language.name)
        built = toolchain.build(program, judging.flags, judging.build_timeout)
        if built.executable is None:
            raise TaskError(
                f"{source} does not build:\n{built.errors}{_way_to_build(built.errors)}"
            )
        command = toolchain.command(built.executable, judging.flags)
        recorded: list[tuple[float, bytes, bytes]] = []  # slower run, input, output
        for path in sorted(map(Path, inputs)):
            content = read_bytes(path)
            limits = command.limits(Limits(judging.timeout, judging.memory))
            given = Files(stdin=path.resolve())
            runs = [sandbox.run(command.words, limits, given) for _ in range(2)]
            _check(source, path, runs, folder)
            slower = max(runs, key=lambda run: run.wall)
            if report:
                report(str(path), slower)
            recorded.append((slower.wall, content, runs[0].stdout))
        recorded.sort(key=lambda run: run[0])
        digits = max(3, len(str(len(recorded))))  # of equal length, as folders order by name
        task = ProgramTask(
            name=name or source.stem,
            statement=statement,
            baseline=program,
            language=language.name,
            tests=tuple(
                TestCase(f"{number:0{digits}}", content, printed)
                for number, (_, content, printed) in enumerate(recorded, 1)
            ),
            judging=judging,
        )
        runner = ProgramRunner(sandbox, toolchains, folder)
        for gap in runner.gaps(task, Place()):
            if warn:
                warn(gap)
    return task


def _program(source: Path, files: Sequence[Path], language: Language) -> Program:
    """The program of these files, by paths relative to their common folder."""
    paths = [Path(os.path.abspath(path)) for path in (source, *files)]
    top = Path(os.path.commonpath([path.parent for path in paths]))
    names = [_named(path.relative_to(top), language, entry=path is paths[0]) for path in paths]
    try:
        texts = {name: read_source(path) for name, path in zip(names, paths, strict=True)}
        return Program(texts, names[0])
    except ValueError as error:
        raise InputError(f"{source}: {error}") from error


def _named(path: Path, language: Language, *, entry: bool) -> str:
    """The name of a source, with a suffix of the language."""
    foreign = language_of(path.name) not in (None, language)
    if path.suffix not in language.suffixes and (entry or foreign):
        path = path.with_suffix(language.programs[0])
    return path.as_posix()


def _check(source: Path, path: Path, runs: Sequence[Completed], folder: Path) -> None:
    for run in runs:
        if not run.ok or run.flooded:
            complaint = said_by(run, folder)
            lines = (f"{source} fails on {path}: it {run.cause}", complaint, _way_out(run))
            raise TaskError("\n".join(filter(None, lines)))
    if runs[0].stdout != runs[1].stdout:
        raise TaskError(
            f"{source} is not repeatable: it printed something else the second time it ran on "
            f"{path}; remove what depends on time, addresses or chance"
        )


def _way_to_build(errors: str) -> str:
    """Hints for a compiler's errors."""
    if "undefined reference" in errors:
        return "\nname its other files, too: maxcode init main.cpp other.cpp"
    if "No such file or directory" in errors and "#include" in errors:
        return (
            "\nheaders are looked for beside it and in the folders that it names; others are given "
            "as files, too: maxcode init main.cpp include/header.hpp; or make it a project: "
            "maxcode init FOLDER --build '...' --command './program'"
        )
    return ""


def _way_out(run: Completed) -> str:
    """Remedies for a user."""
    if run.timed_out:
        return "--timeout SECONDS gives it longer"
    if run.out_of_memory:
        return "memory_mb in [run] of a task.toml gives it more"
    if b"Traceback" in run.stderr:
        return ""
    return (
        "a program that takes arguments or reads files is judged as a project: maxcode init "
        "FOLDER --build '...' --command './program ARGUMENTS'"
    )
