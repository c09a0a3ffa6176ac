"""Speed of a candidate, by our clock, beside the reference on the same inputs.

A feeder outside times each call from the arrival of its inputs until the outputs are there. Its
overhead is measured on empty calls of the reference in every round, and subtracted on both sides.
Overhead inside a worker, which a candidate could avoid, is subtracted on neither. Processor time
that a candidate spends while the clock is stopped is added, also while others are timed.

On a GPU the clock runs from an idle device with empty caches until it is idle again. Inputs and
outputs are copied by the reference's process outside this window; excess time to fetch outputs is
added, since it shows a call was reported before it was done.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import partial
from itertools import count
from random import Random, SystemRandom
from statistics import median

from maxcode.evaluation import Interval, Status
from maxcode.executors.kernel.candidate import Candidate, KernelFailedError
from maxcode.executors.kernel.device import DeviceExchange
from maxcode.executors.kernel.feeder import Feeder
from maxcode.executors.kernel.reference import Reference
from maxcode.executors.kernel.runs import Batch, TimedRun, Workload
from maxcode.measure.rounds import Plan, interleave

_CHECKED_CALLS = 4  # of a round
_PAIR = Plan(least=3, most=3)  # of one pair of processes among many
_LEAST_PAIRS = 8  # that are enough where a plan has more rounds at least
_FEWEST_PAIRS = 4  # the same before a loser is given up
_LESS_PRECISE = 2  # times, that an interval may be wider than a plan has it
_PROCESS_SPREAD = {False: 0.1, True: 0.005}
"""Error of the ratio of two processes with the same kernel, in 19 of 20 pairs, by whether they run
on a GPU (a guess)."""


class TimedCandidate:
    """A candidate while it is being timed."""

    def __init__(self, candidate: Candidate, work: Workload) -> None:
        self._candidate = candidate
        self._work = work
        self._secret = SystemRandom()
        self._used: float | None = None  # its processor time when our clock stopped
        self.runs: list[TimedRun] = []

    def take(self, batch: Batch) -> TimedRun:
        """Run the calls of a batch."""
        work, worker, outputs = self._work, self._candidate.worker, self._work.outputs
        self._candidate.take(batch.inputs)
        before = worker.running.cpu if self._used is None else self._used
        fed = self._candidate.run(batch.seeds, outputs, watch=False, timeout=work.timeout)
        self._used = worker.running.cpu
        beside = self._used - before - sum(fed.used)
        # Only some: the candidate cannot know which of them count.
        share = _CHECKED_CALLS / work.batches
        checked = int(share) + (self._secret.random() < share % 1)
        chosen = self._secret.sample(range(batch.calls), min(checked, batch.calls))
        answers = self._candidate.answers(outputs, chosen)
        run = TimedRun(batch, work, fed, beside, answers, self.runs)
        self.runs.append(run)
        return run

    def measured(self) -> Workload:
        """The workload with the cost of a batch besides its calls, from this trusted candidate."""
        runs = self.runs[1:]
        return replace(
            self._work,
            outside=sorted(one.beside - one.batch.idle for one in runs)[-2],  # an accident may be
            leaving=median(one.fed.fetched - one.batch.fed.fetched for one in runs),
            switch=max(0.0, median(one.fed.inside - one.batch.fed.inside for one in runs))
            if self._work.on_device
            else 0.0,
        )


def _seconds(one: TimedRun | Batch) -> float:
    return one.seconds


def carried(
    ratio: Interval, ours: Sequence[float], theirs: Sequence[float], inside: float
) -> Interval:
    """Widen a ratio of times that both include ``inside`` seconds of overhead.

    With R and C the times of both, the true ratio lies between R / C and
    (R - inside) / (C - inside). At most half of C is subtracted.
    """
    first, second = median(ours), median(theirs)
    off = min(inside, first / 2, second / 2)
    without = (second - off) / (first - off) / (second / first)
    return replace(ratio, low=ratio.low * min(1.0, without), high=ratio.high * max(1.0, without))


def widened(ratio: Interval, *, on_device: bool) -> Interval:
    """Widen the interval of a single pair of processes by the spread between processes."""
    spread = 1 + _PROCESS_SPREAD[on_device]
    return replace(ratio, low=ratio.low / spread, high=ratio.high * spread)


class PairedTimer:
    """Rounds on fresh inputs: a candidate beside the reference, or beside another candidate."""

    def __init__(
        self,
        reference: Reference,
        work: Workload,
        candidate: Candidate,
        other: Candidate | None = None,
        device: DeviceExchange | None = None,
    ) -> None:
        self._reference = reference
        self.work = work
        self.first = TimedCandidate(candidate, work)
        self.second = TimedCandidate(other, work) if other else None
        self._secret = SystemRandom()
        self._device = device
        self._feeder = Feeder(reference.worker, reference.worker.outputs, device)
        self._feeder.processors = candidate.processors  # the reference is there from the start
        self.batches: list[Batch] = []

    def measure(self, plan: Plan) -> Interval:
        """Time rounds until the plan is satisfied; returns the first candidate's speedup.

        Its precision need not exceed the spread between processes. Raises as its parts do.
        """
        spread = _PROCESS_SPREAD[self.work.on_device]
        plan = replace(plan, precision=max(plan.precision, spread))
        ours, theirs, ratio = self._rounds(plan, Random(self._secret.getrandbits(64)))
        ratio = carried(ratio, ours, theirs, self.inside)
        return widened(ratio, on_device=self.work.on_device)

    def measure_once(self, rng: Random) -> tuple[float, float]:
        """Speedup from a few rounds, without an interval, and seconds per call of the first."""
        ours, _, ratio = self._rounds(_PAIR, rng)
        return ratio.value, median(ours)

    def _rounds(self, plan: Plan, rng: Random) -> tuple[list[float], list[float], Interval]:
        """Seconds per call of both in each batch, and the ratio; a round is several batches."""
        self.run()  # to warm up: checked as all, and not counted
        self.other_run()
        plan = plan.split(self.work.batches)
        ours, theirs, ratio = interleave(self.run, self.other_run, _seconds, plan, rng)
        return [*map(_seconds, ours)], [*map(_seconds, theirs)], ratio

    @property
    def inside(self) -> float:
        """Seconds a worker spends around a call, included in the times of both."""
        return median(one.fed.inside for one in self.batches if one.fed.windows)

    def run(self) -> TimedRun:
        """Run the candidate's next batch. Raises :class:`KernelFailedError`."""
        return self._run(self.first)

    def other_run(self) -> TimedRun | Batch:
        """Run the next batch of the other candidate, or of the reference."""
        if self.second is not None:
            return self._run(self.second)
        waiting = (one for one in self.batches if not one.fed.windows)
        batch = next(waiting, None) or self._batch(len(self.batches))
        self._run_reference(batch)
        if len(self.first.runs) > batch.number:
            self._check_outputs(self.first.runs[batch.number])
        return batch

    def _run(self, candidate: TimedCandidate) -> TimedRun:
        run = candidate.take(self._batch(len(candidate.runs)))
        self._check_outputs(run)
        return run

    def _batch(self, number: int) -> Batch:
        """The batch with this number; a new one gets fresh inputs."""
        if number == len(self.batches):
            drawn, seeds = self._drawn(62), self._drawn(31)
            inputs = self._reference.work.make(self.work.variant.name, drawn)
            batch = Batch(number, inputs, seeds, self.work.threads)
            self.batches.append(batch)
            if self.second is not None:  # for what is expected
                self._run_reference(batch)
        return self.batches[number]

    def _drawn(self, bits: int) -> list[int]:
        """Random numbers, one for each call of a batch."""
        return [self._secret.getrandbits(bits) for _ in range(self.work.calls)]

    def _run_reference(self, batch: Batch) -> None:
        work = self.work
        if self._device:
            self._device.fit(batch.inputs, work.outputs.slot)
        used = self._reference.worker.running.cpu
        _, fed = self._feeder.feed(
            partial(self._reference.serve, work.variant, batch.seeds, work.outputs.slot),
            self._reference.served,
            batch.inputs,
            work.outputs,
            seeds=batch.seeds,
        )
        used = self._reference.worker.running.cpu - used
        batch.fed, batch.idle = fed, max(0.0, used - sum(fed.used))

    def _check_outputs(self, run: TimedRun) -> None:
        """Compare the sampled outputs of a candidate's run, once expected outputs are known."""
        if run.answers is None or not run.batch.fed.windows:
            return
        problem, call = self._reference.check(self.work.variant, run.answers)
        run.answers = None
        if problem:
            raise KernelFailedError(
                Status.WRONG_ANSWER,
                f"right when it was checked, but wrong when it was timed, in call {call + 1} of "
                f"batch {run.batch.number + 1}: {problem}",
            )


def measure_restarting(
    open_pair: Callable[[int], AbstractContextManager[PairedTimer]], plan: Plan
) -> tuple[list[float], list[float], Interval]:
    """Seconds per call of two candidates in pairs of fresh processes, and the first one's speedup.

    A process is a few per cent quicker or slower than another with the same kernel for its whole
    life, so a pair of processes is a single sample. ``open_pair`` opens the timer of a new pair,
    given the number of pairs before. Raises as :class:`PairedTimer` does.
    """
    plan = replace(
        plan,
        least=min(plan.least, _LEAST_PAIRS),
        fewest=min(plan.fewest, _FEWEST_PAIRS),
        precision=_LESS_PRECISE * plan.precision,
    )
    rng, pairs, inside = Random(SystemRandom().getrandbits(64)), count(), 0.0
    waiting: dict[int, float] = {}  # of a pair, by side: both are measured at once

    def seconds(side: int) -> float:
        nonlocal inside
        if not waiting:
            with open_pair(next(pairs)) as timer:
                ratio, first = timer.measure_once(rng)
                inside = timer.inside
            waiting.update({0: first, 1: first * ratio})
        return waiting.pop(side)

    sides = partial(seconds, 0), partial(seconds, 1)
    ours, theirs, ratio = interleave(*sides, lambda found: found, plan, rng)
    return ours, theirs, carried(ratio, ours, theirs, inside)
