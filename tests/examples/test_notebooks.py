"""The notebooks run from top to bottom and print what they were committed with."""

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

NOTEBOOKS = Path(__file__).parents[2] / "examples" / "notebooks"


def printed(notebook: nbformat.NotebookNode) -> list[str]:
    return [
        output.get("text") or output["data"]["text/plain"]
        for cell in notebook.cells
        if cell.cell_type == "code"
        for output in cell.outputs
    ]


@pytest.mark.parametrize("path", sorted(NOTEBOOKS.glob("*.ipynb")), ids=lambda path: path.stem)
def test_the_notebook_runs(path: Path, tmp_path: Path) -> None:
    notebook = nbformat.reads(path.read_text(), as_version=4)  # type: ignore[no-untyped-call]
    before = printed(notebook)
    client = NotebookClient(
        notebook,
        timeout=60,
        kernel_name="python3",
        coalesce_streams=True,
        resources={"metadata": {"path": str(tmp_path)}},
    )
    client.execute()
    assert printed(notebook) == before
