"""One request from its arrival to its end: what is answered, what goes wrong, what it costs."""

from __future__ import annotations

import hashlib
import json
import socket
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http.client import responses
from threading import Event as Flag

from tests.provider.bill import Bill, Charge
from tests.provider.caching import PromptCache, Split
from tests.provider.faults import REFUSALS, Fault, Faults
from tests.provider.messages import (
    Choice,
    ProviderError,
    Reply,
    Request,
    Response,
    to_bytes,
)
from tests.provider.wire import Wire

from maxcode.budget import Stop

Answer = Callable[[Request], str | Reply]
"""What the model says; it may raise a ProviderError instead."""


class HungUpError(Exception):
    """One of both sides closed the connection."""


def echo(request: Request) -> str:
    """The same text for the same prompt and seed."""
    asked = repr((request.system, request.parts, request.seed))
    return f"Answer {hashlib.sha256(to_bytes(asked)).hexdigest()[:16]}."


@dataclass(frozen=True, slots=True, kw_only=True)
class Behaviour:
    """How the provider behaves.

    * ``answer``: says what the model answers; by default a short text, different for each prompt
    * ``faults``: says which requests run into what, by their number
    * ``latency``: seconds before an answer begins
    * ``stall``: seconds of each of the three stalls of a slow answer
    * ``retry_after``: the header that goes with ``Fault.RETRY_AFTER``, in seconds
    * ``key``: the key that is asked for; any will do where it is empty
    * ``context``: tokens of the longest prompt, above which it refuses; 0: any
    * ``streams``: whether it streams, whatever it is asked for
    """

    answer: Answer = echo
    faults: Faults | None = None
    latency: float = 0.0
    stall: float = 0.05
    retry_after: str = "1"
    key: str = ""
    context: int = 0
    streams: bool | None = None


class Shared:
    """What all exchanges of a provider have in common."""

    def __init__(self, behaviour: Behaviour) -> None:
        self.behaviour = behaviour
        self.bill = Bill()
        self.cache = PromptCache()


class Line:
    """The way back to the client. ``closing`` is set when the provider closes."""

    def __init__(self, connection: socket.socket, closing: Flag) -> None:
        self._connection = connection
        self._closing = closing

    def wait(self, seconds: float) -> None:
        """Do nothing for a while."""
        if self._closing.wait(seconds):
            raise HungUpError

    def wait_for_hang_up(self) -> None:
        """Do nothing until the client closes the connection."""
        while not self._hung_up():
            self.wait(0.02)

    def send(self, data: bytes) -> None:
        """Send all of it. Raises HungUpError when the connection is closed."""
        try:
            if self._hung_up():
                raise HungUpError
            self._connection.sendall(data)
        except OSError as error:
            raise HungUpError from error

    def _hung_up(self) -> bool:
        try:
            return not self._connection.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT)
        except BlockingIOError:
            return False


class Exchange:
    """Deals with one request. ``line_is_open`` says afterwards whether another may follow."""

    def __init__(self, shared: Shared, wire: Wire, line: Line) -> None:
        self._shared, self._behaviour, self._bill = shared, shared.behaviour, shared.bill
        self._wire = wire
        self._line = line
        self._begun = time.monotonic()
        self._number = self._bill.begin()
        self._fault: Fault | None = None
        self._split = Split(0, 0, 0)
        self._output = 0
        self._status = 0
        self.failure: Exception | None = None
        self.line_is_open = True

    def run(self, headers: Mapping[str, str], body: bytes) -> None:
        """Answer, or do what the schedule of faults says."""
        try:
            self._run(headers, body)
        except HungUpError:
            self.line_is_open = False
            self._charge(complete=False)

    def _run(self, headers: Mapping[str, str], body: bytes) -> None:
        try:
            request = self._read(headers, body)
            self._bill.requests.append(request)
            self._respond(request)
        except ProviderError as error:
            self._refuse(error)
        except HungUpError:
            raise
        except Exception as error:  # noqa: BLE001 - a script's mistake; raised on closing
            self.failure = error
            self.line_is_open = False
            self._refuse(ProviderError(500, repr(error)))

    def _charge(self, *, complete: bool) -> None:
        charge = Charge(
            number=self._number,
            status=self._status,
            fault=self._fault or "",
            complete=complete,
            input=self._split.input,
            cached=self._split.cached,
            written=self._split.written,
            output=self._output,
            begun=self._begun,
        )
        self._bill.end(charge)

    def _send_last(self, data: bytes, *, complete: bool) -> None:
        self._charge(complete=complete)
        self._line.send(data)

    def _read(self, headers: Mapping[str, str], body: bytes) -> Request:
        if self._behaviour.key and self._wire.key(headers) != self._behaviour.key:
            raise ProviderError(401, "the key that was sent is not known here")
        try:
            content = json.loads(body)
        except ValueError:
            content = None
        if not isinstance(content, dict):
            raise ProviderError(400, "the body of the request is not a JSON object")
        if self._behaviour.streams is not None:
            content["stream"] = self._behaviour.streams
        return self._wire.read(self._number, content)

    def _respond(self, request: Request) -> None:
        fault = self._behaviour.faults(self._number) if self._behaviour.faults else None
        if isinstance(fault, ProviderError):
            self._refuse(fault)
            return
        if fault is Fault.STREAM_ERROR and not request.stream:
            fault = Fault.OVERLOADED
        self._fault = fault
        if refusal := self._refusal():
            self._refuse(refusal)
            return
        if 0 < self._behaviour.context < request.input_tokens:
            raise ProviderError(400, "request exceeds the available context size")
        choice = self._choice(request)
        split = self._shared.cache.split(request)
        self._line.wait(self._behaviour.latency)
        self._shared.cache.write(split.entries)
        self._split = split
        self._output = choice.output  # made, whatever is sent of it
        if fault is Fault.HUNG:
            self._line.wait_for_hang_up()
        if fault in (Fault.DROPPED, Fault.HUNG):
            raise HungUpError
        response = Response(request, choice, split.input, split.cached, split.written)
        self._status = 200
        if request.stream:
            self._stream(response)
        else:
            self._send_whole(response)

    def _refusal(self) -> ProviderError | None:
        if self._fault is Fault.OVERLOADED:
            return self._overloaded()
        if self._fault not in REFUSALS:
            return None
        after = {"retry-after": self._behaviour.retry_after}
        headers = after if self._fault is Fault.RETRY_AFTER else None
        return ProviderError(*REFUSALS[self._fault], headers=headers)

    def _overloaded(self) -> ProviderError:
        return ProviderError(self._wire.overloaded, "Overloaded")

    def _choice(self, request: Request) -> Choice:
        if self._fault is Fault.EMPTY:
            return Choice("", "", Stop.END, 0, 0)
        reply = self._behaviour.answer(request)
        if isinstance(reply, str):
            reply = Reply(reply)
        return Choice.of(reply, request.max_tokens)

    def _send_whole(self, response: Response) -> None:
        body = json.dumps(self._wire.body(response)).encode()
        if self._fault is Fault.BROKEN_JSON:
            body = body[: len(body) // 2]
        if self._fault is Fault.BAD_UTF8:
            body = _spoilt(body)
        head = self._head({"content-length": str(len(body))})
        if self._fault is Fault.BROKEN_OFF:
            self._line.send(head + body[: len(body) // 2])
            raise HungUpError
        if self._fault is Fault.SLOW:
            quarter = len(body) // 4
            for part in range(3):
                self._line.send(head + body[part * quarter : (part + 1) * quarter])
                self._line.wait(self._behaviour.stall)
                head = b""
            body = body[3 * quarter :]
        readable = self._fault not in (Fault.BROKEN_JSON, Fault.BAD_UTF8)
        self._send_last(head + body, complete=readable)

    def _stream(self, response: Response) -> None:
        events = list(self._wire.events(response))
        middle = len(events) // 2
        stalls = {len(events) * quarter // 4 for quarter in (1, 2, 3)}
        self._line.send(self._head({"transfer-encoding": "chunked"}, "text/event-stream"))
        for index, event in enumerate(events):
            if index == middle and self._breaks_stream(event):
                return
            if index in stalls and self._fault is Fault.SLOW:
                self._line.wait(self._behaviour.stall)
            if event is events[-1]:
                self._send_last(_chunk(event) + _chunk(b""), complete=True)
            else:
                self._line.send(_chunk(event))

    def _breaks_stream(self, event: bytes) -> bool:
        """End the stream before its time, if that is the fault; ``event`` would be next."""
        if self._fault is Fault.BROKEN_OFF:
            raise HungUpError
        if self._fault is Fault.BROKEN_JSON:
            last = event.rstrip()[:-2] + b"\n\n"
        elif self._fault is Fault.BAD_UTF8:
            last = _spoilt(event.rstrip()) + b"\n\n"
        elif self._fault is Fault.STREAM_ERROR:
            last = self._wire.error_event(self._overloaded())
        else:
            return False
        self._send_last(_chunk(last) + _chunk(b""), complete=False)
        return True

    def _refuse(self, error: ProviderError) -> None:
        self._status = error.status
        body = json.dumps(self._wire.error(error)).encode()
        head = self._head({"content-length": str(len(body)), **error.headers})
        self._send_last(head + body, complete=False)

    def _head(self, headers: Mapping[str, str], kind: str = "application/json") -> bytes:
        lines = [f"HTTP/1.1 {self._status} {responses.get(self._status, 'Unknown')}"]
        named = {"content-type": kind, "request-id": f"req_{self._number:08}", **headers}
        lines += [f"{name}: {value}" for name, value in named.items()]
        return "\r\n".join([*lines, "", ""]).encode()


def _spoilt(data: bytes) -> bytes:
    """With a byte before the last quotation mark that no UTF-8 has."""
    return b'\xff"'.join(data.rsplit(b'"', 1))


def _chunk(data: bytes) -> bytes:
    """A chunk of a chunked body; an empty one ends it."""
    return b"%x\r\n%s\r\n" % (len(data), data)
