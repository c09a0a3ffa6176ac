"""How fast a candidate is, by our clock, beside the reference on the same inputs.

What a candidate's process says of its own time counts for nothing. A batch of calls is timed from
the moment we tell it to go until it says that all outputs are written. What a batch costs besides
the calls is known from an honest candidate, the task's own module; and processor time beyond what
that one spends while our clock does not run is added to a candidate's own.

On a GPU bringing outputs back takes longer than most kernels, so our clock is no fine measure of
those: a candidate's own events count there, as far as our clock does not contradict them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from random import Random, SystemRandom
from statistics import median
from time import monotonic

from maxcode.evaluation import Interval, Status
from maxcode.executors.kernel.candidate import CandidateSide
from maxcode.executors.kernel.reference import (
    Inputs,
    KernelFailedError,
    Outputs,
    ReferenceSide,
    Spot,
)
from maxcode.measure.rounds import Plan, interleave
from maxcode.tasks.kernel import Variant

LONG = 0.05
"""Seconds that a batch of the reference is to last at least."""

_MAX_CALLS = 64
_CHECKED = 2  # calls of a batch
_SPOTS = 4  # elements of each other call
_MAX_BYTES = 256 << 20  # of inputs and outputs of a batch
_SHARE = 0.75  # of a batch, which can be besides the calls at the most
_LIGHT = 0.5  # of the time that inputs and outputs take to be copied, below which nobody is
_GROSS = 2.0  # batches that a candidate may have computed for while no clock ran
_AGREEING = 1.5  # times what events tell, that our clock may tell of the same calls
_TICKS = 0.02  # seconds, by which processor times of ended processes may be off
_RESTLESS = 0.5  # of the time in which another is timed, that it may compute for


@dataclass
class Batch:
    """One round: fresh inputs for so many calls, and what the reference took for them.

    In seconds, for all calls: as it claims itself, which is trusted, and by our clock, with what
    surrounds calls.
    """

    number: int
    inputs: Inputs
    seed: int
    calls: int
    claimed: float = 0.0
    taken: float = 0.0

    @property
    def seconds(self) -> float:
        """Of a call of the reference."""
        return self.claimed / self.calls

    @property
    def around(self) -> float:
        """What surrounds the calls."""
        return self.taken - self.claimed


@dataclass(frozen=True, slots=True)
class Overhead:
    """What a batch of an honest candidate takes besides its calls, in seconds.

    ``inside`` by our clock, give or take ``spread``, and up to ``outside`` of processor time while
    that does not run.
    """

    inside: float = 0.0
    outside: float = 0.0
    spread: float = 0.0


@dataclass
class Turn:
    """A candidate's part in a round. In seconds, for all calls.

    ``claimed`` is what it says, ``taken`` is by our clock, and ``outside`` is processor time while
    that did not run; ``picked`` are bytes of outputs, and ``spots`` of elements. ``events`` says
    that it claims what a GPU's events told it.
    """

    batch: Batch
    claimed: float
    taken: float
    outside: float
    besides: Overhead
    picked: dict[int, bytes]
    spots: dict[Spot, bytes]
    events: bool = False

    @property
    def seconds(self) -> float:
        """Of a call."""
        return max(self.claimed if self.events else 0.0, self.clocked, 1e-9) / self.batch.calls

    @property
    def clocked(self) -> float:
        """Of all calls, by our clock; by events the least that it allows."""
        if self.events:
            return self.taken - self.besides.inside - self.besides.spread
        inside = min(self.besides.inside, _SHARE * self.taken)
        return self.taken - inside + self.hidden

    @property
    def clipped(self) -> bool:
        """Whether so much surrounds the calls that they may be faster than is said."""
        return not self.events and self.besides.inside > _SHARE * self.taken

    @property
    def hidden(self) -> float:
        """Processor time beyond what is usual while our clock did not run, where that counts."""
        return 0.0 if self.events else max(0.0, self.outside - self.besides.outside)


@dataclass(frozen=True, slots=True)
class Workload:
    """What is timed: which variant, how many calls make a batch, and what may be off.

    ``held`` are bytes of inputs and outputs of a call, and ``lightest`` the seconds that no call
    can be below which reads the ones and writes the others. After ``timeout`` seconds a batch is
    given up. ``events`` says that calls are timed by a GPU's events.
    """

    variant: Variant
    outputs: Outputs
    calls: int
    tolerance: tuple[float, ...]
    held: int
    timeout: float
    threads: int = 1
    besides: Overhead | None = None
    lightest: float = 0.0
    events: bool = False


def calls_of(seconds: float, held: int) -> int:
    """How many calls make a batch, of which each takes so long and so many bytes."""
    wanted = min(math.ceil(LONG / max(seconds, 1e-6)), _MAX_CALLS)
    return max(1, min(wanted, _MAX_BYTES // max(held, 1)))


class Contender:
    """A candidate while it is being timed."""

    def __init__(self, side: CandidateSide, workload: Workload) -> None:
        self._side = side
        self._workload = workload
        self._secret = SystemRandom()
        self._used: float | None = None  # its processor time when our clock stopped
        self._restless: list[tuple[float, float]] = []  # seconds: used, in how many
        self.turns: list[Turn] = []

    def take(self, batch: Batch) -> Turn:
        """Its turn in a round."""
        work, worker = self._workload, self._side.worker
        self._side.take(batch.inputs)
        used, waited = worker.cpu, worker.waited
        outside = 0.0 if self._used is None else max(0.0, used - self._used)
        claims = self._side.run(
            batch.seed, work.outputs, batch.calls, watch=False, timeout=work.timeout
        )
        waited = worker.waited - waited  # at once: afterwards it may wait for itself
        self._used = worker.cpu
        # Others may have had our processors, but while it computes itself it waits for nobody.
        taken = max(worker.seconds - waited, (self._used - used) / work.threads)
        # At once, and only some: what is not there now was not done in time, and which of them
        # count nobody in there can know.
        chosen = self._secret.sample(range(batch.calls), min(_CHECKED, batch.calls))
        picked = {call: self._side.written(work.outputs, call) for call in chosen}
        others = [call for call in range(batch.calls) if call not in picked]
        spots = {spot: self._side.element(work.outputs, spot) for spot in self._spots(others)}
        besides = work.besides or Overhead()
        turn = Turn(batch, sum(claims), taken, outside, besides, picked, spots, work.events)
        self.turns.append(turn)
        return turn

    def _spots(self, calls: Sequence[int]) -> Iterator[Spot]:
        counts = [math.prod(one["shape"]) for one in self._workload.outputs.tensors]
        full = [number for number, count in enumerate(counts) if count]
        for call in calls if full else ():
            for tensor in self._secret.choices(full, k=_SPOTS):
                yield Spot(call, tensor, self._secret.randrange(counts[tensor]))

    @property
    def clipped(self) -> bool:
        """Whether most of its turns are."""
        return sum(one.clipped for one in self.turns[1:]) * 2 > len(self.turns[1:])

    @contextmanager
    def resting(self) -> Iterator[None]:
        """While another is timed; its processors should rest meanwhile."""
        worker = self._side.worker
        began, used = monotonic(), worker.cpu
        yield
        taken, used = monotonic() - began, worker.cpu - used
        self._restless.append((used / self._workload.threads, taken))

    def besides(self) -> Overhead:
        """What a batch took besides its calls, if this candidate is to be believed."""
        turns = self.turns[1:]
        inside = [max(0.0, one.taken - one.claimed) for one in turns]
        outside = sorted(one.outside for one in turns)[-2]  # one may be an accident
        return Overhead(median(inside), outside, max(inside) - min(inside))

    def judge(self) -> None:
        """Look at its turns.

        Raises :class:`KernelFailedError` for what no honest candidate does.
        """
        work = self._workload
        seconds = median(one.seconds for one in self.turns)
        if seconds < _LIGHT * work.lightest:
            raise KernelFailedError(
                Status.SUSPECT,
                f"a call takes {seconds:.3g} s, in which its inputs and outputs cannot even be "
                f"read and written ({work.lightest:.3g} s)",
            )
        used, taken = (median(one) for one in zip(*self._restless, strict=True))
        if used > max(_RESTLESS * taken, _TICKS):
            raise KernelFailedError(
                Status.SUSPECT,
                f"it computed for {used:.3g} s in {taken:.3g} s in which another was being timed",
            )
        turns = self.turns[1:]
        if work.events and median(one.clocked - _AGREEING * one.claimed for one in turns) > 0:
            raise KernelFailedError(
                Status.SUSPECT,
                f"its events tell of {median(one.claimed for one in turns):.3g} s for a batch, and "
                f"our clock of {median(one.clocked for one in turns):.3g} s at least",
            )
        if work.besides and median(one.hidden - _GROSS * one.batch.claimed for one in turns) > 0:
            raise KernelFailedError(
                Status.SUSPECT,
                f"it computed for {median(one.outside for one in turns):.3g} s a batch while it "
                f"was not being timed; an honest kernel does for {work.besides.outside:.3g} s",
            )


class PairedTimer:
    """Rounds on fresh inputs: a candidate beside the reference, or beside another candidate."""

    def __init__(
        self,
        reference: ReferenceSide,
        workload: Workload,
        candidate: CandidateSide,
        other: CandidateSide | None = None,
    ) -> None:
        self._reference = reference
        self._workload = workload
        self.first = Contender(candidate, workload)
        self.second = Contender(other, workload) if other else None
        self._secret = SystemRandom()
        self.batches: list[Batch] = []

    def measure(self, plan: Plan) -> Interval:
        """Rounds until enough is known; how many times faster the first is.

        Raises what its parts do.
        """
        self.warm_up()
        rng = Random(self._secret.getrandbits(64))
        _, _, ratio = interleave(self.turn, self.other_turn, lambda one: one.seconds, plan, rng)
        self.end()
        return ratio

    def warm_up(self) -> None:
        """A round that does not count, and is checked like all."""
        self.turn()
        self.other_turn()

    def end(self) -> None:
        """Look at all rounds. Raises :class:`KernelFailedError` for what no honest one does."""
        for contender in filter(None, (self.first, self.second)):
            contender.judge()

    def turn(self) -> Turn:
        """The candidate's part in its next round. Raises :class:`KernelFailedError`."""
        return self._turn(self.first, self.second)

    def other_turn(self) -> Turn | Batch:
        """The same of the other candidate, or of the reference."""
        if self.second is not None:
            return self._turn(self.second, self.first)
        batch = next((one for one in self.batches if not one.taken), None)
        batch = batch or self._batch(len(self.batches))
        self._run(batch)
        if len(self.first.turns) > batch.number:
            self._check(self.first.turns[batch.number])
        return batch

    def _turn(self, contender: Contender, other: Contender | None) -> Turn:
        batch = self._batch(len(contender.turns))
        with other.resting() if other else nullcontext():
            turn = contender.take(batch)
        self._check(turn)
        return turn

    def _batch(self, number: int) -> Batch:
        """The round of that number; fresh inputs for a new one."""
        if number == len(self.batches):
            seeds = [self._secret.getrandbits(62) for _ in range(self._workload.calls)]
            inputs = self._reference.make(self._workload.variant, seeds)
            batch = Batch(number, inputs, self._secret.getrandbits(31), len(seeds))
            self.batches.append(batch)
            if self.second is not None:  # it says what is expected, and what a batch costs besides
                self._run(batch)
        return self.batches[number]

    def _run(self, batch: Batch) -> None:
        work = self._workload
        with self.first.resting(), self.second.resting() if self.second else nullcontext():
            claims, _ = self._reference.run(work.variant, batch.seed, work.outputs.slot)
        batch.claimed, batch.taken = sum(claims), self._reference.worker.seconds

    def _check(self, turn: Turn) -> None:
        """Compare what was picked, once it is known what is expected."""
        if not (turn.picked and turn.batch.taken):
            return
        work = self._workload
        problem, call = self._reference.check(work.variant, turn.picked, work.tolerance, turn.spots)
        turn.picked, turn.spots = {}, {}
        if problem:
            raise KernelFailedError(
                Status.WRONG_ANSWER,
                f"right when it was checked, but wrong when it was timed, in call {call + 1} of "
                f"batch {turn.batch.number + 1}: {problem}",
            )


LEG = 6
"""Rounds that a pair of processes runs."""


class RestartingTimer:
    """Rounds of two candidates, in fresh processes every few.

    A process is quicker or slower than another with the same kernel by some per cent for as long as
    it lives, for the pages that it got. What is to be believed must not hang on one pair of them.

    ``open_pair`` gives the duel of a new pair, which ``stack`` closes at the latest.
    """

    def __init__(
        self, open_pair: Callable[[], AbstractContextManager[PairedTimer]], stack: ExitStack
    ) -> None:
        self._open_pair = open_pair
        self._pair = stack.enter_context(ExitStack())
        self._duel: PairedTimer | None = None
        self._legs = 0
        self._ours = self._theirs = 0  # turns that were taken

    def measure(self, plan: Plan) -> tuple[list[float], list[float], Interval]:
        """Seconds of the calls of both, and how many times faster the first is.

        Raises what :class:`PairedTimer` does.
        """
        rng = Random(SystemRandom().getrandbits(64))
        measured = interleave(self._turn, self._other_turn, lambda one: one, plan, rng)
        self._end()
        return measured

    def _turn(self) -> float:
        duel = self._at(self._ours)
        self._ours += 1
        return duel.turn().seconds

    def _other_turn(self) -> float:
        duel = self._at(self._theirs)
        self._theirs += 1
        return duel.other_turn().seconds

    def _at(self, turn: int) -> PairedTimer:
        """The duel that a turn belongs to; both sides change over in the same round."""
        if self._duel is None or turn == self._legs * LEG:
            self._end()
            self._duel = self._pair.enter_context(self._open_pair())
            self._duel.warm_up()
            self._legs += 1
        return self._duel

    def _end(self) -> None:
        if self._duel:
            self._duel.end()
        self._pair.close()
        self._duel = None
