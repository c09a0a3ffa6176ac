"""Logs runs for MLflow."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from maxcode.report.history import Point
from maxcode.report.loggers import Ending, Facts, RunLogger, require

_TAG = "maxcode.run"
_STATUS = {"done": "FINISHED", "failed": "FAILED", "interrupted": "KILLED"}
_NAMES = ("databricks", "databricks-uc", "uc")  # stores that look like a folder
_MAX_PARAMETER = 6000  # characters of a parameter; the library refuses longer ones


class MLflow(RunLogger):
    """Runs of an experiment in the tracking store at ``uri``, tagged with the journal's id.

    Raises :class:`ToolError` without the library.
    """

    def __init__(self, uri: str, experiment: str = "maxcode") -> None:
        super().__init__()
        self.uri = self.absolute(uri)
        self.experiment = experiment
        require("mlflow")

    def open(self, run: Facts) -> _Run:
        """See :meth:`RunLogger.open`."""
        return _Run(self.uri, self.experiment, run)

    @staticmethod
    def absolute(where: str) -> str:
        """See :meth:`RunLogger.absolute`: some tracking stores are a file or folder."""
        scheme, colon, rest = where.partition(":")
        if scheme.startswith("sqlite") and rest.startswith("///"):
            return f"{scheme}:///{Path(rest[3:]).absolute()}"
        if scheme == "file" and not rest.startswith("//"):
            return Path(unquote(rest)).absolute().as_uri()
        return where if colon or where in _NAMES else str(Path(where).absolute())


class _Run:
    def __init__(self, uri: str, experiment: str, run: Facts) -> None:
        mlflow: Any = import_module("mlflow")
        self._entities: Any = import_module("mlflow.entities")
        self._client = mlflow.MlflowClient(tracking_uri=uri)
        found = self._client.get_experiment_by_name(experiment)
        home = found.experiment_id if found else self._client.create_experiment(experiment)
        logged = self._client.search_runs([home], f"tags.`{_TAG}` = '{run.run_id}'", max_results=1)
        self._id = logged[0].info.run_id if logged else self._begin(home, run)
        self._client.update_run(self._id, status="RUNNING")
        steps = [one.step for one in self._client.get_metric_history(self._id, "best/speedup")]
        self.last = max(steps, default=-1)

    def _begin(self, home: str, run: Facts) -> str:
        began, tags = _milliseconds(run.started), {_TAG: run.run_id}
        created = self._client.create_run(home, start_time=began, run_name=run.run_id, tags=tags)
        params = [
            self._entities.Param(name, str(value)[:_MAX_PARAMETER])
            for name, value in run.settings.items()
            if value != ""
        ]
        self._client.log_batch(created.info.run_id, params=params)
        return str(created.info.run_id)

    def log(self, point: Point) -> None:
        at = _milliseconds(point.at)
        metrics = [
            self._entities.Metric(key, value, at, point.evaluation)
            for key, value in point.values.items()
        ]
        self._client.log_batch(self._id, metrics=metrics)

    def finish(self, ending: Ending) -> None:
        self._client.set_tag(self._id, "mlflow.note.content", ending.headline)
        for name, value in ending.figures.items():
            self._client.set_tag(self._id, f"maxcode.{name}", str(value))
        for path, text in ending.program.files.items():
            self._client.log_text(self._id, text, f"program/{path}")
        status = _STATUS.get(ending.status, "RUNNING")
        self._client.set_terminated(self._id, status, _milliseconds(ending.at))


def _milliseconds(seconds: float) -> int:
    return round(seconds * 1000)
