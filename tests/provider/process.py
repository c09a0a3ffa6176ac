"""A loopback provider in a process of its own, so that it does not slow down who measures."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.request import urlopen

from tests.provider.bill import Statistics, Tokens
from tests.provider.exchange import echo
from tests.provider.messages import Request
from tests.provider.server import STATISTICS, LoopbackProvider

_ROOT = Path(__file__).parents[2]


class ProviderProcess:
    """A context manager around ``python -m tests.provider``; the process ends with this one.

    Answers come after ``latency`` seconds and are ``answer_bytes`` long.
    """

    def __init__(self, *, latency: float = 0.0, answer_bytes: int = 0) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.provider", str(latency), str(answer_bytes)],
            cwd=_ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        line = self._process.stdout.readline() if self._process.stdout else ""
        if not line:
            self._process.communicate()
            raise RuntimeError("the provider's process did not start; see its error output")
        self._port = int(line)
        self.anthropic_url = f"http://127.0.0.1:{self._port}"
        self.openai_url = f"{self.anthropic_url}/v1"

    def statistics(self) -> Statistics:
        """The bill in sums, fetched from the process."""
        with urlopen(f"http://127.0.0.1:{self._port}{STATISTICS}", timeout=10) as response:
            sums: dict[str, Any] = json.load(response)
        completed, broken_off = Tokens(**sums.pop("completed")), Tokens(**sums.pop("broken_off"))
        return Statistics(completed=completed, broken_off=broken_off, **sums)

    def __enter__(self) -> ProviderProcess:
        return self

    def __exit__(self, *exception: object) -> None:
        self._process.communicate()  # it ends when its input does


def main() -> None:
    """Serve until the input ends; the first line of output is the port."""
    latency, size = float(sys.argv[1]), int(sys.argv[2])

    def answer(request: Request) -> str:
        program = f"```\n{2 + request.number / 1e6}\n```\n"  # of the toy task
        return f"{program}{echo(request)}".ljust(size, ".")

    with LoopbackProvider(answer, latency=latency) as provider:
        sys.stdout.write(f"{provider.port}\n")
        sys.stdout.flush()
        sys.stdin.read()
