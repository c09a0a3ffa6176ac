"""CrossoverGenerator: children of two programs of a search, hunk by hunk from one or the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from heapq import nlargest
from random import Random

from maxcode.errors import InputError
from maxcode.interfaces import Generator, Proposal
from maxcode.observation import Observation
from maxcode.program import Program
from maxcode.tree import Step

TAG = "crossover"
MATE, HUNK = "mate:", "hunk:"
_TRIES = 8  # draws for each proposal; what they repeat is known or was just proposed


class CrossoverGenerator(Generator):
    """Uniform crossover (Syswerda, 1989) of the step to improve and a mate, by hunks of lines.

    Where the two programs differ, each hunk comes from the mate with the chance ``share``, else
    from the step; a file that only one of them has is a hunk. Mates are the exemplars that passed;
    where none is shown, the ``mates`` fastest programs of the search, of n the best drawn n times
    as often as the last. What was there before is not proposed, so where two programs differ in a
    single hunk, and at the beginning, there is nothing to propose: it belongs into a mixture with a
    generator that has ideas of its own, and is as much to be trusted as that.

    Tags say where each part comes from: ``crossover``, ``mate:17`` for the mate's step, and
    ``hunk:main.cpp:40-42`` for lines of the mate that took the place of the step's. The step
    proposed from is the parent.
    """

    trusted = True  # it adds no line of its own

    def __init__(self, share: float = 0.5, mates: int = 8) -> None:
        if not 0 < share < 1 or mates < 1:
            raise InputError(
                f"crossover: share lies between 0 and 1, and mates is at least 1, not {share} "
                f"and {mates}"
            )
        self.share = share
        self.mates = mates

    def propose(self, observation: Observation, n: int) -> list[Proposal]:
        """Up to ``n`` programs that were not there before."""
        rng, step = Random(f"{observation.seed} crossover"), observation.step
        mates = self._mates(observation)
        known = {step.program, observation.task.baseline}
        proposals: list[Proposal] = []
        for _ in range(_TRIES * n if mates else 0):
            if len(proposals) == n:
                break
            mate = rng.choices(mates, weights=range(len(mates), 0, -1))[0]
            hunks = _hunks(step.program, mate.program)
            taken = [hunk for hunk in hunks if rng.random() < self.share]
            program = _applied(step.program, taken)
            if program is None or program in known or program in observation.seen:
                continue
            known.add(program)
            tags = (TAG, f"{MATE}{mate.id}", *(f"{HUNK}{hunk}" for hunk in taken))
            summary = f"{len(taken)} of {len(hunks)} differences from step {mate.id}"
            proposals.append(Proposal(program, summary, tags))
        return proposals

    def _mates(self, observation: Observation) -> list[Step]:
        """What may be crossed with, the fastest first, each program once."""
        shown = list(observation.exemplars) or list(observation.history)
        first: dict[str, Step] = {}
        for step in shown:
            if step.evaluation.ok and step.program != observation.step.program:
                first.setdefault(step.program.digest, step)
        return nlargest(self.mates, first.values(), key=lambda step: (step.reward, -step.id))


@dataclass(frozen=True)
class _Hunk:
    """Lines of a file, from ``first`` to before ``last``, and what the mate has there.

    ``place`` are the mate's lines, counted from 1. Without ``lines`` the mate lacks the file.
    """

    path: str
    first: int
    last: int
    lines: tuple[str, ...] | None
    place: str

    def __str__(self) -> str:
        return f"{self.path}:{self.place}"


def _hunks(program: Program, mate: Program) -> list[_Hunk]:
    """Where the mate differs from the program, in the order of files and lines."""
    found = []
    for path in program.changed(mate):
        if path not in mate.files:
            found.append(_Hunk(path, 0, 0, None, "removed"))
            continue
        own = program.files.get(path, "").splitlines(keepends=True)
        other = mate.files[path].splitlines(keepends=True)
        matcher = SequenceMatcher(None, own, other, autojunk=False)
        for kind, first, last, start, end in matcher.get_opcodes():
            if kind != "equal":
                place = f"{start + 1}-{end}" if end > start else f"{start}+0"
                found.append(_Hunk(path, first, last, tuple(other[start:end]), place))
    return found


def _applied(program: Program, hunks: Sequence[_Hunk]) -> Program | None:
    """The program with these hunks of the mate; None without any, or without the entry file."""
    files = dict(program.files)
    for hunk in reversed(hunks):  # from the end, so that line numbers hold
        if hunk.lines is None:
            del files[hunk.path]
            continue
        lines = files.get(hunk.path, "").splitlines(keepends=True)
        lines[hunk.first : hunk.last] = hunk.lines
        ended = [line if line.endswith("\n") else f"{line}\n" for line in lines[:-1]]
        files[hunk.path] = "".join([*ended, *lines[-1:]])
    return Program(files, program.entry) if hunks and program.entry in files else None
