"""Runs the blocks of a page where all that it takes for granted is there."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest
from nbclient.exceptions import CellExecutionError
from tests._kernel import execute
from tests.pages._page import ROOT, as_notebook
from tests.pages._world import environment, furnish
from tests.provider import LoopbackProvider

SERVER = "http://localhost:8000"  # where pages have a server of the reader's own


def check(page: Path, folder: Path, provider: LoopbackProvider) -> None:
    """Run a page in a test, which fails with the block that does."""
    try:
        run(page.read_text(), str(page.relative_to(ROOT)), folder, provider)
    except CellExecutionError as error:
        pytest.fail(str(error), pytrace=False)


def run(
    text: str, name: str, folder: Path, provider: LoopbackProvider, *, to_the_end: bool = False
) -> nbformat.NotebookNode:
    """The page as a notebook with what its cells gave.

    Raises :class:`~nbclient.exceptions.CellExecutionError` where one fails, or goes on to the end.
    """
    notebook = as_notebook(text.replace(SERVER, provider.anthropic_url), name)
    if notebook.cells:
        furnish(folder)
        execute(notebook, folder, environment(folder, provider), to_the_end=to_the_end)
    return notebook
