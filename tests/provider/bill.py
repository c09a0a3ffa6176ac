"""What the loopback provider would charge, and how busy it was."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from threading import Lock

from tests.provider.messages import Request

_REQUESTS_KEPT = 1000


@dataclass(frozen=True, slots=True)
class Charge:
    """What one request would be charged.

    ``status`` is that of the HTTP response, 0 where there was none. ``complete`` says that a well
    formed answer went out to its end; one that was broken off is billed as a whole: it was made.
    ``begun`` is when the request arrived, on the provider's monotonic clock.
    """

    number: int
    status: int
    fault: str = ""
    complete: bool = False
    input: int = 0
    cached: int = 0
    written: int = 0
    output: int = 0
    begun: float = 0.0


class Bill:
    """Counts requests and what they cost. Thread-safe."""

    def __init__(self) -> None:
        self.requests: deque[Request] = deque(maxlen=_REQUESTS_KEPT)
        self._lock = Lock()
        self._charges: dict[int, Charge] = {}
        self._requests = 0
        self.most_in_flight = 0

    @property
    def charges(self) -> list[Charge]:
        """One for each request that has been dealt with, in that order."""
        with self._lock:
            return list(self._charges.values())

    @property
    def in_flight(self) -> int:
        """Requests that are being dealt with."""
        return self._requests - len(self._charges)

    def begin(self) -> int:
        """Count a request; gives its number."""
        with self._lock:
            self._requests += 1
            self.most_in_flight = max(self.most_in_flight, self.in_flight)
            return self._requests - 1

    def end(self, charge: Charge) -> None:
        """Put the charge of a request on the bill, or correct it.

        Call it before the last bytes are sent, so that a client that has its answer finds the
        request on the bill, and no longer in flight.
        """
        with self._lock:
            self._charges[charge.number] = charge
