"""PoolGenerator: proposes what people wrote by hand, from a folder; needs no model and no key."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path, PurePosixPath
from random import Random

from maxcode.errors import GeneratorError, InputError
from maxcode.files import read_source
from maxcode.interfaces import Generator, Proposal
from maxcode.observation import Observation
from maxcode.program import Program
from maxcode.task import Task

_SUFFIXES = (".py", ".cpp", ".cc", ".cxx")


class PoolGenerator(Generator):
    """Proposes each candidate of a folder once, in an order drawn from the observation's seed.

    A candidate is a source file (``*.py``, ``*.cpp``, ``*.cc``, ``*.cxx``), which stands for the
    entry file of the task's program, or a subfolder, which holds a whole program with that entry
    file. Those of another language than the task's are left out, and so is what was seen before;
    with nothing left it proposes nothing. A proposal's summary is the candidate's name.

    With ``by_task`` each task has candidates of its own: those of a task named "a/b" are in
    ``folder/a/b``, or else the files of ``folder/a``, whose subfolders may be those of tasks.

    The folder is read once; raises :class:`~maxcode.errors.InputError` that names what cannot be
    read.
    """

    def __init__(self, folder: Path | str, by_task: bool = False) -> None:
        self.folder = Path(folder)
        self.by_task = by_task
        if not self.folder.is_dir():
            raise InputError(f"there is no folder of candidates {folder}")
        paths = [path for path in _visible(self.folder) if path.is_dir() or _is_source(path)]
        self._texts = _texts(path for path in paths if path.is_dir() or not by_task)
        if not self._texts:
            wanted = f"source files ({', '.join(_SUFFIXES)}) or folders of them"
            place = "in a folder for each task" if by_task else "there"
            raise InputError(f"{folder} holds no candidates: put {wanted} {place}")

    @property
    def identity(self) -> str:
        """A digest of what the folder holds, the same wherever it lies."""
        content = json.dumps([self.by_task, *sorted(self._texts.items())])
        return sha256(content.encode()).hexdigest()[:16]

    def propose(self, observation: Observation, n: int) -> list[Proposal]:
        """Up to ``n`` candidates that were not seen before; fewer when there are no more.

        Raises :class:`~maxcode.errors.GeneratorError` when the folder has none for such a task.
        """
        task = observation.task
        candidates = self.candidates(task)
        if not candidates:
            suffix = PurePosixPath(task.baseline.entry).suffix
            raise GeneratorError(
                f"{self.folder / self._place(task)[0]} holds no candidate for task {task.name!r}: "
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
        """Those that fit the task, by name.

        Raises :class:`~maxcode.errors.GeneratorError` when the task lacks a folder of its own.
        """
        place, whole = self._place(task)
        files, folders = self._held(place)
        baseline = task.baseline
        if whole and len(baseline.files) > 1 and baseline.entry in files:
            texts = {
                path.removeprefix(place): text
                for path, text in self._texts.items()
                if path.removeprefix(place) in baseline.files
            }
            return {
                PurePosixPath(place or self.folder.name).name: Program(
                    {**baseline.files, **texts}, baseline.entry
                )
            }
        kind = PurePosixPath(baseline.entry).suffix
        found = {
            name: baseline.with_code(text)
            for name, text in files.items()
            if PurePosixPath(name).suffix == kind
        }
        for name, texts in folders.items():
            if whole and baseline.entry in texts:
                found[name] = Program(texts, baseline.entry)
        return found

    def _place(self, task: Task) -> tuple[str, bool]:
        """Where below the folder the task's candidates are, ending in a slash unless empty.

        And whether folders there are candidates, too: not in a place that other tasks share.
        """
        if not self.by_task:
            return "", True
        name = PurePosixPath(task.name)
        own, *shared = [f"{place}/" for place in (name, *name.parents) if place.name]
        if any(path.startswith(own) for path in self._texts):
            return own, True
        for place in shared:
            if self._held(place)[0]:
                return place, False
        files = f" and no file in {' or '.join(shared)}" if shared else ""
        raise GeneratorError(
            f"there are no candidates for task {task.name!r}: {self.folder} has no folder "
            f"{own}{files}"
        )

    def _held(self, place: str) -> tuple[dict[str, str], dict[str, dict[str, str]]]:
        """The files of a place and those of each of its folders, by name."""
        files: dict[str, str] = {}
        folders: dict[str, dict[str, str]] = {}
        for path, text in self._texts.items():
            if path.startswith(place):
                first, _, rest = path.removeprefix(place).partition("/")
                if rest:
                    folders.setdefault(first, {})[rest] = text
                else:
                    files[first] = text
        return files, folders


def _visible(folder: Path) -> list[Path]:
    """What is in a folder, without hidden things and what Python leaves behind."""
    try:
        paths = list(folder.iterdir())
    except OSError as error:
        raise InputError(f"{folder}: {error.strerror}") from error
    return [path for path in paths if not path.name.startswith((".", "__pycache__"))]


def _is_source(path: Path) -> bool:
    return path.suffix in _SUFFIXES and not path.is_dir()


def _texts(paths: Iterable[Path]) -> dict[str, str]:
    """Every file among and below the paths, by its path from there, in order."""
    texts: dict[str, str] = {}
    for path in sorted(paths):
        if path.is_dir():
            below = _texts(_visible(path))
            texts |= {f"{_name(path)}/{name}": text for name, text in below.items()}
        else:
            texts[_name(path)] = read_source(path)
    return texts


def _name(path: Path) -> str:
    """Its name as text that can be stored; bytes that are not UTF-8 as ``\\xff``."""
    return os.fsencode(path.name).decode("utf-8", "backslashreplace")
