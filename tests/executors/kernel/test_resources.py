"""Resources of CUDA kernels, in words for candidates."""

from typing import cast

from maxcode.evaluation import KernelUse
from maxcode.executors.kernel.candidate import Extensions
from maxcode.executors.kernel.resources import kernel_text, kernel_uses
from maxcode.executors.kernel.worker.messages import Build
from maxcode.executors.kernel.workers import Worker
from maxcode.toolchain.extension import BuiltExtension, ExtensionBuilder

FOUND = KernelUse("softmax(float*)", 40, 2048, 12, arch="sm_90")


def test_the_compilers_report_in_words() -> None:
    [use] = kernel_uses([FOUND])
    said = "softmax(float*): 40 registers a thread, 2,048 B of shared memory"
    assert kernel_text(use) == f"{said}, 12 B of registers spilled to memory on sm_90"
    assert len(kernel_uses([FOUND] * 500)) < 20


def test_what_was_compiled_but_not_run_reports_what_it_needs() -> None:
    class Builder:
        def build(self, *_: object) -> BuiltExtension:
            return BuiltExtension(None, "not linked", compiled_only=True, resources=(FOUND,))

    extensions = Extensions(cast(ExtensionBuilder, Builder()), cast(Worker, None), 1.0)
    answer = extensions.build(Build({"name": "a", "cpp_sources": "", "cuda_sources": ""}))
    assert answer.errors.startswith("not linked; softmax(float*): 40 registers a thread")
    assert extensions.resources == [FOUND]
