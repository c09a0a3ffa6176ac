"""Comparisons in the toy world: what is found, resumed, done at once, and what may fail."""

import _thread
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.comparison import _killed

import maxcode
from maxcode import Budget, Contest, Executor, Method, Observation, Options, Program, Task
from maxcode.comparison import running
from maxcode.comparison.method import Plan
from maxcode.comparison.running import Running
from maxcode.errors import ExecutorError, WriterError
from maxcode.evaluation import Comparison, Interval, Status
from maxcode.journal.journal import Journal
from maxcode.journal.lease import Lease
from maxcode.observation import Observe
from maxcode.policies.beam import Beam
from maxcode.policies.best_of_n import BestOfN
from maxcode.policies.cuda_llm import CudaLLM
from maxcode.policies.maxcode_loop import MaxCodeLoop
from maxcode.testing import (
    ScriptedCritic,
    ScriptedExecutor,
    ScriptedGenerator,
    toy_answers,
    toy_task,
    toy_verdict,
)
from maxcode.testing.scripted import Answer, Verdict

LOOP = Method("loop", MaxCodeLoop(4))
SAMPLING = Method("best-of-n", BestOfN())


def toys(*names: str) -> list[Task]:
    """Toy tasks that differ in their baseline's text."""
    return [
        replace(toy_task(), name=name, baseline=Program.of("1." + "0" * number, "number.txt"))
        for number, name in enumerate(names, 1)
    ]


def compare(*methods: Method, **given: Any) -> Contest:
    arguments: dict[str, Any] = {
        "tasks": toys("toy"),
        "generator": ScriptedGenerator(toy_answers),
        "executor": ScriptedExecutor(toy_verdict),
        "budget": Budget(evaluations=16),
        "seeds": 2,
        "options": Options(threads=1),
    }
    return maxcode.compare(methods or [LOOP], **{**arguments, **given})


def planned(seeds: int, tasks: Sequence[Task], delay: float = 0.0) -> Plan:
    return Plan.fair(
        [LOOP],
        tasks,
        generator=ScriptedGenerator(toy_answers),
        executor=ScriptedExecutor(toy_verdict, delay=delay),
        critic=None,
        seeds=seeds,
        budget=Budget(evaluations=16),
        options=Options(threads=1),
    )


def figures(contest: Contest) -> list[dict[str, object]]:
    """All that does not depend on the clock."""
    timeless = [
        {k: v for k, v in row.items() if k not in ("seconds", "run_id")} for row in contest.rows()
    ]
    return [
        {**row, "curve": [(point.spent.evaluations, point.speedup) for point in one.curve]}
        for row, one in zip(timeless, contest.outcomes, strict=True)
    ]


@pytest.mark.slow
def test_a_search_that_climbs_beats_sampling_and_equals_itself() -> None:
    contest = compare(
        LOOP, Method("again", MaxCodeLoop(4)), tasks=toys("a", "b", "c", "d"), seeds=3
    )
    assert len(contest.outcomes) == contest.planned == 3 * 4 * 3
    assert (contest.control, contest.missing, contest.failures) == ("best-of-n", 0, ())
    found = {one.method: one for one in contest.differences()}
    assert found["loop"].verdict == "better"
    (again,) = [one for one in contest.differences("loop") if one.method == "again"]
    assert again.ratio.value == 1.0
    assert again.verdict == "not told apart"


@pytest.mark.slow
def test_the_runs_spend_the_same_budget_with_the_same_seeds(journal: Journal) -> None:
    contest = compare(LOOP, journal=journal, seeds=[3, 5])
    assert {one.spent.evaluations for one in contest.outcomes} == {16}
    seeds = {(one.method, one.seed) for one in contest.outcomes}
    assert seeds == {("best-of-n", 3), ("best-of-n", 5), ("loop", 3), ("loop", 5)}
    alone = maxcode.optimize(
        toys("toy")[0],
        generator=ScriptedGenerator(toy_answers),
        executor=ScriptedExecutor(toy_verdict),
        policy=MaxCodeLoop(4),
        budget=Budget(evaluations=16),
        options=Options(seed=5),
    )
    (mine,) = [one for one in contest.outcomes if (one.method, one.seed) == ("loop", 5)]
    assert mine.speedup == alone.speedup.value
    assert mine.curve[-1].speedup == mine.speedup


@pytest.mark.slow
def test_a_finished_comparison_is_read_and_not_repeated(journal: Journal) -> None:
    first = compare(journal=journal)
    generator, executor = ScriptedGenerator(toy_answers), ScriptedExecutor(toy_verdict)
    again = compare(journal=journal, generator=generator, executor=executor)
    assert again == first
    assert generator.calls == []
    assert executor.calls == []


def test_what_has_ended_is_told_without_a_run(journal: Journal) -> None:
    contest = compare(journal=journal, seeds=1)
    plan = planned(3, toys("toy"))
    assert tuple(Running(plan, journal).finished()) == contest.outcomes
    assert len(journal.run_ids()) == 2


@pytest.mark.slow
def test_more_methods_and_seeds_add_only_what_is_missing(journal: Journal) -> None:
    compare(journal=journal)
    generator = ScriptedGenerator(toy_answers)
    wider = compare(
        LOOP,
        Method("blind", MaxCodeLoop(4), observe=Observe.nothing()),
        journal=journal,
        generator=generator,
        seeds=3,
    )
    assert len(wider.outcomes) == 9
    assert len(journal.run_ids()) == 9
    fresh = compare(LOOP, Method("blind", MaxCodeLoop(4), observe=Observe.nothing()), seeds=3)
    assert figures(wider) == figures(fresh)


@pytest.mark.slow
def test_a_killed_comparison_goes_on_and_pays_for_nothing_twice(tmp_path: Path) -> None:
    whole = _killed.contest(tmp_path / "whole.db", tmp_path / "whole.txt", limit=0)
    calls = len((tmp_path / "whole.txt").read_text().splitlines())
    store, trace = tmp_path / "killed.db", tmp_path / "killed.txt"
    for limit in (3, calls - 1):
        arguments = [str(store), str(trace), str(limit)]
        done = subprocess.run([sys.executable, _killed.__file__, *arguments], check=False)
        assert done.returncode == 9
    resumed = _killed.contest(store, trace, limit=0)
    assert figures(resumed) == figures(whole)
    # Each kill fell between a question and its answer, so that question was put once more.
    assert len(trace.read_text().splitlines()) == calls + 2


@pytest.mark.slow
def test_ctrl_c_gives_what_there_is_and_the_same_call_goes_on(journal: Journal) -> None:
    def interrupted(observation: Observation, n: int) -> Sequence[Answer]:
        if len(generator.calls) == 12:
            _thread.interrupt_main()
        return toy_answers(observation, n)

    generator = ScriptedGenerator(interrupted)
    executor = ScriptedExecutor(toy_verdict, delay=0.005)
    given: dict[str, Any] = {"journal": journal, "generator": generator, "executor": executor}
    first = compare(**given, seeds=4)
    assert first.missing > 0
    assert first.failures == ()
    again = compare(**given, seeds=4)
    assert again.missing == 0
    assert figures(again) == figures(compare(seeds=4))


@pytest.mark.slow
def test_a_run_that_another_process_makes_is_left_to_it(
    journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever holds the lease of the first run never ends, until all others are done."""
    monkeypatch.setattr(running, "_PAUSE", 0.01)
    taken, take = list[str](), Lease.take

    def take_or_leave(lease: Lease) -> None:
        taken.append(lease.name)
        if lease.name == taken[0] and len(set(taken)) < 4:
            raise WriterError("held")
        take(lease)

    monkeypatch.setattr(Lease, "take", take_or_leave)
    contest = compare(LOOP, journal=journal)
    assert (len(contest.outcomes), contest.missing, contest.failures) == (4, 0, ())
    assert taken.count(taken[0]) > 1
    assert len(journal.run_ids()) == 4


@pytest.mark.slow
def test_runs_at_once_find_what_runs_one_by_one_find(tmp_path: Path) -> None:
    given: dict[str, Any] = {"tasks": toys("a", "b"), "seeds": 3, "critic": ScriptedCritic()}
    methods = [LOOP, Method("beam", Beam(2, 2))]  # whose rounds are several expansions
    serial = compare(*methods, **given)
    given |= {"jobs": 6, "journal": str(tmp_path / "runs.db"), "options": Options(threads=8)}
    parallel = compare(*methods, **given)
    assert figures(parallel) == figures(serial)


@pytest.mark.slow
def test_a_run_that_fails_is_told_and_the_others_count(journal: Journal) -> None:
    def failing(observation: Observation, n: int) -> Sequence[Answer]:
        if observation.task.name == "b" and observation.number == 2:
            raise RuntimeError("out of ideas")
        return toy_answers(observation, n)

    given: dict[str, Any] = {"tasks": toys("a", "b"), "jobs": 4, "journal": journal}
    broken = Method("loop", MaxCodeLoop(4), generator=ScriptedGenerator(failing))
    contest = compare(SAMPLING, broken, **given)
    assert {(one.method, one.task) for one in contest.failures} == {("loop", "b")}
    assert [one.seed for one in contest.failures] == [0, 1]
    assert "out of ideas" in contest.failures[0].message
    assert contest.pairs == (("a", 0), ("a", 1))
    mended = Method("loop", MaxCodeLoop(4), generator=ScriptedGenerator(toy_answers))
    again = compare(SAMPLING, mended, **given)
    assert again.failures == ()
    assert figures(again) == figures(compare(tasks=toys("a", "b")))


@pytest.mark.slow
def test_a_run_that_fails_does_not_stop_what_others_share() -> None:
    class Strict(ScriptedGenerator):
        stopped = False

        def stop(self) -> None:
            self.stopped = True

    class Picky(ScriptedExecutor):
        def prepare(self, task: Task) -> Any:
            if task.name == "b":
                raise ExecutorError("no such device")
            return super().prepare(task)

    generator = Strict(toy_answers)
    contest = compare(tasks=toys("a", "b"), generator=generator, executor=Picky(toy_verdict))
    assert len(contest.outcomes) == len(contest.failures) == 4
    assert not generator.stopped


@pytest.mark.slow
def test_what_a_function_makes_is_made_for_each_run_and_closed() -> None:
    made: list[str] = []
    closed: list[str] = []

    @contextmanager
    def executor(task: Task) -> Iterator[Executor]:
        made.append(task.name)
        yield ScriptedExecutor(toy_verdict)
        closed.append(task.name)

    contest = compare(tasks=toys("a", "b"), executor=executor)
    assert figures(contest) == figures(compare(tasks=toys("a", "b")))
    assert sorted(made) == sorted(closed) == ["a"] * 4 + ["b"] * 4


def test_a_function_that_makes_something_else_is_told_apart() -> None:
    contest = compare(executor=lambda task: task)
    assert "which is no Executor" in contest.failures[0].message


@pytest.mark.parametrize(
    ("verdicts", "raw", "correct"),
    [
        ({"a": 1.5, "b": 1.4}, 1.0, True),  # luck: fresh samples say 1.0
        ({"a": 0.6, "b": 0.5}, 0.6, True),
        ({"a": 0.6, "b": Status.WRONG_ANSWER}, 0.6, True),
        ({"a": Status.TIMEOUT, "b": Status.WRONG_ANSWER}, 0.0, False),
    ],
)
def test_what_is_wrong_or_not_faster_counts_as_the_baseline(
    verdicts: dict[str, Verdict], raw: float, correct: bool
) -> None:
    contest = compare(
        generator=ScriptedGenerator([["a", "b"]]),
        executor=ScriptedExecutor(verdicts, truth=dict.fromkeys(verdicts, 1.0)),
        seeds=1,
    )
    for one in contest.outcomes:
        assert (one.speedup, one.raw, one.correct, one.curve) == (1.0, raw, correct, ())
        assert (one.low, one.high) == (1.0, 1.0)


def test_a_copy_of_the_baseline_is_no_program_of_its_own() -> None:
    contest = compare(
        generator=ScriptedGenerator(lambda o, n: [o.task.baseline] * n),
        seeds=1,
        executor=ScriptedExecutor({}),
    )
    assert {(one.raw, one.correct) for one in contest.outcomes} == {(0.0, False)}


@pytest.mark.slow
def test_a_best_that_did_not_hold_at_the_end_is_not_in_the_curve() -> None:
    # Against the baseline "c" turns out to be slow, so "b" is what the search returns.
    class Fickle(ScriptedExecutor):
        def compare(self, task: Task, a: Program, b: Program, **_: object) -> Comparison:
            if (a.code, b.code) == ("c", task.baseline.code):
                return Comparison(Interval(0.9, 0.8, 1.0))
            return super().compare(task, a, b)

    (control, _) = compare(
        generator=ScriptedGenerator([["b"], ["c"]]),
        executor=Fickle({"b": 1.5, "c": 3.0}),
        seeds=1,
    ).outcomes
    assert control.speedup == 1.5
    assert [(point.spent.evaluations, point.speedup) for point in control.curve] == [(1, 1.5)]


def test_a_method_counts_with_what_it_hands_back() -> None:
    contest = compare(
        Method("best", CudaLLM(1)),
        Method("last", CudaLLM(1, final_round=True)),
        generator=ScriptedGenerator([["a"], ["b"]]),
        executor=ScriptedExecutor({"a": 3.0, "b": 1.2}),
        seeds=1,
    )
    assert {one.method: one.speedup for one in contest.outcomes[1:]} == {"best": 3.0, "last": 1.2}
    assert contest.outcomes[2].curve[-1].speedup == 1.2
