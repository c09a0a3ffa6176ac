"""Clocks of a GPU: locked where that is asked for and allowed, and watched while kernels are timed.

By nvidia-smi, outside of any sandbox. Candidate and reference are timed in turn, so a clock that
wanders favours neither; it makes intervals wider, and who reads a verdict should know of it.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

from maxcode.errors import ToolError
from maxcode.executors.kernel.machine import Gpu

VARIABLE = "MAXCODE_GPU_CLOCK"
"""Of the environment: the MHz that the clock is to be locked at while a GPU is judged on."""

_INTERVAL = 500  # milliseconds between two looks, each of which takes the driver a moment
_PATIENCE = 10.0  # seconds for nvidia-smi to answer
_REASONS = ("clocks_event_reasons.active", "clocks_throttle_reasons.active")  # now, and before 535
_IDLE = 0x1
_HELD_BACK = {  # by the bits of NVML's reasons for a clock below the highest
    0x4: "the limit of its power",
    0x8: "a slowdown of the hardware",
    0x20: "its temperature",
    0x40: "its temperature",
    0x80: "a brake of the power supply",
}
_STEADY = 1.02  # times the lowest clock, up to which all are the same


@dataclass
class Clocks:
    """What was seen of a GPU at work: ``seen`` in MHz, and why it went no faster."""

    seen: list[int] = field(default_factory=list)
    reasons: int = 0

    def note(self, line: str) -> None:
        """Take in a line of nvidia-smi: the clock in MHz and the reasons as a number."""
        clock, _, text = (part.strip() for part in line.partition(","))
        with suppress(ValueError):
            reasons = int(text, 16)
            if not reasons & _IDLE:
                self.seen.append(int(clock))
                self.reasons |= reasons

    @property
    def remark(self) -> str:
        """What a verdict says of it; empty where nothing was seen."""
        return f"; timed {self}" if self.seen else ""

    def __str__(self) -> str:
        """In words; empty where nothing was seen."""
        if not self.seen:
            return ""
        low, high = min(self.seen), max(self.seen)
        steady = high <= _STEADY * low
        text = f"at {low} MHz" if steady else f"at {low} to {high} MHz"
        held = dict.fromkeys(name for bit, name in _HELD_BACK.items() if self.reasons & bit)
        return f"{text}, held back by {' and '.join(held)}" if held else text


@contextmanager
def watched(
    gpu: Gpu | None, processors: Sequence[int] = (), clocks: Clocks | None = None
) -> Iterator[Clocks]:
    """Look at the clocks while the context lasts; what was seen is known when it ends.

    ``processors`` are those to look on, any if empty; ``clocks`` has what was seen before. Where
    there is no nvidia-smi nothing is seen.
    """
    clocks = clocks or Clocks()
    watching = _watching(gpu) if gpu else None
    if watching is None:
        yield clocks
        return
    with watching:
        with suppress(OSError):
            os.sched_setaffinity(watching.pid, processors or os.sched_getaffinity(0))
        try:
            yield clocks
        finally:
            watching.terminate()
            output, _ = watching.communicate()
            for line in output.decode("utf-8", "replace").splitlines():
                clocks.note(line)


def lock(gpu: Gpu) -> bool:
    """Lock the clock at what :data:`VARIABLE` says; whether it was asked for.

    Raises :class:`~maxcode.errors.ToolError` where it may not be locked.
    """
    wanted = os.environ.get(VARIABLE, "").strip()
    if not wanted:
        return False
    if not wanted.isdecimal():
        raise ToolError(f"{VARIABLE} is {wanted!r}; it takes a number of MHz")
    done = _run([*_command(gpu), f"--lock-gpu-clocks={wanted}"])
    if done is None or done.returncode:
        said = done.stdout.decode("utf-8", "replace").strip()[:200] if done else "it is missing"
        raise ToolError(
            f"the clock of {gpu.device} cannot be locked at {wanted} MHz: nvidia-smi says "
            f"{said!r}; root may lock clocks, and judging works without: unset {VARIABLE}"
        )
    return True


def unlock(gpu: Gpu) -> None:
    """Let the clock be as the driver wants it."""
    _run([*_command(gpu), "--reset-gpu-clocks"])


def _watching(gpu: Gpu) -> subprocess.Popen[bytes] | None:
    """nvidia-smi, printing a line now and then."""
    for reasons in _REASONS:
        look = [
            *_command(gpu),
            f"--query-gpu=clocks.sm,{reasons}",
            "--format=csv,noheader,nounits",
        ]
        done = _run(look)
        if done is None:
            return None
        if done.returncode == 0:
            again = [*look, f"--loop-ms={_INTERVAL}"]
            return subprocess.Popen(again, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return None


def _command(gpu: Gpu) -> list[str]:
    named = gpu.uuid or gpu.address  # a number may count otherwise than the file does
    return ["nvidia-smi", *(("-i", named) if named else ())]


def _run(command: Sequence[str]) -> subprocess.CompletedProcess[bytes] | None:
    try:
        return subprocess.run(command, capture_output=True, timeout=_PATIENCE, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
