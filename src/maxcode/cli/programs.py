"""C++ programs from their files, and tasks recorded of them."""

from __future__ import annotations

import glob
import hashlib
import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from platformdirs import user_data_path
from pydantic import TypeAdapter, ValidationError

from maxcode.cli.console import say
from maxcode.cli.lookup import first_problem
from maxcode.errors import InputError
from maxcode.executors.cpp.recording import record_task
from maxcode.files import read_bytes, read_source
from maxcode.lang.outline import definitions
from maxcode.measure.meters import meter
from maxcode.tasks.checkers import Checker
from maxcode.tasks.cpp import SUFFIXES, Judging, save_task
from maxcode.tasks.folder import save_reference
from maxcode.tasks.project_files import Snapshot, is_protected
from maxcode.tasks.reference import MODEL
from maxcode.tasks.toml import Seconds
from maxcode.text import counted

PROGRAMS = (".cpp", ".cc", ".cxx")
KERNEL = ".py"
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"\n]+)"', re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Wishes:
    """How a recorded program is to be built, run and checked, as a user says it."""

    flags: str = "-O3 -std=c++17"
    check: str = "tokens"
    tolerance: float = 1e-6
    timeout: float = 10.0
    meter: str = "cpu"

    def judging(self) -> Judging:
        """The settings of a task. Raises :class:`InputError` with the option."""
        try:
            flags = tuple(shlex.split(self.flags))
        except ValueError as error:
            raise InputError(f"--flags {self.flags!r}: {error}") from error
        return Judging(
            flags=flags,
            timeout=seconds(self.timeout),
            meter=meter(self.meter).name,
            checker=self._checker(),
        )

    def _checker(self) -> Checker:
        """The checker; of ``program:PATH`` with the text of the program."""
        kind, _, path = self.check.partition(":")
        if kind != "program":
            return Checker(self.check, self.tolerance)
        checker = Checker(f"{kind}:{Path(path).name}", self.tolerance)
        return replace(checker, text=read_source(Path(path)))


def seconds(timeout: float) -> float:
    """A limit for a task's file. Raises :class:`InputError`."""
    try:
        return TypeAdapter[float](Seconds).validate_python(timeout)
    except ValidationError as error:
        problem = first_problem(error).lower()
        raise InputError(f"--timeout {timeout:g} (seconds): {problem}") from error


def program_files(names: Sequence[str]) -> list[Path]:
    """The named files of a program, or all of a folder; the file with ``main`` is first.

    Headers beside them are found by ``#include`` lines. Raises :class:`InputError`
    for other programs.
    """
    paths = [Path(name) for name in names]
    if len(paths) == 1 and paths[0].is_dir():
        folder = paths[0]
        paths = [
            folder / one
            for one in Snapshot.of(folder).paths
            if one.endswith(SUFFIXES) and not is_protected(one)
        ]
        if not any(path.suffix in PROGRAMS for path in paths):
            raise InputError(f"{folder} holds no C++ program ({', '.join(PROGRAMS)})")
    for path in paths:
        check_program(path)
    found = {path.resolve(): path for path in paths}
    waiting = list(found.values())
    while waiting:
        path = waiting.pop()
        for name in _INCLUDE.findall(read_source(path)):
            header = path.parent / name
            if header.is_file() and header.resolve() not in found:
                found[header.resolve()] = header
                waiting.append(header)
    files = list(found.values())
    if len(paths) == 1:
        return files
    entries = [path for path in files if path.suffix in PROGRAMS and _has_main(path)]
    if len(entries) != 1:
        some = ", ".join(path.name for path in entries[:5]) or "none of them"
        raise InputError(
            f"of the files of a program one has main; here {some} {'have' if entries else 'has'} "
            "it: name the files of one program"
        )
    return [*entries, *(path for path in files if path not in entries)]


def check_program(path: Path) -> None:
    """Raise :class:`InputError` for other files than C++, with a way to use them."""
    if not path.exists():
        raise InputError(f"there is no file {path}")
    if path.is_file() and path.suffix in SUFFIXES:
        return
    languages = {".py": "Python", ".c": "C"}
    if way := project_way(path):
        raise InputError(
            f"{path} is {languages[path.suffix]}, and only C++ ({', '.join(PROGRAMS)}) is recorded "
            f"by itself; make it a project, with the command that runs it: {way}"
        )
    raise InputError(
        f"{path} is no C++ program ({', '.join(PROGRAMS)}); put a pattern after --inputs in "
        "quotes, and judge another language as a project: maxcode init FOLDER --command '...'"
    )


def project_way(path: Path) -> str:
    """The command to make a project of a program in Python or C; empty for other languages."""
    place, file = shlex.quote(str(path.parent)), path.name
    build = f" --build {shlex.quote(f'cc -O2 -o program {file}')}" if path.suffix == ".c" else ""
    command = {".py": f"python {file} < input.txt", ".c": "./program < input.txt"}.get(path.suffix)
    return f"maxcode init {place}{build} --command {shlex.quote(command)}" if command else ""


def is_reference(path: Path) -> bool:
    """Whether a file defines a kernel's reference."""
    named = path.suffix == KERNEL and path.is_file()
    defined = rf"^class {MODEL}\b|^{MODEL}\s*="
    return named and re.search(defined, read_source(path), re.MULTILINE) is not None


def check_reference_file(path: Path) -> None:
    """Raise :class:`InputError` for a Python file other than a kernel's reference."""
    if not is_reference(path):
        raise InputError(
            f"{path}: defines no class {MODEL}, so it is no kernel's reference; another Python "
            "program is made faster as a project, with a command that runs it: "
            f"maxcode init {shlex.quote(str(path.parent))} "
            f"--command {shlex.quote(f'python {path.name}')}"
        )


def _has_main(path: Path) -> bool:
    text = read_source(path)
    return "main" in text and any(one.name == "main" for one in definitions(path.name, text))


def matching(patterns: Sequence[str]) -> list[Path]:
    """The matching files, each once, sorted; of a folder all files.

    Raises :class:`InputError` for a pattern without a match.
    """
    found: set[Path] = set()
    for pattern in patterns:
        names = f"{glob.escape(pattern)}/*" if Path(pattern).is_dir() else pattern
        files = [Path(path) for path in glob.glob(names, recursive=True) if Path(path).is_file()]
        if not files:
            raise InputError(f"--inputs {pattern!r} matches no file in {Path.cwd()}")
        found.update(files)
    return sorted(found)


def recorded(source: Path, patterns: Sequence[str], wishes: Wishes) -> Path:
    """The folder of the task of a program and its inputs, in the user's data; made if need be."""
    inputs = matching(patterns)
    judging = wishes.judging()
    files = program_files([str(source)])
    parts = [read_bytes(path) for path in (source, *inputs, *files[1:])]
    if wishes != Wishes():
        parts += [repr(wishes).encode(), judging.checker.text.encode()]
    folder = _own_folder(source.stem, parts)
    if folder.exists():
        return folder
    say(f"running {source} on {counted(len(inputs), 'input')} to record its outputs")
    save_task(record_task(source, inputs, files=files[1:], judging=judging), folder)
    return folder


def made_small(name: str) -> Path:
    """The folder of a reference's task with smaller sizes, in the user's data; made if need be.

    Raises :class:`InputError` for other files, and where there is no size to reduce.
    """
    path = Path(name)
    if not path.exists():
        raise InputError(f"there is no file {path}")
    if path.is_dir() or path.suffix != KERNEL:
        raise InputError(
            f"--small goes with a kernel's reference ({KERNEL}), and {path} is none; a task folder "
            "says its sizes in task.toml, in constants"
        )
    check_reference_file(path)
    folder = _own_folder(f"{path.stem}-small", [read_bytes(path)])
    if not folder.exists():
        folder.parent.mkdir(parents=True, exist_ok=True)
        task = save_reference(folder, path, name=path.stem, small=True)
        if task.reference == read_source(path):
            say(f"small sizes change nothing in {path}")
    return folder


def _own_folder(name: str, parts: Sequence[bytes]) -> Path:
    """The folder of a recorded task, by its contents."""
    content = hashlib.sha256()
    for text in parts:
        content.update(len(text).to_bytes(8, "big"))
        content.update(text)
    tasks = user_data_path("maxcode", appauthor=False) / "tasks"
    return tasks / f"{name}-{content.hexdigest()[:8]}"
