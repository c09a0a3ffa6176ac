"""LoopbackProvider: a language model's provider on this machine."""

from __future__ import annotations

import socket
from contextlib import suppress
from http.server import BaseHTTPRequestHandler
from socketserver import TCPServer, ThreadingMixIn
from threading import Event, Lock, Thread
from typing import Any

from tests.provider.anthropic import AnthropicWire
from tests.provider.bill import Charge
from tests.provider.exchange import (
    Answer,
    Behaviour,
    Exchange,
    Line,
    Shared,
    echo,
)
from tests.provider.messages import Request
from tests.provider.openai import OpenAIWire
from tests.provider.wire import Wire

WIRES: dict[str, Wire] = {
    "/v1/messages": AnthropicWire(),
    "/v1/chat/completions": OpenAIWire(),
}


class LoopbackProvider:
    """A real HTTP server on loopback that speaks the APIs of Anthropic and OpenAI.

    It is for tests, benchmarks and notebooks: clients are tried against it with their real SDKs, at
    ``anthropic_url`` and ``openai_url``. Use it as a context manager; it runs in threads of this
    process.

    ``behaviour`` is that of :class:`~tests.provider.exchange.Behaviour`.

    A token is 4 bytes. What caching costs and saves follows the providers' rules, see
    :mod:`tests.provider.caching`.
    """

    def __init__(self, answer: Answer = echo, **behaviour: Any) -> None:
        self._shared = Shared(Behaviour(answer=answer, **behaviour))
        self._failures: list[Exception] = []
        self._closing = Event()
        self._server = _Server(self)
        self._thread = Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()

    @property
    def port(self) -> int:
        """The port it listens on."""
        return int(self._server.server_address[1])

    @property
    def anthropic_url(self) -> str:
        """The base URL for Anthropic's SDK."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def openai_url(self) -> str:
        """The base URL for OpenAI's SDK."""
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def requests(self) -> list[Request]:
        """The last 1,000 requests that could be read, as they came."""
        return list(self._shared.bill.requests)

    @property
    def charges(self) -> list[Charge]:
        """The bill: one entry for each request that has been dealt with, in that order."""
        return self._shared.bill.charges

    @property
    def in_flight(self) -> int:
        """Requests that are being dealt with."""
        return self._shared.bill.in_flight

    @property
    def most_in_flight(self) -> int:
        """The most requests dealt with at a time."""
        return self._shared.bill.most_in_flight

    def _deal_with(
        self, wire: Wire, headers: dict[str, str], body: bytes, connection: socket.socket
    ) -> bool:
        """Answer a request; whether the connection may go on."""
        names = {name.lower(): value for name, value in headers.items()}
        exchange = Exchange(self._shared, wire, Line(connection, self._closing))
        exchange.run(names, body)
        if exchange.failure:
            self._failures.append(exchange.failure)
        return exchange.line_is_open

    def close(self) -> None:
        """Close all connections and end all threads; again does nothing.

        Raises what ``answer`` raised by mistake.
        """
        if not self._closing.is_set():
            self._closing.set()
            self._server.shutdown()
            self._server.hang_up()
            self._server.server_close()
            self._thread.join()
            if self._failures:
                raise self._failures[0]

    def __enter__(self) -> LoopbackProvider:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


class _Server(ThreadingMixIn, TCPServer):
    """A thread for each connection."""

    allow_reuse_address = True
    request_queue_size = 256

    def __init__(self, provider: LoopbackProvider) -> None:
        self.provider = provider
        self._connections: dict[socket.socket, Thread] = {}
        self._lock = Lock()
        super().__init__(("127.0.0.1", 0), _Handler)

    def process_request(self, request: Any, client_address: Any) -> None:
        thread = Thread(
            target=self.process_request_thread, args=(request, client_address), daemon=True
        )
        with self._lock:
            self._connections[request] = thread
        thread.start()

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        super().process_request_thread(request, client_address)
        with self._lock:
            self._connections.pop(request, None)

    def hang_up(self) -> None:
        """Close all connections and wait for their threads."""
        with self._lock:
            connections = dict(self._connections)
        for connection, thread in connections.items():
            with suppress(OSError):  # it was closed meanwhile
                connection.shutdown(socket.SHUT_RDWR)
            thread.join()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing: clients hang up, that is what they are tested for."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Server

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        wire = WIRES.get(self.path.partition("?")[0])
        if wire:
            self.close_connection |= not self.server.provider._deal_with(
                wire, dict(self.headers), body, self.connection
            )
        else:
            self.send_error(404)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name there
        """Say nothing."""
