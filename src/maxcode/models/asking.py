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
from maxcode.models.wire import Choice, Failure, Order, Reply, Split

GIVEN_UP = "given up: it was stopped"
OUT_OF_TIME = "the time of the search is over"

Outcome = tuple[list[Answer], ModelError | None]
"""A request's answers, also those without text, and an error that would recur."""


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

    def answers(self, requests: Sequence[Sequence[int]]) -> Generator[Answer, None, None]:
        """Send the requests, each for some samples, all at once; answers as they come in.

        Raises :class:`~maxcode.errors.ModelError` after the requests then under way.
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
        started, tally = time.monotonic(), Tally()
        try:
            reply = self._reply(samples, tally, begun)
        except Split:
            return [], None
        except ModelError as fatal:
            self._refused = True
            return [], fatal
        finally:
            if begun:
                begun.set()
        return self._shared(samples, reply, tally, time.monotonic() - started), None

    def _reply(self, samples: Sequence[int], tally: Tally, begun: Event | None) -> Reply | None:
        """The reply to a request after any number of attempts; None with a problem in the tally."""
        limits, throttle = self._model.limits, self._model.throttle
        try:
            while True:
                tally.attempts += 1
                try:
                    reply = self._model.attempt(self._order(samples, begun))
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
                key = f"{self._request}:{samples[0]}"
                throttle.pause(max(failure.wait, limits.wait(tally.attempts, key)), self._ticket)
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

    def _order(self, samples: Sequence[int], begun: Event | None) -> Order:
        return Order(
            prompt=self._prompt,
            n=len(samples),
            seed=Random(f"{self._seed}:{samples[0]}").getrandbits(31),
            max_tokens=self._model.max_tokens,
            ticket=self._ticket,
            deadline=self._until,
            begun=begun,
        )

    def _shared(
        self, samples: Sequence[int], reply: Reply | None, tally: Tally, seconds: float
    ) -> list[Answer]:
        """An answer for each sample, or for as many as there are choices."""
        used, name, request = tally.used, self._model.name, self._request
        if used is None:
            most = self._model.ceiling(self._prompt.size, 1)
            calls = [Call.unknown(name, request, one, most, tally.problem) for one in samples]
            calls = [replace(one, seconds=seconds, attempts=tally.attempts) for one in calls]
            return [Answer("", call, again=tally.again) for call in calls]
        price = self._model.price
        choices = (reply.choices if reply else (Choice(""),) * len(samples))[: len(samples)]
        shares = used.shares([len(choice.text) for choice in choices])
        dollars = _split(_dollars(used, price), [_dollars(share, price) for share in shares])
        uncached = [share.uncached for share in shares]
        whole = _split(_dollars(used.uncached, price), [_dollars(one, price) for one in uncached])
        answers = []
        for i, (sample, choice) in enumerate(zip(samples, choices, strict=False)):
            call = Call(
                model=name,
                request=request,
                sample=sample,
                **asdict(shares[i]),
                seconds=seconds,
                attempts=tally.attempts,
                dollars=dollars[i] if price else None,
                saved=whole[i] - dollars[i],
                problem="" if reply else tally.problem,
                estimated=tally.estimated,
            )
            answers.append(Answer(choice.text, call, choice.stop, again=tally.again))
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
