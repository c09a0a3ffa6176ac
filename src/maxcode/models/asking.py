"""Asking: the requests for one prompt, repeated where that helps, and what each attempt used."""

from __future__ import annotations

import time
from collections.abc import Generator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import closing
from dataclasses import asdict, dataclass, field
from math import inf
from random import Random
from threading import Event
from typing import Protocol

from maxcode.budget import Answer, Call
from maxcode.errors import ModelError
from maxcode.models.base import Prompt, Tokens
from maxcode.models.prices import Price
from maxcode.models.resilience import Cancelled, Limits, Throttle, Ticket
from maxcode.models.wire import Choice, Failure, Order, Reply, Split

GIVEN_UP = "given up: it was stopped"
OUT_OF_TIME = "the time of the search is over"

Outcome = tuple[list[Answer], ModelError | None]
"""A request's answers, also those without text, and an error that would come again."""


@dataclass(slots=True)
class Tally:
    """The attempts at one request: what they used, and why there is no answer.

    ``uncached`` are the dollars they would have cost without the provider's cache. ``estimated``
    and ``reserved`` are as in :class:`~maxcode.budget.Call`.
    """

    price: Price | None
    attempts: int = 0
    losses: int = 0
    used: Tokens = field(default_factory=Tokens)
    dollars: float = 0.0
    uncached: float = 0.0
    problem: str = ""
    estimated: str = ""
    reserved: bool = False

    def charge(self, usage: Tokens) -> None:
        """Add what an attempt used; its size may change its price, so each is priced alone."""
        self.used += usage
        self.dollars += _dollars(usage, self.price)
        self.uncached += _dollars(usage.uncached, self.price)

    def lose(self, failure: Failure) -> None:
        """Charge a failed attempt, at the highest price where its usage is not known."""
        self.problem = failure.problem
        if failure.lost is None:
            return
        self.losses += 1
        if not failure.unknown:
            self.charge(failure.lost)
            return
        self.reserved = True
        self.used += failure.lost
        most = self.price.most(failure.lost.input, failure.lost.output) if self.price else 0.0
        self.dollars += most
        self.uncached += most


class Requester(Protocol):
    """What asking needs of a model: see :class:`maxcode.models.remote.RemoteModel`."""

    name: str
    max_tokens: int
    price: Price | None
    limits: Limits
    throttle: Throttle

    def attempt(self, order: Order) -> Reply:
        """Send a request once."""

    def first_goes_ahead(self, prompt: Prompt) -> bool:
        """Whether the first request has to have begun before the others are sent."""

    def least_tokens(self) -> int:
        """The shortest answer that can be asked for, in tokens."""


class Asking:
    """A prompt, and all that its requests share.

    Nothing is asked, and no answer is waited for, at or after ``until``, a reading of
    :func:`time.monotonic`.
    """

    def __init__(
        self,
        model: Requester,
        prompt: Prompt,
        request: str,
        seed: int,
        ticket: Ticket,
        until: float = inf,
    ) -> None:
        self._model = model
        self._until = until
        self._prompt = prompt
        self._request = request
        self._seed = seed
        self._ticket = ticket
        self._refused = False  # the other requests would be, too

    def answers(self, requests: Sequence[Sequence[int]]) -> Generator[Answer, None, None]:
        """Send the requests, each for some samples, all at once; answers as they come in.

        Raises :class:`~maxcode.errors.ModelError` after what was under way then.
        """
        fatal: ModelError | None = None
        with closing(self._outcomes(requests)) as outcomes:
            for answers, error in outcomes:
                if error and not fatal:
                    fatal = error
                    self._ticket.cancel()
                yield from (a for a in answers if a.call.tokens or not fatal)
        if fatal:
            raise fatal

    def _outcomes(self, requests: Sequence[Sequence[int]]) -> Generator[Outcome, None, None]:
        first, *rest = requests
        if not rest:
            yield self._outcome(first)
            return
        workers = min(len(requests), self._model.limits.in_flight)
        with ThreadPoolExecutor(workers, thread_name_prefix="sample") as pool:
            try:
                begun = Event() if self._model.first_goes_ahead(self._prompt) else None
                futures = [pool.submit(self._outcome, first, begun)]
                if begun:
                    begun.wait()
                    rest = [] if self._refused else rest
                futures += [pool.submit(self._outcome, samples) for samples in rest]
                for future in as_completed(futures):
                    yield future.result()
            except BaseException:  # above all GeneratorExit: the rest is not wanted
                self._ticket.cancel()
                pool.shutdown(wait=False, cancel_futures=True)
                raise

    def _outcome(self, samples: Sequence[int], begun: Event | None = None) -> Outcome:
        started, tally = time.monotonic(), Tally(self._model.price)
        reply, error = None, None
        try:
            reply = self._reply(samples, tally, begun)
        except Split:
            return [], None
        except ModelError as fatal:
            self._refused = True
            error, tally.problem = fatal, str(fatal)
            if not tally.losses:
                return [], error
        finally:
            if begun:
                begun.set()
        return self._shared(samples, reply, tally, time.monotonic() - started), error

    def _reply(self, samples: Sequence[int], tally: Tally, begun: Event | None) -> Reply | None:
        """The reply to a request after any number of attempts; None with a problem in the tally."""
        limits, throttle = self._model.limits, self._model.throttle
        try:
            while True:
                tally.attempts += 1
                try:
                    reply = self._model.attempt(self._order(samples, tally, begun))
                    empty = all(choice.empty for choice in reply.choices)
                    if not empty or tally.losses or tally.attempts >= limits.attempts:
                        tally.charge(reply.usage)
                        tally.estimated = reply.estimated
                        return reply
                    failure = Failure("it gave an empty answer", reply.usage)
                except Failure as caught:
                    failure = caught
                tally.lose(failure)
                if failure.final or not self._patient(len(samples), tally, failure.wait):
                    return None
                throttle.hold(failure.wait)
                key = f"{self._request}:{samples[0]}"
                throttle.pause(max(failure.wait, limits.wait(tally.attempts, key)), self._ticket)
        except Cancelled:
            tally.problem = GIVEN_UP
            return None

    def _patient(self, n: int, tally: Tally, wait: float) -> bool:
        """Whether to try again; says in the tally why not."""
        limits = self._model.limits
        if self._ticket.cancelled:
            tally.problem = GIVEN_UP
        elif time.monotonic() + wait >= self._until:
            tally.problem += f"; {OUT_OF_TIME}"
        elif tally.attempts >= limits.attempts:
            tally.problem += f" (after {tally.attempts} attempts)"
        elif wait > limits.longest_wait:
            tally.problem += f" (it asks to wait {wait:g} s, more than longest_wait)"
        elif tally.reserved:
            tally.problem += " (charged the most that it can cost, so it is not repeated)"
        elif tally.losses > 1 or self._left(n, tally) < self._model.least_tokens():
            tally.problem += " (its tokens are paid for, so it is not repeated)"
        else:
            return True
        return False

    def _left(self, n: int, tally: Tally) -> int:
        """``max_tokens`` of each answer, so that none of the tokens lost is paid for twice."""
        return self._model.max_tokens + -tally.used.output // n

    def _order(self, samples: Sequence[int], tally: Tally, begun: Event | None) -> Order:
        return Order(
            prompt=self._prompt,
            n=len(samples),
            seed=Random(f"{self._seed}:{samples[0]}").getrandbits(31),
            max_tokens=max(1, self._left(len(samples), tally)),
            ticket=self._ticket,
            deadline=self._until,
            begun=begun,
        )

    def _shared(
        self, samples: Sequence[int], reply: Reply | None, tally: Tally, seconds: float
    ) -> list[Answer]:
        """An answer for each sample, or for as many as there are choices."""
        price = tally.price
        choices = (reply.choices if reply else (Choice(""),) * len(samples))[: len(samples)]
        shares = tally.used.shares([len(choice.text) for choice in choices])
        dollars = _split(tally.dollars, [_dollars(share, price) for share in shares])
        uncached = _split(tally.uncached, [_dollars(share.uncached, price) for share in shares])
        answers = []
        for sample, choice, share, paid, whole in zip(
            samples, choices, shares, dollars, uncached, strict=False
        ):
            call = Call(
                model=self._model.name,
                request=self._request,
                sample=sample,
                **asdict(share),
                seconds=seconds,
                attempts=tally.attempts,
                dollars=paid if price else None,
                saved=whole - paid,
                problem="" if reply else tally.problem,
                estimated=tally.estimated,
                reserved=tally.reserved,
            )
            answers.append(Answer(choice.text, call, choice.stop))
        return answers


def _dollars(usage: Tokens, price: Price | None) -> float:
    if price is None:
        return 0.0
    return price.dollars(
        input=usage.input, cached=usage.cached, written=usage.written, output=usage.output
    )


def _split(total: float, weights: list[float]) -> list[float]:
    """``total`` in proportion to the weights."""
    whole = sum(weights)
    return [total * weight / whole if whole else 0.0 for weight in weights]
