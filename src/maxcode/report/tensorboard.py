"""Logs runs for TensorBoard."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

from maxcode.report.history import Point
from maxcode.report.loggers import Ending, Facts, RunLogger, Setting, require
from maxcode.text import plain


class TensorBoard(RunLogger):
    """Event files in a folder of their own for each run, in ``folder``.

    Scalars by evaluation; settings, headline and best program as texts. Raises :class:`ToolError`
    without the library. PyTorch is not needed.
    """

    def __init__(self, folder: str | Path) -> None:
        super().__init__()
        self.folder = Path(folder).absolute()
        require("tensorboard")

    def open(self, run: Facts) -> _EventFiles:
        """See :meth:`RunLogger.open`."""
        return _EventFiles(self.folder / run.run_id, run)

    @staticmethod
    def absolute(where: str) -> str:
        """See :meth:`RunLogger.absolute`."""
        return str(Path(where).absolute())


class _EventFiles:
    """The event files of a run, a file for each session."""

    def __init__(self, folder: Path, run: Facts) -> None:
        self._events: Any = import_module("tensorboard.compat.proto.event_pb2")
        self._summaries: Any = import_module("tensorboard.compat.proto.summary_pb2")
        writing: Any = import_module("tensorboard.summary.writer.event_file_writer")
        self.last = _last_step(folder)
        self._writer = writing.EventFileWriter(str(folder))
        if self.last < 0:
            rows = "\n".join(f"| {name} | {_cell(value)} |" for name, value in run.settings.items())
            self._write("config", f"| setting | value |\n|---|---|\n{rows}", run.started)

    def log(self, point: Point) -> None:
        self.last = point.evaluation
        self._add(point.at, [{"tag": tag, "simple_value": v} for tag, v in point.values.items()])
        self._writer.flush()

    def finish(self, ending: Ending) -> None:
        self._write("result", ending.headline, ending.at)
        for path, text in ending.program.files.items():
            indented = "".join(f"    {line}" for line in plain(text).splitlines(keepends=True))
            self._write(f"program/{path}", indented, ending.at)
        self._writer.close()

    def _write(self, tag: str, text: str, at: float) -> None:
        """Add a text, which TensorBoard shows as Markdown."""
        metadata: Any = import_module("tensorboard.plugins.text.metadata")
        tensors: Any = import_module("tensorboard.util.tensor_util")
        kind = metadata.create_summary_metadata(display_name=tag, description="")
        self._add(
            at, [{"tag": tag, "metadata": kind, "tensor": tensors.make_tensor_proto(plain(text))}]
        )

    def _add(self, at: float, values: list[dict[str, Any]]) -> None:
        made = [self._summaries.Summary.Value(**value) for value in values]
        summary = self._summaries.Summary(value=made)
        self._writer.add_event(
            self._events.Event(wall_time=at, step=max(self.last, 0), summary=summary)
        )


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


def _cell(value: Setting) -> str:
    return str(value).replace("|", "\\|").replace("\n", "<br>")
