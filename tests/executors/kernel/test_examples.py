"""Candidates of the examples get the verdicts that their first lines name."""

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
CANDIDATES = {path: path.read_text() for path in sorted(EXAMPLES.glob("*/candidates/*.py"))}
QUICK = [path for path in CANDIDATES if path.parts[-3] == "softmax"]
VERDICTS = re.compile(r'"""expected: ([A-Z_ |]+)')
needs_gpu = pytest.mark.skipif(
    not find_spec("torch") or not torch_cuda() or not list(Path("/dev").glob("nvidia[0-9]*")),
    reason="there is no CUDA device, or no torch for it",
)


def _named(path: Path) -> str:
    return str(path.relative_to(EXAMPLES))


def builds(path: Path) -> bool:
    return "load_inline" in CANDIDATES[path]


@pytest.fixture(scope="module")
def on_gpu() -> Iterator[KernelExecutor]:
    try:
        executor = KernelExecutor()
    except ToolError as error:
        pytest.skip(str(error))
    with executor:
        yield executor


def check(executor: KernelExecutor, path: Path) -> None:
    named = VERDICTS.match(CANDIDATES[path])
    assert named
    program = Program.of(CANDIDATES[path], "kernel.py")
    found = executor.evaluate(load_task(path.parents[1]), program)
    assert found.status.name in named[1].strip().split(" | "), found.feedback


@pytest.mark.slow
@pytest.mark.parametrize("path", [path for path in QUICK if not builds(path)], ids=_named)
def test_on_a_cpu(executor: KernelExecutor, path: Path) -> None:
    check(executor, path)


@pytest.mark.gpu
@needs_gpu
@pytest.mark.parametrize(
    "path",
    [path for path, text in CANDIDATES.items() if "cuda_sources" in text or not builds(path)],
    ids=_named,
)
def test_on_a_gpu(on_gpu: KernelExecutor, path: Path) -> None:
    check(on_gpu, path)


@pytest.mark.gpu
@needs_gpu
@pytest.mark.parametrize("folder", sorted({path.parents[1] for path in CANDIDATES}), ids=_named)
def test_a_reference_is_timed_on_the_gpu(on_gpu: KernelExecutor, folder: Path) -> None:
    baseline = on_gpu.prepare(load_task(folder))
    assert "on the CPU" not in baseline.note
    assert baseline.machine.startswith("device: cuda")
