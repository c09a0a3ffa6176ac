"""PoolGenerator: proposes hand-written programs of a folder; needs no model and no key."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from hashlib import sha256
from itertools import takewhile
from pathlib import Path, PurePosixPath
from random import Random

from maxcode.errors import GeneratorError, InputError
from maxcode.files import read_source
from maxcode.interfaces import Generator, Proposal
from maxcode.observation import Observation
from maxcode.program import Program
from maxcode.task import Task
from maxcode.tasks.languages import program_suffixes

_HEADERS = (".h", ".hh", ".hpp", ".hxx", ".cuh")
_SUFFIXES = (*program_suffixes(), ".cu", *_HEADERS)


class PoolGenerator(Generator):
    """Proposes each candidate of a folder once, in an order drawn from the observation's seed.

    A candidate is a source file (``*.py``, ``*.cpp``, ...), which stands for the
    file of its name in the task's program or else for the entry; or a subfolder with that entry
    file. A folder that itself holds several files of the task is a single candidate. Missing files
    are the task's. Candidates in another language and known programs are left out; with nothing
    left it proposes nothing. A proposal's summary is the candidate's name.

    With ``by_task`` each task has candidates of its own: those of a task named "a/b" are in
    ``folder/a/b``, or else in ``folder/a``.

    The folder is read once; raises :class:`~maxcode.errors.InputError` for an unreadable file.
    """

    def __init__(self, folder: Path | str, by_task: bool = False) -> None:
        self.folder = Path(folder)
        self.by_task = by_task
        if not self.folder.is_dir():
            raise InputError(f"there is no folder of candidates {folder}")
        self._texts = _texts(self.folder)
        if not any(path.endswith(_SUFFIXES) for path in self._texts):
            wanted = f"source files ({', '.join(_SUFFIXES)}) or folders of them"
            raise InputError(f"{folder} holds no candidates: put {wanted} there")

    @property
    def identity(self) -> str:
        """A digest of the folder's contents, the same wherever it lies."""
        content = json.dumps([self.by_task, *sorted(self._texts.items())])
        return sha256(content.encode()).hexdigest()[:16]

    def propose(self, observation: Observation, n: int) -> list[Proposal]:
        """Up to ``n`` new candidates; fewer when there are no more.

        Raises :class:`~maxcode.errors.GeneratorError` for a folder without candidates for such a
        task.
        """
        task = observation.task
        candidates = self.candidates(task)
        if not candidates:
            suffix = PurePosixPath(task.baseline.entry).suffix
            raise GeneratorError(
                f"{self.folder / self._place(task)} holds no candidate for task {task.name!r}: "
                f"they are {suffix} files or folders with a {task.baseline.entry}"
            )
        known = {task.baseline, observation.step.program}
        proposals: list[Proposal] = []
        for name in Random(observation.seed).sample(list(candidates), len(candidates)):
            program = candidates[name]
            if len(proposals) < n and program not in known and program not in observation.seen:
                known.add(program)
                proposals.append(Proposal(program, summary=name, tags=(name,)))
        return proposals

    def candidates(self, task: Task) -> dict[str, Program]:
        """Candidates for the task, by name.

        Raises :class:`~maxcode.errors.GeneratorError` when the task lacks a folder of its own.
        """
        place = self._place(task)
        baseline, here = task.baseline, self._below(place)
        if len(here.keys() & baseline.files.keys()) > 1:
            return {(self.folder / place).resolve().name: _changed(baseline, here)}
        kind, found = PurePosixPath(baseline.entry).suffix, dict[str, Program]()
        names = {path.partition("/")[0] for path in here}
        for name in sorted(names, key=lambda name: (name not in here, name)):  # files first
            inside = self._below(f"{place}{name}/")
            if name in here and PurePosixPath(name).suffix == kind:
                found[name] = _in_place(baseline, name, here[name], task.editable)
            elif baseline.entry in inside:
                found[name] = _changed(baseline, inside)
        return found

    def _place(self, task: Task) -> str:
        """The place of the task's candidates below the folder, ending in a slash unless empty."""
        if not self.by_task:
            return ""
        name = PurePosixPath(task.name)
        places = [f"{place}/" for place in (name, *name.parents) if place.name]
        for place in places:
            if self._below(place):
                return place
        raise GeneratorError(
            f"there are no candidates for task {task.name!r}: {self.folder} has no folder "
            f"{' or '.join(places)}"
        )

    def _below(self, place: str) -> dict[str, str]:
        texts = self._texts.items()
        return {path.removeprefix(place): text for path, text in texts if path.startswith(place)}


def with_own_file(program: Program, path: Path, editable: Sequence[str] = ()) -> Program:
    """A program with a changed file: of its name, or else the only editable one, or the entry.

    Raises :class:`~maxcode.errors.InputError` where the file is unclear or unreadable.
    """
    return _in_place(program, path.as_posix(), read_source(path), editable)


def _in_place(program: Program, path: str, text: str, editable: Sequence[str] = ()) -> Program:
    """The program with a text in the file whose path ends most like ``path``."""
    alike = {file: _common_end(file, path) for file in program.files}
    most = max(alike.values())
    found = [file for file, length in alike.items() if length == most]
    listed = ", ".join(program.files)
    if most == 0:
        if path.endswith(_HEADERS):
            raise InputError(f"{path} is no file of the program; its files: {listed}")
        found = [editable[0] if len(editable) == 1 else program.entry]
    if len(found) > 1:
        raise InputError(f"{path} may be {' or '.join(found)}; give its path in the program")
    return program.with_file(found[0], text)


def _common_end(one: str, other: str) -> int:
    """How many parts at the end of two paths are the same."""
    pairs = zip(*(reversed(PurePosixPath(path).parts) for path in (one, other)), strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _changed(program: Program, texts: Mapping[str, str]) -> Program:
    """The program with the folder's versions of its files, and the other sources there."""
    return program.with_files(
        {
            path: text
            for path, text in texts.items()
            if path in program.files or path.endswith(_SUFFIXES)
        }
    )


def _texts(folder: Path) -> dict[str, str]:
    """The texts below a folder by their paths, without hidden files and Python's leftovers."""
    texts: dict[str, str] = {}
    for path in sorted(folder.rglob("*")):
        inner = path.relative_to(folder)
        hidden = any(part.startswith((".", "__pycache__")) for part in inner.parts)
        if hidden or path.is_dir():
            continue
        name = os.fsencode(inner).decode("utf-8", "backslashreplace")  # it is stored
        try:
            texts[name] = read_source(path)
        except InputError:
            if path.suffix in _SUFFIXES or not os.access(path, os.R_OK):
                raise  # else it is no text, such as a test's input: no file of a program
    return texts
