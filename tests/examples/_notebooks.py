"""Runs notebooks as their readers do; as a script it writes what they show into them::

    python -m tests.examples._notebooks examples/notebooks/quickstart.ipynb

``jupyter execute --inplace`` writes the same, but adds when each cell was run.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from os import environ
from pathlib import Path

import nbformat
from tests._kernel import execute

NOTEBOOKS = Path(__file__).parents[2] / "examples" / "notebooks"

_OWN = re.compile(r"_(?:API_KEY|BASE_URL)$|^MAXCODE_|^(?:MODEL|MPLBACKEND)$")


def read(path: Path) -> nbformat.NotebookNode:
    """A notebook, with what it shows."""
    return nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call, no-any-return]


def code_cells(notebook: nbformat.NotebookNode) -> list[nbformat.NotebookNode]:
    """The cells that are run."""
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def run(notebook: nbformat.NotebookNode, env: Mapping[str, str] | None = None) -> None:
    """Run all cells in the notebooks' own folder, without any key: no model is asked that costs."""
    ours = {name: value for name, value in environ.items() if not _OWN.search(name)}
    execute(notebook, NOTEBOOKS, {**ours, **(env or {})})


def main(paths: list[str]) -> None:
    """Run notebooks, and write what they show into them."""
    for path in map(Path, paths):
        notebook = read(path)
        for cell in code_cells(notebook):
            cell.outputs, cell.execution_count = [], None
        run(notebook)
        notebook.metadata = {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        }
        for cell in code_cells(notebook):
            for output in cell.outputs:
                output.get("metadata", {}).clear()
        nbformat.write(notebook, path)  # type: ignore[no-untyped-call]


if __name__ == "__main__":
    main(sys.argv[1:])
