"""Extensions that candidates have built, with real torch in real bubblewrap."""

import shutil
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from tests.executors.kernel.test_executor import RIGHT, TASK, kernel

from maxcode.evaluation import Evaluation, Status
from maxcode.executors.kernel.candidate import Extensions
from maxcode.executors.kernel.executor import KernelExecutor
from maxcode.executors.kernel.worker.messages import Build
from maxcode.program import Program
from maxcode.tasks import load_task
from maxcode.tasks.kernel import KernelTask, Variant
from maxcode.toolchain.extension import BuiltExtension

pytestmark = pytest.mark.slow

ONE = replace(TASK, name="extensions", judging=replace(TASK.judging, variants=(Variant(),)))
# A module of its own making, which needs nothing of torch's headers and is there in no time.
HALF = """
#include <Python.h>
static PyObject* half(PyObject*, PyObject*) { return PyFloat_FromDouble(0.5); }
static PyMethodDef methods[] = {{"half", half, METH_NOARGS, ""}, {}};
static PyModuleDef module = {PyModuleDef_HEAD_INIT, "own", "", 0, methods};
PyMODINIT_FUNC PyInit_own() { return PyModule_Create(&module); }
"""
SOURCE = f"SOURCE = '''{HALF}'''\n"
CALL = 'load_inline(name="own", cpp_sources=SOURCE, no_implicit_headers=True)'
LAZY = (
    "global own\nif own is None: own = {call}\ny = x\n"
    "for _ in range(self.times):\n    y = torch.sin(y) * own.half()\nreturn y"
)
IMPORTED = f"from torch.utils.cpp_extension import load, load_inline\n{SOURCE}own = None\n"


def judged(executor: KernelExecutor, program: Program) -> Evaluation:
    return executor.evaluate(ONE, program)


@pytest.mark.parametrize(
    ("before", "call"),
    [
        (IMPORTED, CALL),
        (
            f"import torch.utils.cpp_extension as ours\n{SOURCE}own = None\n",
            f"ours.{CALL}",
        ),
        (f"import torch.utils.cpp_extension\n{SOURCE}", f"torch.utils.cpp_extension.{CALL}"),
    ],
)
def test_an_extension_is_built_in_whatever_way_it_is_asked_for(
    executor: KernelExecutor, before: str, call: str
) -> None:
    evaluation = judged(executor, kernel(LAZY.format(call="None"), f"{before}\nown = {call}\n"))
    assert evaluation.ok, evaluation.feedback


def test_a_late_build_that_fails_is_reported_in_the_compilers_words(
    executor: KernelExecutor,
) -> None:
    broken = IMPORTED.replace("0.5", "nowhere")
    evaluation = judged(executor, kernel(LAZY.format(call=CALL), broken))
    assert evaluation.status is Status.BUILD_ERROR
    assert evaluation.feedback.startswith("cpp_sources.cpp:3:")
    assert "'nowhere' was not declared" in evaluation.feedback


def test_who_goes_on_without_an_extension_is_judged_by_what_follows(
    executor: KernelExecutor,
) -> None:
    before = IMPORTED.replace("0.5", "nowhere") + f"try: {CALL}\nexcept RuntimeError: pass\n"
    evaluation = judged(executor, kernel("return x @ x.T @ x[:1]", before))
    assert evaluation.status is Status.RUNTIME_ERROR
    assert "forward: RuntimeError" in evaluation.feedback


def test_files_are_not_built_and_what_is_built_instead_is_named(executor: KernelExecutor) -> None:
    evaluation = judged(executor, kernel(LAZY.format(call='load("own", ["own.cpp"])'), IMPORTED))
    assert evaluation.status is Status.RUNTIME_ERROR
    assert "call load_inline" in evaluation.feedback


CUDA = '''
load_inline(name="f", cpp_sources="", no_implicit_headers=True, cuda_sources="""
__global__ void doubled(float* x) { x[threadIdx.x] *= 2; }
""")
'''


@pytest.mark.skipif(not shutil.which("nvcc"), reason="there is no nvcc")
def test_cuda_without_a_gpu_is_compiled_and_not_run(executor: KernelExecutor) -> None:
    evaluation = judged(executor, kernel(RIGHT + "return y", IMPORTED + CUDA))
    assert evaluation.status is Status.RUNTIME_ERROR
    assert "compiled, not run: on this machine there is no GPU" in evaluation.feedback
    assert "doubled(float*): " in evaluation.feedback
    assert "registers a thread" in evaluation.feedback
    wrong = judged(executor, kernel(RIGHT, IMPORTED + CUDA.replace("*= 2", "*= two")))
    assert wrong.status is Status.BUILD_ERROR
    assert 'cuda_sources.cu(2): error: identifier "two" is undefined' in wrong.feedback


EXAMPLES = Path(__file__).parents[3] / "examples" / "kernels"


@pytest.mark.skipif(not shutil.which("nvcc"), reason="there is no nvcc")
@pytest.mark.skipif(torch.cuda.is_available(), reason="with a GPU it is compiled for that one")
@pytest.mark.parametrize(
    "path", sorted(EXAMPLES.glob("*/candidates/*_cuda.py")), ids=lambda path: path.parts[-3]
)
def test_cuda_of_an_example_compiles_for_three_architectures(
    executor: KernelExecutor, path: Path
) -> None:
    task = load_task(path.parents[1])
    assert isinstance(task, KernelTask)
    patient = replace(task, judging=replace(task.judging, build_timeout=600.0))
    evaluation = executor.evaluate(patient, Program.of(path.read_text(), *task.baseline.files))
    assert evaluation.status is Status.RUNTIME_ERROR
    assert "compiled, not run: on this machine there is no GPU" in evaluation.feedback
    for arch in ("sm_80", "sm_90a", "sm_100a"):
        assert arch in evaluation.feedback
    assert "spilled" not in evaluation.feedback


def test_all_extensions_of_a_candidate_share_their_time(tmp_path: Path) -> None:
    allowed: list[float] = []

    def build(sources: Any, timeout: float, processors: Any) -> BuiltExtension:
        allowed.append(timeout)
        return BuiltExtension(None, "broken", seconds=timeout)

    builder: Any = SimpleNamespace(build=build)
    worker: Any = SimpleNamespace(folder=tmp_path)
    extensions = Extensions(builder, worker, 10.0)
    asked = [Build({"name": "f", "cpp_sources": f"// {n}"}) for n in range(4)]
    answers = [extensions.build(one) for one in asked]
    assert allowed == [10.0, 10.0]
    assert "within 20 s" in answers[-1].errors
