"""A process that has imported what ``maxcode`` is made of, and forks for each of a page's commands.

Half of the time that a short command takes are its imports. A command has the arguments, folder,
environment, processors and standard streams of whoever asked, and its exit code goes back::

    python _ready.py SOCKET     serves until its standard input ends
"""

from __future__ import annotations

import gc
import json
import os
import runpy
import signal
import socket
import sys
import threading
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

BRIEF = Path(__file__).with_name("_brief.py")  # the command, measuring in few rounds
_HEAVY = ("sqlalchemy.dialects.sqlite", "anthropic", "openai", "scipy.stats", "maxcode.testing")


def ask(address: str, arguments: list[str]) -> int:
    """Have ``maxcode`` done with these arguments, in our place; gives its exit code."""
    with socket.socket(socket.AF_UNIX) as asking:
        asking.connect(address)
        socket.send_fds(asking, [b"!"], [0, 1, 2])
        place = {
            "arguments": arguments,
            "folder": os.getcwd(),
            "environment": dict(os.environ),
            "processors": sorted(os.sched_getaffinity(0)),
        }
        asking.sendall(json.dumps(place).encode())
        asking.shutdown(socket.SHUT_WR)
        code = asking.recv(1)
    return code[0] if code else 128 + signal.SIGKILL


def serve(address: str) -> None:
    """Fork for each who asks. Returns in the processes that were forked, to do the command."""
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(address)
        listening.listen()
        threading.Thread(target=_end_with, args=(sys.stdin.fileno(),), daemon=True).start()
        print("ready", flush=True)  # noqa: T201 - for who started us
        while True:
            connection, _ = listening.accept()
            with suppress(ChildProcessError):
                while os.waitpid(-1, os.WNOHANG)[0]:
                    pass
            if os.fork() == 0:
                break
            connection.close()
    _do(connection)


def _end_with(stream: int) -> None:
    while os.read(stream, 1):
        pass
    os._exit(0)


def _do(connection: socket.socket) -> None:
    """Wait for a process of our own that does the command; returns in that one."""
    _, streams, _, _ = socket.recv_fds(connection, 1, 3)
    with connection.makefile("rb") as asked:
        place = json.load(asked)
    if command := os.fork():
        _, status = os.waitpid(command, 0)
        code = os.waitstatus_to_exitcode(status)
        with suppress(OSError):  # who asked has gone
            connection.send(bytes([code if code >= 0 else 128 - code]))
        os._exit(0)
    connection.close()
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.sched_setaffinity(0, place["processors"])
    os.chdir(place["folder"])
    os.environ.clear()
    os.environ.update(place["environment"])
    sys.argv = ["maxcode", *place["arguments"]]


def main() -> None:
    """Import, serve, and be the command."""
    runpy.run_path(str(BRIEF))
    package = import_module("maxcode.cli")
    modules = [f"maxcode.cli.{one.name}" for one in iter_modules(package.__path__)]
    for name in (*modules, *_HEAVY):
        import_module(name)
    gc.freeze()  # what was imported is not looked through again, nor copied for that
    serve(sys.argv[1])
    import_module("maxcode.cli.main").main()


if __name__ == "__main__":
    main()
