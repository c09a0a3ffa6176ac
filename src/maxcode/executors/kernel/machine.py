"""What is worth knowing of the machine that kernels run on, for who writes them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from maxcode.evaluation import Roofline
from maxcode.executors.kernel.roofline import scaled
from maxcode.measure.machine import ascii_line, machine_facts
from maxcode.toolchain.extension_facts import TorchFacts


@dataclass(frozen=True, slots=True)
class Machine:
    """Where kernels are timed.

    ``gpu`` are the properties of the GPU by torch's names, empty where they run on the CPU, on
    ``processors``.
    """

    processors: tuple[int, ...]
    gpu: Mapping[str, int | str]
    torch: TorchFacts

    def described(self, roof: Roofline | None) -> str:
        """One fact a line, the device first. Takes some 50 ms on a CPU, for copies are measured."""
        facts = [f"device: {'cuda' if self.gpu else 'cpu'}"]
        facts += _of_gpu(self.gpu) if self.gpu else machine_facts(self.processors).splitlines()
        if roof is not None:
            facts.append(
                f"measured roofs: the fastest copies read and write {scaled(roof.bandwidth)}B/s, "
                f"products of {roof.dtype} matrices compute {scaled(roof.peak)}flop/s"
            )
        cuda = f", CUDA {self.torch.cuda}" if self.gpu else ""
        facts.append(f"torch: {self.torch.version}{cuda}, extensions in {self.torch.standard}")
        return "\n".join(map(ascii_line, facts))


def _of_gpu(told: Mapping[str, int | str]) -> Iterator[str]:
    gpu = {name: value for name, value in told.items() if isinstance(value, int)}
    capability = f"{gpu.get('major', 0)}.{gpu.get('minor', 0)}"
    yield f"GPU: {told.get('name', 'unknown')}, compute capability {capability}"
    each = [
        (gpu.get("max_threads_per_multi_processor"), "threads"),
        (gpu.get("regs_per_multiprocessor"), "registers"),
        (_kib(gpu, "shared_memory_per_multiprocessor"), "KiB of shared memory"),
    ]
    parts = ", ".join(f"{number:,} {words}" for number, words in each if number)
    whole = f"multiprocessors: {gpu.get('multi_processor_count', 0)}"
    yield f"{whole}, each with {parts}" if parts else whole
    if largest := _kib(gpu, "shared_memory_per_block_optin"):
        usual = _kib(gpu, "shared_memory_per_block")
        yield f"shared memory of a block: {usual} KiB, on request up to {largest} KiB"
    cache = gpu.get("L2_cache_size")
    level = f", L2 cache {cache / (1 << 20):.3g} MiB" if cache else ""
    yield f"memory: {gpu.get('total_memory', 0) / (1 << 30):.4g} GiB{level}"


def _kib(gpu: Mapping[str, int], name: str) -> int:
    return gpu.get(name, 0) >> 10
