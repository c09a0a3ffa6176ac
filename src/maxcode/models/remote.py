"""RemoteModel: requests over a network, repeated where that helps, and what every attempt used."""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Generator, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import closing
from dataclasses import asdict, dataclass, field
from random import Random
from threading import Event
from typing import Any, ClassVar, Self

from pydantic import JsonValue

from maxcode.budget import Answer, Call, Cost
from maxcode.errors import InputError, ModelError, ToolError
from maxcode.models.base import Model, Prompt, Tokens, estimate, upper_bound
from maxcode.models.endpoint import Clients, error_message, find_endpoint, refusal
from maxcode.models.prices import Price, load_prices, price_of
from maxcode.models.resilience import Cancelled, Limits, Throttle, Ticket, retry_after
from maxcode.models.wire import Choice, Draft, Failure, Order, Reply, Split, read

GIVEN_UP = "given up: it was stopped"

Outcome = tuple[list[Answer], ModelError | None]
"""A request's answers, also those without text, and an error that would come again."""


@dataclass(slots=True)
class Tally:
    """The attempts at one request: what they used, and why there is no answer.

    ``uncached`` are the dollars they would have cost without the provider's cache.
    """

    price: Price | None
    attempts: int = 0
    losses: int = 0
    used: Tokens = field(default_factory=Tokens)
    dollars: float = 0.0
    uncached: float = 0.0
    problem: str = ""

    def charge(self, usage: Tokens) -> None:
        """Add what an attempt used; its size may change its price, so each is priced alone."""
        self.used += usage
        self.dollars += _dollars(usage, self.price)
        self.uncached += _dollars(usage.uncached, self.price)


class Asking:
    """A prompt, and all that its requests share."""

    def __init__(
        self, model: RemoteModel, prompt: Prompt, request: str, seed: int, ticket: Ticket
    ) -> None:
        self._model = model
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
                        return reply
                    failure = Failure("it gave an empty answer", reply.usage)
                except Failure as caught:
                    failure = caught
                tally.problem = failure.problem
                if failure.lost is not None:
                    tally.charge(failure.lost)
                    tally.losses += 1
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
        elif tally.attempts >= limits.attempts:
            tally.problem += f" (after {tally.attempts} attempts)"
        elif wait > limits.longest_wait:
            tally.problem += f" (it asks to wait {wait:g} s, more than longest_wait)"
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
            deadline=time.monotonic() + self._model.limits.deadline,
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


_NEVER_SENT = ("ConnectError", "ConnectTimeout", "PoolTimeout")  # of the HTTP library

STREAM_ABOVE = 8192
"""Answers that may be longer than so many tokens are streamed."""

MIN_TOKENS = 256


class RemoteModel(Model):
    """What the providers' clients have in common; they send a request and read a response.

    An attempt that was refused, or did not reach the provider, is free and is repeated. One whose
    answer broke off, or did not come in time, is charged: its prompt, and the output that was seen.
    Only one such attempt is repeated for each request, with ``max_tokens`` less by what was lost,
    so that no sample costs more than two prompts and ``max_tokens`` of output.
    """

    company: ClassVar[str]
    """As the SDK calls its class of clients, such as OpenAI."""

    address: ClassVar[str]
    """The company's own."""

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None = None,
        key: str | None = None,
        max_tokens: int = 16_384,
        temperature: float | None = None,
        effort: str | None = None,
        stream: bool | None = None,
        price: Price | None = None,
        limits: Limits | None = None,
    ) -> None:
        provider = self.company.lower()
        try:
            import httpx2  # noqa: PLC0415 - heavy

            self._sdk = self._load_sdk()
        except ImportError as error:
            raise ToolError(
                f"{self.company}'s SDK is not installed: pip install 'maxcode[{provider}]'"
            ) from error
        self.endpoint = find_endpoint(self.company, self.address, base_url=base_url, key=key)
        elsewhere = "" if self.endpoint.url == self.address else f"@{self.endpoint.url}"
        self.name = f"{provider}:{model}{elsewhere}"
        if max_tokens < 1:
            raise InputError(f"{self.name}: max_tokens must be at least 1, not {max_tokens}")
        self.model = model
        self.max_tokens = max_tokens
        self.temperature = temperature
        self.effort = effort
        self.stream = max_tokens > STREAM_ABOVE if stream is None else stream
        self._may_stream = stream is not False
        self.price = price or price_of(self.name, load_prices())
        self.limits = limits or Limits()
        self.throttle = Throttle(self.limits)
        self._unreadable = (httpx2.HTTPError, ValueError)
        self._prepare()
        self._clients = Clients(self._connected)

    # -- what differs between providers ------------------------------------------------------

    @abstractmethod
    def _load_sdk(self) -> Any:
        """The SDK's module; its exceptions have the same names in all."""

    def _prepare(self) -> None:
        """Set further attributes, before clients are made."""

    @abstractmethod
    def _send(self, client: Any, order: Order, *, stream: bool) -> Any:
        """Send the request; a context manager of the response whose body has not been read."""

    @abstractmethod
    def _draft(self, order: Order) -> Draft:
        """An empty draft of the response."""

    def requests(self, samples: Sequence[int]) -> list[tuple[int, ...]]:
        """The samples of each request; one by one unless the provider gives several at once."""
        return [(sample,) for sample in samples]

    def first_goes_ahead(self, prompt: Prompt) -> bool:  # noqa: ARG002
        """Whether later requests profit from the first one's response having begun."""
        return False

    def _mended(self, error: Any) -> bool:  # noqa: ARG002
        """Whether the request will be put otherwise, without what the server does not know."""
        return False

    def least_tokens(self) -> int:
        """An answer that may only be shorter than this is not worth another attempt."""
        return min(MIN_TOKENS, self.max_tokens // 2)

    def _connected(self) -> Any:
        """A client that sends the key it is given, and to another address nothing else."""
        seconds = self.limits.timeout
        client = getattr(self._sdk, self.company)(
            api_key=self.endpoint.key or "none",  # the SDKs insist on one
            base_url=self.endpoint.url,
            max_retries=0,
            timeout=self._sdk.Timeout(seconds, connect=min(seconds, 10.0)),
        )
        client._client.follow_redirects = False  # a key would follow, too
        if not self.endpoint.chosen:
            client._custom_headers = {}  # from the environment, and meant for another address
        return client

    # -- the contract of Model -----------------------------------------------------------------

    def parameters(self) -> Mapping[str, JsonValue]:
        """See :meth:`maxcode.models.base.Model.parameters`."""
        return {
            "base_url": self.endpoint.url,
            "max_tokens": self.max_tokens,
            "temperature": self.temperature,
            "effort": self.effort,
        }

    def sample(
        self, prompt: Prompt, samples: Sequence[int], *, request: str, seed: int
    ) -> Iterator[Answer]:
        """See :meth:`maxcode.models.base.Model.sample`; in the order in which they come in."""
        ticket = self.throttle.ticket()
        asking = Asking(self, prompt, request, seed, ticket)
        missing = list(samples)
        while missing:  # a server may give fewer than it was asked for: the rest is asked for again
            with closing(asking.answers(self.requests(missing))) as answers:
                for answer in answers:
                    missing.remove(answer.call.sample)
                    yield answer

    def ceiling(self, prompt_bytes: int, n: int) -> Cost:
        """Two prompts and ``max_tokens`` of output a sample, at the highest price there is.

        A token has at least 1.5 bytes of prompt. An answer of one token may be lost and is asked
        for again, so that it may be two.
        """
        prompt, output = upper_bound(prompt_bytes), max(self.max_tokens, 2)
        tokens = n * (2 * prompt + output)
        if self.price is None:
            return Cost(tokens=tokens, unpriced=tokens)
        dollars = self.price.most(prompt, output) + self.price.most(prompt, 0)
        return Cost(tokens=tokens, dollars=n * dollars)

    def stop(self) -> None:
        """Ask nothing more, and end every wait at once; what was asked and paid for is read.

        Later calls are served.
        """
        self.throttle.stop()

    def close(self) -> None:
        """Close all connections; the model cannot be asked any more."""
        self.stop()
        self._clients.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"

    # -- one attempt -----------------------------------------------------------------------------

    def attempt(self, order: Order) -> Reply:
        """Send a request once.

        Raises :class:`~maxcode.models.wire.Failure` for what may be repeated,
        :class:`~maxcode.models.resilience.Cancelled` before anything was sent, and
        :class:`~maxcode.errors.ModelError`.
        """
        tokens = estimate(order.prompt.size) + order.n * order.max_tokens
        with self.throttle.request(tokens, order.ticket) as reservation:
            try:
                reply = self._received(order)
            except Failure as failure:
                reservation.used = failure.lost.total if failure.lost else 0
                raise
            reservation.used = reply.usage.total
            return reply

    def _received(self, order: Order) -> Reply:
        draft = self._draft(order)
        streamed = self.stream or (order.begun is not None and self._may_stream)
        begun = False
        while True:
            try:
                with (
                    self._clients.borrowed() as client,
                    self._send(client, order, stream=streamed) as response,
                ):
                    begun = True
                    if order.begun:
                        order.begun.set()
                    read(response.iter_bytes(), draft, streamed=streamed)
                return draft.reply()
            except self._sdk.APIStatusError as error:
                if not self._mended(error):
                    wait, message = retry_after(error.response.headers), error_message(error)
                    found = refusal(self.endpoint, self.name, error.status_code, message, wait)
                    raise found from None  # the SDK's message may hold the key
            except self._sdk.APIConnectionError as error:  # a time-out is one, too
                cause = type(error.__cause__).__name__
                message = self._described(error.__cause__ or error)
                if cause == "ReadTimeout":
                    message = f"no response within {self.limits.timeout:g} s"
                raise Failure(message, None if cause in _NEVER_SENT else draft.used()) from error
            except Cancelled:
                raise Failure(GIVEN_UP, draft.used()) from None
            except self._unreadable as error:
                if draft.whole:
                    return draft.reply()
                problem = f"the answer cannot be read: {self._described(error)}"
                raise Failure(problem, draft.used() if begun else None) from error

    def _described(self, error: BaseException) -> str:
        first = str(error).partition("\n")[0]
        return self.endpoint.redacted(f"{type(error).__name__}: {first}" if first else repr(error))
