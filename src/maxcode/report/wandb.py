"""Logs runs for Weights & Biases."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from maxcode.errors import ToolError
from maxcode.report.history import Point
from maxcode.report.loggers import Ending, Facts, RunLogger, require


class WandB(RunLogger):
    """Runs of a project, under their ids in the journal.

    The library's own settings decide where data goes: log in with ``wandb login``, or set
    WANDB_MODE=offline. Offline every session is a folder with the whole run. Raises
    :class:`ToolError` without the library.
    """

    def __init__(self, project: str) -> None:
        super().__init__()
        self.project = project
        require("wandb")

    def open(self, run: Facts) -> _Run:
        """See :meth:`RunLogger.open`."""
        return _Run(self.project, run)


class _Run:
    def __init__(self, project: str, run: Facts) -> None:
        wandb: Any = import_module("wandb")
        _check_login(wandb)
        # Neither our output nor the machine is logged: what it takes to do so disturbs timings.
        settings = wandb.Settings(
            console="off", silent=True, x_disable_stats=True, disable_git=True, save_code=False
        )
        self._wandb = wandb
        self._name = run.run_id
        self._run: Any = wandb.init(
            project=project,
            id=run.run_id,
            name=run.run_id,
            config=dict(run.settings),
            resume="allow",
            reinit="create_new",
            settings=settings,
        )
        self.last = self._run.starting_step - 1

    def log(self, point: Point) -> None:
        self._run.log({**point.values, "_timestamp": point.at}, step=point.evaluation)

    def finish(self, ending: Ending) -> None:
        self._run.summary.update({**ending.figures, "headline": ending.headline})
        artifact = self._wandb.Artifact(f"program-{self._name}", type="program")
        for path, text in ending.program.files.items():
            with artifact.new_file(path, mode="w", encoding="utf-8") as file:
                file.write(text)
        self._run.log_artifact(artifact)
        self._run.finish(exit_code=int(ending.status == "failed"))


def _check_login(wandb: Any) -> None:
    """Raise :class:`ToolError` where the library would ask for a key, in the midst of a search."""
    # What the library says for the whole process goes by these settings, not by those of a run.
    online = wandb.setup(wandb.Settings(silent=True)).settings.mode in ("online", "shared")
    if online and not wandb.login(prompt=False):
        raise ToolError("not logged in; run wandb login, or set WANDB_MODE=offline")
