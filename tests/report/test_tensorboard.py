"""What TensorBoard reads back, by its own reader."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests._later import Later, needs

from maxcode.budget import Budget
from maxcode.journal.journal import Journal
from maxcode.report.tensorboard import TensorBoard
from maxcode.search.search import Search

accumulator: Any = Later("tensorboard.backend.event_processing.event_accumulator")
pytestmark = needs("tensorboard")


def _read(folder: Path) -> Any:
    return accumulator.EventAccumulator(str(folder), size_guidance={"scalars": 0}).Reload()


def test_a_run_is_read_back(tmp_path: Path, full: Callable[..., Search]) -> None:
    search = full(budget=Budget(evaluations=12), observers=[TensorBoard(tmp_path / "logs")])
    result = search.run()
    read = _read(tmp_path / "logs" / search.run_id)
    scores = read.Scalars("score")
    assert [one.step for one in scores] == list(range(1, 13))
    expected = [step.reward for step in result.tree if step.cost.evaluations]
    assert [one.value for one in scores] == pytest.approx(expected)
    assert read.Scalars("best/speedup")[-1].value == pytest.approx(result.speedup.value)
    assert scores[0].wall_time > 1e9


def test_a_resumed_run_goes_on_in_its_folder(
    tmp_path: Path, full: Callable[..., Search], journal: Journal
) -> None:
    first = full(observers=[TensorBoard(tmp_path)])
    steps = first.steps()
    for _ in range(9):
        next(steps)
    steps.close()
    full(journal=journal.run(first.run_id), observers=[TensorBoard(tmp_path)]).run()
    TensorBoard(tmp_path).replay(journal.run(first.run_id))
    read = _read(tmp_path / first.run_id)
    assert [one.step for one in read.Scalars("best/speedup")] == list(range(31))
