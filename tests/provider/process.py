"""A loopback provider in a process of its own, so that it does not slow down who measures."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.request import urlopen

from tests.provider.bill import Statistics, Tokens
from tests.provider.exchange import echo
from tests.provider.faults import mixed_faults
from tests.provider.messages import Request
from tests.provider.server import STATISTICS, LoopbackProvider

_ROOT = Path(__file__).parents[2]


class ProviderProcess:
    """A context manager around ``python -m tests.provider``.

    ``fault_share`` of the requests run into faults of all kinds, drawn by ``seed``; answers are
    ``answer_bytes`` long. For the rest see LoopbackProvider. The process ends with this one.
    """

    def __init__(
        self,
        *,
        latency: float = 0.0,
        fault_share: float = 0.0,
        seed: int = 0,
        stall: float = 0.05,
        retry_after: str = "1",
        answer_bytes: int = 0,
        key: str = "",
    ) -> None:
        options = {
            "latency": latency,
            "fault-share": fault_share,
            "seed": seed,
            "stall": stall,
            "retry-after": retry_after,
            "answer-bytes": answer_bytes,
            "key": key,
        }
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.provider"]
            + [f"--{name}={value}" for name, value in options.items()],
            cwd=_ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        line = self._process.stdout.readline() if self._process.stdout else ""
        if not line:
            self._process.communicate()
            raise RuntimeError("the provider's process did not start; see its error output")
        self.port = int(line)
        self.anthropic_url = f"http://127.0.0.1:{self.port}"
        self.openai_url = f"{self.anthropic_url}/v1"

    def statistics(self) -> Statistics:
        """The bill in sums, fetched from the process."""
        with urlopen(f"http://127.0.0.1:{self.port}{STATISTICS}", timeout=10) as response:
            sums: dict[str, Any] = json.load(response)
        completed, broken_off = Tokens(**sums.pop("completed")), Tokens(**sums.pop("broken_off"))
        return Statistics(completed=completed, broken_off=broken_off, **sums)

    def close(self) -> None:
        """End the process."""
        self._process.communicate()  # it ends when its input does

    def __enter__(self) -> ProviderProcess:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


def main() -> None:
    """Serve until the input ends; the first line of output is the port."""
    parser = argparse.ArgumentParser(prog="python -m tests.provider")
    parser.add_argument("--latency", type=float, default=0.0, help="seconds before an answer")
    parser.add_argument("--fault-share", type=float, default=0.0, help="from 0 to 1")
    parser.add_argument("--seed", type=int, default=0, help="of the faults")
    parser.add_argument("--stall", type=float, default=0.05, help="seconds of a stall")
    parser.add_argument("--retry-after", default="1", help="the header's value")
    parser.add_argument("--answer-bytes", type=int, default=0, help="a short text by default")
    parser.add_argument("--key", default="", help="the key to ask for")
    arguments = parser.parse_args()

    def answer(request: Request) -> str:
        program = f"```\n{2 + request.number / 1e6}\n```\n"  # of the toy task
        return f"{program}{echo(request)}".ljust(arguments.answer_bytes, ".")

    with LoopbackProvider(
        answer,
        faults=mixed_faults(arguments.fault_share, arguments.seed),
        latency=arguments.latency,
        stall=arguments.stall,
        retry_after=arguments.retry_after,
        key=arguments.key,
    ) as provider:
        sys.stdout.write(f"{provider.port}\n")
        sys.stdout.flush()
        sys.stdin.read()
