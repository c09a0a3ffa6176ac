"""What any reward-to-go model must satisfy."""

# ruff: noqa: S101 - these are tests: they assert

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from math import isclose, isfinite

from maxcode.cost import FREE
from maxcode.evaluation import Status
from maxcode.interfaces import RewardToGo
from maxcode.observation import Observation
from maxcode.program import Program
from maxcode.task import Task
from maxcode.testing.samples import JUDGED, sample_task, sample_tree
from maxcode.tree import Trajectory


class RewardToGoContract(ABC):
    """Inherit it in a test module; pytest then runs every test below against your model::

        class TestMine(RewardToGoContract):
            def make(self) -> RewardToGo:
                return Mine()

    ``make`` gives a new model, the same each time. Override ``task`` when yours cannot read C++,
    ``programs`` when the differences between the candidates are too small for it to matter.
    """

    @abstractmethod
    def make(self) -> RewardToGo:
        """A new model."""

    def task(self) -> Task:
        """The task that the programs are for."""
        return sample_task()

    def programs(self) -> list[Program]:
        """Candidates, all different."""
        baseline = self.task().baseline
        return [baseline.with_code(baseline.code + "// more\n" * i) for i in range(5)]

    def trajectories(self) -> list[Trajectory]:
        """Paths after which they are estimated: the baseline alone, a good step, a failed one."""
        tree = sample_tree(self.task(), (Status.WRONG_ANSWER, *JUDGED))
        return [tree.path(0), tree.path(tree.best.id), tree.path(1)]

    def observations(self) -> list[Observation]:
        """What the model is shown: the paths, and nothing else of the search."""
        task = self.task()
        return [
            Observation(task, path.steps[-1], number, trajectory=path)
            for number, path in enumerate(self.trajectories())
        ]

    def test_one_finite_estimate_a_program_and_at_least_u(self) -> None:
        """Return a finite Value for each program, raised to ``observation.path.u``."""
        model, programs = self.make(), self.programs()
        for observation in self.observations():
            values = model.predict(observation, programs)
            assert len(values) == len(programs), f"{len(values)} estimates, not {len(programs)}"
            for value in values:
                assert isfinite(value.expected), f"an estimate is no number: {value}"
                assert value.expected >= observation.path.u, f"{value} is below u"

    def test_nothing_to_estimate(self) -> None:
        """Return an empty list for no programs."""
        for observation in self.observations():
            assert list(self.make().predict(observation, [])) == [], "an estimate of no program"

    def test_each_estimate_belongs_to_its_program(self) -> None:
        """Keep the order of the programs, and judge each apart from the others."""
        model, programs = self.make(), self.programs()
        for observation in self.observations():
            together = _expected(model, observation, programs)
            turned = _expected(model, observation, programs[::-1])[::-1]
            assert all(map(_close, together, turned)), f"{together} in one order, {turned} turned"

    def test_distributions_are_probabilities(self) -> None:
        """Let a distribution be empty, or not negative and 1 together."""
        for observation in self.observations():
            for value in self.make().predict(observation, self.programs()):
                assert all(p >= 0 for p in value.distribution), f"a negative probability: {value}"
                total = sum(value.distribution)
                assert not value.distribution or _close(total, 1), f"they add up to {total}"

    def test_same_question_same_estimates_in_several_threads(self) -> None:
        """Draw nothing unseeded, and lock what calls share."""
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
            assert paid.at_least(ceiling) == ceiling, f"{paid} was paid, at most {ceiling} said"


def _expected(
    model: RewardToGo, observation: Observation, programs: Sequence[Program]
) -> list[float]:
    return [value.expected for value in model.predict(observation, programs)]


def _close(a: float, b: float) -> bool:
    return isclose(a, b, rel_tol=1e-4, abs_tol=1e-6)  # batches round differently
