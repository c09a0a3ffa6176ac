"""Asking: the requests for a prompt, their repetitions, and the usage of each attempt."""

from __future__ import annotations

import time
from collections.abc import Generator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import closing
from dataclasses import asdict, dataclass, field, replace
from math import inf
from random import Random
from threading import Event
from typing import Protocol

from maxcode.budget import Answer, Call, Cost
from maxcode.errors import ModelError
from maxcode.models.base import Prompt, Tokens
from maxcode.models.prices import Price
from maxcode.models.resilience import Cancelled, Limits, Throttle, Ticket
from maxcode.models.wire import Choice, Failure, Order, Reply

GIVEN_UP = "given up: it was stopped"
OUT_OF_TIME = "the time of the search is over"

Outcome = tuple[Answer | None, ModelError | None]
"""A request's answer, perhaps without text, or an error that would recur."""


@dataclass(slots=True)
class Tally:
    """The attempts at a request: their usage, and the reason for a missing answer.

    ``used`` is None where a sent attempt has unknown usage. ``again``: another attempt may help.
    ``estimated`` is as in :class:`~maxcode.budget.Call`.
    """

    attempts: int = 0
    used: Tokens | None = field(default_factory=Tokens)
    again: bool = False
    problem: str = ""
    estimated: str = ""


class Requester(Protocol):
    """The part of a model needed for asking: see :class:`maxcode.models.remote.RemoteModel`."""

    name: str
    max_tokens: int
    price: Price | None
    limits: Limits
    throttle: Throttle

    def attempt(self, order: Order) -> Reply:
        """Send a request once."""

    def first_goes_ahead(self, prompt: Prompt) -> bool:
        """Whether the first request has to have begun before the others are sent."""

    def ceiling(self, prompt_bytes: int, n: int) -> Cost:
        """The highest cost of ``n`` samples."""


class Asking:
    """A prompt, and the common data of its requests.

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

    def answers(self, samples: Sequence[int]) -> Generator[Answer, None, None]:
        """Send a request for each sample, all at once; answers as they come in.

        Raises :class:`~maxcode.errors.ModelError` after the requests then under way.
        """
        fatal: ModelError | None = None
        with closing(self._outcomes(samples)) as outcomes:
            for answer, error in outcomes:
                if error and not fatal:
                    fatal = error
                    self._ticket.cancel()
                if answer and (answer.call.tokens or not fatal):
                    yield answer
        if fatal:
            raise fatal

    def _outcomes(self, samples: Sequence[int]) -> Generator[Outcome, None, None]:
        first, *rest = samples
        if not rest:
            yield self._outcome(first)
            return
        workers = min(len(samples), self._model.limits.in_flight)
        with ThreadPoolExecutor(workers, thread_name_prefix="sample") as pool:
            try:
                begun = Event() if self._model.first_goes_ahead(self._prompt) else None
                futures = [pool.submit(self._outcome, first, begun)]
                if begun:
                    begun.wait()
                    rest = [] if self._refused else rest
                futures += [pool.submit(self._outcome, sample) for sample in rest]
                for future in as_completed(futures):
                    yield future.result()
            except BaseException:  # above all GeneratorExit: the rest is not wanted
                self._ticket.cancel()
                pool.shutdown(wait=False, cancel_futures=True)
                raise

    def _outcome(self, sample: int, begun: Event | None = None) -> Outcome:
        started, tally = time.monotonic(), Tally()
        try:
            reply = self._reply(sample, tally, begun)
        except ModelError as fatal:
            self._refused = True
            return None, fatal
        finally:
            if begun:
                begun.set()
        return self._answer(sample, reply, tally, time.monotonic() - started), None

    def _reply(self, sample: int, tally: Tally, begun: Event | None) -> Reply | None:
        """The reply to a request after any number of attempts; None with a problem in the tally."""
        limits, throttle = self._model.limits, self._model.throttle
        order = Order(
            prompt=self._prompt,
            seed=Random(f"{self._seed}:{sample}").getrandbits(31),
            max_tokens=self._model.max_tokens,
            ticket=self._ticket,
            deadline=self._until,
            begun=begun,
        )
        try:
            while True:
                tally.attempts += 1
                try:
                    reply = self._model.attempt(order)
                    throttle.problem = ""
                    tally.used, tally.estimated = reply.usage, reply.estimated
                    return reply
                except Failure as caught:
                    failure = caught
                tally.problem = failure.problem
                if failure.left:
                    tally.used = failure.used
                if failure.final or not self._patient(tally, failure.wait):
                    throttle.problem = ""
                    return None
                following = f"attempt {tally.attempts + 1} of {limits.attempts} follows"
                throttle.problem = f"{failure.problem}; {following}"
                throttle.hold(failure.wait)
                wait = limits.wait(tally.attempts, f"{self._request}:{sample}")
                throttle.pause(max(failure.wait, wait), self._ticket)
                if failure.left:
                    tally.again = True  # by whoever keeps the books: it may be paid twice
                    return None
        except Cancelled:
            tally.problem = GIVEN_UP
            return None

    def _patient(self, tally: Tally, wait: float) -> bool:
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
        else:
            return True
        return False

    def _answer(self, sample: int, reply: Reply | None, tally: Tally, seconds: float) -> Answer:
        name, request, price = self._model.name, self._request, self._model.price
        if tally.used is None:
            most = self._model.ceiling(self._prompt.size, 1)
            call = Call.unknown(name, request, sample, most, tally.problem)
            call = replace(call, seconds=seconds, attempts=tally.attempts)
            return Answer("", call, again=tally.again)
        dollars = _dollars(tally.used, price)
        choice = reply.choice if reply else Choice("")
        call = Call(
            model=name,
            request=request,
            sample=sample,
            **asdict(tally.used),
            seconds=seconds,
            attempts=tally.attempts,
            dollars=dollars if price else None,
            saved=_dollars(tally.used.uncached, price) - dollars,
            problem="" if reply else tally.problem,
            estimated=tally.estimated,
        )
        return Answer(choice.text, call, choice.stop, again=tally.again)


def _dollars(usage: Tokens, price: Price | None) -> float:
    if price is None:
        return 0.0
    return price.dollars(
        input=usage.input, cached=usage.cached, written=usage.written, output=usage.output
    )
