"""Relay: lets an agent in the sandbox reach the hosts named by the user, and no other."""

from __future__ import annotations

import re
import socket
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from socketserver import BaseRequestHandler, ThreadingMixIn, UnixStreamServer
from threading import BoundedSemaphore, Lock, Thread
from typing import Self

from maxcode.errors import InputError
from maxcode.generators.agent_guest import connect
from maxcode.system import ScratchFolder

_CONNECTIONS = 64  # at a time
_HEAD = 8192  # bytes of a request's head
_PATIENCE = 15.0  # seconds for a head, and for a connection
_HTTPS = 443
_HOST = re.compile(r"\[([0-9A-Fa-f:.]+)\](?::(\d{1,5}))?|([A-Za-z0-9._-]+)(?::(\d{1,5}))?")
_CONNECT = re.compile(rb"CONNECT (\S{1,300}) HTTP/1\.[01]\r\n(?:[^\r\n]*\r\n)*\r\n")


@dataclass(frozen=True, slots=True)
class Host:
    """An allowed host and port, usually 443."""

    name: str
    port: int = _HTTPS

    @classmethod
    def parse(cls, text: str) -> Host:
        """From ``api.example.com``, ``localhost:8000`` or ``[::1]:8000``.

        Raises :class:`InputError`.
        """
        if found := _HOST.fullmatch(text):
            port = int(found[2] or found[4] or _HTTPS)
            if 0 < port < 65536:
                return cls((found[1] or found[3]).lower().rstrip("."), port)
        raise InputError(f"network: {text!r} is no host; write it like api.example.com:443")

    @property
    def local(self) -> bool:
        """Whether the user named a machine of this network by itself: by address, or localhost."""
        with suppress(ValueError):
            return bool(ip_address(self.name))
        return self.name == "localhost"

    def __str__(self) -> str:
        name = f"[{self.name}]" if ":" in self.name else self.name
        return f"{name}:{self.port}"


class Relay:
    """A proxy at a socket in a private folder, ``path``; it knows CONNECT and nothing else.

    It reaches ``hosts`` alone. A name of an address of this machine or of a private network is
    refused: such a host must be named by its address. ``sent`` and ``received`` count bytes; the
    traffic is not examined, and its use by a host is unknown here. Use it as a context.
    """

    def __init__(self, hosts: Sequence[Host]) -> None:
        self.hosts = frozenset(hosts)
        self.sent = self.received = 0
        self._lock = Lock()
        self._open: set[socket.socket] = set()
        self._places = BoundedSemaphore(_CONNECTIONS)
        with ExitStack() as stack:
            folder = stack.enter_context(ScratchFolder("maxcode-run-"))
            self.path = Path(folder) / "network"
            self._server = stack.enter_context(_Server(self))
            self.path.chmod(0o666)  # for the run's own user; the folder is ours alone
            self._thread = Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)
            self._thread.start()
            self._stack = stack.pop_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with self._stack:
            self._server.shutdown()
            self._thread.join()
            self._hang_up()

    def serve(self, client: socket.socket) -> None:
        """A single connection, from its request to its end."""
        if not self._places.acquire(blocking=False):
            _refuse(client, 503, "too many connections")
            return
        try:
            client.settimeout(_PATIENCE)
            target = _requested(client)
            if target is None:
                _refuse(client, 405, "this proxy knows CONNECT alone")
            elif target not in self.hosts:
                _refuse(client, 403, f"{target} is not among the hosts of network=")
            else:
                self._connect(client, target)
        finally:
            self._places.release()

    def _connect(self, client: socket.socket, target: Host) -> None:
        try:
            server = _connected(target)
        except OSError as error:
            _refuse(client, 502, f"{target}: {error}")
            return
        client.settimeout(None)
        with self._lock:
            self._open |= {client, server}
        try:
            client.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
            connect(client, server, self._sent, self._received)
        finally:
            server.close()
            with self._lock:
                self._open -= {client, server}

    def _sent(self, count: int) -> None:
        with self._lock:
            self.sent += count

    def _received(self, count: int) -> None:
        with self._lock:
            self.received += count

    def _hang_up(self) -> None:
        with self._lock:
            for one in self._open:
                with suppress(OSError):
                    one.shutdown(socket.SHUT_RDWR)


class _Server(ThreadingMixIn, UnixStreamServer):
    """Gives each connection a thread."""

    daemon_threads = True
    block_on_close = False

    def __init__(self, relay: Relay) -> None:
        self.relay = relay
        super().__init__(str(relay.path), _Handler)

    def handle_error(self, request: object, client_address: object) -> None:
        """Nothing: whatever a client does is its own business."""


class _Handler(BaseRequestHandler):
    server: _Server

    def handle(self) -> None:
        self.server.relay.serve(self.request)


def _requested(client: socket.socket) -> Host | None:
    """The host of a client's request; None for any other request."""
    head = bytearray()
    with suppress(OSError, InputError):
        while b"\r\n\r\n" not in head and len(head) < _HEAD:
            if not (data := client.recv(1)):  # what follows belongs to the host
                return None
            head += data
        if found := _CONNECT.fullmatch(bytes(head)):
            return Host.parse(found[1].decode("ascii", "replace"))
    return None


def _connected(host: Host) -> socket.socket:
    """A connection to the first allowed address. Raises OSError."""
    refused = OSError("it leads to an address of a private network")
    problem: OSError = refused
    for family, kind, protocol, _, address in socket.getaddrinfo(
        host.name, host.port, type=socket.SOCK_STREAM
    ):
        if not (host.local or ip_address(str(address[0])).is_global):
            continue
        server = socket.socket(family, kind, protocol)
        try:
            server.settimeout(_PATIENCE)
            server.connect(address)
            server.settimeout(None)
        except OSError as error:
            server.close()
            problem = error
            continue
        return server
    raise problem


def _refuse(client: socket.socket, status: int, why: str) -> None:
    with suppress(OSError):
        text = f"{why}\n".encode()
        head = f"HTTP/1.1 {status} Refused\r\nContent-Length: {len(text)}\r\n"
        client.sendall(f"{head}Connection: close\r\n\r\n".encode() + text)
