"""RemoteModel: asking over a network, with patience, and counting what every attempt used."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, closing
from types import TracebackType
from typing import Any, Protocol, Self

from maxcode.calls import Answer
from maxcode.cost import Cost
from maxcode.errors import InputError, ModelError
from maxcode.models.asking import GIVEN_UP, Asking
from maxcode.models.base import Model
from maxcode.models.clients import Clients
from maxcode.models.endpoint import Endpoint, refusal, said_by
from maxcode.models.prices import Price, load_prices, price_of
from maxcode.models.prompt import Prompt
from maxcode.models.resilience import Cancelled, Limits, Throttle, retry_after
from maxcode.models.tokens import estimate, upper_bound
from maxcode.models.wire import Draft, Failure, Order, Reply, read

_NEVER_SENT = ("ConnectError", "ConnectTimeout", "PoolTimeout")  # of the HTTP library

STREAM_ABOVE = 8192
"""Answers that may be longer than so many tokens are streamed."""

LEAST_TOKENS = 256


class Response(Protocol):
    """A response of an SDK whose body has not been read."""

    def iter_bytes(self) -> Iterator[bytes]:
        """Its body, decoded."""
        ...


class RemoteModel(Model):
    """What the providers' clients have in common; they send a request and read a response.

    An attempt that was refused, or did not reach the provider, is free and is repeated. One whose
    answer broke off, or did not come in time, is charged: its prompt, and the output that was seen.
    Only one such attempt is repeated for each request, with ``max_tokens`` less by what was lost,
    so that no sample costs more than two prompts and ``max_tokens`` of output.
    """

    def __init__(
        self,
        name: str,
        endpoint: Endpoint,
        *,
        max_tokens: int,
        stream: bool | None,
        price: Price | None,
        limits: Limits | None,
    ) -> None:
        if max_tokens < 1:
            raise InputError(f"{name}: max_tokens must be at least 1, not {max_tokens}")
        self.name = name
        self.endpoint = endpoint
        self.max_tokens = max_tokens
        self.stream = max_tokens > STREAM_ABOVE if stream is None else stream
        self._may_stream = stream is not False
        self.price = price or price_of(name, load_prices())
        self.limits = limits or Limits()
        self.throttle = Throttle(self.limits)

    # -- what a provider's client must say ---------------------------------------------------

    _sdk: Any
    """The SDK's module; its exceptions have the same names in all."""

    _client: Any
    """The SDK's class of clients."""

    _clients: Clients

    _broken: tuple[type[Exception], ...]
    """What reading a body may raise: the errors of the SDK's HTTP library, and ValueError."""

    @abstractmethod
    def _send(self, client: Any, order: Order, *, stream: bool) -> AbstractContextManager[Response]:
        """Send the request; the SDK's exceptions are let through."""

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
        return min(LEAST_TOKENS, self.max_tokens // 2)

    def _connected(self) -> Any:
        """A client that sends the key it is told, and to another address nothing else."""
        seconds = self.limits.timeout
        client = self._client(
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
        """Two prompts and ``max_tokens`` of output a sample, at the dearest price there is.

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
        """Ask nothing more, and end every wait at once; what was asked comes to its end.

        It is paid for, after all. Later calls are served.
        """
        self.throttle.stop()

    def close(self) -> None:
        """Close all connections; the model cannot be asked any more."""
        self.stop()
        self._clients.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
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
                    raise self._refusal(error) from None  # the SDK's words may hold the key
            except self._sdk.APIConnectionError as error:  # a time-out is one, too
                cause = type(error.__cause__).__name__
                said = self._told(error.__cause__ or error)
                if cause == "ReadTimeout":
                    said = f"no response within {self.limits.timeout:g} s"
                raise Failure(said, None if cause in _NEVER_SENT else draft.used()) from error
            except Cancelled:
                raise Failure(GIVEN_UP, draft.used()) from None
            except self._broken as error:
                if draft.whole:
                    return draft.reply()
                problem = f"the answer cannot be read: {self._told(error)}"
                raise Failure(problem, draft.used() if begun else None) from error

    def _refusal(self, error: Any) -> Failure | ModelError:
        wait = retry_after(error.response.headers)
        said = said_by(error.body) or str(error.message)
        return refusal(self.endpoint, self.name, error.status_code, said, wait)

    def _told(self, error: BaseException) -> str:
        first = str(error).partition("\n")[0]
        return self.endpoint.redacted(f"{type(error).__name__}: {first}" if first else repr(error))
