"""What any generator must satisfy."""

# ruff: noqa: S101 - these are tests: they assert

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from unittest import SkipTest

from maxcode.cost import FREE, Cost
from maxcode.events import ProposalRecord
from maxcode.interfaces import Generator, Proposal
from maxcode.observation import Observation
from maxcode.task import Task
from maxcode.testing.models import MemoryTranscript
from maxcode.testing.samples import sample_observations, sample_task


class GeneratorContract(ABC):
    """Inherit it in a test module; pytest then runs every test below against your generator::

        class TestMine(GeneratorContract):
            def make(self) -> Generator:
                return Mine()

    ``make`` gives a new generator, configured alike each time. Override ``task`` when yours cannot
    work on a C++ program, and ``observations`` when it needs to be asked something in particular;
    it must have something to propose for each of them. Set ``reproducible = False`` when the same
    seed may give something else (a model behind a network), ``never_repeats = True`` when it
    claims never to propose what was proposed before, ``pays = True`` when its answers are paid for.
    """

    reproducible = True
    never_repeats = False
    pays = False

    @abstractmethod
    def make(self) -> Generator:
        """A new generator."""

    def task(self) -> Task:
        """The task that the proposals are for."""
        return sample_task()

    def observations(self) -> Sequence[Observation]:
        """What it is asked to improve on: from the bare task to all that can be shown."""
        return sample_observations(self.task())

    def test_proposes_something_but_at_most_n(self) -> None:
        """Return a list of 1 to n proposals, whatever is shown and however much."""
        generator = self.make()
        for observation in self.observations():
            for n in (1, 2, 5):
                proposals = generator.propose(observation, n)
                assert isinstance(proposals, list), f"a list is promised, not {proposals!r}"
                assert 1 <= len(proposals) <= n, f"{len(proposals)} proposals, n was {n}"

    def test_proposals_are_complete(self) -> None:
        """Give each Proposal a program, or a problem in words; its tags are a tuple."""
        for proposal in self._proposals():
            assert isinstance(proposal, Proposal), f"not a Proposal: {proposal!r}"
            if proposal.program is None:
                assert proposal.problem, f"neither a program nor a problem: {proposal}"
            assert isinstance(proposal.tags, tuple), f"tags are a tuple of str: {proposal.tags!r}"

    def test_proposals_can_be_journaled(self) -> None:
        """Keep to plain values: a proposal must be the same after a way through JSON."""
        for proposal in self._proposals():
            record = ProposalRecord.of(proposal)
            read = ProposalRecord.model_validate_json(record.model_dump_json())
            assert read == record, f"changed by writing and reading: {record} became {read}"

    def test_costs_no_more_than_its_ceiling(self) -> None:
        """Raise ``cost_ceiling``: a bill above it ends the search."""
        generator = self.make()
        for observation in self.observations():
            for n in (1, 4):
                ceiling = generator.cost_ceiling(observation, n)
                paid = sum((p.cost for p in generator.propose(observation, n)), FREE)
                assert _covers(ceiling, paid), f"paid {paid}, the ceiling for n={n} was {ceiling}"

    def test_same_seed_same_proposals(self) -> None:
        """Draw from ``observation.seed`` alone and remember nothing between calls."""
        self._require(self.reproducible, "the generator does not claim to be reproducible")
        first, second = self.make(), self.make()
        for observation in self.observations():
            answers = [_key(g.propose(observation, 3)) for g in (first, first, second)]
            assert answers[0] == answers[1], "a second call answered differently"
            assert answers[0] == answers[2], "another instance answered differently"

    def test_answers_several_threads_at_once(self) -> None:
        """Share nothing that changes between calls, or put a lock around it."""
        generator = self.make()
        observations = [
            replace(observation, number=number, seed=number)
            for number, observation in enumerate([*self.observations()] * 4)
        ]
        with ThreadPoolExecutor(8) as pool:
            together = list(pool.map(lambda o: generator.propose(o, 2), observations))
        for observation, proposals in zip(observations, together, strict=True):
            assert len(proposals) <= 2, f"{len(proposals)} proposals, n was 2"
            if self.reproducible:
                alone = self.make().propose(observation, 2)
                assert _key(proposals) == _key(alone), "answered differently beside other threads"

    def test_nothing_is_paid_for_twice(self) -> None:
        """Keep answers in ``observation.transcript`` at once, and look there before asking."""
        self._require(self.pays, "the generator does not claim to pay for anything")
        generator = self.make()
        for observation in self.observations():
            transcript = MemoryTranscript()
            asked = replace(observation, transcript=transcript)
            first = generator.propose(asked, 3)
            paid = len(transcript.kept)
            assert paid, "nothing was kept in the transcript of the observation"
            assert generator.propose(asked, 3) == first, "the kept answers lead to other proposals"
            assert len(transcript.kept) == paid, "asked again for what the transcript holds"

    def test_never_proposes_what_was_seen(self) -> None:
        """Leave out what ``observation.seen`` holds, the step, the baseline, and twins."""
        self._require(self.never_repeats, "the generator does not claim never to repeat")
        generator = self.make()
        for observation in self.observations():
            seen = {observation.task.baseline, observation.step.program}
            for _ in range(3):
                known = seen | {program.digest for program in seen}  # as Seen has it
                asked = replace(observation, seen=frozenset(known), seed=len(seen))
                programs = [p.program for p in generator.propose(asked, 3) if p.program]
                assert len(set(programs)) == len(programs), "the same program twice in one answer"
                assert not seen & set(programs), "a program that the observation calls seen"
                seen |= set(programs)

    def _proposals(self) -> list[Proposal]:
        generator = self.make()
        return [p for observation in self.observations() for p in generator.propose(observation, 4)]

    def _require(self, claimed: bool, otherwise: str) -> None:
        if not claimed:
            raise SkipTest(otherwise)


def _key(proposals: Sequence[Proposal]) -> list[tuple[object, ...]]:
    return [(p.program, p.summary, p.tags, p.problem) for p in proposals]


def _covers(ceiling: Cost, paid: Cost) -> bool:
    slack = 1 + 1e-9  # sums of floats
    return paid.tokens <= ceiling.tokens and paid.dollars <= ceiling.dollars * slack
