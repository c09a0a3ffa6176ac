"""One expansion's way: what is proposed, ranked, judged, and said about it."""

from collections.abc import Callable
from threading import Barrier

import pytest

from maxcode.budget import Budget
from maxcode.errors import ExecutorError, GeneratorError, RewardToGoError
from maxcode.evaluation import Evaluation, Status
from maxcode.events import Ranked
from maxcode.interfaces import Generator, Proposal, RewardToGo
from maxcode.observation import Observation, Observe
from maxcode.options import Options
from maxcode.policies.best_of_n import BestOfN
from maxcode.policies.maxcode_loop import MaxCodeLoop
from maxcode.program import Program
from maxcode.result import Result
from maxcode.search import Search
from maxcode.task import Task
from maxcode.testing import (
    Answer,
    ScriptedExecutor,
    ScriptedGenerator,
    ScriptedRewardToGo,
    Verdict,
    toy_verdict,
)
from maxcode.tree import Trajectory, Value

# -- proposals ------------------------------------------------------------------------------------


def test_an_answer_without_a_program_is_an_invalid_step_with_its_problem(
    toy: Callable[..., Search],
) -> None:
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


def test_files_that_may_not_be_changed(toy: Callable[..., Search]) -> None:
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


def test_more_proposals_than_asked_for_are_an_error(toy: Callable[..., Search]) -> None:
    class Eager(Generator):
        def propose(self, observation: Observation, n: int) -> list[Proposal]:
            return [Proposal(Program.of("2.0", "number.txt"))] * (n + 1)

    with pytest.raises(GeneratorError, match="4 proposals came back, 3 were asked for"):
        toy(generator=Eager()).run()


def test_what_was_said_and_paid_stays_with_the_step(toy: Callable[..., Search]) -> None:
    program = Program.of("2.0", "number.txt")
    proposal = Proposal(program, summary="doubled", tags=("arithmetic",), prompt="?", answer="!")
    step = toy(generator=ScriptedGenerator([proposal])).run().tree[1]
    assert (step.program, step.summary, step.tags) == (program, "doubled", ("arithmetic",))


# -- evaluations ----------------------------------------------------------------------------------


def test_one_program_in_many_expansions_is_judged_once(toy: Callable[..., Search]) -> None:
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

    def evaluate(self, task: Task, program: Program) -> Evaluation:
        found = super().evaluate(task, program)
        if program.code == self.program and self.failures > 0:
            self.failures -= 1
            return Evaluation(Status.INFRASTRUCTURE, feedback="the disk is full")
        return found


def test_a_failure_of_the_harness_is_tried_again(toy: Callable[..., Search]) -> None:
    executor = Unreliable(failures=2)
    result = toy(generator=ScriptedGenerator([["2.0"]]), executor=executor).run()
    assert [step.reward for step in result.tree] == [1.0, 2.0]
    assert (executor.count("evaluate"), result.spent.evaluations) == (3, 1)


def test_a_harness_that_stays_broken_is_not_held_against_the_candidate(
    toy: Callable[..., Search],
) -> None:
    executor = Unreliable(failures=3)
    generator = ScriptedGenerator([["2.0", "1.5"], ["2.0"]])
    result = toy(generator=generator, executor=executor, policy=MaxCodeLoop(k=2), budget=None).run()
    broken, fine, later = list(result.tree)[1:]
    assert (broken.evaluation.status, broken.cost.evaluations) == (Status.INFRASTRUCTURE, 0)
    assert result.by_status == {Status.INFRASTRUCTURE: 1, Status.OK: 2}
    assert (fine.reward, later.reward, later.duplicate_of) == (1.5, 2.0, None)
    second = generator.calls[1][0]
    assert broken.id not in {step.id for step in second.shown}
    assert broken.program not in second.seen
    assert result.spent.evaluations == 2


def test_a_harness_that_fails_for_all_ends_the_search_which_goes_on_when_mended(
    toy: Callable[..., Search],
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


def test_verdicts_of_every_kind_enter_the_tree(toy: Callable[..., Search]) -> None:
    failures = [
        status
        for status in Status
        if status not in {Status.OK, Status.INVALID, Status.INFRASTRUCTURE}
    ]
    script: dict[str, Verdict] = {status.value: status for status in failures}
    result = toy(
        generator=ScriptedGenerator([[status.value for status in failures]]),
        executor=ScriptedExecutor(script),
        policy=BestOfN(n=len(failures), batch=len(failures)),
    ).run()
    assert [step.evaluation.status for step in list(result.tree)[1:]] == failures
    assert {step.reward for step in list(result.tree)[1:]} == {0.0}
    assert result.by_status == dict.fromkeys(failures, 1)


# -- ranking --------------------------------------------------------------------------------------


def test_the_best_estimates_of_many_are_run_and_all_are_kept(toy: Callable[..., Search]) -> None:
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
        options=Options(propose=3),
    )
    result = search.run()
    assert [n for _, n in generator.calls] == [6]
    unusable = [step.id for step in result.tree if step.evaluation.status is Status.INVALID]
    assert unusable == [2]  # the answer without a program is a step too, of no cost
    assert [step.program.code for step in result.tree] == ["1.0", "1.9", "1.0", "1.8"]
    assert [step.value and step.value.expected for step in result.tree] == [None, 1.9, None, 1.8]
    assert executor.count("evaluate") == 2
    (ranked,) = [r.event for r in search.state.log.events() if isinstance(r.event, Ranked)]
    assert [value.expected for value in ranked.values] == [1.1, 1.9, 0.0, 1.7, 1.3, 1.8]
    assert ranked.chosen == (1, 2, 5)
    assert [len(programs) for _, programs in model.calls] == [5]


def test_without_a_model_only_what_is_run_is_asked_for(toy: Callable[..., Search]) -> None:
    generator = ScriptedGenerator([["1.1"]])
    toy(generator=generator, policy=BestOfN(batch=2, n=2), options=Options(propose=3)).run()
    assert [n for _, n in generator.calls] == [2]


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
    toy: Callable[..., Search], values: list[Value], complaint: str
) -> None:
    class Broken(RewardToGo):
        def predict(self, trajectory: Trajectory, programs: object) -> list[Value]:
            return values

    with pytest.raises(RewardToGoError, match=complaint):
        toy(reward_to_go=Broken(), generator=ScriptedGenerator([["1.1"]])).run()
