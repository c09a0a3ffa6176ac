"""Duel: a candidate timed in turn with the reference, or with another candidate."""

from __future__ import annotations

from contextlib import nullcontext
from random import Random, SystemRandom

from maxcode.evaluation import Interval, Status
from maxcode.executors.kernel.candidate_side import CandidateSide
from maxcode.executors.kernel.reference_side import ReferenceSide
from maxcode.executors.kernel.sides import KernelFailedError
from maxcode.executors.kernel.timing import Batch, Contender, Turn, Workload
from maxcode.measure.rounds import Plan, interleave


class Duel:
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
