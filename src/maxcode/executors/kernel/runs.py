"""What batches of calls took, of the reference and of a candidate."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import fmean

from maxcode.executors.kernel.feeder import NO_OVERHEAD, CallOverhead, Fed, total
from maxcode.executors.kernel.reference import Answers, Inputs, Outputs
from maxcode.tasks.kernel import Variant

_ROUND_SECONDS = 0.05  # that the reference's calls of a round are to last at least
_BATCH_SECONDS = 0.0125  # the same of a batch, unless a round is shorter
_MAX_BATCHES = 4  # of a round
_MAX_CALLS = 64  # of a round
_MAX_BYTES = 256 << 20  # of inputs and outputs of a round
_MAX_OVERHEAD = 0.75  # of a batch
_MAX_IDLE = 1.25  # times the reference's processor time besides calls, that a candidate may use
_MAX_DRIFT = 1.5  # times what the reference took on the GPU before
_LATENCY = 2e-4  # seconds, by which messages to a GPU's processes may be late


@dataclass
class Batch:
    """The inputs of one batch, with the seed of each call, and what the reference took for them.

    In seconds, for all calls: ``taken`` as a feeder saw it, less the ``call_overhead`` of each, and
    ``idle``, processor time besides those. Of a call, ``inside`` is what a worker spends around it,
    and on a GPU ``leaving`` is what fetching outputs took.
    """

    number: int
    inputs: Inputs
    seeds: Sequence[int]
    taken: float = 0.0
    call_overhead: CallOverhead = NO_OVERHEAD
    idle: float = 0.0
    leaving: float = 0.0
    inside: float = 0.0

    @property
    def calls(self) -> int:
        """How many."""
        return len(self.seeds)

    @property
    def seconds(self) -> float:
        """Of a call of the reference."""
        return max(self.taken, 1e-9) / self.calls

    def took(self, fed: Fed, used: float, threads: int) -> None:
        """Note what the feeder saw, and how much processor time all of it took."""
        self.leaving = total(fed.leaving) / self.calls
        self.call_overhead = fed.call_overhead
        self.inside = fed.inside(self.call_overhead)
        self.taken = fed.taken(threads, self.call_overhead)
        self.idle = max(0.0, used - sum(fed.used))


@dataclass(frozen=True, slots=True)
class Overhead:
    """The cost of an honest candidate besides its calls, in seconds.

    Up to ``outside`` of processor time more than the reference's of a batch, by default unknown,
    and any. Meanwhile a call of the reference took ``usual``, and on a GPU fetching the candidate's
    outputs took ``leaving`` longer. ``switch`` is how much longer a call waits for the GPU in the
    candidate's process than in the reference's, which had it before.
    """

    outside: float = math.inf
    usual: float = math.inf
    leaving: float = math.inf
    switch: float = 0.0


_UNKNOWN = Overhead()


@dataclass(frozen=True, slots=True)
class Workload:
    """What is timed: which variant, and how many calls make a batch.

    ``size`` is in bytes of inputs and outputs of a call. A batch may take ``timeout`` seconds.
    ``on_device`` says that calls are made on a GPU. A round of a plan is made of ``batches``.
    """

    variant: Variant
    outputs: Outputs
    calls: int
    size: int
    timeout: float
    threads: int = 1
    overhead: Overhead = _UNKNOWN
    on_device: bool = False
    batches: int = 1


def batches_of(seconds: float, size: int, most: int = _MAX_CALLS) -> tuple[int, int]:
    """How many calls make a batch, and how many batches a round.

    A call takes so many ``seconds``, and ``size`` bytes, of which there is room for ``most`` calls.
    Both sides take turns in batches that are as short as can be timed: what holds a machine up
    lasts for tens of milliseconds, and then meets few of many pairs of times.
    """
    wanted = min(math.ceil(_ROUND_SECONDS / max(seconds, 1e-6)), _MAX_CALLS, most)
    calls = max(1, min(wanted, _MAX_BYTES // max(size, 1)))
    batches = max(1, min(_MAX_BATCHES, calls, int(calls * seconds / _BATCH_SECONDS)))
    return math.ceil(calls / batches), batches


@dataclass
class TimedRun:
    """A candidate's run of a batch. In seconds, for all calls.

    ``fed`` is what the feeder saw, ``beside`` the processor time besides its calls since the batch
    before, of all threads and processes. ``answers`` are to be compared, until they were. It is one
    of the candidate's ``runs``.
    """

    batch: Batch
    work: Workload
    fed: Fed
    beside: float
    answers: Answers | None
    runs: Sequence[TimedRun] = field(repr=False)

    @property
    def seconds(self) -> float:
        """Of a call; known once the reference had the same batch."""
        return max(self.clocked, 1e-9) / self.batch.calls

    @property
    def taken(self) -> float:
        """By the feeder's clock, with what surrounds calls."""
        return self.fed.taken(self.work.threads)

    @property
    def clocked(self) -> float:
        """Of all calls, by our clock."""
        around, threads = self.batch.call_overhead, self.work.threads
        taken = self.fed.taken(threads, around) - self.batch.calls * self.work.overhead.switch
        taken = max(taken, (1 - _MAX_OVERHEAD) * self.taken)
        if self.work.on_device:  # where processor time says little
            return taken + self.late
        # Children may compute in the windows, for which the worker waits, or outside of them.
        computed = self.fed.computed(around) + self.hidden
        return max(taken, computed / threads)

    @property
    def hidden(self) -> float:
        """Processor time besides calls beyond what is usual, on average of all runs.

        That of processes that end is known in steps that may be longer than a batch.
        """
        usual = self.work.overhead.outside
        return max(0.0, fmean(one.beside - _MAX_IDLE * one.batch.idle for one in self.runs) - usual)

    @property
    def inside(self) -> float:
        """Seconds of a call that its process spends around it, by its own word."""
        return self.fed.inside(self.batch.call_overhead)

    @property
    def late(self) -> float:
        """On a GPU, how much longer fetching outputs took than after calls that are done.

        Nothing is forgiven: what is done after a call is said to be over would take no time.
        """
        usual = self.batch.leaving + self.work.overhead.leaving
        return max(0.0, self.fetched - usual) * self.batch.calls

    @property
    def fetched(self) -> float:
        """On a GPU, how long it took to fetch the outputs of a call."""
        return total(self.fed.leaving) / self.batch.calls

    @property
    def slowed(self) -> float:
        """On a GPU, how much longer a call of the reference took than beside an honest one."""
        return max(0.0, self.batch.seconds - _MAX_DRIFT * self.work.overhead.usual - _LATENCY)
