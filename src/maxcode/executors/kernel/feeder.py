"""Feeder: gives a worker its calls in turn from outside, and times them; see feeder.cpp.

A worker never has inputs of later calls, and changes to its own clocks, loops and modules do not
affect the figures.
"""

from __future__ import annotations

import mmap
import os
import subprocess
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, median
from tempfile import TemporaryFile

from maxcode.errors import ExecutorError
from maxcode.executors.kernel.device import DeviceExchange
from maxcode.executors.kernel.shared_file import SharedFile
from maxcode.executors.kernel.worker import messages as m
from maxcode.executors.kernel.workers import Worker
from maxcode.system import own_program

_PAGE = mmap.ALLOCATIONGRANULARITY
_ENDING = 5.0  # seconds for a feeder to end once its worker has answered
_LONG = 3.0  # times the median, beyond which a call's time may be the machine's


@dataclass(frozen=True, slots=True)
class Fed:
    """Measurements of a feeder, in seconds of each call.

    ``windows``: from the arrival of its inputs until the worker reported its outputs, without time
    other processes took; ``used``: processor time of the worker's first process in it; ``empty``
    and ``used_empty``: the same for empty messages; ``claimed``: the worker's own time.
    """

    windows: tuple[float, ...]
    empty: tuple[float, ...]
    used: tuple[float, ...]
    used_empty: tuple[float, ...]
    claimed: tuple[float, ...]
    faults: frozenset[str] = frozenset()
    """How it ended, other than well: see the end of the comment in feeder.cpp."""
    leaving: tuple[float, ...] = ()
    """On a GPU, seconds from each call's report until its outputs were out of reach."""

    @property
    def call_overhead(self) -> tuple[float, float]:
        """Wall and processor time of an empty call, as far as the worker can be trusted."""
        used = median(self.used_empty)
        whole = [one for one in self.empty if one > used]
        return median(whole or self.empty), used

    def taken(self, threads: int, empty: float = 0.0, used_empty: float = 0.0) -> float:
        """Seconds of all calls, with this number of threads: wall or processor time, if more.

        The clock misses time in which the feeder waited for a processor while the worker ran. A
        call far longer than usual counts by processor time alone: the machine may have delayed it.
        """
        longest = _LONG * median(self.windows)
        taken = [
            max(min(wall, max(longest, used)) - empty, (used - used_empty) / threads)
            for wall, used in zip(self.windows, self.used, strict=True)
        ]
        return sum(taken)

    @property
    def inside(self) -> float:
        """Seconds a worker spends around a call, by its own report."""
        return max(0.0, median(self.windows) - self.call_overhead[0] - median(self.claimed))

    @property
    def fetched(self) -> float:
        """On a GPU, seconds to fetch the outputs of a call."""
        return fmean(self.leaving)

    def computed(self, used_empty: float = 0.0) -> float:
        """The processor time of all calls, in the worker's first process."""
        return max(0.0, sum(used - used_empty for used in self.used))


NOT_FED = Fed((), (), (), (), ())


class FeederError(ExecutorError):
    """Calls could not be fed because of the worker's changes to its memory, files or pipes."""


class Feeder:
    """Feeds one worker; ``source`` is the reference's file of inputs.

    If it is the worker's own file, inputs of a call follow behind the inputs of all calls, then
    come the outputs of all calls. ``device`` passes inputs and outputs on a GPU.
    """

    def __init__(
        self, worker: Worker, source: SharedFile, device: DeviceExchange | None = None
    ) -> None:
        self._worker = worker
        self._source = source
        self._device = device
        self._results = os.memfd_create("results", os.MFD_CLOEXEC)
        self.processors: tuple[int, ...] = ()
        """Processors to run on, the worker's own; any if empty."""

    def __del__(self) -> None:
        with suppress(OSError):
            os.close(self._results)

    def feed(
        self,
        ask: Callable[[m.Serving], object],
        answer: Callable[[], m.Returned],
        inputs: m.Inputs,
        outputs: m.Outputs,
        *,
        seeds: Sequence[int],
        watch: bool = False,
    ) -> tuple[m.Returned, Fed]:
        """Make all calls; returns the worker's own answer and the feeder's measurements.

        ``ask`` requests the calls of the worker, and ``answer`` waits for the answer. ``seeds`` of
        calls have up to ten digits. ``watch`` compares inputs after each call with the originals.
        Overwritable outputs are overwritten once fetched. Raises as both callbacks do, and
        :class:`FeederError`.
        """
        largest = _pages(max(one.end - one.begin for one in inputs.described))
        size = len(inputs.described) * outputs.slot
        base, first, results = 0, 0, self._results
        if self._device is not None:
            largest = 0
        elif self._source is self._worker.outputs:
            base, results = _pages(inputs.size), self._source.fileno()
            first = base + largest
            self._source.extend(first + _pages(size))
        else:
            self._worker.outputs.resize(largest)
            os.ftruncate(results, size)
        serving = m.Serving(outputs.tree, outputs.tensors, base, largest, first)
        plan = self._plan(inputs, seeds, serving, results, watch=watch)
        if self._device is None:
            ask(serving)
            return self._made(plan, answer)
        with self._device.serving(self._worker, serving, watch=watch) as server:
            ask(serving)
            return self._made(plan, answer, server)

    def _made(
        self, plan: bytes, answer: Callable[[], m.Returned], server: Sequence[str] = ()
    ) -> tuple[m.Returned, Fed]:
        """Make the calls of a plan."""
        pipes = (str(self._worker.folder / name) for name in ("go", "done"))
        files = self._source.fileno(), self._worker.outputs.fileno(), self._results
        with TemporaryFile() as given:
            given.write(plan)
            given.seek(0)
            process = subprocess.Popen(
                [str(program()), *pipes, *server],
                stdin=given,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                pass_fds=set(files),
                env={},
            )
        with process:
            try:
                found = answer()
                out, problem = process.communicate(timeout=_ENDING)
            except subprocess.TimeoutExpired:
                raise FeederError("it says that it is done before its calls are") from None
            finally:
                process.kill()
        if process.returncode:
            raise FeederError(problem.decode("utf-8", "replace").strip() or "its calls broke off")
        return found, _parsed(out.decode())

    def read(self, size: int, offset: int) -> bytes:
        """Bytes of results: outputs of the calls."""
        return os.pread(self._results, size, offset)

    def _plan(
        self,
        inputs: m.Inputs,
        seeds: Sequence[int],
        serving: m.Serving,
        results: int,
        *,
        watch: bool,
    ) -> bytes:
        """Input of the feeder program, with the descriptor of the file of ``results``."""
        outputs = () if self._device else serving.tensors
        files = self._source.fileno(), self._worker.outputs.fileno(), results
        processors = ",".join(map(str, self.processors)) or "-"
        compared = int(watch and not self._device)
        about = *files, serving.base, serving.first, m.room(outputs), compared, processors
        lines = [" ".join(map(str, (self._worker.running.process, *about)))]
        lines.append(" ".join(str(one.bytes) for one in outputs))
        lines.append(" ".join(str(int(one.overwritable)) for one in outputs))
        before: m.Arguments | None = None
        for one, seed in zip(inputs.described, seeds, strict=True):
            described = m.Arguments(one.tree, one.tensors)
            given = "" if described == before else m.pack(described).decode()
            begin, end = (0, 0) if self._device else (one.begin, one.end)
            lines.append(f"{begin} {end - begin} c{seed:0{m.SEED_DIGITS}} {given}")
            before = described
        return "\n".join(lines).encode() + b"\n"


def _pages(size: int) -> int:
    return -(-size // _PAGE) * _PAGE


def _parsed(output: str) -> Fed:
    *lines, end = output.splitlines()
    times = [[int(one) / 1e9 for one in line.split()] for line in lines]
    windows, empty, used, used_empty, claimed, leaving = zip(*times, strict=True)
    faults = frozenset(end.split()) - {"done"}
    return Fed(windows, empty, used, used_empty, claimed, faults, leaving)


def program() -> Path:
    """The built feeder. Raises :class:`ToolError` when it cannot be built here."""
    return own_program("maxcode.executors.kernel", ("feeder.cpp",), "feeds kernels")
