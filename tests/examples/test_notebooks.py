"""The notebooks run from top to bottom, and show what they were committed with.

Each is run in its own folder, as a reader runs it, and may write nothing there. What a cell shows
must be what is committed, character by character, but for pictures, of which the kind is enough. A
cell with the tag ``measured`` shows what a machine measured, or what is drawn anew each time: there
only the kinds of its outputs must be the same. Notebooks are executed with ``-m slow``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import nbformat
import pytest
from tests.examples._notebooks import NOTEBOOKS, code_cells, read, run
from tests.pages._world import measure_briefly

LARGEST = 400_000  # bytes
_TEXTS = ("stdout", "text/plain", "text/html", "text/markdown")
_DRAWN = re.compile(r"<svg.*?</svg>", re.DOTALL)
_OF_A_CHECKOUT = re.compile(r"\bsys\.path\b|^(?:from|import) (?:tests|benchmarks)\b", re.MULTILINE)
_OF_A_MACHINE = re.compile(
    r"(?<![\w.<])/(?:home|root|tmp|work|Users|var|opt|usr|mnt)/|site-packages"
)

each_notebook = pytest.mark.parametrize(
    "path", sorted(NOTEBOOKS.glob("*.ipynb")), ids=lambda path: path.stem
)


def contents(output: nbformat.NotebookNode) -> dict[str, str]:
    """Contents of an output, by kind."""
    if output.output_type == "stream":
        return {output.name: output.text}
    assert output.output_type != "error", output.evalue
    return dict(output.data)


def shown(notebook: nbformat.NotebookNode) -> Iterator[tuple[str, list[dict[str, str]]]]:
    """Each cell's source, with its outputs as far as they must be the same."""
    for cell in code_cells(notebook):
        exact = () if "measured" in cell.metadata.get("tags", ()) else _TEXTS
        outputs = [
            {
                kind: _DRAWN.sub("<svg>", text) if kind in exact else ""
                for kind, text in contents(output).items()
            }
            for output in cell.outputs
        ]
        yield cell.source, outputs


@pytest.mark.slow
@each_notebook
def test_the_notebook_shows_what_it_was_committed_with(path: Path, tmp_path: Path) -> None:
    notebook = read(path)
    measure_briefly(tmp_path)
    run(notebook, {"HOME": str(tmp_path), "TMPDIR": str(tmp_path)})
    assert list(shown(notebook)) == list(shown(read(path)))
    assert {one.suffix for one in NOTEBOOKS.glob("[!.]*")} == {".ipynb"}


@each_notebook
def test_the_notebook_is_committed_as_it_was_run_and_tells_nothing_of_the_machine(
    path: Path,
) -> None:
    notebook = read(path)
    assert path.stat().st_size < LARGEST
    counts = [cell.execution_count for cell in code_cells(notebook)]
    assert counts == [number + 1 for number in range(len(counts))]
    assert notebook.metadata.keys() <= {"kernelspec", "language_info"}
    for cell in code_cells(notebook):
        assert not _OF_A_CHECKOUT.search(cell.source)
        for kind, content in chain.from_iterable(contents(one).items() for one in cell.outputs):
            assert kind != "stderr", content
            assert kind == "image/png" or not _OF_A_MACHINE.search(json.dumps(content))


def test_the_search_that_the_notebook_writes_is_that_of_the_examples() -> None:
    written = [cell.source for cell in code_cells(read(NOTEBOOKS / "own_search.ipynb"))]
    example = (NOTEBOOKS.parent / "policies" / "annealing.py").read_text()
    policy = example[example.index("class Annealing") :].strip()
    assert any(policy in source for source in written)
