"""What a report tells of a run: the figures of the journal, whatever became of the run."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from tests._runs import begun, copied

from maxcode.errors import InputError
from maxcode.evaluation import Comparison, Measurement
from maxcode.journal.events import BaselineMeasured
from maxcode.journal.journal import Journal, RunLog
from maxcode.journal.state import RunState
from maxcode.program import Program
from maxcode.report.details import detail, details
from maxcode.report.document import RunDocument
from maxcode.report.history import History
from maxcode.report.page import run_data
from maxcode.search.result import Result
from maxcode.search.search import Search
from maxcode.task import Task
from maxcode.testing import ScriptedExecutor, ScriptedGenerator, toy_verdict

pytestmark = pytest.mark.slow


def document(log: RunLog) -> RunDocument:
    return RunDocument.of(History.of(log))


def test_the_figures_are_those_of_the_journal(played: RunLog) -> None:
    told, result = document(played), Result.of(RunState.load(played))
    head, found = told.head, told.result
    assert found is not None
    assert (found.speedup, found.confirmed) == (result.speedup, result.confirmed)
    assert (head.evaluations, head.tokens) == (result.spent.evaluations, result.spent.tokens)
    assert (head.dollars, head.seconds) == (result.spent.dollars, result.spent.seconds)
    assert (head.status, head.reason) == (result.status, result.reason)
    path = [step.id for step in result.tree.path(result.best.id).steps]
    assert [step.step for step in told.steps if step.on_path] == path


def test_the_curve_rises_to_what_was_confirmed(played: RunLog) -> None:
    told = document(played)
    points, found = told.points, told.result
    assert found is not None
    assert [point.evaluation for point in points] == list(range(told.head.evaluations + 1))
    best = [point.values["best/speedup"] for point in points]
    assert (best[0], best[-1]) == (1.0, found.speedup.value)
    assert points[-1].values["spent/tokens"] == told.head.tokens
    judged = [step.reward for step in told.steps if step.evaluation]
    assert [point.values["score"] for point in points[1:]] == judged


def test_a_run_that_goes_on_is_told_as_far_as_it_is(played: RunLog, journal: Journal) -> None:
    whole = [recorded.event for recorded in played.events()]
    baseline = next(i for i, one in enumerate(whole) if isinstance(one, BaselineMeasured))
    for most in (1, baseline, baseline + 1, len(whole) // 2, len(whole) - 1):
        told = document(copied(played, journal, most))
        assert told.head.status == ("killed" if most == 1 else "running")  # in this process
        assert (told.result is None) == (most <= baseline)
        assert bool(told.steps) == bool(told.points) == (most > baseline)


def test_events_that_come_later_are_read_on(played: RunLog, journal: Journal) -> None:
    whole = [recorded.event for recorded in played.events()]
    copy = copied(played, journal, len(whole) // 2)
    history = History.of(copy)
    before = len(RunDocument.of(history).steps)
    assert not history.read()
    copy.append(*whole[len(whole) // 2 :])
    assert history.read()
    told, fresh = RunDocument.of(history), document(copy)
    assert len(told.steps) > before
    assert (told.points, told.steps) == (fresh.points, fresh.steps)


def test_a_run_that_did_not_begin(journal: Journal) -> None:
    told = document(begun(journal))
    assert told.result is None
    assert told.steps == ()
    assert list(details(History.of(begun(journal)))) == []


def test_details_hold_what_the_journal_does(played: RunLog) -> None:
    history = History.of(played)
    tree = history.state.tree
    every = list(details(history))
    assert [one["id"] for one in every] == [step.id for step in tree]
    for one, step in zip(every, tree, strict=True):
        assert one["feedback"] == step.evaluation.feedback
        assert one["critique"] == (step.critique.text if step.critique else None)
        assert one["status"] == step.evaluation.status
    best = every[tree.best.id]
    assert isinstance(best["diffs"], dict)
    assert '<span class="gi">+' in str(best["diffs"]["parent"])
    assert best == detail(history, tree.best.id)
    with pytest.raises(InputError, match=f"has steps 0 to {len(tree) - 1}, not {len(tree)}"):
        detail(history, len(tree))


class TwoBenchmarks(ScriptedExecutor):
    """Measures programs as projects are, by two benchmarks; the second gains nothing."""

    def compare(self, task: Task, a: Program, b: Program, **_: object) -> Comparison:
        made = super().compare(task, a, b)
        return replace(made, first=_benchmarks(0.5), second=_benchmarks(1.0))


def _benchmarks(seconds: float) -> tuple[Measurement, ...]:
    readings = {"time": seconds, "parse": seconds, "print": 2.0, "process": seconds}
    return tuple(Measurement(name, "s", (value,) * 8) for name, value in readings.items())


def test_benchmarks_are_those_of_the_last_comparison(toy: Callable[..., Search]) -> None:
    search = toy(generator=ScriptedGenerator([["2.0"]]), executor=TwoBenchmarks(toy_verdict))
    search.run()
    told = document(search.state.log)
    found = [(one.name, one.second, one.first, one.ratio.value) for one in told.benchmarks]
    assert found == [("parse", 1.0, 0.5, 2.0), ("print", 2.0, 2.0, 1.0)]
    assert told.tests == ()
    assert "parse" in run_data(told)["parts"]["benchmarks"]
