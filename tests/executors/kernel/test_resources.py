"""What CUDA kernels take of a device, as candidates read of it."""

from dataclasses import replace
from typing import cast

from maxcode.evaluation import KernelUse
from maxcode.executors.kernel.candidate import Extensions
from maxcode.executors.kernel.resources import kernel_text, kernel_uses, needs, note, plain
from maxcode.executors.kernel.worker.messages import Build
from maxcode.executors.kernel.workers import Worker
from maxcode.toolchain.extension import BuiltExtension, ExtensionBuilder
from maxcode.toolchain.extension_facts import KernelResources

FOUND = KernelResources("softmax(float*)", "sm_90", 40, shared=2048, spill_stores=4, spill_loads=8)


def test_the_compilers_report_in_words() -> None:
    [use] = kernel_uses([FOUND])
    assert use == KernelUse("softmax(float*)", 40, 2048, 12, arch="sm_90")
    said = "softmax(float*): 40 registers a thread, 2,048 B of shared memory"
    assert kernel_text(use) == f"{said}, 12 B of registers spilled to memory on sm_90"
    started = KernelUse("k", 1, 0, 0, (8, 1, 1), (256, 2, 1))
    assert kernel_text(started).endswith("started with 8x1x1 blocks of 256x2x1 threads")
    assert len(kernel_uses([FOUND] * 500)) < 20


def test_architectures_with_the_same_needs_stand_together_and_spills_first() -> None:
    kept = replace(FOUND, kernel="kept", spill_stores=0, spill_loads=0, stack=64)
    both = [kept, replace(kept, arch="sm_100a"), replace(kept, arch="sm_80", registers=32)]
    assert [*needs([*both, FOUND])] == [
        "softmax(float*): 40 registers a thread, 2,048 B of shared memory, 12 B of registers "
        "spilled to memory on sm_90",
        "kept: 40 registers a thread, 2,048 B of shared memory, 64 B of local memory on sm_90 and "
        "sm_100a, 32 registers a thread, 2,048 B of shared memory, 64 B of local memory on sm_80",
    ]
    assert note([]) == ""
    assert note([FOUND]).startswith("; compiled, softmax(float*): 40 registers")


def test_names_are_made_plain() -> None:
    assert plain("a\x1b[1m\nb\u00e9") == "a?[1m?b?"
    assert plain(["no", "text"]) == "?"
    assert len(plain("x" * 10**6)) == 100


def test_what_was_compiled_but_not_run_reports_what_it_needs() -> None:
    class Builder:
        def build(self, *_: object) -> BuiltExtension:
            return BuiltExtension(None, "not linked", compiled_only=True, resources=(FOUND,))

    extensions = Extensions(cast(ExtensionBuilder, Builder()), cast(Worker, None), 1.0)
    answer = extensions.build(Build({"name": "a", "cpp_sources": "", "cuda_sources": ""}))
    assert answer.errors.startswith("not linked; softmax(float*): 40 registers a thread")
    assert extensions.resources == [FOUND]
