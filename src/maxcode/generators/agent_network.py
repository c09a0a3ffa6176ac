"""Relay: lets an agent in the sandbox reach the hosts named by the user, and no other."""

from __future__ import annotations

import asyncio
import re
import socket
from asyncio import StreamReader, StreamWriter
from collections.abc import Sequence
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from threading import Thread
from typing import Self

from maxcode.errors import InputError
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
        """Whether the host is given by its address, or as localhost."""
        with suppress(ValueError):
            return bool(ip_address(self.name))
        return self.name == "localhost"

    def __str__(self) -> str:
        name = f"[{self.name}]" if ":" in self.name else self.name
        return f"{name}:{self.port}"


class Relay:
    """A proxy at a socket in a private folder, ``path``; it knows CONNECT and nothing else.

    It reaches ``hosts`` alone. A name of an address of this machine or of a private network is
    refused: such a host must be named by its address. The traffic is not examined, and its use by a
    host is unknown here. Use it as a context.
    """

    path: Path

    def __init__(self, hosts: Sequence[Host]) -> None:
        self.hosts = frozenset(hosts)
        self._loop = asyncio.new_event_loop()
        self._end = asyncio.Event()
        self._connections = 0

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            folder = stack.enter_context(ScratchFolder("maxcode-run-"))
            self.path = Path(folder) / "network"
            listening = stack.enter_context(socket.socket(socket.AF_UNIX))
            listening.bind(str(self.path))
            listening.listen()
            self.path.chmod(0o666)  # for the run's own user; the folder is ours alone
            self._thread = Thread(target=self._run, args=(listening,), daemon=True)
            self._thread.start()
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        with self._stack:
            self._loop.call_soon_threadsafe(self._end.set)
            self._thread.join()

    def _run(self, listening: socket.socket) -> None:
        async def serve() -> None:
            server = await asyncio.start_unix_server(self._serve, sock=listening, limit=_HEAD)
            await self._end.wait()
            server.close()

        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:  # cancels connections
            runner.run(serve())

    async def _serve(self, client: StreamReader, answer: StreamWriter) -> None:
        """A single connection, from its request to its end."""
        self._connections += 1
        try:
            with closing(answer), suppress(OSError):
                await self._answer(client, answer)
        finally:
            self._connections -= 1

    async def _answer(self, client: StreamReader, answer: StreamWriter) -> None:
        target = await _requested(client)
        if self._connections > _CONNECTIONS:
            _refuse(answer, 503, "too many connections")
        elif target is None:
            _refuse(answer, 405, "this proxy knows CONNECT alone")
        elif target not in self.hosts:
            _refuse(answer, 403, f"{target} is not among the hosts of network=")
        else:
            try:
                server, request = await _connected(target)
            except OSError as error:
                _refuse(answer, 502, f"{target}: {error}")
                return
            answer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
            with closing(request):
                await asyncio.gather(_pass_on(client, request), _pass_on(server, answer))


async def _requested(client: StreamReader) -> Host | None:
    """The host of a client's request; None for any other request."""
    with suppress(asyncio.IncompleteReadError, asyncio.LimitOverrunError, InputError, OSError):
        async with asyncio.timeout(_PATIENCE):
            head = await client.readuntil(b"\r\n\r\n")
        if found := _CONNECT.fullmatch(head):
            return Host.parse(found[1].decode("ascii", "replace"))
    return None


async def _connected(host: Host) -> tuple[StreamReader, StreamWriter]:
    """A connection to the first allowed address. Raises OSError."""
    problem = OSError("it leads to an address of a private network")
    kind = socket.SOCK_STREAM
    found = await asyncio.get_running_loop().getaddrinfo(host.name, host.port, type=kind)
    for *_, (address, *_) in found:
        if host.local or ip_address(address).is_global:
            try:
                async with asyncio.timeout(_PATIENCE):
                    return await asyncio.open_connection(str(address), host.port)
            except OSError as error:
                problem = error
    raise problem


async def _pass_on(source: StreamReader, sink: StreamWriter) -> None:
    """Pass on everything from a connection, and its end."""
    with suppress(OSError):  # one of them has gone
        while data := await source.read(1 << 16):
            sink.write(data)
            await sink.drain()
    with suppress(OSError):
        sink.write_eof()


def _refuse(answer: StreamWriter, status: int, why: str) -> None:
    text = f"{why}\n".encode()
    head = f"HTTP/1.1 {status} Refused\r\nContent-Length: {len(text)}\r\n"
    answer.write(f"{head}Connection: close\r\n\r\n".encode() + text)
