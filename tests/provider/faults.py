"""What goes wrong at a provider, and when."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import StrEnum
from random import Random

from tests.provider.messages import ProviderError


class Fault(StrEnum):
    """What a request runs into."""

    RATE_LIMITED = "429"
    RETRY_AFTER = "429 with retry-after"
    SERVER_ERROR = "500"
    OVERLOADED = "overloaded"
    """529 of Anthropic, 503 of others."""
    DROPPED = "dropped"
    """The connection is closed before any header; the answer was made, and is billed."""
    HUNG = "hung"
    """Nothing is sent until the client hangs up; the answer was made, and is billed."""
    BROKEN_OFF = "broken off"
    """The connection is closed in the middle of the body."""
    BROKEN_JSON = "broken JSON"
    """The HTTP response is whole, but its JSON (or that of an event) is cut off."""
    BAD_UTF8 = "bad UTF-8"
    """As broken JSON, but a byte within it that no UTF-8 has."""
    SLOW = "slow"
    """Three stalls between the pieces of the body."""
    EMPTY = "empty"
    """An answer without text."""
    STREAM_ERROR = "stream error"
    """An error event in the middle of a stream; ``overloaded`` where nothing is streamed."""


Faults = Callable[[int], Fault | ProviderError | None]
"""A schedule: what the request of that number, counted from 0, runs into; None for nothing."""


def mixed_faults(share: float, kinds: Sequence[Fault | ProviderError]) -> Faults:
    """A schedule that strikes that share of requests with any of ``kinds``, the same each time."""

    def fault_of(number: int) -> Fault | ProviderError | None:
        rng = Random(f"0.{number}")
        return rng.choice(kinds) if rng.random() < share else None

    return fault_of


REFUSALS = {
    Fault.RATE_LIMITED: (429, "the rate limit is reached; try again later"),
    Fault.RETRY_AFTER: (429, "the rate limit is reached; try again when the header says"),
    Fault.SERVER_ERROR: (500, "something went wrong on our side"),
}
"""The faults that are nothing but an answer with an error status, the same for all providers."""
