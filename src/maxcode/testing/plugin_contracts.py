"""Contracts of any generator, critic or reward-to-go model."""

# ruff: noqa: S101 - these are tests: they assert

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from math import isclose, isfinite
from unittest import SkipTest

from maxcode.budget import FREE, Cost
from maxcode.evaluation import Critique, Status
from maxcode.interfaces import Critic, Generator, Proposal, RewardToGo
from maxcode.journal.events import Critiqued, ProposalRecord
from maxcode.observation import Observation
from maxcode.program import Program
from maxcode.task import Task
from maxcode.testing.models import MemoryTranscript
from maxcode.testing.samples import JUDGED, sample_observations, sample_task, sample_tree
from maxcode.tree import Step


class GeneratorContract(ABC):
    """Inherit from it in a test module; pytest then runs its tests against your generator.

    ``make`` returns a new generator, always configured alike. Override ``task`` if yours cannot
    work on a C++ program, and ``observations`` if it needs particular ones; it must propose
    something for each of them. Set ``reproducible = False`` if the same seed may give other
    proposals (a model behind a network), ``never_repeats = True`` if it never repeats a proposal,
    ``pays = True`` if its answers are paid for.
    """

    reproducible = True
    never_repeats = False
    pays = False

    @abstractmethod
    def make(self) -> Generator:
        """A new generator."""

    def task(self) -> Task:
        """Task of the proposals."""
        return sample_task()

    def observations(self) -> Sequence[Observation]:
        """Observations to improve on: from the bare task to full context."""
        return sample_observations(self.task())

    def test_proposes_something_but_at_most_n(self) -> None:
        """Return a list of 1 to n proposals, for any observation."""
        generator = self.make()
        for observation in self.observations():
            for n in (1, 2, 5):
                proposals = generator.propose(observation, n)
                assert isinstance(proposals, list), f"a list is promised, not {proposals!r}"
                assert 1 <= len(proposals) <= n, f"{len(proposals)} proposals, n was {n}"

    def test_proposals_are_complete(self) -> None:
        """Give each Proposal a program or a problem, and plain values as JSON keeps them."""
        generator = self.make()
        for observation in self.observations():
            for proposal in generator.propose(observation, 4):
                assert isinstance(proposal, Proposal), f"not a Proposal: {proposal!r}"
                if proposal.program is None:
                    assert proposal.problem, f"neither a program nor a problem: {proposal}"
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
        if not self.reproducible:
            raise SkipTest("the generator does not claim to be reproducible")
        first, second = self.make(), self.make()
        for observation in self.observations():
            answers = [_key(g.propose(observation, 3)) for g in (first, first, second)]
            assert answers[0] == answers[1], "a second call answered differently"
            assert answers[0] == answers[2], "another instance answered differently"

    def test_answers_several_threads_at_once(self) -> None:
        """Share no mutable state between calls, or lock it."""
        generator = self.make()
        observations = [
            replace(observation, number=number, seed=number)
            for number, observation in enumerate([*self.observations()] * 2)
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
        if not self.pays:
            raise SkipTest("the generator does not claim to pay for anything")
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
        """Leave out programs in ``observation.seen``, the step, the baseline, and duplicates."""
        if not self.never_repeats:
            raise SkipTest("the generator does not claim never to repeat")
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


def _key(proposals: Sequence[Proposal]) -> list[tuple[object, ...]]:
    return [(p.program, p.summary, p.tags, p.problem) for p in proposals]


def _covers(ceiling: Cost, paid: Cost) -> bool:
    slack = 1 + 1e-9  # sums of floats
    return paid.tokens <= ceiling.tokens and paid.dollars <= ceiling.dollars * slack


class CriticContract(ABC):
    """Inherit from it in a test module; pytest then runs its tests against your critic.

    ``make`` returns a new critic. Override ``task`` if it cannot read C++. Set ``pays = True`` if
    its critiques are paid for.
    """

    pays = False

    @abstractmethod
    def make(self) -> Critic:
        """A new critic."""

    def task(self) -> Task:
        """Task of the programs."""
        return sample_task()

    def shown(self) -> list[tuple[Observation, Step]]:
        """Steps to diagnose, of every status that may be shown, with their observations."""
        observations = sample_observations(self.task())
        return [(observation, step) for observation in observations for step in observation.shown]

    def test_says_something_about_every_status(self) -> None:
        """Give a Critique with text for every status, and plain values as JSON keeps them."""
        critic = self.make()
        for observation, step in self.shown():
            critique = critic.critique(observation, step)
            assert isinstance(critique, Critique), f"not a Critique: {critique!r}"
            assert critique.text.strip(), f"nothing said about a step with {step.evaluation.status}"
            event = Critiqued(number=0, step=0, critique=critique)
            read = Critiqued.model_validate_json(event.model_dump_json())
            assert read == event, f"changed by writing and reading: {event} became {read}"

    def test_costs_no_more_than_its_ceiling(self) -> None:
        """Raise ``cost_ceiling``: a bill above it ends the search."""
        critic = self.make()
        for observation, step in self.shown():
            ceiling = critic.cost_ceiling(observation, step)
            paid = critic.critique(observation, step).cost
            assert _covers(ceiling, paid), f"paid {paid}, the ceiling was {ceiling}"

    def test_nothing_is_paid_for_twice(self) -> None:
        """Keep answers in ``observation.transcript`` at once, and look there before asking."""
        if not self.pays:
            raise SkipTest("the critic does not claim to pay for anything")
        critic = self.make()
        total = 0
        for observation, step in self.shown():
            transcript = MemoryTranscript()
            asked = replace(observation, transcript=transcript)
            first = critic.critique(asked, step)
            paid = len(transcript.kept)
            assert critic.critique(asked, step) == first, "the kept answer leads to other words"
            assert len(transcript.kept) == paid, "asked again for what the transcript holds"
            total += paid
        assert total, "nothing was kept in the transcripts of the observations"

    def test_answers_several_threads_at_once(self) -> None:
        """Share no mutable state between calls, or lock it."""
        critic = self.make()
        shown = self.shown()
        with ThreadPoolExecutor(8) as pool:
            found = list(pool.map(lambda pair: critic.critique(*pair), shown))
        assert all(critique.text.strip() for critique in found), "nothing said beside other threads"


class RewardToGoContract(ABC):
    """Inherit from it in a test module; pytest then runs its tests against your model.

    ``make`` returns a new, always equal model. Override ``task`` if yours cannot read C++,
    ``programs`` if the candidates' differences are too small for it.
    """

    @abstractmethod
    def make(self) -> RewardToGo:
        """A new model."""

    def task(self) -> Task:
        """Task of the programs."""
        return sample_task()

    def programs(self) -> list[Program]:
        """Candidates, all different."""
        baseline = self.task().baseline
        return [baseline.with_code(baseline.code + "// more\n" * i) for i in range(5)]

    def observations(self) -> list[Observation]:
        """The baseline alone, a good step and a failed step, and nothing else of the search."""
        task = self.task()
        tree = sample_tree(task, (Status.WRONG_ANSWER, *JUDGED))
        paths = [tree.path(0), tree.path(tree.best.id), tree.path(1)]
        return [
            Observation(task, path.steps[-1], number, trajectory=path)
            for number, path in enumerate(paths)
        ]

    def test_one_finite_estimate_a_program_and_at_least_u(self) -> None:
        """Return a finite Value for each program, if any, raised to ``observation.path.u``."""
        model, programs = self.make(), self.programs()
        for observation in self.observations():
            assert list(model.predict(observation, [])) == [], "an estimate of no program"
            values = model.predict(observation, programs)
            assert len(values) == len(programs), f"{len(values)} estimates, not {len(programs)}"
            for value in values:
                assert isfinite(value.expected), f"an estimate is no number: {value}"
                assert value.expected >= observation.path.u, f"{value} is below u"

    def test_each_estimate_belongs_to_its_program(self) -> None:
        """Keep the order of the programs, and judge each independently."""
        model, programs = self.make(), self.programs()
        for observation in self.observations():
            together = _expected(model, observation, programs)
            turned = _expected(model, observation, programs[::-1])[::-1]
            assert all(map(_close, together, turned)), f"{together} in one order, {turned} turned"

    def test_distributions_are_probabilities(self) -> None:
        """Return an empty distribution, or non-negative probabilities that sum to 1."""
        for observation in self.observations():
            for value in self.make().predict(observation, self.programs()):
                assert all(p >= 0 for p in value.distribution), f"a negative probability: {value}"
                total = sum(value.distribution)
                assert not value.distribution or _close(total, 1), f"they add up to {total}"

    def test_same_question_same_estimates_in_several_threads(self) -> None:
        """Draw nothing unseeded, and lock shared state."""
        model, programs = self.make(), self.programs()
        shown = self.observations() * 4
        with ThreadPoolExecutor(8) as pool:
            found = list(pool.map(lambda one: _expected(model, one, programs), shown))
        for observation, together in zip(shown, found, strict=True):
            alone = _expected(self.make(), observation, programs)
            assert all(map(_close, together, alone)), f"{together} in threads, {alone} alone"

    def test_costs_nothing_or_no_more_than_it_says(self) -> None:
        """Raise ``cost_ceiling``: a bill above it ends the search."""
        model, programs = self.make(), self.programs()
        for observation in self.observations():
            ceiling = model.cost_ceiling(observation, len(programs))
            paid = sum((value.cost for value in model.predict(observation, programs)), FREE)
            assert _covers(ceiling, paid), f"{paid} was paid, at most {ceiling} said"


def _expected(
    model: RewardToGo, observation: Observation, programs: Sequence[Program]
) -> list[float]:
    return [value.expected for value in model.predict(observation, programs)]


def _close(a: float, b: float) -> bool:
    return isclose(a, b, rel_tol=1e-4, abs_tol=1e-6)  # batches round differently
