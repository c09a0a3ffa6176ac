"""Executors: a small core, and further abilities."""

from tests._runs import MakeSearch

from maxcode.budget import Budget
from maxcode.evaluation import (
    Baseline,
    Comparison,
    Evaluation,
    FuzzPlan,
    FuzzResult,
    HeldOut,
    Interval,
    Measurement,
    Profile,
    Status,
    Trial,
)
from maxcode.interfaces import Executor, Fuzzes, HoldsOut, Incumbent, Profiles, Trials, Waits
from maxcode.journal.events import Event
from maxcode.journal.state import RunState
from maxcode.program import Program
from maxcode.task import Task
from maxcode.testing import ScriptedExecutor, toy_task, toy_verdict

ABILITIES = (Trials, Profiles, Fuzzes, HoldsOut, Waits)


class Plain(Executor):
    """The core, without a keyword."""

    def prepare(self, task: Task) -> Baseline:
        return Baseline((Measurement("script", "s", (1.0,)),))

    def evaluate(self, task: Task, program: Program) -> Evaluation:  # type: ignore[override]
        return ScriptedExecutor(toy_verdict).evaluate(task, program)

    def compare(self, task: Task, a: Program, b: Program) -> Comparison:  # type: ignore[override]
        return ScriptedExecutor(toy_verdict).compare(task, a, b)


def test_a_search_needs_no_more_than_the_core(toy: MakeSearch) -> None:
    assert not any(isinstance(Plain(), ability) for ability in ABILITIES)
    budget = Budget(evaluations=20, seconds=600)
    plain = toy(executor=Plain(), budget=budget).run()
    scripted = toy(executor=ScriptedExecutor(toy_verdict), budget=budget).run()
    assert plain.status == "done"
    assert [step.program for step in plain.tree] == [step.program for step in scripted.tree]


def test_abilities_are_seen_by_what_an_object_has() -> None:
    executor = Plain()
    assert not isinstance(executor, Profiles)
    vars(executor)["profile"] = lambda *_: None
    assert isinstance(executor, Profiles)
    assert all(isinstance(ScriptedExecutor({}), one) for one in (Trials, Fuzzes, HoldsOut))


def test_candidates_are_timed_against_the_best_that_the_search_confirmed(toy: MakeSearch) -> None:
    class Asked(ScriptedExecutor):
        def evaluate(
            self,
            task: Task,
            program: Program,
            *,
            against: Incumbent | None = None,
            deadline: float = 0.0,
        ) -> Evaluation:
            asked.append(against)
            return super().evaluate(task, program)

    asked: list[Incumbent | None] = []
    best: set[str] = set()

    def hear(_: Event, state: RunState) -> None:
        best.add(state.tree.best.program.digest if state.has_tree else "")

    search = toy(executor=Asked(toy_verdict), budget=Budget(evaluations=12), observers=[hear])
    search.run()
    given = [one.program.digest for one in asked if one is not None]
    assert asked[0] is None
    assert given
    assert set(given) <= best
    known = search.state.tree.incumbents
    speedups = {search.state.tree[step].program.digest: speedup for step, speedup in known}
    for one in filter(None, asked):
        assert speedups.get(one.program.digest, one.speedup) == one.speedup
        assert one.reading is not None


def test_forbidden_changes_are_refused_before_a_keyword_is_looked_at() -> None:
    task = Task("t", "", Program.of("1.0", "number.txt"))
    program = task.baseline.with_file("protected.txt", "")
    incumbent = Incumbent(program, Interval(2.0, 1.9, 2.1))
    executor: Executor = Plain()
    found = executor.evaluate(task, program, against=incumbent, deadline=9.0)
    assert found.status is Status.INVALID


def test_no_method_runs_a_program_with_forbidden_changes() -> None:
    ran: list[Program] = []

    class Able(ScriptedExecutor):
        def try_out(self, task: Task, program: Program, *, quick: bool) -> Trial:
            ran.append(program)
            return Trial(Status.OK)

        def profile(self, task: Task, program: Program) -> Profile:
            ran.append(program)
            return Profile("hot")

        def fuzz(self, task: Task, program: Program, plan: FuzzPlan) -> FuzzResult:
            ran.append(program)
            return FuzzResult(20)

        def held_out(self, task: Task, program: Program, seed: int) -> HeldOut:
            ran.append(program)
            return HeldOut(Interval(2.0, 1.9, 2.1))

    executor, task = Able(toy_verdict), toy_task()
    program = task.baseline.with_file("protected.txt", "")
    assert executor.try_out(task, program, quick=True).status is Status.INVALID
    assert executor.profile(task, program) is None
    assert "protected.txt" in executor.fuzz(task, program, FuzzPlan()).why
    assert executor.held_out(task, program, 1).ratio is None
    assert ran == []
