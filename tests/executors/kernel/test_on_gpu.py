"""On a CUDA device: each example's candidates get the verdict that their first line names.

Written where there was none, so the first to run this may find a mistake in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from maxcode.errors import ToolError
from maxcode.executors.kernel.executor import KernelExecutor
from maxcode.executors.kernel.machine import torch_cuda
from maxcode.program import Program
from maxcode.tasks import load_task

EXAMPLES = Path(__file__).parents[3] / "examples" / "kernels"
CANDIDATES = sorted(EXAMPLES.glob("*/candidates/*.py"))
VERDICTS = re.compile(r'"""expected: ([A-Z_ |]+)')

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(
        not find_spec("torch") or not torch_cuda() or not list(Path("/dev").glob("nvidia[0-9]*")),
        reason="there is no CUDA device, or no torch for it",
    ),
]


def _named(path: Path) -> str:
    return str(path.relative_to(EXAMPLES))


def runs_there(text: str) -> bool:
    """Not an extension that reads a CPU's memory."""
    return "cuda_sources" in text or "load_inline" not in text


@pytest.fixture(scope="module")
def executor() -> Iterator[KernelExecutor]:
    try:
        executor = KernelExecutor()
    except ToolError as error:
        pytest.skip(str(error))
    with executor:
        yield executor


@pytest.mark.parametrize("folder", sorted({path.parents[1] for path in CANDIDATES}), ids=_named)
def test_the_reference_is_timed_on_the_gpu(executor: KernelExecutor, folder: Path) -> None:
    baseline = executor.prepare(load_task(folder))
    assert "on the CPU" not in baseline.note
    assert baseline.machine.startswith("device: cuda")


@pytest.mark.parametrize(
    "path", [path for path in CANDIDATES if runs_there(path.read_text())], ids=_named
)
def test_candidates_get_the_verdict_they_name(executor: KernelExecutor, path: Path) -> None:
    text = path.read_text()
    named = VERDICTS.match(text)
    assert named
    found = executor.evaluate(load_task(path.parents[1]), Program.of(text, "kernel.py"))
    assert found.status.name in named[1].strip().split(" | "), found.feedback
