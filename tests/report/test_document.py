"""What a report tells of a run: the figures of the journal, whatever became of the run."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from tests._runs import begun, copied

from maxcode.errors import InputError
from maxcode.journal.events import (
    BaselineMeasured,
    Compared,
    Stopped,
)
from maxcode.journal.journal import (
    Journal,
    RunLog,
)
from maxcode.journal.state import RunState
from maxcode.report.details import detail, details
from maxcode.report.document import RunDocument
from maxcode.report.history import History
from maxcode.report.rows import (
    RunRow,
    StepRow,
    rows,
    step_rows,
)
from maxcode.search.result import Result
from maxcode.search.search import Search
from maxcode.testing import ScriptedExecutor, ScriptedGenerator, toy_answers

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
    exported = [row for row in rows(History.of(played)) if isinstance(row, StepRow)]
    assert [replace(step, summary="", tags="") for step in told.steps] == [
        replace(row, summary="", tags="") for row in exported
    ]
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


def test_samples_are_those_that_were_taken(played: RunLog) -> None:
    told, result = document(played), Result.of(RunState.load(played))
    first, last = told.timings[0], told.timings[-1]
    assert first.samples == (("baseline", result.baseline.measurements[0].samples),)
    compared = [one.event for one in played.events() if isinstance(one.event, Compared)][-1]
    assert [name for name, _ in last.samples] == [f"#{compared.step}", "baseline"]
    assert last.samples[0][1] == compared.comparison.first[0].samples


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
    before = len(step_rows(history))
    RunDocument.of(history)  # must not disturb what is read later
    assert not history.read()
    copy.append(*whole[len(whole) // 2 :])
    assert history.read()
    assert len(step_rows(history)) > before
    told, fresh = RunDocument.of(history), document(copy)
    assert (told.points, told.steps) == (fresh.points, fresh.steps)


def test_a_run_that_did_not_begin(journal: Journal) -> None:
    told = document(begun(journal))
    assert told.result is None
    assert told.steps == ()
    assert list(details(History.of(begun(journal)))) == []


def test_why_a_run_ended_is_told(played: RunLog) -> None:
    (ended,) = [one.event for one in played.events() if isinstance(one.event, Stopped)]
    told = document(played)
    head = told.head
    assert (head.status, head.reason) == (ended.status, ended.reason)
    (row,) = [row for row in rows(History.of(played)) if isinstance(row, RunRow)]
    assert head.started == row.started


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


def test_a_step_has_the_prompt_that_it_was_made_of(toy: Callable[..., Search]) -> None:
    def answers(observation, n):  # type: ignore[no-untyped-def]
        asked = toy_answers(observation, n)
        return asked[:n]

    search = toy(generator=ScriptedGenerator(answers), executor=ScriptedExecutor(lambda p: 2.0))
    search.run()
    history = History.of(search.state.log)
    assert set(history.origins) == set(range(1, len(history.state.tree)))
    for number, origin in history.origins.items():
        step = history.state.tree[number]
        assert origin.summary == step.summary
        assert origin.program in (step.program.digest, None)
