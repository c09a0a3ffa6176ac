"""What asking a model gives, what it uses, and where it is kept."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from maxcode.cost import FREE, Cost


@dataclass(frozen=True, slots=True)
class Call:
    """One sample of a request to a model, and what that used.

    ``model`` is what was asked, as in "anthropic:claude-sonnet-5-5". ``request`` is a digest of all
    that decides the answer (model, prompt, parameters, seed), and ``sample`` tells apart the
    answers to one request. Tokens of the prompt are in exactly one of ``input`` (at full price),
    ``cached`` (read from the provider's cache) and ``written`` (to it); ``output`` includes those
    of ``thinking``. Samples that share a prompt share its tokens out, so that sums are right.
    ``seconds`` is how long the answer took, with all ``attempts``; ``dollars`` is None where the
    price is unknown, and ``saved`` is how many more it would be without the provider's cache.
    ``problem`` says why there is no answer; what was used then was used in vain. An answer that an
    earlier run paid for is ``reused`` and costs nothing.
    """

    model: str
    request: str
    sample: int = 0
    input: int = 0
    cached: int = 0
    written: int = 0
    output: int = 0
    thinking: int = 0
    seconds: float = 0.0
    attempts: int = 1
    dollars: float | None = None
    saved: float = 0.0
    problem: str = ""
    reused: bool = False

    @property
    def tokens(self) -> int:
        """All tokens, in and out."""
        return self.input + self.cached + self.written + self.output

    @property
    def cost(self) -> Cost:
        """What the budget is charged."""
        if self.reused:
            return FREE
        if self.dollars is None:
            return Cost(tokens=self.tokens, unpriced=self.tokens)
        return Cost(tokens=self.tokens, dollars=self.dollars)


@dataclass(frozen=True, slots=True)
class Usage:
    """What all calls to one model used together.

    ``answers`` came, of which ``reused`` were paid for by earlier runs; ``lost`` calls gave none.
    ``seconds`` adds up how long each answer took, also of those that came together. ``dollars``
    leaves out what has no known price, which are ``unpriced`` tokens.
    """

    answers: int = 0
    reused: int = 0
    lost: int = 0
    input: int = 0
    cached: int = 0
    written: int = 0
    output: int = 0
    thinking: int = 0
    seconds: float = 0.0
    dollars: float = 0.0
    saved: float = 0.0
    unpriced: int = 0

    def plus(self, call: Call) -> Usage:
        """With one more call."""
        if call.reused:
            return replace(self, answers=self.answers + 1, reused=self.reused + 1)
        return Usage(
            self.answers + (not call.problem),
            self.reused,
            self.lost + bool(call.problem),
            self.input + call.input,
            self.cached + call.cached,
            self.written + call.written,
            self.output + call.output,
            self.thinking + call.thinking,
            self.seconds + call.seconds,
            self.dollars + call.cost.dollars,
            self.saved + call.saved,
            self.unpriced + call.cost.unpriced,
        )

    @property
    def prompts(self) -> int:
        """Tokens of prompts, from the provider's cache or not."""
        return self.input + self.cached + self.written


class Stop(StrEnum):
    """Why a model stopped writing."""

    END = "end"
    """It had said all."""

    LENGTH = "length"
    """The answer was cut off at the limit of tokens."""

    REFUSED = "refused"
    """It would not answer."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a model wrote, without its thinking, why it stopped, and what that used."""

    text: str
    call: Call
    stop: Stop = Stop.END


class Transcript:
    """Where the answers that an observation leads to are kept, so that none is paid for twice.

    A search gives every observation one that writes to its journal. This one keeps nothing; it
    serves observations outside of any search.
    """

    def find(self, request: str, sample: int) -> Answer | None:  # noqa: ARG002
        """The answer to a sample of a request, if it was paid for before."""
        return None

    def keep(self, answer: Answer, prompt: str) -> None:
        """Keep an answer, or the failure to get one, with the prompt as it was sent.

        It is durable when this returns. Call it as soon as there is an answer.
        """
