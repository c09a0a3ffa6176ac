from collections.abc import Callable
from dataclasses import replace

import pytest

from maxcode.budget import Budget, Cost
from maxcode.errors import JournalError
from maxcode.evaluation import Baseline, Measurement
from maxcode.interfaces import Proposal
from maxcode.journal.events import (
    BaselineMeasured,
    Committed,
    Event,
    SessionStarted,
    Stopped,
)
from maxcode.journal.journal import (
    Journal,
    Recorded,
    RunLog,
)
from maxcode.journal.state import RunState
from maxcode.program import Program
from maxcode.search.search import Search
from maxcode.testing import ScriptedGenerator, outline, toy_answers


def facts(state: RunState) -> dict[str, object]:
    return {
        "tree": outline(state.tree),
        "pending": dict(state.tree.pending),
        "open": sorted(state.work.expansions),
        "spent": replace(state.spent, seconds=0.0),
        "settled": replace(state.account.settled, seconds=0.0),
        "seconds": state.spent.seconds,
        "by_status": dict(state.progress.by_status),
        "stagnation": state.progress.stagnation,
        "to compare": [one.id for one in state.tree if state.progress.to_compare(one)],
        "stopped": state.stopped,
        "waiting": dict(state.work.evaluations),
    }


@pytest.mark.slow
def test_folding_the_journal_gives_the_state_of_the_live_search_at_every_event(
    full: Callable[..., Search], journal: Journal
) -> None:
    live: list[dict[str, object]] = []

    def hear(event: Event, state: RunState) -> None:
        live.append(facts(state) if state.has_tree else {})

    search = full(observers=[hear])
    search.run()
    state = RunState(journal.run(search.run_id))
    written = list(search.state.log.events())
    for recorded, expected in zip(written, live, strict=True):
        state.apply(recorded)
        if recorded.at > written[0].at:  # a run begins with several events at once
            assert facts(state) == expected


@pytest.mark.slow
def test_what_open_expansions_cost_is_spent_but_not_settled(full: Callable[..., Search]) -> None:
    apart = []

    def hear(event: Event, state: RunState) -> None:
        if state.has_tree and state.work.expansions:
            paid = sum((opened.paid for opened in state.work.expansions.values()), Cost())
            assert state.spent.tokens == state.account.settled.tokens + paid.tokens
            apart.append(paid.tokens)

    search = full(observers=[hear])
    search.run()
    assert max(apart) > 0
    assert search.state.spent == search.state.account.settled


@pytest.mark.slow
def test_seconds_that_a_generator_claims_are_not_counted_twice(
    toy: Callable[..., Search],
) -> None:
    slow = Proposal(Program.of("2.0", "number.txt"), cost=Cost(seconds=1e6))
    spent: list[float] = []

    def hear(event: Event, state: RunState) -> None:
        spent.append(state.spent.seconds)

    toy(generator=ScriptedGenerator([slow]), observers=[hear]).run()
    assert max(spent) < 1e5


def test_time_between_sessions_is_not_spent_but_preparing_is(
    toy: Callable[..., Search],
) -> None:
    search = toy(budget=Budget(evaluations=4))
    search.run()
    *_, last = search.state.log.events()
    worked = search.state.spent.seconds
    session = SessionStarted(process="", budget=search.budget, prepared=50.0)
    search.state.apply(Recorded(last.seq + 1, last.at + 86_400, session))
    assert search.state.spent.seconds == pytest.approx(worked + 50)


def test_two_sessions_add_up(toy: Callable[..., Search]) -> None:
    generator = ScriptedGenerator(toy_answers, cost=Cost(tokens=10))
    search = toy(budget=Budget(evaluations=4), generator=generator)
    first = search.run()
    second = toy(journal=search.state.log, budget=Budget(evaluations=9), generator=generator).run()
    assert second.spent.evaluations == 9
    assert second.spent.tokens == sum(step.cost.tokens for step in second.tree) > 0
    assert second.spent.seconds > first.spent.seconds > 0


def test_a_run_without_a_baseline_has_no_tree(toy: Callable[..., Search]) -> None:
    state = toy().state
    assert not state.has_tree
    with pytest.raises(JournalError, match="stopped before its baseline was measured"):
        _ = state.tree


def test_a_run_that_does_not_begin_with_its_start(journal: Journal) -> None:
    log = journal.create_run("odd")
    log.append(BaselineMeasured(baseline=Baseline((Measurement("clock", "s", (1.0,)),))))
    with pytest.raises(JournalError, match="does not begin with its start"):
        RunState.load(log)


# -- clocks ------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_clock_that_is_set_back_changes_no_duration(
    full: Callable[..., Search], journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = iter(range(10**9, 0, -3600))
    monkeypatch.setattr("time.time", lambda: float(next(now)))
    search = full()
    search.run()
    log = journal.run(search.run_id)
    assert [r.at for r in log.events()][-1] < 10**9 - 3600
    state = RunState.load(log)
    assert 0 < state.spent.seconds < 3600
    assert state.spent == search.state.spent


@pytest.mark.parametrize("step", [-3600, -1, 0, 1])
def test_times_of_older_versions_may_go_back(journal: Journal, step: int) -> None:
    """They hold the time of day alone."""
    log = journal.create_run("old")
    started = SessionStarted(process="", budget=Budget(), prepared=2.0)
    state = RunState(log)
    for seq, at in enumerate((100.0, 110.0, 110.0 + step, 120.0 + step)):
        state.apply(Recorded(seq, at, started if seq == 0 else Stopped(status="done", reason="")))
    assert state.spent.seconds == 22.0 + max(step, 0)


def _fold(state: RunState, log: RunLog) -> None:
    for recorded in log.events(state.last_event):
        state.apply(recorded)


@pytest.mark.slow
def test_an_event_that_does_not_fit_is_named_whenever_it_is_read(
    full: Callable[..., Search], journal: Journal
) -> None:
    search = full()
    search.run()
    log = search.state.log
    last = log.append(Committed(number=99))[-1].seq
    for state in (RunState(log), search.state):
        for _ in range(2):
            with pytest.raises(JournalError, match=f"{log.run_id}: event {last} .committed. does"):
                _fold(state, log)
            assert state.last_event == last - 1
