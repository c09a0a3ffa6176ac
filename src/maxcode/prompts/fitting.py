"""Fitting a prompt to a number of tokens."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace

from maxcode.errors import ContextError
from maxcode.models.base import Prompt

BYTES = 3  # to a token: code has 2.5 to 4, by tokenizer and language
_FEEDBACK, _SHORT = 6000, 800  # characters
_GROWTH, _FIRST = 2, 2500  # times the first prompt of a run, whose last part has so many bytes


@dataclass(frozen=True, slots=True)
class Shape:
    """Form of the two indispensable programs: the best so far, and the program to improve.

    Whole, or as ``diffs`` against the baseline; programs of ``omitted`` steps not at all.
    """

    diffs: bool = False
    omitted: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Choice:
    """The contents of a prompt: ids of attempts, and further parts.

    ``extras`` are what only may help: earlier advice, critiques of programs that are not improved,
    failures, and a best program that is no faster than the one to improve.
    """

    history: tuple[int, ...] = ()
    exemplars: bool = True
    profile: bool = True
    feedback: int = _FEEDBACK
    extras: bool = True
    shape: Shape = Shape()


@dataclass(frozen=True)
class Draft:
    """A prompt before it is fitted.

    ``attempts`` are the ascending ids of steps for the history, and ``attempt`` writes the part of
    a step, given the ids of all parts; ``expendable`` are the same ids, the least needed first.
    ``last`` writes the last part, given the ids of omitted steps; it may omit the ``exemplars``,
    and shows the programs of ``shown`` in a shape of ``shapes``, the best first.
    """

    system: str
    task: str
    attempts: Sequence[int]
    attempt: Callable[[int, AbstractSet[int]], str]
    expendable: Sequence[int]
    exemplars: Sequence[int]
    shown: AbstractSet[int]
    shapes: Sequence[Shape]
    last: Callable[[Choice, Sequence[int]], str]

    def prompt(self, choice: Choice) -> Prompt:
        """The prompt with the chosen parts."""
        kept = {*choice.history, *self.shown, *(self.exemplars if choice.exemplars else ())}
        left_out = sorted({*self.attempts, *self.exemplars} - kept)
        history = [self.attempt(one, {*choice.history}) for one in choice.history]
        last = self.last(choice, left_out)
        dropped = tuple(sorted({*left_out, *choice.shape.omitted}))
        return Prompt(self.system, (self.task, *history, last), dropped)


def tokens(prompt: Prompt) -> int:
    """About how many tokens a prompt has; rather too many than too few."""
    return -(-len(prompt.text.encode()) // BYTES)


def fitted(draft: Draft, context: int) -> Prompt:
    """The prompt with as many parts as fit into ``context`` tokens.

    The best and the program to improve come before all else: as diffs if they do not fit in whole,
    else in words. Attempts are dropped first, then exemplars and the profile; feedback and
    critiques are shortened last. Beyond twice the size of a run's first prompt, what only may help
    is left out. Raises :class:`~maxcode.errors.ContextError` if the indispensable
    parts are too large.
    """
    choice = Choice(history=tuple(draft.attempts), shape=_shape(draft, context))
    prompt, waiting = draft.prompt(choice), list(draft.expendable)
    while tokens(prompt) > context and waiting:
        excess, gone = BYTES * (tokens(prompt) - context), set[int]()
        while waiting and excess > 0:
            excess -= len(draft.attempt(waiting[0], {*choice.history}).encode())
            gone.add(waiting.pop(0))
        choice = replace(choice, history=tuple(one for one in choice.history if one not in gone))
        prompt = draft.prompt(choice)
    for smaller in ({"exemplars": False}, {"profile": False}, {"feedback": _SHORT}):
        if tokens(prompt) > context:
            choice = replace(choice, **smaller)
            prompt = draft.prompt(choice)
    usual = _GROWTH * (len(f"{draft.system}{draft.task}".encode()) + _FIRST)
    return prompt if prompt.size <= usual else draft.prompt(replace(choice, extras=False))


def _shape(draft: Draft, context: int) -> Shape:
    """The first shape to fit, with as few other parts as possible."""
    least = Choice(exemplars=False, profile=False, feedback=_SHORT)
    for shape in draft.shapes:
        prompt = draft.prompt(replace(least, shape=shape))
        if tokens(prompt) <= context:
            return shape
    task = -(-len(draft.task.encode()) // BYTES)
    raise ContextError(
        f"a prompt needs about {tokens(prompt):,} tokens without any history ({task:,} for the "
        f"task with its baseline), and may have {context:,}; raise context"
    )
