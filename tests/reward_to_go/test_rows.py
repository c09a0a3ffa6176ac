from collections import defaultdict
from collections.abc import Callable, Iterator

import pytest

from maxcode.journal.journal import RunLog
from maxcode.returns import value_target
from maxcode.reward_to_go.decisions import decisions
from maxcode.reward_to_go.objective import Bins, Objective
from maxcode.reward_to_go.rows import Row, expected_target, rows


def of_run(log: RunLog, objective: Objective) -> dict[int, list[Row]]:
    """The rows of each step."""
    found = defaultdict(list)
    for decision in decisions(log):
        for row in rows(decision, objective):
            found[row.step].append(row)
    return dict(found)


def targets(log: RunLog, objective: Objective) -> dict[int, list[tuple[float, float]]]:
    return {
        step: [(row.target, row.weight) for row in own]
        for step, own in of_run(log, objective).items()
    }


def test_targets_of_best_rewards(planned: RunLog) -> None:
    """From the root u is 0, behind step 1 it is 1.5, behind step 3 it is 2."""
    found = targets(planned, Objective())
    assert found[1] == [(1.5, 2 / 3), (2.0, 1 / 3)]
    assert found[2] == [(0.5, 1.0)]
    assert found[3] == [(2.0, 1.0)]
    assert found[4] == [(1.5, 1.0)]  # it fails, but u is kept
    assert found[6] == [(2.0, 1.0)]
    assert sorted(found) == [1, 2, 3, 4, 6]


def test_targets_of_sums(planned: RunLog) -> None:
    found = targets(planned, Objective(returns="sum", gamma=0.5))
    assert [target for target, _ in found[1]] == pytest.approx([1.5, 1.75, 2.8])
    assert found[3] == [(2.6, 1.0)]
    assert found[4] == [(0.0, 1.0)]


def test_a_row_tells_where_it_is_from(planned: RunLog) -> None:
    row = of_run(planned, Objective(Bins((0.0, 1.0, 2.0))))[3][0]
    assert (row.run, row.expansion, row.step, row.task) == (planned.run_id, 1, 3, "toy")
    assert (row.u, row.reward, row.bin, row.explored) == (1.5, 2.0, 3, True)
    assert "Make the number larger." in row.prompt
    assert "2.0" in row.candidate
    assert row.features["u"] == 1.5
    assert all(row.features.values())
    assert Row.model_validate_json(row.model_dump_json()) == row


@pytest.mark.slow
def test_rows_of_a_candidate_are_its_value(logs: Callable[[], Iterator[RunLog]]) -> None:
    """V(s, u) = E[max(u, G)] over the paths through it, on real journals."""
    objective, several = Objective(gamma=0.9), 0
    for log in logs():
        for decision in decisions(log):
            own = defaultdict(list)
            for row in rows(decision, objective):
                own[row.step].append(row)
            u = objective.seen(decision.observation).path.u
            for candidate in decision.judged:
                assert candidate.step is not None
                found = own[candidate.step.id]
                several += len(found) > 1
                values = [value_target(u, future, 0.9) for future in candidate.futures]
                assert expected_target(found) == pytest.approx(sum(values) / len(values))
                assert sum(row.weight for row in found) == pytest.approx(1)
                assert all(row.target >= u for row in found)
                assert all(objective.bins.index(row.target) == row.bin for row in found)
    assert several > 10
