"""What any reward-to-go model must satisfy."""

# ruff: noqa: S101, D102 - these are tests: they assert, and their names say what

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from math import isclose, isfinite

from maxcode.evaluation import Status
from maxcode.interfaces import RewardToGo
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

    def test_one_finite_estimate_a_program_and_at_least_u(self) -> None:
        model, programs = self.make(), self.programs()
        for trajectory in self.trajectories():
            values = model.predict(trajectory, programs)
            assert len(values) == len(programs), f"{len(values)} estimates, not {len(programs)}"
            for value in values:
                assert isfinite(value.expected), f"an estimate is no number: {value}"
                assert value.expected >= trajectory.u, f"{value} is below u = {trajectory.u}"

    def test_nothing_to_estimate(self) -> None:
        for trajectory in self.trajectories():
            assert list(self.make().predict(trajectory, [])) == [], "an estimate of no program"

    def test_each_estimate_belongs_to_its_program(self) -> None:
        model, programs = self.make(), self.programs()
        for trajectory in self.trajectories():
            together = _expected(model, trajectory, programs)
            turned = _expected(model, trajectory, programs[::-1])[::-1]
            assert all(map(_close, together, turned)), f"{together} in one order, {turned} turned"

    def test_distributions_are_probabilities(self) -> None:
        for trajectory in self.trajectories():
            for value in self.make().predict(trajectory, self.programs()):
                assert all(p >= 0 for p in value.distribution), f"a negative probability: {value}"
                total = sum(value.distribution)
                assert not value.distribution or _close(total, 1), f"they add up to {total}"

    def test_same_question_same_estimates_in_several_threads(self) -> None:
        model, programs = self.make(), self.programs()
        paths = self.trajectories() * 4
        with ThreadPoolExecutor(8) as pool:
            found = list(pool.map(lambda path: _expected(model, path, programs), paths))
        for path, together in zip(paths, found, strict=True):
            alone = _expected(self.make(), path, programs)
            assert all(map(_close, together, alone)), f"{together} in threads, {alone} alone"


def _expected(
    model: RewardToGo, trajectory: Trajectory, programs: Sequence[Program]
) -> list[float]:
    return [value.expected for value in model.predict(trajectory, programs)]


def _close(a: float, b: float) -> bool:
    return isclose(a, b, rel_tol=1e-4, abs_tol=1e-6)  # batches round differently
