"""WarmedSandbox: workers forked from a process that has imported torch, for tests of what they do.

Importing torch takes 1.6 s of processor time, a fork a hundredth of that. A forked worker has the
code and the channels of any other, but no isolation and no limit on its memory; so isolation,
resources, cheats and how workers start are tested with bubblewrap alone. One that is given devices
has a simulated GPU, see ``_simulated_cuda.py``.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Self, cast

from maxcode.executors.kernel.machine import this_interpreter
from maxcode.executors.kernel.workers import WORKER_FOLDER
from maxcode.sandbox.bubblewrap import BubblewrapSandbox
from maxcode.sandbox.launch import Launch, Pipes
from maxcode.sandbox.running import Running
from maxcode.sandbox.runs import NO_FILES, Completed, Files, Limits

_TOOLS = ("/compute-sanitizer", "/ncu")  # whose stand-ins start a worker with a device themselves


class WarmedSandbox(BubblewrapSandbox):
    """Runs commands as its base does, but for workers of kernels, which it forks."""

    def __init__(self) -> None:
        super().__init__()
        python = this_interpreter()
        self._socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._warm = subprocess.Popen(
                [
                    *(
                        str(python.executable),
                        "-I",
                        "-S",
                        "-B",
                        str(Path(__file__).with_name("_warm_process.py")),
                    ),
                    *(str(theirs.fileno()), *map(str, python.packages)),
                ],
                pass_fds=[theirs.fileno()],
                env={"PATH": os.environ["PATH"], "OMP_WAIT_POLICY": "passive"},
            )

    def start(self, command: Sequence[str], limits: Limits, files: Files = NO_FILES) -> Running:
        """Fork the worker that the command would start; other commands as the base does."""
        main = str(WORKER_FOLDER / "main.py")
        if main not in command or any(one.endswith(_TOOLS) for one in command):
            return super().start(command, limits, files)
        arguments = list(command[command.index(main) :])
        device = str(files.devices[0].parent) if files.devices else ""
        return Running(
            lambda pipes: cast("Launch", _Forked(self._socket, arguments, limits, pipes, device)),
            takes_files=bool(device),
        )

    def close(self) -> None:
        """End the process that workers are forked from."""
        self._socket.close()
        self._warm.wait()


class _Forked:
    """A forked worker, as :class:`~maxcode.sandbox.launch.Launch` is one in a sandbox.

    ``pid`` is its parent, which does nothing but wait for it.
    """

    def __init__(
        self,
        warm: socket.socket,
        arguments: list[str],
        limits: Limits,
        pipes: Pipes,
        device: str,
    ) -> None:
        with ExitStack() as stack:
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="maxcode-"))
            self._stderr = stack.enter_context(tempfile.TemporaryFile())
            self._report, theirs = socket.socketpair()
            stack.enter_context(self._report)
            request = {
                "arguments": arguments,
                "folder": folder,
                "output": limits.output,
                "processors": limits.processors,
                "device": device,
            }
            with theirs:
                given = (pipes.requests, pipes.answers, self._stderr.fileno(), theirs.fileno())
                socket.send_fds(warm, [json.dumps(request).encode()], given)
            self.pid = int(self._report.recv(32))
            self._stack = stack.pop_all()

    def completed(self) -> Iterator[Completed]:
        """Its end, once it has ended."""
        status, wall = json.loads(self._report.recv(64) or b"[9, 0.0]")
        stderr = os.pread(self._stderr.fileno(), 1 << 16, 0)
        yield Completed(os.waitstatus_to_exitcode(status), b"", stderr, wall, 0.0, 0)

    def stop(self) -> None:
        """End it and what came of it."""
        with suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)

    kill = stop

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()
        self._stack.close()
