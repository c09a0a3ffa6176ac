"""The process that workers of :class:`WarmedSandbox` are forked from, run by this file's path.

Its arguments are the descriptor of a socket on which requests come, and folders of packages.
"""

from __future__ import annotations

import json
import os
import resource
import runpy
import signal
import socket
import sys
import time
from pathlib import Path
from typing import Any


def _serve(requests: socket.socket) -> None:
    """Fork a worker for each request; in a worker, return what it is to run."""
    import torch  # noqa: F401, PLC0415 - what all this is for

    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for who reports
    while True:
        data, descriptors, _, _ = socket.recv_fds(requests, 1 << 16, 4)
        if not data:
            return
        if os.fork() == 0:
            requests.close()
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            _work(json.loads(data), *descriptors)
        for descriptor in descriptors:
            os.close(descriptor)


def _work(request: dict[str, Any], stdin: int, answers: int, stderr: int, reporting: int) -> None:
    """Run a worker in a child, and report its end."""
    os.setsid()
    with open("/proc/self/comm", "w") as comm:
        comm.write("supervisor-warm")  # where those look who ask what a program uses
    report = socket.socket(fileno=reporting)
    report.send(str(os.getpid()).encode())
    began = time.monotonic()
    if (worker := os.fork()) == 0:
        report.close()
        os.dup2(stdin, 0)
        os.dup2(stderr, 2)
        if answers != 3:
            os.dup2(answers, 3)
        os.closerange(4, 1024)
        os.chdir(request["folder"])
        os.sched_setaffinity(0, request["processors"] or os.sched_getaffinity(0))
        resource.setrlimit(resource.RLIMIT_FSIZE, (request["output"],) * 2)
        sys.argv = request["arguments"]
        code = 0
        try:
            if request["device"]:  # a folder, in which processes with the same one meet
                simulated = runpy.run_path(str(Path(__file__).with_name("_simulated_cuda.py")))
                simulated["install"](request["device"], 1 << 30)
            runpy.run_path(sys.argv[0], run_name="__main__")
        except SystemExit as ended:
            code = int(ended.code or 0)
        except BaseException:  # noqa: BLE001 - as an interpreter ends
            sys.excepthook(*sys.exc_info())
            code = 1
        finally:
            sys.stdout.flush()
            os._exit(code)
    for descriptor in (stdin, answers, stderr):
        os.close(descriptor)
    _, status = os.waitpid(worker, 0)
    report.send(json.dumps([status, time.monotonic() - began]).encode())
    os.killpg(0, signal.SIGKILL)


if __name__ == "__main__":
    sys.path += sys.argv[2:]
    _serve(socket.socket(fileno=int(sys.argv[1])))
