"""Logs runs for TensorBoard."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

from maxcode.report.history import Point
from maxcode.report.loggers import Ending, Facts, RunLogger, require


class TensorBoard(RunLogger):
    """Scalars by evaluation, in a folder of their own for each run, in ``folder``.

    Raises :class:`ToolError` without the library. PyTorch is not needed.
    """

    def __init__(self, folder: str | Path) -> None:
        super().__init__()
        self.folder = Path(folder).absolute()
        require("tensorboard")

    def open(self, run: Facts) -> _EventFiles:
        """See :meth:`RunLogger.open`."""
        return _EventFiles(self.folder / run.run_id)

    @staticmethod
    def absolute(where: str) -> str:
        """See :meth:`RunLogger.absolute`."""
        return str(Path(where).absolute())


class _EventFiles:
    """The event files of a run, a file for each session."""

    def __init__(self, folder: Path) -> None:
        self._events: Any = import_module("tensorboard.compat.proto.event_pb2")
        self._summaries: Any = import_module("tensorboard.compat.proto.summary_pb2")
        writing: Any = import_module("tensorboard.summary.writer.event_file_writer")
        self.last = _last_step(folder)
        self._writer = writing.EventFileWriter(str(folder))

    def log(self, point: Point) -> None:
        self.last = point.evaluation
        value = self._summaries.Summary.Value
        values = [value(tag=tag, simple_value=number) for tag, number in point.values.items()]
        summary = self._summaries.Summary(value=values)
        self._writer.add_event(
            self._events.Event(wall_time=point.at, step=point.evaluation, summary=summary)
        )
        self._writer.flush()

    def finish(self, ending: Ending) -> None:  # noqa: ARG002 - the journal has the rest
        self._writer.close()


def _last_step(folder: Path) -> int:
    """The last evaluation in the event files of the folder, or -1."""
    if not any(folder.glob("*tfevents*")):
        return -1
    reading: Any = import_module("tensorboard.backend.event_processing.event_accumulator")
    found = reading.EventAccumulator(str(folder), size_guidance={"scalars": 0}).Reload()
    if "best/speedup" not in found.Tags()["scalars"]:
        return -1
    steps: list[int] = [scalar.step for scalar in found.Scalars("best/speedup")]
    return max(steps)
