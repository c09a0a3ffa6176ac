"""One expansion's way: what is proposed, ranked, judged, and said about it."""

from collections.abc import Callable
from threading import Barrier

import pytest
from tests._runs import MakeSearch

from maxcode.budget import Budget
from maxcode.errors import ExecutorError, RewardToGoError
from maxcode.evaluation import Evaluation, Status
from maxcode.interfaces import Proposal, RewardToGo
from maxcode.journal.events import Ranked
from maxcode.observation import Observation, Observe
from maxcode.options import Options
from maxcode.policies.best_of_n import BestOfN
from maxcode.policies.maxcode_loop import MaxCodeLoop
from maxcode.program import Program
from maxcode.search.result import Result
from maxcode.task import Task
from maxcode.testing import (
    Answer,
    ScriptedExecutor,
    ScriptedGenerator,
    ScriptedRewardToGo,
    toy_verdict,
)
from maxcode.tree import Value

# -- proposals ------------------------------------------------------------------------------------


def test_an_answer_without_a_program_is_an_invalid_step_with_its_problem(toy: MakeSearch) -> None:
    executor = ScriptedExecutor(toy_verdict)
    shown: list[str] = []

    def answers(observation: Observation, n: int) -> list[Answer]:
        shown.extend(step.evaluation.feedback for step in observation.attempts)
        broken = Proposal(None, problem="no code block in it", summary="chat", answer="Hello!")
        return [broken] if observation.number == 0 else ["2.0"]

    search = toy(
        generator=ScriptedGenerator(answers),
        executor=executor,
        policy=MaxCodeLoop(k=1, d=2),
        options=Options(observe=Observe(critique=False)),
    )
    step = search.run().tree[1]
    assert (step.evaluation.status, step.reward) == (Status.INVALID, 0.0)
    assert (step.evaluation.feedback, step.summary) == ("no code block in it", "chat")
    assert (step.program, step.cost.evaluations) == (search.task.baseline, 0)
    assert shown == ["no code block in it"]
    assert executor.count("evaluate") == 1


def test_files_that_may_not_be_changed(toy: MakeSearch) -> None:
    baseline = Program({"main.txt": "1.0", "tests.txt": "strict"}, "main.txt")
    proposed = [
        baseline.with_code("2.0"),
        baseline.with_file("tests.txt", "lax"),
        baseline.with_file("more.txt", ""),
        Program.of("3.0", "main.txt"),
    ]
    executor = ScriptedExecutor(toy_verdict)
    result = toy(
        task=Task("guarded", "", baseline, editable=("main.txt",)),
        generator=ScriptedGenerator([proposed]),
        executor=executor,
        policy=BestOfN(batch=4, n=4),
    ).run()
    ok, *invalid = list(result.tree)[1:]
    assert ok.evaluation.ok
    assert {step.evaluation.status for step in invalid} == {Status.INVALID}
    assert [step.evaluation.feedback.rpartition(": ")[2] for step in invalid] == [
        "tests.txt",
        "more.txt",
        "tests.txt",
    ]
    assert executor.count("evaluate") == 1


# -- evaluations ----------------------------------------------------------------------------------


def test_one_program_in_many_expansions_is_judged_once(toy: MakeSearch) -> None:
    executor = ScriptedExecutor(toy_verdict, delay=0.02)
    together = Barrier(6, timeout=30)

    def answers(observation: Observation, n: int) -> list[Answer]:
        together.wait()  # all six expansions ask for the same program at the same time
        return ["2.0"]

    result = toy(
        generator=ScriptedGenerator(answers),
        executor=executor,
        policy=BestOfN(n=6, batch=1),
        budget=Budget(evaluations=6),
        options=Options(in_flight=6, threads=6),
    ).run()
    assert executor.count("evaluate") == 1
    assert [step.duplicate_of for step in result.tree] == [None, None, 1, 1, 1, 1, 1]
    assert result.spent.evaluations == 1
    assert all(step.reward == 2.0 for step in list(result.tree)[1:])


class Unreliable(ScriptedExecutor):
    """The harness fails the first ``failures`` times that it judges a program."""

    def __init__(self, failures: int, program: str = "2.0") -> None:
        super().__init__(toy_verdict)
        self.failures = failures
        self.program = program

    def evaluate(self, task: Task, program: Program, **_: object) -> Evaluation:
        found = super().evaluate(task, program)
        if program.code == self.program and self.failures > 0:
            self.failures -= 1
            return Evaluation(Status.INFRASTRUCTURE, feedback="the disk is full")
        return found


@pytest.mark.slow
def test_a_failure_of_the_harness_is_tried_again(toy: MakeSearch) -> None:
    executor = Unreliable(failures=2)
    result = toy(generator=ScriptedGenerator([["2.0"]]), executor=executor).run()
    assert [step.reward for step in result.tree] == [1.0, 2.0]
    assert (executor.count("evaluate"), result.spent.evaluations) == (3, 1)


@pytest.mark.slow
def test_a_harness_that_fails_for_all_ends_the_search_which_goes_on_when_mended(
    toy: MakeSearch,
) -> None:
    generator = ScriptedGenerator([["1.5"], ["2.0"], ["2.0"]])
    search = toy(generator=generator, executor=Unreliable(failures=3))
    with pytest.raises(ExecutorError, match=r"in expansion 1: the disk is full; mend that and"):
        search.run()
    assert Result.of(search.state).by_status == {Status.OK: 1}
    result = toy(journal=search.state.log, generator=generator).run()
    assert [step.reward for step in result.tree] == [1.0, 1.5, 2.0, 2.0]  # the answer was not lost
    assert result.tree[3].duplicate_of == 2
    assert [observation.number for observation, _ in generator.calls][:2] == [0, 1]
    assert (result.best.id, result.spent.evaluations) == (2, 2)


# -- ranking --------------------------------------------------------------------------------------


def test_the_best_estimates_of_many_are_run_and_all_are_kept(toy: MakeSearch) -> None:
    generator = ScriptedGenerator(
        [["1.1", "1.9", Proposal(None, problem="?"), "1.7", "1.3", "1.8"]]
    )
    executor = ScriptedExecutor(toy_verdict)
    model = ScriptedRewardToGo(lambda _, program: float(program.code))
    search = toy(
        generator=generator,
        executor=executor,
        reward_to_go=model,
        policy=BestOfN(batch=2, n=2),
        options=Options(propose=3, explore=0),
    )
    result = search.run()
    assert [n for _, n in generator.calls] == [6]
    unusable = [step.id for step in result.tree if step.evaluation.status is Status.INVALID]
    assert unusable == [2]  # the answer without a program is a step too, of no cost
    assert [step.program.code for step in result.tree] == ["1.0", "1.9", "1.0", "1.8"]
    assert [step.value and step.value.expected for step in result.tree] == [None, 1.9, None, 1.8]
    assert executor.count("evaluate") == 2
    (ranked,) = [r.event for r in search.state.log.events() if isinstance(r.event, Ranked)]
    estimates = [value and value.expected for value in ranked.values]
    assert estimates == [1.1, 1.9, None, 1.7, 1.3, 1.8]
    assert ranked.chosen == (1, 2, 5)
    assert [len(programs) for _, programs in model.calls] == [5]


@pytest.mark.parametrize(
    ("values", "complaint"),
    [
        ([], "0 estimates for 1 programs"),
        ([Value(1.0), Value(2.0)], "2 estimates for 1 programs"),
        ([Value(float("nan"))], "not a finite number"),
        ([Value(float("inf"))], "not a finite number"),
    ],
)
def test_a_model_that_breaks_its_contract(
    toy: MakeSearch, values: list[Value], complaint: str
) -> None:
    class Broken(RewardToGo):
        def predict(self, observation: Observation, programs: object) -> list[Value]:
            return values

    with pytest.raises(RewardToGoError, match=complaint):
        toy(reward_to_go=Broken(), generator=ScriptedGenerator([["1.1"]])).run()


@pytest.mark.slow
def test_a_guarded_model_is_listened_to_once_it_proved_right(toy: MakeSearch) -> None:
    def asked(estimate: Callable[[float], float]) -> list[int]:
        generator = ScriptedGenerator(lambda o, n: [f"1.{o.number}{i}" for i in range(n)])
        model = ScriptedRewardToGo(lambda _, program: estimate(float(program.code)))
        options = Options(propose=2, explore=0, guard=True)
        budget = Budget(evaluations=24)
        toy(
            generator=generator, reward_to_go=model, policy=BestOfN(batch=4), budget=budget,
            options=options,
        ).run()  # fmt: skip
        return [n for _, n in generator.calls]

    assert asked(lambda speed: speed)[:4] == [4, 8, 8, 8]
    assert set(asked(lambda speed: 9 - speed)) == {4}
    assert set(asked(lambda _: 3.0)) == {4}
