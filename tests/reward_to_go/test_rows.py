import pytest

from maxcode.journal.journal import RunLog
from maxcode.reward_to_go.decisions import decisions
from maxcode.reward_to_go.objective import Bins, Objective
from maxcode.reward_to_go.rows import Row, rows


def of_run(log: RunLog, objective: Objective) -> dict[int, Row]:
    """The row of each step."""
    return {row.step: row for one in decisions(log) for row in rows(one, objective)}


def test_targets_of_best_rewards(planned: RunLog) -> None:
    """From the root u is 0, behind step 1 it is 1.5, behind step 3 it is 2."""
    assert {step: row.targets for step, row in of_run(planned, Objective()).items()} == {
        1: ((1.5, 2 / 3), (2.0, 1 / 3)),
        2: ((0.5, 1.0),),
        3: ((2.0, 1.0),),
        4: ((1.5, 1.0),),  # it fails, but u is kept
        6: ((2.0, 1.0),),
    }


def test_targets_of_sums(planned: RunLog) -> None:
    found = of_run(planned, Objective(returns="sum", gamma=0.5))
    assert [target for target, _ in found[1].targets] == pytest.approx([1.5, 1.75, 2.8])
    assert found[3].targets == ((2.6, 1.0),)
    assert found[4].targets == ((0.0, 1.0),)


def test_a_row_tells_where_it_is_from(planned: RunLog) -> None:
    row = of_run(planned, Objective(Bins((0.0, 1.0, 2.0))))[3]
    assert (row.run, row.expansion, row.step, row.task) == (planned.run_id, 1, 3, "toy")
    assert (row.u, row.reward, row.explored) == (1.5, 2.0, True)
    assert "Make the number larger." in row.prompt
    assert "2.0" in row.candidate
    assert row.features["u"] == 1.5
    assert all(row.features.values())
    assert Row.model_validate_json(row.model_dump_json()) == row
