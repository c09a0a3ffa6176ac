"""Clients: as many of an SDK's clients as the requests under way need."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Any

_EACH = 8


class Clients:
    """Lends an SDK's clients, each for a few requests at a time.

    One would do, but its connection pool looks at every connection it has, under a lock, whenever a
    request begins or ends; with 64 under way that takes longer than all the rest. The client that
    was given back last is lent first, so few requests at a time keep to few connections.
    """

    def __init__(self, make: Callable[[], Any]) -> None:
        self._make = make
        self._free = [make()] * _EACH
        self._all = [self._free[0]]
        self._lock = Lock()
        self._closing = weakref.finalize(self, _close, self._all)

    @contextmanager
    def borrowed(self) -> Iterator[Any]:
        """A client for one request."""
        with self._lock:
            if not self._free:
                self._all.append(self._make())
                self._free = [self._all[-1]] * _EACH
            client = self._free.pop()
        try:
            yield client
        finally:
            with self._lock:
                self._free.append(client)

    def close(self) -> None:
        """Close all of their connections; who forgets it has them closed with this object."""
        self._closing()


def _close(clients: list[Any]) -> None:
    for client in clients:
        client.close()
