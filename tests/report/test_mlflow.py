"""What MLflow's client reads back of a run."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests._later import Later, needs

from maxcode.journal.journal import Journal
from maxcode.report.mlflow import MLflow
from maxcode.search.search import Search
from maxcode.text import factor

mlflow: Any = Later("mlflow")
pytestmark = needs("mlflow")


@pytest.mark.slow
def test_a_run_that_was_resumed_is_one_run(
    tmp_path: Path,
    full: Callable[..., Search],
    journal: Journal,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")  # a database takes seconds to make
    uri = (tmp_path / "tracking").as_uri()
    first = full(observers=[MLflow(uri)])
    steps = first.steps()
    for _ in range(9):
        next(steps)
    steps.close()
    result = full(journal=journal.run(first.run_id), observers=[MLflow(uri)]).run()
    MLflow(uri).replay(journal.run(first.run_id))

    client = mlflow.MlflowClient(tracking_uri=uri)
    (run,) = client.search_runs([client.get_experiment_by_name("maxcode").experiment_id])
    assert (run.info.run_name, run.info.status) == (first.run_id, "FINISHED")
    assert run.data.params["budget"] == "evaluations=30"
    scores = client.get_metric_history(run.info.run_id, "score")
    assert sorted(one.step for one in scores) == list(range(1, 31))
    best = max(client.get_metric_history(run.info.run_id, "best/speedup"), key=lambda m: m.step)
    assert best.value == pytest.approx(result.speedup.value)
    assert f"{factor(result.speedup.value)} faster" in run.data.tags["mlflow.note.content"]
    (path,) = result.program.files
    kept = client.download_artifacts(run.info.run_id, f"program/{path}", str(tmp_path))
    assert Path(kept).read_text() == result.program.code
