"""What is worth knowing of the machine that kernels run on, for who writes them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from threading import Event

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

    def described(self, stopped: Event | None = None) -> str:
        """One fact a line, the device first; the same in every run.

        What was measured is told in profiles. For a CPU see
        :func:`~maxcode.measure.machine.machine_facts`, which takes ``stopped``, too.
        """
        facts = [f"device: {'cuda' if self.gpu else 'cpu'}"]
        if self.gpu:
            facts += _of_gpu(self.gpu)
        else:
            facts += machine_facts(self.processors, stopped=stopped).splitlines()
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
