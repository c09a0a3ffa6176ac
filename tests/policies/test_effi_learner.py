import pytest
from tests._runs import MakeSearch

from maxcode.budget import Budget
from maxcode.evaluation import Baseline, Evaluation, Interval, Measurement, Profile, Status
from maxcode.interfaces import SearchPolicy
from maxcode.policies.effi_learner import EffiLearner
from maxcode.program import Program
from maxcode.task import Task
from maxcode.testing import ScriptedExecutor, ScriptedGenerator, SearchPolicyContract, toy_verdict


class TestEffiLearner(SearchPolicyContract):
    def make(self) -> SearchPolicy:
        return EffiLearner(steps=10)


class WithMemory(ScriptedExecutor):
    """Programs are two numbers, the speedup and the memory; the baseline has 8 of it."""

    def __init__(self) -> None:
        super().__init__(self.measured, profiles=hot)

    def measured(self, program: Program) -> Evaluation:
        speedup, memory = (float(word) for word in f"{program.code} 8".split()[:2])
        measurements = tuple(
            Measurement(meter, unit, (memory,))
            for meter, unit in (("memory_integral", "MB*s"), ("peak_memory", "B"))
        )
        return Evaluation(Status.OK, Interval(speedup, speedup, speedup), measurements=measurements)

    def prepare(self, task: Task) -> Baseline:
        return Baseline(self.measured(task.baseline).measurements)


def hot(program: Program) -> Profile:
    return Profile(f"hot: {program.code}")


def run(
    toy: MakeSearch,
    answers: list[str],
    policy: EffiLearner,
    executor: ScriptedExecutor | None = None,
) -> tuple[list[str], ScriptedGenerator]:
    """The programs that were improved, one after the other."""
    generator = ScriptedGenerator([[answer] for answer in answers])
    executor = executor or ScriptedExecutor(toy_verdict, profiles=hot)
    toy(generator=generator, executor=executor, policy=policy, budget=Budget()).run()
    return [seen.step.program.code for seen, _ in generator.calls], generator


MEMORY = ["1.2 6", "3.0 7", "0.9 5", "1.0 1"]  # each a speedup and the memory


def test_only_what_is_strictly_better_is_accepted(toy: MakeSearch) -> None:
    answers = ["2.0", "1.9", "2.00", "wrong_answer", "2.5", "3.0"]
    improved, _ = run(toy, answers, EffiLearner(steps=6))
    assert improved == ["1.0", "2.0", "2.0", "2.0", "2.0", "2.5"]


def test_the_incumbent_is_shown_with_its_profile(toy: MakeSearch) -> None:
    improved, generator = run(toy, ["2.0", "1.9"], EffiLearner(steps=3))
    profiles = [seen.step.profile and seen.step.profile.text for seen, _ in generator.calls]
    assert profiles == [f"hot: {code}" for code in improved]


def test_a_failure_is_told_and_a_slower_program_is_not(toy: MakeSearch) -> None:
    _, generator = run(toy, ["2.0", "timeout", "1.5", "1.6"], EffiLearner(steps=4))
    told = [[step.program.code for step in seen.exemplars] for seen, _ in generator.calls]
    assert told == [[], [], ["timeout"], []]


@pytest.mark.parametrize(("steps", "returned"), [(2, "1.2 6"), (3, "0.9 5"), (4, "1.0 1")])
def test_where_memory_decides_the_incumbent_is_handed_back(
    toy: MakeSearch, steps: int, returned: str
) -> None:
    result = toy(
        generator=ScriptedGenerator([[answer] for answer in MEMORY]),
        executor=WithMemory(),
        policy=EffiLearner(steps=steps, metric="peak_memory"),
    ).run()
    assert (result.program.code, result.tree.best.program.code) == (returned, "3.0 7")
    assert result.speedup.value == pytest.approx(float(returned.split(maxsplit=1)[0]))
    assert result.confirmed


def test_where_time_decides_it_is_the_confirmed_best(toy: MakeSearch) -> None:
    result = toy(
        generator=ScriptedGenerator([["2.0"], ["lucky"]]),
        executor=ScriptedExecutor({"2.0": 2.0, "lucky": 9.0}, truth={"2.0": 2.0, "lucky": 1.5}),
        policy=EffiLearner(steps=2),
    ).run()
    assert (result.program.code, result.returned) == ("2.0", None)
