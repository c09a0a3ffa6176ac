"""PoolGenerator: proposes what people wrote by hand, from a folder; needs no model and no key."""

from __future__ import annotations

from pathlib import Path, PurePosixPath
from random import Random

from maxcode.errors import GeneratorError, InputError
from maxcode.interfaces import Generator, Proposal
from maxcode.observation import Observation
from maxcode.program import Program
from maxcode.task import Task
from maxcode.textfiles import read_text

_SUFFIXES = (".py", ".cpp", ".cc", ".cxx")


class PoolGenerator(Generator):
    """Proposes each candidate of a folder once, in an order drawn from the observation's seed.

    A candidate is a source file (``*.py``, ``*.cpp``, ``*.cc``, ``*.cxx``), which stands for the
    entry file of the task's program, or a subfolder, which holds a whole program with that entry
    file. Those of another language than the task's are left out, and so is what was seen before;
    with nothing left it proposes nothing. A proposal's summary is the candidate's name. The folder
    is read once; raises :class:`~maxcode.errors.InputError` that names what cannot be read.
    """

    def __init__(self, folder: Path | str) -> None:
        self.folder = Path(folder)
        if not self.folder.is_dir():
            raise InputError(f"there is no folder of candidates {folder}")
        paths = sorted(_visible(self.folder))
        self._files = {path.name: read_text(path) for path in paths if _is_source(path)}
        self._programs = {path.name: _texts(path) for path in paths if path.is_dir()}
        if not self._files and not self._programs:
            raise InputError(
                f"{folder} holds no candidates: put source files ({', '.join(_SUFFIXES)}) or "
                "folders of them there"
            )

    def propose(self, observation: Observation, n: int) -> list[Proposal]:
        """Up to ``n`` candidates that were not seen before; fewer when there are no more.

        Raises :class:`~maxcode.errors.GeneratorError` when the folder has none for such a task.
        """
        task = observation.task
        candidates = self.candidates(task)
        if not candidates:
            suffix = PurePosixPath(task.baseline.entry).suffix
            raise GeneratorError(
                f"{self.folder} holds no candidate for task {task.name!r}: they are {suffix} files "
                f"or folders with a {task.baseline.entry}"
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
        """Those that fit the task, by name."""
        baseline = task.baseline
        kind = PurePosixPath(baseline.entry).suffix
        found = {
            name: baseline.with_code(text)
            for name, text in self._files.items()
            if PurePosixPath(name).suffix == kind
        }
        for name, files in self._programs.items():
            if baseline.entry in files:
                found[name] = Program(files, baseline.entry)
        return found


def _visible(folder: Path) -> list[Path]:
    """What is in a folder, without hidden things and what Python leaves behind."""
    try:
        paths = list(folder.iterdir())
    except OSError as error:
        raise InputError(f"{folder}: {error.strerror}") from error
    return [path for path in paths if not path.name.startswith((".", "__pycache__"))]


def _is_source(path: Path) -> bool:
    return path.suffix in _SUFFIXES and not path.is_dir()


def _texts(folder: Path) -> dict[str, str]:
    """Every file below a folder, by its path in it."""
    texts: dict[str, str] = {}
    for path in _visible(folder):
        if path.is_dir():
            texts |= {f"{path.name}/{name}": text for name, text in _texts(path).items()}
        else:
            texts[path.name] = read_text(path)
    return texts
