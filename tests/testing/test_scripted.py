from collections.abc import Sequence

import pytest

from maxcode.budget import Cost
from maxcode.errors import ExecutorError
from maxcode.evaluation import Profile, Status
from maxcode.interfaces import Critic, Executor, Generator, Proposal, RewardToGo
from maxcode.observation import Observation
from maxcode.program import Program
from maxcode.task import Task
from maxcode.testing import (
    Broken,
    CriticContract,
    ExecutorContract,
    GeneratorContract,
    RewardToGoContract,
    ScriptedCritic,
    ScriptedExecutor,
    ScriptedGenerator,
    ScriptedRewardToGo,
    sample_task,
    sample_tree,
)


class TestScriptedGenerator(GeneratorContract):
    never_repeats = True

    def make(self) -> Generator:
        def script(observation: Observation, n: int) -> Sequence[str]:
            new = (f"{observation.seed} {i}" for i in range(40))
            return [code for code in new if not _seen(observation, code)][:n]

        return ScriptedGenerator(script, cost=Cost(tokens=5, dollars=0.1))

    def test_a_sequence_answers_by_the_number_of_the_expansion(self) -> None:
        broken = Proposal(None, problem="no code", cost=Cost(tokens=7))
        generator = ScriptedGenerator(["a", ["b", Program.of("c"), broken]], cost=Cost(dollars=0.5))
        first, second = _numbered(0), _numbered(1)
        assert [_code(p) for p in generator.propose(first, 3)] == ["a"]
        assert [_code(p) for p in generator.propose(second, 3)] == ["b", "c", None]
        assert [_code(p) for p in generator.propose(second, 1)] == ["b"]
        assert generator.propose(_numbered(2), 3) == []
        assert generator.cost_ceiling(second, 3) == Cost(tokens=7, dollars=1.0)
        assert generator.calls == [(first, 3), (second, 3), (second, 1), (_numbered(2), 3)]


class TestScriptedExecutor(ExecutorContract):
    def make(self) -> Executor:
        return ScriptedExecutor(
            {"fast": 3.0, "slow": 0.5, **{status: status for status in Status if status != "ok"}},
            profiles=lambda program: Profile(f"all of it in {program.code}"),
        )

    def task(self) -> Task:
        return sample_task()

    def faster(self) -> Program:
        return Program.of("fast")

    def broken(self) -> list[Broken]:
        failures = [Status.BUILD_ERROR, Status.WRONG_ANSWER, Status.TIMEOUT, Status.SUSPECT]
        return [(Program.of(status), frozenset({status})) for status in failures]

    def test_scores_and_comparisons_follow_the_script(self) -> None:
        executor, task = self.make(), self.task()
        fast, slow = Program.of("fast"), Program.of("slow")
        assert executor.prepare(task).value == 1.0
        assert executor.evaluate(task, fast).reward == 3.0
        assert executor.evaluate(task, fast).measurements[0].median == pytest.approx(1 / 3)
        ratio = executor.compare(task, fast, slow).ratio
        assert ratio is not None
        assert (ratio.value, ratio.low < 6 < ratio.high) == (6.0, True)

    def test_the_truth_decides_comparisons_alone(self) -> None:
        executor = ScriptedExecutor({"lucky": 2.0}, truth={"lucky": 0.8})
        task, lucky = self.task(), Program.of("lucky")
        assert executor.evaluate(task, lucky).reward == 2.0
        ratio = executor.compare(task, lucky, task.baseline).ratio
        assert ratio is not None
        assert ratio.value == 0.8

    def test_what_the_script_lacks_is_an_error(self) -> None:
        with pytest.raises(ExecutorError, match=r"no verdict on .*begins 'unheard of'"):
            self.make().evaluate(self.task(), Program.of("unheard of"))


class TestScriptedCritic(CriticContract):
    def make(self) -> Critic:
        return ScriptedCritic(lambda _, step: f"about step {step.id}", cost=Cost(tokens=3))


class TestScriptedRewardToGo(RewardToGoContract):
    def make(self) -> RewardToGo:
        return ScriptedRewardToGo(lambda path, program: 0.1 / len(path.steps))


def _numbered(number: int) -> Observation:
    task = sample_task()
    return Observation(task, sample_tree(task).root, number=number)


def _seen(observation: Observation, code: str) -> bool:
    return observation.step.program.with_code(code) in observation.seen


def _code(proposal: Proposal) -> str | None:
    return proposal.program.code if proposal.program else None
