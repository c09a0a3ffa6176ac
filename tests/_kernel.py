"""Runs notebooks, those of the examples and those that pages of the documentation are made into."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import nbformat
from nbclient import NotebookClient


def execute(
    notebook: nbformat.NotebookNode,
    folder: Path,
    env: Mapping[str, str],
    *,
    to_the_end: bool = False,
) -> None:
    """Run all cells in a folder and an environment; the notebook then has what they gave.

    Raises :class:`~nbclient.exceptions.CellExecutionError` where one fails, or goes on to the end.
    """
    client = NotebookClient(
        notebook,
        timeout=300,
        iopub_timeout=60,
        raise_on_iopub_timeout=True,  # output that comes late is not dropped without a word
        kernel_name="python3",
        coalesce_streams=True,
        record_timing=False,
        allow_errors=to_the_end,
        resources={"metadata": {"path": str(folder)}},
    )
    client.execute(env=env)
