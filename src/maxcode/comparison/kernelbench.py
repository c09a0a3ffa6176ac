"""Kernels of a comparison as files for KernelBench's own evaluation."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from maxcode.comparison.contest import Contest
from maxcode.errors import InputError
from maxcode.files import write_text
from maxcode.journal.journal import Journal
from maxcode.journal.state import RunState
from maxcode.search.result import Result

_TASK = re.compile(r"level(\d+)/(\d+)_.+")
_UNSAFE = re.compile(r"[^\w.@+=,-]+")


@dataclass(frozen=True)
class Problem:
    """A problem of KernelBench: its level and its number."""

    level: int
    number: int

    @classmethod
    def of(cls, task: str) -> Problem:
        """Problem of a task, such as "level1/19_ReLU". Raises :class:`InputError` for others."""
        match = _TASK.fullmatch(task)
        if match is None:
            raise InputError(f"{task!r} is no problem of KernelBench")
        return cls(int(match[1]), int(match[2]))


def write_kernels(contest: Contest, journal: Journal, folder: Path) -> list[Path]:
    """Write ``folder/METHOD-seedN/level_1_problem_19_sample_0_kernel.py``; gives these folders.

    Each is a run for KernelBench's ``eval_from_generations.py``; a problem without a correct kernel
    has no file. Raises :class:`InputError` for anything that cannot be written.
    """
    places: dict[Path, None] = {}
    for outcome in contest.outcomes:
        place = folder / _UNSAFE.sub("-", f"{outcome.method}-seed{outcome.seed}")
        problem = Problem.of(outcome.task)
        path = place / f"level_{problem.level}_problem_{problem.number}_sample_0_kernel.py"
        result = Result.of(RunState.load(journal.run(outcome.run_id)))
        if result.best.parent is None:
            path.unlink(missing_ok=True)
        else:
            write_text(path, result.program.code)
        places[place] = None
    return list(places)
