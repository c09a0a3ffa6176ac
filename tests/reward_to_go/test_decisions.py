import pytest
from tests._runs import MakeSearch
from tests.reward_to_go.conftest import follow

from maxcode.budget import Budget
from maxcode.journal.events import Ranked
from maxcode.journal.journal import Journal, RunLog
from maxcode.options import Options
from maxcode.policies.best_of_n import BestOfN
from maxcode.reward_to_go.decisions import decisions
from maxcode.testing import ScriptedGenerator, toy_task


def test_futures_are_the_paths_through_a_candidate(planned: RunLog) -> None:
    first, second, third = decisions(planned)
    assert [candidate.futures for candidate in first.candidates] == [
        ((1.5, 2.0, 1.2), (1.5, 0.0), (1.5, 0.5)),
        ((0.5,),),
    ]
    assert [candidate.futures for candidate in second.candidates] == [((2.0, 1.2),), ((0.0,),)]
    assert [candidate.futures for candidate in third.candidates] == [((1.2,),)]


def test_a_state_is_what_a_model_is_shown(planned: RunLog) -> None:
    first, second, third = decisions(planned)
    shown = [one.observation for one in (first, second, third)]
    assert [one.path.rewards for one in shown] == [(), (1.5,), (1.5, 2.0)]
    assert [one.step.id for one in shown] == [0, 1, 3]
    assert second.observation.task.baseline == toy_task().baseline
    assert second.observation.task.statement == toy_task().statement
    assert second.task == toy_task().digest
    assert second.run == planned.run_id


@pytest.mark.slow
def test_estimates_and_what_was_not_run(full: MakeSearch, journal: Journal) -> None:
    search = full(
        policy=BestOfN(batch=6),
        options=Options(seed=3, threads=1, propose=3, run=1, explore=0.3),
        budget=Budget(evaluations=24),
    )
    search.run()
    log = journal.run(search.run_id)
    ranked = {
        recorded.event.number: recorded.event
        for recorded in log.events()
        if isinstance(recorded.event, Ranked)
    }
    found = list(decisions(log))
    everyone = [candidate for decision in found for candidate in decision.candidates]
    assert all(candidate.estimate for candidate in everyone)
    assert len([one for one in everyone if one.step is None]) > 10
    assert all(one.futures == () for one in everyone if one.step is None)
    assert {one.explored for one in everyone if one.step} == {True, False}
    assert not any(one.explored for one in everyone if one.step is None)
    for decision in found:
        values = {value.expected for value in ranked[decision.observation.number].values if value}
        for one in decision.candidates:
            assert one.estimate is not None
            assert one.estimate.expected in values
        assert decision.judged == tuple(one for one in decision.candidates if one.step)


@pytest.mark.slow
def test_what_tells_nothing_is_no_part_of_a_path(journal: Journal) -> None:
    """Children on which the harness failed are no futures."""
    log = follow([(0, ["1.5", "0.5"]), (1, ["infrastructure", "1.2"])], journal)
    first, second = decisions(log)
    assert [one.futures for one in first.candidates] == [((1.5, 1.2),), ((0.5,),)]
    assert [one.program.code for one in second.candidates] == ["1.2"]


@pytest.mark.slow
def test_a_program_that_is_proposed_twice_at_once_is_one_candidate(
    full: MakeSearch, journal: Journal
) -> None:
    search = full(
        generator=ScriptedGenerator([["2.0", "2.0", "1.5", "1.5", "1.2", "1.2"]]),
        policy=BestOfN(batch=2),
        options=Options(seed=3, threads=1, propose=3, run=1),
        budget=Budget(evaluations=2),
    )
    search.run()
    (found,) = decisions(journal.run(search.run_id))
    assert [one.program.code for one in found.candidates] == ["2.0", "1.5", "1.2"]
    assert len(found.judged) == 2
