"""Kernels in Triton, CuTe DSL and TileLang: what is said where they are missing, and a real one."""

import sys
from collections.abc import Iterator
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import pytest
from tests.executors.kernel.test_executor import TASK, kernel

from maxcode.executors.kernel.executor import KernelExecutor
from maxcode.executors.kernel.languages import explained, installed
from maxcode.measure.rounds import Plan
from maxcode.program import Program
from maxcode.sandbox.base import Sandbox
from maxcode.tasks.kernel import Variant


@pytest.fixture
def nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """None of them is installed."""
    for name in ("triton", "cutlass", "tilelang"):
        monkeypatch.setitem(sys.modules, name, None)
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr("maxcode.executors.kernel.languages.find_spec", lambda _: None)


@pytest.mark.parametrize(
    ("message", "device", "said"),
    [
        ("No module named 'triton'", "cpu", "Triton kernels need a GPU, and there is none"),
        ("No module named 'cutlass.cute'", "cpu", "CuTe DSL kernels need a GPU"),
        ("0 active drivers ([]). There should only be one.", "cpu", "Triton and other GPU kernels"),
        ("libcuda.so cannot found!", "cpu", "need a GPU"),
        ("No module named 'triton.language'", "cuda", "needs triton, which is not installed where"),
        ("No module named 'cutlass'", "cuda", "this candidate needs nvidia-cutlass-dsl, which"),
        ("No module named 'tilelang'", "cuda", "this candidate needs tilelang, which is not"),
    ],
)
def test_what_is_missing_is_named(message: str, device: str, said: str, nothing: None) -> None:
    assert said in explained(message, device)


@pytest.mark.parametrize(
    ("message", "device"),
    [
        ("No module named 'numba'", "cpu"),
        ("No module named 'numba'", "cuda"),
        ("libcuda.so", "cuda"),
        ("shapes differ", "cpu"),
    ],
)
def test_other_failures_stand_for_themselves(message: str, device: str, nothing: None) -> None:
    assert explained(message, device) == ""


def test_what_is_installed_is_found_by_its_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Other packages have a module called cutlass, too."""
    for name in ("triton", "cutlass"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("raise RuntimeError('imported')")
    facts = tmp_path / "pytorch_triton-3.9.0.dist-info" / "METADATA"
    facts.parent.mkdir()
    facts.write_text("Name: pytorch-triton\nVersion: 3.9.0\n")
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    assert installed() == ("Triton 3.9.0",)


DOUBLED = """
import os
os.environ["TRITON_INTERPRET"] = "1"
os.environ["TRITON_DEFAULT_FP_FUSION"] = "1"
import triton, triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource
from triton.runtime.build import compile_module_from_src
from triton.runtime.jit import JITFunction

def sines(x, y, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    tl.store(y + at, tl.sin(tl.load(x + at, mask=inside)) * 0.5, mask=inside)

interpreted = triton.jit(sines)
source = ASTSource(JITFunction(sines), {"x": "*fp32", "y": "*fp32", "n": "i32"}, {"BLOCK": 128})
assert not os.path.exists(os.path.expanduser("~/.triton")), "another has been here"
if COMPILE:
    compiled = triton.compile(source, target=GPUTarget("cuda", 90, 32))
    assert compiled.asm["cubin"]
    compile_module_from_src(LAUNCHER, "launcher")
    assert os.path.exists(os.path.expanduser("~/.triton/cache"))
"""
LAUNCHER = """LAUNCHER = '''
#include <Python.h>
static PyModuleDef module = {PyModuleDef_HEAD_INIT, "launcher", "", 0, 0};
PyMODINIT_FUNC PyInit_launcher() { return PyModule_Create(&module); }
'''
"""
FORWARD = """
y = x.contiguous()
for _ in range(self.times):
    given, y = y, torch.empty_like(y)
    interpreted[(triton.cdiv(y.numel(), 1024),)](given, y, y.numel(), BLOCK=1024)
return y
"""


@pytest.fixture
def executor(kernel_sandbox: Sandbox) -> Iterator[KernelExecutor]:
    with KernelExecutor(kernel_sandbox, score=Plan(least=2, most=2)) as executor:
        yield executor


@pytest.mark.slow
@pytest.mark.skipif(find_spec("triton") is None, reason="triton is not installed")
def test_triton_is_judged_like_any_and_leaves_nothing_for_the_next(
    executor: KernelExecutor,
) -> None:
    """Interpreted on the CPU; and compiled for an H100, with its launcher, as it would be there."""
    small = (Variant("small", (("ROWS", 8),)),)  # an interpreter is slow
    task = replace(TASK, judging=replace(TASK.judging, variants=small, timeout=60.0), name="triton")

    def program(compiles: str) -> Program:
        return kernel(FORWARD, f"COMPILE = {compiles}\n{LAUNCHER}{DOUBLED}")

    for compiles in ("True", "1 == 1"):  # two candidates, each with an empty cache
        found = executor.evaluate(task, program(compiles))
        assert found.ok, found.feedback
    wrong = executor.evaluate(
        task, kernel(FORWARD, program("False").code.replace("tl.sin", "tl.cos"))
    )
    assert not wrong.ok
