"""What any critic must satisfy."""

# ruff: noqa: S101 - these are tests: they assert

from __future__ import annotations

from abc import ABC, abstractmethod
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from unittest import SkipTest

from maxcode.evaluation import Critique
from maxcode.events import Critiqued
from maxcode.interfaces import Critic
from maxcode.observation import Observation
from maxcode.task import Task
from maxcode.testing.models import MemoryTranscript
from maxcode.testing.samples import sample_observations, sample_task
from maxcode.tree import Step


class CriticContract(ABC):
    """Inherit it in a test module; pytest then runs every test below against your critic::

        class TestMine(CriticContract):
            def make(self) -> Critic:
                return Mine()

    ``make`` gives a new critic. Override ``task`` when yours cannot read a C++ program. Set
    ``pays = True`` when its critiques are paid for.
    """

    pays = False

    @abstractmethod
    def make(self) -> Critic:
        """A new critic."""

    def task(self) -> Task:
        """The task that the programs are for."""
        return sample_task()

    def shown(self) -> list[tuple[Observation, Step]]:
        """Steps to diagnose, of every status that is ever shown, with what is shown beside them."""
        observations = sample_observations(self.task())
        return [(observation, step) for observation in observations for step in observation.shown]

    def test_says_something_about_every_status(self) -> None:
        """Give a Critique with text for every status: failed steps are shown, too."""
        critic = self.make()
        for observation, step in self.shown():
            critique = critic.critique(observation, step)
            assert isinstance(critique, Critique), f"not a Critique: {critique!r}"
            assert critique.text.strip(), f"nothing said about a step with {step.evaluation.status}"

    def test_critiques_can_be_journaled(self) -> None:
        """Keep to plain values: a critique must be the same after a way through JSON."""
        critic = self.make()
        for observation, step in self.shown():
            event = Critiqued(number=0, step=0, critique=critic.critique(observation, step))
            read = Critiqued.model_validate_json(event.model_dump_json())
            assert read == event, f"changed by writing and reading: {event} became {read}"

    def test_costs_no_more_than_its_ceiling(self) -> None:
        """Raise ``cost_ceiling``: a bill above it ends the search."""
        critic = self.make()
        for observation, step in self.shown():
            ceiling = critic.cost_ceiling(observation, step)
            paid = critic.critique(observation, step).cost
            assert paid.tokens <= ceiling.tokens, f"paid {paid}, the ceiling was {ceiling}"
            assert paid.dollars <= ceiling.dollars, f"paid {paid}, the ceiling was {ceiling}"

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
        """Share nothing that changes between calls, or put a lock around it."""
        critic = self.make()
        shown = self.shown()
        with ThreadPoolExecutor(8) as pool:
            found = list(pool.map(lambda pair: critic.critique(*pair), shown))
        assert all(critique.text.strip() for critique in found), "nothing said beside other threads"
