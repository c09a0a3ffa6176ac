"""Fitting a prompt to a number of tokens."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace

from maxcode.errors import InputError
from maxcode.models.prompt import Prompt

BYTES = 3  # to a token: code has 2.5 to 4, by tokenizer and language
_FEEDBACK, _SHORT = 6000, 800  # characters


@dataclass(frozen=True, slots=True)
class Choice:
    """What the last part of a prompt shows, and which attempts stand before it, by their ids."""

    history: tuple[int, ...]
    exemplars: bool = True
    profile: bool = True
    feedback: int = _FEEDBACK


@dataclass(frozen=True)
class Draft:
    """A prompt before it is fitted.

    ``attempts`` are the parts of the history by the ids of their steps, ascending; ``expendable``
    has the same ids, those first that are missed least. ``exemplars`` are the ids of steps that
    ``last``, which writes the last part, may leave out; ``whole`` those of steps that it shows in
    any case.
    """

    system: str
    task: str
    attempts: Mapping[int, str]
    expendable: Sequence[int]
    exemplars: Sequence[int]
    whole: AbstractSet[int]
    last: Callable[[Choice, int], str]

    def prompt(self, choice: Choice) -> Prompt:
        """The prompt with what was chosen."""
        shown = {*choice.history, *self.whole, *(self.exemplars if choice.exemplars else ())}
        dropped = sorted({*self.attempts, *self.exemplars} - shown)
        history = [self.attempts[step_id] for step_id in choice.history]
        last = self.last(choice, len(dropped))
        return Prompt(self.system, (self.task, *history, last), tuple(dropped))


def tokens(prompt: Prompt) -> int:
    """About how many tokens a prompt has; rather too many than too few."""
    return -(-len(prompt.text.encode()) // BYTES)


def fitted(draft: Draft, context: int) -> Prompt:
    """The prompt with as much as goes into ``context`` tokens.

    Attempts go first, then exemplars, then the profile; feedback and critiques are shortened last.
    Raises :class:`~maxcode.errors.InputError` when what cannot be left out is too large.
    """
    choice = Choice(tuple(draft.attempts))
    prompt, waiting = draft.prompt(choice), list(draft.expendable)
    while tokens(prompt) > context and waiting:
        excess, gone = BYTES * (tokens(prompt) - context), set[int]()
        while waiting and excess > 0:
            excess -= len(draft.attempts[waiting[0]].encode())
            gone.add(waiting.pop(0))
        choice = replace(choice, history=tuple(one for one in choice.history if one not in gone))
        prompt = draft.prompt(choice)
    for smaller in ({"exemplars": False}, {"profile": False}, {"feedback": _SHORT}):
        if tokens(prompt) > context:
            choice = replace(choice, **smaller)
            prompt = draft.prompt(choice)
    if tokens(prompt) > context:
        task, last = (-(-len(part.encode()) // BYTES) for part in (draft.task, prompt.parts[-1]))
        raise InputError(
            f"a prompt needs about {tokens(prompt):,} tokens without any history ({task:,} for the "
            f"task, {last:,} for the program in question and the best so far), and may have "
            f"{context:,}; raise context"
        )
    return prompt
