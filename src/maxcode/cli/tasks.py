"""Tasks of commands: a folder, a program recorded on its inputs, or a landscape; their sandbox."""

from __future__ import annotations

import glob
import re
import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from platformdirs import user_data_path

from maxcode.cli.commands import RECORDING, TaskArgs
from maxcode.cli.console import say
from maxcode.cli.lookup import check_there, constructed
from maxcode.errors import InputError, ToolError
from maxcode.executors.program.functions import record_function
from maxcode.executors.program.recording import record_task
from maxcode.files import read_bytes, read_source
from maxcode.interfaces import Generator
from maxcode.landscape.terrain import Landscape, Terrain
from maxcode.lang.outline import definitions
from maxcode.measure.meters import meter
from maxcode.program import digest_of
from maxcode.sandbox.base import Sandbox
from maxcode.sandbox.bubblewrap import BubblewrapSandbox
from maxcode.sandbox.process import ProcessSandbox
from maxcode.task import Task
from maxcode.tasks.checkers import Checker
from maxcode.tasks.folder import load_task
from maxcode.tasks.languages import (
    LANGUAGES,
    Language,
    language_named,
    language_of,
    program_suffixes,
)
from maxcode.tasks.program import Judging, ProgramTask, save_task
from maxcode.tasks.project_files import Snapshot, is_protected
from maxcode.tasks.reference import MODEL
from maxcode.text import counted

KERNEL = ".py"
TASK_FILE = "task.toml"
_FUNCTION = re.compile(r"(.+\.py):([A-Za-z_][\w.]*)")
_OWN_COMMANDS = "give the task a task.toml with command in [build] and [run]"
_LANDSCAPE = "landscape"
"""Name of simulated tasks, which have options instead of a path."""


def source_of(request: TaskArgs) -> str:
    """The source of a task for :func:`load_source`: a folder, a file, or a landscape's text.

    A program is run on its inputs, and becomes a task in the user's data folder, where ``resume``
    finds it again.
    """
    path, inputs = Path(request.task), request.inputs
    function = function_of(request.task)
    folder = inputs and path.is_dir() and not (path / TASK_FILE).exists()
    known = named_language(request.language) or (language_of(path.name) and not is_reference(path))
    if function or folder or (known and path.is_file()):
        if inputs:
            return str(recorded(request))
        raise InputError(
            f"{path} is a program; say which inputs it should become faster on: --inputs "
            + ("cases.json, with JSON lists of arguments" if function else "'inputs/*.txt'")
        )
    landscape = is_landscape(request.task)
    if not landscape:
        check_there(path, "file" if inputs or path.suffix else "task folder or program")
    options = ("inputs", *RECORDING)
    if given := [f"--{one}" for one in options if getattr(request, one) != getattr(TaskArgs, one)]:
        raise InputError(f"{' and '.join(given)} go with a program, and {path} is none")
    if landscape:
        return request.task
    if path.is_dir() or is_reference(path):
        return str(path.resolve())
    raise InputError(
        f"{path} is neither a task folder, nor a program ({', '.join(program_suffixes())}), nor a "
        f"kernel's reference; for another language {_OWN_COMMANDS}"
    )


def sources_of(name: str) -> list[str]:
    """The sources of the tasks of an argument: itself, or all in a folder of tasks."""
    path = Path(name)
    if not path.is_dir() or (path / TASK_FILE).is_file():
        return [source_of(TaskArgs(task=name))]
    inside = [p for p in sorted(path.iterdir()) if (p / TASK_FILE).is_file()]
    inside = inside or sorted(path.glob(f"[!_]*{KERNEL}"))
    if not inside:
        raise InputError(f"{path} holds no tasks: folders with a {TASK_FILE}, or references")
    return [source_of(TaskArgs(task=str(one))) for one in inside]


def load_source(source: str) -> Task:
    """The task in a folder or file, or ``landscape:seed=3,ruggedness=0.8``."""
    if not is_landscape(source):
        return load_task(Path(source))
    return Landscape.on(constructed(source, Terrain, source.partition(":")[2]))


def is_landscape(name: str) -> bool:
    """Whether ``name`` is a landscape, whose programs are never run."""
    return name.partition(":")[0] == _LANDSCAPE and not Path(name).exists()


def choose_sandbox(name: str | None, generator: Generator, sources: Sequence[str] = ()) -> Sandbox:
    """The sandbox of that name; by default bubblewrap, if the tasks have programs to run.

    Where bubblewrap cannot work, programs of a trusted generator run within limits, with a note to
    the user; for others :class:`ToolError` says what to install and how to accept the risk.
    Raises :class:`InputError` for an unknown name.
    """
    if name is None and sources and all(map(is_landscape, sources)):
        return ProcessSandbox()
    try:
        return sandbox_named(name)
    except ToolError as error:
        if name is not None or not generator.trusted:
            raise
        say(
            f"note: {error}. As {type(generator).__name__} only rewrites your own code, "
            "its programs run in time and memory limits, but not isolated."
        )
        return ProcessSandbox()


def sandbox_named(name: str | None) -> Sandbox:
    """The sandbox of that name; bubblewrap without a name.

    A note on standard error says when programs are not isolated. Raises :class:`ToolError` where it
    cannot work.
    """
    if name != "process":
        return BubblewrapSandbox()
    say(
        "note: --sandbox process: programs are limited, not isolated; they can read your "
        "files, the network and expected outputs"
    )
    return ProcessSandbox()


def named_language(name: str | None) -> Language | None:
    """The language of ``--language``, if any. Raises :class:`InputError` for others."""
    named = language_named(name) if name else None
    if named and not named.programs:
        raise InputError(f"--language {name}: {_OWN_COMMANDS}")
    return named


def judging_of(request: TaskArgs, meter_name: str = "cpu") -> Judging:
    """How a recorded program is built, run and checked. Raises :class:`InputError`."""
    try:
        flags = tuple(shlex.split(request.flags))
    except ValueError as error:
        raise InputError(f"--flags {request.flags!r}: {error}") from error
    kind, _, path = request.check.partition(":")
    checker = Checker(request.check, request.tolerance)
    if kind == "program":
        checker = replace(checker, kind=f"{kind}:{Path(path).name}", text=read_source(Path(path)))
    return Judging(
        flags=flags, timeout=request.timeout, meter=meter(meter_name).name, checker=checker
    )


def program_files(names: Sequence[str], named: Language | None = None) -> list[Path]:
    """The named files of a program, or all of a folder; the entry file is first.

    That is the file with ``main`` in C and C++, else the first named, or the one of the usual name
    in a folder. Files beside them are found by ``#include``, ``import``, ``mod`` and the like.
    Without a ``named`` language suffixes decide. Raises :class:`InputError` for other files.
    """
    paths = [Path(name) for name in names]
    if len(paths) == 1 and paths[0].is_dir():
        paths = _files_of(paths[0], named)
    for path in paths:
        check_program(path, named)
    languages = {one.title: one for path in paths if (one := named or language_of(path.name))}
    if len(languages) != 1:
        raise InputError(
            f"a program is in one language, not in {' and '.join(languages) or 'none'}"
        )
    [language] = languages.values()
    found = {path.resolve(): path for path in paths}
    waiting = list(found.values())
    while waiting:
        for path in _taken_in(waiting.pop(), language):
            if path.resolve() not in found:
                found[path.resolve()] = path
                waiting.append(path)
    files = list(found.values())
    if len(paths) == 1 or not language.headers:
        return files
    entries = [
        path
        for path in files
        if language_of(path.name)
        and any(one.name == "main" for one in definitions(path.name, read_source(path)))
    ]
    if len(entries) != 1:
        some = ", ".join(path.name for path in entries) or "none"
        raise InputError(f"of the files of a program one has main; here {some}")
    return sorted(files, key=lambda path: path not in entries)


def _taken_in(path: Path, language: Language) -> Iterator[Path]:
    """Files beside a source that it names: headers and modules."""
    if not language.names:
        return
    found = re.findall(language.names, read_source(path), re.MULTILINE)
    for name in filter(None, re.split(r"[ \t]*,[ \t]*", ",".join(found))):
        module = name if "/" in name else name.replace(".", "/")
        ends = (*language.programs, *(f"/mod{one}" for one in language.programs))
        places = [path.parent / name, *(path.parent / f"{module}{end}" for end in ends)]
        yield from [one for one in places if one.is_file()][:1]


def _files_of(folder: Path, named: Language | None) -> list[Path]:
    """A folder's files of a language, or of that with most files; the usual entry file first."""
    paths = [folder / one for one in Snapshot.of(folder).paths if not is_protected(one)]
    counts = Counter(known.name for path in paths if (known := language_of(path.name)))
    if not counts or (named and named.name not in counts):
        wanted = named.programs if named else program_suffixes()
        raise InputError(f"{folder} holds no program ({', '.join(wanted)})")
    language = named or LANGUAGES[counts.most_common(1)[0][0]]
    files = [path for path in paths if path.suffix in language.suffixes]
    files.sort(key=lambda path: path.name != language.entry)
    if len(files) > 1 and not language.headers and files[0].name != language.entry:
        raise InputError(
            f"{folder} holds no {language.entry}: name the program's files, its entry file first"
        )
    return files


def check_program(path: Path, named: Language | None = None) -> None:
    """Raise :class:`InputError` for other files than a program's, with a way to use them."""
    check_there(path)
    known = {one for known in LANGUAGES.values() for one in known.suffixes}
    if not path.is_file() or not (named or path.suffix in known):
        raise InputError(
            f"{path} is in no known language ({', '.join(program_suffixes())}); put a pattern "
            "after --inputs in quotes, or name the language with --language"
        )


def is_reference(path: Path) -> bool:
    """Whether a file defines a kernel's reference."""
    named = path.suffix == KERNEL and path.is_file()
    defined = rf"^class {MODEL}\b|^{MODEL}\s*="
    return named and re.search(defined, read_source(path), re.MULTILINE) is not None


def matching(patterns: Sequence[str]) -> list[Path]:
    """The matching files, each once, sorted; of a folder all files."""
    found: set[Path] = set()
    for pattern in patterns:
        names = f"{glob.escape(pattern)}/*" if Path(pattern).is_dir() else pattern
        files = [Path(path) for path in glob.glob(names, recursive=True) if Path(path).is_file()]
        if not files:
            raise InputError(f"--inputs {pattern!r} matches no file in {Path.cwd()}")
        found.update(files)
    return sorted(found)


def function_of(name: str) -> tuple[Path, str] | None:
    """Python file and function of ``file.py:function``; None for other names."""
    found = _FUNCTION.fullmatch(name)
    return (Path(found[1]), found[2]) if found and Path(found[1]).is_file() else None


@dataclass(frozen=True, slots=True)
class Source:
    """A program, or a function of a Python file, to be recorded on its inputs.

    ``files`` are the program's, its entry file first. ``function`` is empty for a program.
    """

    files: tuple[Path, ...]
    function: str = ""
    language: Language | None = None

    @classmethod
    def of(cls, names: Sequence[str], language: Language | None = None) -> Source:
        """The program of these files or of a folder, or ``file.py:function``."""
        if len(names) == 1 and (found := function_of(names[0])):
            return cls(tuple(program_files([str(found[0])])), found[1])
        return cls(tuple(program_files(names, language)), language=language)

    def record(
        self, inputs: Sequence[Path], judging: Judging, name: str | None = None, **told: Any
    ) -> ProgramTask:
        """The task with these inputs; of a function they are files of cases.

        ``told`` are arguments for reports. Raises the errors of :func:`record_task`.
        """
        entry, *files = self.files
        given = {"files": files, "judging": judging, **told}
        if self.function:
            return record_function(entry, self.function, inputs, **given)
        return record_task(entry, inputs, name=name, language=self.language, **given)


def recorded(request: TaskArgs) -> Path:
    """The folder of the task of a program and its inputs, in the user's data; made if need be.

    The program is a file or folder, or ``file.py:function``.
    """
    inputs, judging = matching(request.inputs or ()), judging_of(request)
    source = Source.of([request.task], named_language(request.language))
    entry, *files = source.files
    parts = [read_bytes(path) for path in (entry, *inputs, *files)]
    parts.append(repr((judging, source.function, request.language)).encode())
    title = Path(request.task).absolute().stem
    if source.function:
        title = f"{entry.stem}-{source.function}"
    tasks = user_data_path("maxcode", appauthor=False) / "tasks"
    folder = tasks / f"{title}-{digest_of(parts)[:8]}"
    if not folder.exists():
        say(f"running {request.task} on {counted(len(inputs), 'input')} to record its outputs")
        save_task(source.record(inputs, judging, title), folder)
    return folder
