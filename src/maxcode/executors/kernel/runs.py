"""Times of batches of calls, of the reference and of a candidate."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import fmean

from maxcode.executors.kernel.feeder import NOT_FED, Fed
from maxcode.executors.kernel.reference import Answers
from maxcode.executors.kernel.worker.messages import Inputs, Outputs
from maxcode.tasks.kernel import Variant

_ROUND_SECONDS = 0.05  # that the reference's calls of a round are to last at least
_BATCH_SECONDS = 0.0125  # the same of a batch, unless a round is shorter
_MAX_BATCHES = 4  # of a round
_MAX_CALLS = 64  # of a round
_MAX_BYTES = 256 << 20  # of inputs and outputs of a round
_MAX_OVERHEAD = 0.75  # of a batch
_MAX_IDLE = 1.25  # times the reference's processor time besides calls, that a candidate may use


@dataclass
class Batch:
    """Inputs of a batch, the seed of each call, and the reference's run, once there was one.

    ``idle`` are its seconds of processor time outside of calls.
    """

    number: int
    inputs: Inputs
    seeds: Sequence[int]
    threads: int = 1
    fed: Fed = NOT_FED
    idle: float = 0.0

    @property
    def calls(self) -> int:
        """Number of calls."""
        return len(self.seeds)

    @property
    def seconds(self) -> float:
        """Seconds per call of the reference, without overhead."""
        return max(self.fed.taken(self.threads, *self.fed.call_overhead), 1e-9) / self.calls


@dataclass(frozen=True, slots=True)
class Workload:
    """Workload to time: the variant, and the number of calls in a batch; a round has ``batches``.

    A batch may take ``timeout`` seconds. ``on_device`` is whether calls are made on a GPU. Once
    measured, an honest candidate takes so many seconds besides its calls: ``outside`` is the
    maximum of processor time outside calls, beyond the reference's, per batch. On a GPU fetching
    outputs takes ``leaving`` longer, and a change to the candidate's process ``switch``.
    """

    variant: Variant
    outputs: Outputs
    calls: int
    timeout: float
    threads: int = 1
    on_device: bool = False
    batches: int = 1
    outside: float = math.inf
    leaving: float = math.inf
    switch: float = 0.0


def batches_of(seconds: float, size: int, most: int = _MAX_CALLS) -> tuple[int, int]:
    """Number of calls in a batch, and of batches in a round.

    A call takes ``seconds`` and ``size`` bytes; memory holds ``most`` calls. Batches are as short
    as can be timed, so an interruption of the machine affects few of many pairs of times.
    """
    wanted = min(math.ceil(_ROUND_SECONDS / max(seconds, 1e-6)), _MAX_CALLS, most)
    calls = max(1, min(wanted, _MAX_BYTES // max(size, 1)))
    batches = max(1, min(_MAX_BATCHES, calls, int(calls * seconds / _BATCH_SECONDS)))
    return math.ceil(calls / batches), batches


@dataclass
class TimedRun:
    """A candidate's run of a batch. In seconds, for all calls.

    ``beside`` is the processor time outside calls since the batch before, of all threads and
    processes; ``answers`` are outputs still to be compared, ``runs`` all runs of the candidate.
    """

    batch: Batch
    work: Workload
    fed: Fed
    beside: float
    answers: Answers | None
    runs: Sequence[TimedRun] = field(repr=False)

    @property
    def seconds(self) -> float:
        """Seconds per call; known once the reference has run the same batch."""
        return max(self.clocked, 1e-9) / self.batch.calls

    @property
    def clocked(self) -> float:
        """Seconds of all calls by our clock, without overhead."""
        around, threads = self.batch.fed.call_overhead, self.work.threads
        taken = self.fed.taken(threads, *around) - self.batch.calls * self.work.switch
        taken = max(taken, (1 - _MAX_OVERHEAD) * self.fed.taken(threads))
        if self.work.on_device:  # where processor time says little
            return taken + self.late
        # Children may compute in the windows, for which the worker waits, or outside of them.
        computed = self.fed.computed(around[1]) + self.hidden
        return max(taken, computed / threads)

    @property
    def hidden(self) -> float:
        """Excess processor time outside calls, averaged over runs: it is counted in steps."""
        beside = fmean(one.beside - _MAX_IDLE * one.batch.idle for one in self.runs)
        return max(0.0, beside - self.work.outside)

    @property
    def late(self) -> float:
        """On a GPU, excess time to fetch outputs, without tolerance: it may hide all work."""
        usual = self.batch.fed.fetched + self.work.leaving
        return max(0.0, self.fed.fetched - usual) * self.batch.calls
