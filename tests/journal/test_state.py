from dataclasses import replace

import pytest
from tests._runs import MakeSearch

from maxcode.budget import Budget
from maxcode.errors import JournalError
from maxcode.journal.events import Committed, Event, SessionStarted
from maxcode.journal.journal import Journal, Recorded, RunLog
from maxcode.journal.state import RunState
from maxcode.testing import outline


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
    full: MakeSearch, journal: Journal
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


def test_time_between_sessions_is_not_spent_but_preparing_is(toy: MakeSearch) -> None:
    search = toy(budget=Budget(evaluations=4))
    search.run()
    *_, last = search.state.log.events()
    worked = search.state.spent.seconds
    session = SessionStarted(process="", budget=search.budget, prepared=50.0)
    search.state.apply(Recorded(last.seq + 1, last.at + 86_400, session))
    assert search.state.spent.seconds == pytest.approx(worked + 50)


# -- clocks ------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_clock_that_is_set_back_changes_no_duration(
    full: MakeSearch, journal: Journal, monkeypatch: pytest.MonkeyPatch
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


def _fold(state: RunState, log: RunLog) -> None:
    for recorded in log.events(state.last_event):
        state.apply(recorded)


@pytest.mark.slow
def test_an_event_that_does_not_fit_is_named_whenever_it_is_read(
    full: MakeSearch, journal: Journal
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
