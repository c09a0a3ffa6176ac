"""C++ proposals that differ from a known program in comments and layout only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from maxcode.interfaces import Proposal
from maxcode.observation import Observation
from maxcode.program import Program
from maxcode.prompts.answers import Unusable
from maxcode.prompts.similar import normal_form
from maxcode.tree import ROOT


def known_as(program: Program | None, observation: Observation) -> str:
    """Name of the step whose program this one repeats but for layout; empty for a new program.

    An equal program is new in this sense: it shares the verdict of the known one.
    """
    form = _form(program, observation)
    if form is None:
        return ""
    known = [(step.id, step.program) for step in observation.history]
    known = known or [(ROOT, observation.task.baseline)]
    number = next((number for number, one in known if normal_form(one) == form), None)
    if number is None:
        return ""
    return f"attempt {number}" if number else "the baseline"


def without_repeats(proposals: Sequence[Proposal], observation: Observation) -> list[Proposal]:
    """The proposals; one that repeats an earlier one but for layout loses its program.

    Such a proposal has the tag "unchanged", and a problem that names the earlier answer.
    """
    first: dict[object, tuple[int, Program]] = {}
    checked = list(proposals)
    for index, one in enumerate(checked):
        form = _form(one.program, observation)
        if form is None or one.program is None:
            continue
        earlier, program = first.setdefault(form, (index, one.program))
        if earlier != index and program != one.program:
            problem = problem_of(f"answer {earlier + 1} of the same step")
            tags = (Unusable.UNCHANGED, *one.tags)
            checked[index] = replace(one, program=None, tags=tags, problem=problem)
    return checked


def problem_of(known: str) -> str:
    """The feedback for a program that repeats a known one."""
    return f"it is {known} but for comments and layout; change what it does"


def _form(program: Program | None, observation: Observation) -> tuple[tuple[str, ...], ...] | None:
    """The normal form of a new C++ program; None of any other."""
    if program is None or observation.task.language != "c++" or program in observation.seen:
        return None
    return normal_form(program)
