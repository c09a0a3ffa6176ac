"""Descriptions of machines: of their GPU and languages."""

import sys
from pathlib import Path

import pytest

from maxcode.executors.kernel.machine import Machine, installed_languages
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
    assert installed_languages() == ("Triton 3.9.0",)
