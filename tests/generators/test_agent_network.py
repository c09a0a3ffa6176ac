"""An agent reaches the hosts that were named, and nothing else of the network."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from socketserver import BaseRequestHandler, ThreadingTCPServer
from threading import Thread

import pytest
from tests.generators._agents import HEAD, command
from tests.generators.test_agent import _observation

from maxcode.cli.plugins import make_generator
from maxcode.errors import InputError
from maxcode.generators.agent import AgentGenerator
from maxcode.generators.agent_network import Host, Relay


class _Shouts(BaseRequestHandler):
    """Answers in capitals until the other side has said all."""

    def handle(self) -> None:
        while data := self.request.recv(1 << 16):
            self.request.sendall(data.upper())


@pytest.fixture(scope="module")
def host() -> Iterator[Host]:
    """A server on loopback."""
    with ThreadingTCPServer(("127.0.0.1", 0), _Shouts) as server:
        Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        yield Host("127.0.0.1", server.server_address[1])
        server.shutdown()


def _asked(relay: Relay, request: str, then: bytes = b"") -> bytes:
    """All that the relay answers to a request, and to what follows it."""
    with closing(socket.socket(socket.AF_UNIX)) as client:
        client.settimeout(30)
        client.connect(str(relay.path))
        client.sendall(f"{request}\r\n\r\n".encode() + then)
        client.shutdown(socket.SHUT_WR)
        answer = b""
        while data := client.recv(1 << 16):
            answer += data
        return answer


def test_a_relay_reaches_what_was_named_and_nothing_else(host: Host) -> None:
    with Relay([host, Host(socket.gethostname(), host.port)]) as relay:
        answer = _asked(relay, f"CONNECT {host} HTTP/1.1\r\nHost: x", b"hello")
        assert answer.endswith(b"established\r\n\r\nHELLO")
        for request, status in (
            (f"CONNECT 127.0.0.1:{host.port + 1} HTTP/1.1", 403),
            ("CONNECT example.com:443 HTTP/1.1", 403),
            (f"GET http://{host}/ HTTP/1.1", 405),
            ("CONNECT \xff:1 HTTP/1.1", 405),
            (f"CONNECT {socket.gethostname()}:{host.port} HTTP/1.1", 502),  # of this machine
        ):
            assert _asked(relay, request).startswith(f"HTTP/1.1 {status} ".encode()), request
        path = relay.path
    assert not path.exists()


@pytest.mark.slow
def test_an_agent_reaches_the_host_through_its_proxy_alone(tmp_path: Path, host: Host) -> None:
    script = f"""{HEAD}
import socket, urllib.parse
proxy = urllib.parse.urlsplit(os.environ["HTTPS_PROXY"])
def through(target, text):
    with socket.create_connection((proxy.hostname, proxy.port)) as one:
        one.sendall(f"CONNECT {{target}} HTTP/1.1\\r\\n\\r\\n{{text}}".encode())
        one.shutdown(socket.SHUT_WR)
        return one.makefile("rb").read().decode()
assert "127.0.0.1:{host.port}" in sys.stdin.read()
said = through("127.0.0.1:{host.port}", "faster")
assert said.endswith("\\r\\n\\r\\nFASTER"), said
assert " 403 " in through("example.com:443", "")
for make in (
    lambda: socket.create_connection(("127.0.0.1", {host.port}), 5),
    lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM),
    lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW),
    lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW),
):
    try:
        make()
    except OSError:
        continue
    sys.exit("it got out")
honest()
report()
"""
    line, read = command(tmp_path, script)
    agent = AgentGenerator(line, read=read, network=str(host))
    assert agent.options["network"] == str(host)
    [proposal] = agent.propose(_observation(), 1)
    assert proposal.program is not None, proposal
    quiet = AgentGenerator(*command(tmp_path, HEAD + _WITHOUT)[:1], read=read)
    assert quiet.propose(_observation(), 1)[0].program is not None


_WITHOUT = """
import socket
assert "HTTPS_PROXY" not in os.environ
try:
    socket.socket()
except PermissionError:
    honest()
report()
"""


@pytest.mark.parametrize(
    ("text", "host"),
    [
        ("API.example.com", Host("api.example.com", 443)),
        ("localhost:80", Host("localhost", 80)),
        ("[::1]:81", Host("::1", 81)),
    ],
)
def test_hosts_are_read(text: str, host: Host) -> None:
    assert Host.parse(text) == host == Host.parse(str(host))


def test_what_is_no_host_is_refused() -> None:
    for text in ("https:", "a:0", "a:99999", "a b", "http:x"):
        with pytest.raises(InputError, match="is no host"):
            make_generator(f"agent:sh,network={text}")
