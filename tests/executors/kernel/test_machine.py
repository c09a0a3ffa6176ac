"""The description of a GPU, from what torch knows of it."""

from maxcode.executors.kernel.machine import Machine
from maxcode.measure.lane import all_processors
from maxcode.toolchain.extension_facts import TorchFacts

TORCH = TorchFacts("2.13.0", "c++20", (), (), (), cuda="12.8")
H100: dict[str, int | str] = {
    "name": "NVIDIA H100 80GB HBM3",
    "major": 9,
    "minor": 0,
    "multi_processor_count": 132,
    "max_threads_per_multi_processor": 2048,
    "regs_per_multiprocessor": 65536,
    "shared_memory_per_multiprocessor": 233472,
    "shared_memory_per_block": 49152,
    "shared_memory_per_block_optin": 232448,
    "total_memory": 84942979072,
    "L2_cache_size": 52428800,
}


def test_a_gpu() -> None:
    assert Machine((1,), H100, TORCH).describe().splitlines() == [
        "device: cuda",
        "GPU: NVIDIA H100 80GB HBM3, compute capability 9.0",
        "multiprocessors: 132, each with 2,048 threads, 65,536 registers, 228 KiB of shared memory",
        "shared memory of a block: 48 KiB, on request up to 227 KiB",
        "memory: 79.11 GiB, L2 cache 50 MiB",
        "kernel languages: CUDA C++",
        "torch: 2.13.0, CUDA 12.8, extensions in c++20",
    ]
    more = Machine((1,), H100, TORCH, ("Triton 3.9.0", "CuTe DSL 4.8.1")).describe()
    assert "\nkernel languages: CUDA C++, Triton 3.9.0, CuTe DSL 4.8.1\n" in more


def test_a_cpu() -> None:
    lines = Machine(all_processors()[:1], {}, TORCH).describe()
    assert lines.startswith("device: cpu\nCPU: ")
    assert "CUDA" not in lines
