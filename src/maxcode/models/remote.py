"""RemoteModel: requests over a network, their repetitions, and the usage of each attempt."""

from __future__ import annotations

import time
import weakref
from abc import abstractmethod
from collections.abc import Generator, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import closing, contextmanager
from dataclasses import asdict, replace
from importlib import import_module
from math import inf
from random import Random
from threading import Event
from typing import Any, ClassVar, Self

from pydantic import JsonValue

from maxcode.budget import Answer, Call, Cost
from maxcode.errors import InputError, ModelError, PromptTooLongError, ToolError
from maxcode.models.base import (
    Awaited,
    Model,
    Prompt,
    Tokens,
    estimate,
    shorter,
    upper_bound,
)
from maxcode.models.endpoint import error_message, find_endpoint, refusal
from maxcode.models.prices import Price, load_prices, price_of
from maxcode.models.resilience import Cancelled, Limits, Throttle, retry_after
from maxcode.models.wire import Draft, Failure, Order, Reply, read

_NEVER_SENT = ("ConnectError", "ConnectTimeout", "PoolTimeout")  # of the HTTP library

# Tokens; providers cache no shorter prompt (platform.claude.com/docs/en/build-with-claude/
# prompt-caching, developers.openai.com/api/docs/guides/prompt-caching).
_MIN_CACHED = 1024

_CONNECTING = 10.0  # seconds
_GIVEN_UP = "given up: it was stopped"
_OUT_OF_TIME = "the time of the search is over"


class RemoteModel(Model):
    """The common part of the providers' clients, which send a request and read a response.

    A refused attempt, or one that did not reach the provider, is free and is repeated. A sent
    attempt with unknown usage is charged its highest cost. It may be asked for again by
    :func:`~maxcode.models.base.ask`, if the budget allows both.
    """

    company: ClassVar[str]
    """As the SDK calls its class of clients, such as OpenAI; in lower case its module."""

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
        stream: bool = True,
        price: Price | None = None,
        limits: Limits | None = None,
    ) -> None:
        provider = self.company.lower()
        try:
            import httpx2  # noqa: PLC0415 - heavy, as the SDKs

            self._sdk: Any = import_module(provider)  # exceptions have the same names in all
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
        self.stream = stream
        self.price = price or price_of(self.name, load_prices())
        self.limits = limits or Limits()
        self.throttle = Throttle(self.limits)
        self._unreadable = (httpx2.HTTPError, ValueError)
        self._longest = 0  # until a refusal tells it
        self._under_way: dict[int, tuple[float, Draft]] = {}
        self._prepare()
        self._client = self._connected()
        self._closing = weakref.finalize(self, self._client.close)

    # -- what differs between providers ------------------------------------------------------

    def _prepare(self) -> None:
        """Set further attributes, before the client is made."""

    @abstractmethod
    def _send(self, order: Order, *, stream: bool, timeout: Any) -> Any:
        """Send the request; a context manager of the response whose body has not been read."""

    @abstractmethod
    def _draft(self, order: Order) -> Draft:
        """An empty draft of the response."""

    def _mended(self, error: Any) -> bool:  # noqa: ARG002
        """Whether the request will be repeated without parameters unknown to the server."""
        return False

    def _connected(self) -> Any:
        """A client with the given key, which is sent to no other address."""
        client = getattr(self._sdk, self.company)(
            api_key=self.endpoint.key or "none",  # the SDKs insist on one
            base_url=self.endpoint.url,
            max_retries=0,
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
        self,
        prompt: Prompt,
        samples: Sequence[int],
        *,
        request: str,
        seed: int,
        deadline: float = inf,
    ) -> Iterator[Answer]:
        """See :meth:`maxcode.models.base.Model.sample`; in the order in which they come in.

        Raises after the requests then under way.
        """
        fatal: ModelError | None = None
        ticket = self.throttle.ticket()
        stable = sum(len(part.encode()) for part in (prompt.system, *prompt.parts[:-1]))
        ahead = len(samples) > 1 and estimate(stable) >= _MIN_CACHED  # the others find it cached
        orders = [
            Order(
                prompt,
                Random(f"{seed}:{sample}").getrandbits(31),
                self.max_tokens,
                ticket,
                deadline,
                Event() if ahead and sample == samples[0] else None,
                request,
                sample,
            )
            for sample in samples
        ]
        with closing(self._outcomes(orders)) as outcomes:
            for outcome in outcomes:
                if isinstance(outcome, ModelError):
                    fatal = fatal or outcome
                elif outcome.call.tokens or not fatal:
                    yield outcome
        if fatal:
            raise fatal

    def ceiling(self, prompt_bytes: int, n: int) -> Cost:
        """A prompt and ``max_tokens`` of output a sample, at the highest price there is.

        A token has at least 1.5 bytes of prompt.
        """
        prompt = upper_bound(prompt_bytes)
        tokens = n * (prompt + self.max_tokens)
        if self.price is None:
            return Cost(tokens=tokens, unpriced=tokens)
        return Cost(tokens=tokens, dollars=n * self.price.most(prompt, self.max_tokens))

    def longest_prompt(self) -> int:
        """See :meth:`maxcode.models.base.Model.longest_prompt`; known from a refusal on."""
        return self._longest

    def awaited(self) -> Awaited | None:
        """See :meth:`maxcode.models.base.Model.awaited`."""
        under_way = list(self._under_way.values())
        if not (under_way or self.throttle.problem):
            return None
        came = sum(draft.used().output for _, draft in under_way)
        now = time.monotonic()
        since = now - min((at for at, _ in under_way), default=now)
        return Awaited(len(under_way), since, came, self.throttle.problem)

    def stop(self) -> None:
        """Ask nothing more, and end every wait at once; paid answers are read.

        Later calls are served.
        """
        self.throttle.stop()

    def close(self) -> None:
        """Close all connections; the model cannot be asked any more."""
        self.stop()
        self._closing()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"

    # -- requests and their repetitions ----------------------------------------------------------

    def _outcomes(self, orders: Sequence[Order]) -> Generator[Answer | ModelError, None, None]:
        """Send a request for each order, all at once but for a first one that goes ahead."""
        first, *rest = orders
        if not rest:
            yield self._outcome(first)
            return
        workers = min(len(orders), self.limits.in_flight)
        with ThreadPoolExecutor(workers, thread_name_prefix="sample") as pool:
            try:
                futures = [pool.submit(self._outcome, first)]
                if first.begun:
                    first.begun.wait()
                    rest = [] if first.ticket.abandoned else rest
                futures += [pool.submit(self._outcome, order) for order in rest]
                for future in as_completed(futures):
                    yield future.result()
            except BaseException:  # above all GeneratorExit: the rest is not wanted
                first.ticket.cancel()
                pool.shutdown(wait=False, cancel_futures=True)
                raise

    def _outcome(self, order: Order) -> Answer | ModelError:
        """A request's answer, perhaps without text, or an error that would recur."""
        started, attempts, again = time.monotonic(), 0, False
        failure = Failure(_GIVEN_UP)
        try:
            while not again:
                attempts += 1
                try:
                    with self.throttle.request(order.ticket):
                        reply = self._received(order)
                except Failure as caught:
                    failure = caught
                else:
                    self.throttle.problem = ""
                    call = self._call(order, reply.usage, started, attempts)
                    return Answer(reply.text, replace(call, estimated=reply.estimated), reply.stop)
                if problem := self._ended(order, failure, attempts):
                    failure.problem, self.throttle.problem = problem, ""
                    break
                self._pause(order, failure, attempts)
                again = failure.left  # by whoever keeps the books: it may be paid twice
        except Cancelled:
            failure.problem = _GIVEN_UP
        except ModelError as fatal:  # the other requests would be refused, too
            order.ticket.cancel()
            return fatal
        finally:
            if order.begun:
                order.begun.set()
        call = self._call(order, failure.used or Tokens(), started, attempts, failure.problem)
        if failure.left and failure.used is None:
            most = self.ceiling(order.prompt.size, 1)
            lost = Call.unknown(self.name, order.request, order.sample, most, failure.problem)
            call = replace(lost, seconds=call.seconds, attempts=attempts)
        return Answer("", call, again=again)

    def _ended(self, order: Order, failure: Failure, attempts: int) -> str:
        """Why no attempt follows; empty if any does."""
        problem = failure.problem
        if failure.final:
            return problem
        if order.ticket.cancelled:
            return _GIVEN_UP
        if time.monotonic() + failure.wait >= order.deadline:
            return f"{problem}; {_OUT_OF_TIME}"
        if attempts >= self.limits.attempts:
            return f"{problem} (after {attempts} attempts)"
        if failure.wait > self.limits.longest_wait:
            return f"{problem} (it asks to wait {failure.wait:g} s, more than longest_wait)"
        return ""

    def _pause(self, order: Order, failure: Failure, attempts: int) -> None:
        """Wait for the next attempt. Raises :class:`Cancelled`."""
        following = f"attempt {attempts + 1} of {self.limits.attempts} follows"
        self.throttle.problem = f"{failure.problem}; {following}"
        self.throttle.hold(failure.wait)
        wait = self.limits.wait(attempts, f"{order.request}:{order.sample}")
        self.throttle.pause(max(failure.wait, wait), order.ticket)

    def _call(
        self, order: Order, used: Tokens, started: float, attempts: int, problem: str = ""
    ) -> Call:
        dollars = used.dollars(self.price)
        return Call(
            model=self.name,
            request=order.request,
            sample=order.sample,
            **asdict(used),
            seconds=time.monotonic() - started,
            attempts=attempts,
            dollars=dollars if self.price else None,
            saved=used.uncached.dollars(self.price) - dollars,
            problem=problem,
        )

    # -- one attempt -----------------------------------------------------------------------------

    def _received(self, order: Order) -> Reply:
        """Send a request once, and again where it was mended.

        Raises :class:`~maxcode.models.wire.Failure` if it may be repeated, and
        :class:`~maxcode.errors.ModelError`.
        """
        while True:
            seconds = min(self.limits.deadline, order.deadline - time.monotonic())
            if seconds <= 0:
                raise Failure(_OUT_OF_TIME, final=True)
            silence = min(self.limits.timeout, seconds)
            timeout = self._sdk.Timeout(silence, connect=min(silence, _CONNECTING))
            draft = self._draft(replace(order, deadline=time.monotonic() + seconds))
            begun = False
            try:
                with (
                    self._noted(draft),
                    self._send(order, stream=self.stream, timeout=timeout) as response,
                ):
                    begun = True
                    if order.begun:
                        order.begun.set()
                    streamed = "event-stream" in response.headers.get("content-type", "")
                    read(response.iter_bytes(), draft, streamed=streamed)
                return draft.reply()
            except self._sdk.APIStatusError as error:
                if not self._mended(error):
                    raise self._refused(order, error) from None  # its message may hold the key
            except self._sdk.APIConnectionError as error:  # a time-out is one, too
                cause = type(error.__cause__).__name__
                message = self._described(error.__cause__ or error)
                if cause == "ReadTimeout":
                    late = time.monotonic() >= order.deadline
                    message = f"no response within {silence:g} s{f', and {_OUT_OF_TIME}' * late}"
                raise Failure(message, left=cause not in _NEVER_SENT) from error
            except Cancelled:
                raise Failure(_GIVEN_UP, left=True) from None
            except self._unreadable as error:
                if draft.whole:
                    return draft.reply()
                problem = f"the answer cannot be read: {self._described(error)}"
                raise Failure(problem, left=begun) from error

    @contextmanager
    def _noted(self, draft: Draft) -> Iterator[None]:
        """Count the request among those under way."""
        self._under_way[id(draft)] = time.monotonic(), draft
        try:
            yield
        finally:
            del self._under_way[id(draft)]

    def _refused(self, order: Order, error: Any) -> Failure | ModelError:
        """The meaning of a refusal; a prompt too long is remembered."""
        status, wait = error.status_code, retry_after(error.response.headers)
        found = refusal(self.endpoint, self.name, status, error_message(error), wait)
        if isinstance(found, PromptTooLongError):
            most = shorter(order.prompt)
            self._longest = min(self._longest or most, most)
        return found

    def _described(self, error: BaseException) -> str:
        first = str(error).partition("\n")[0]
        return self.endpoint.redacted(f"{type(error).__name__}: {first}" if first else repr(error))
