"""Kernels in Triton, CuTe DSL and TileLang: what is said where they are missing."""

import sys
from pathlib import Path

import pytest

from maxcode.executors.kernel.languages import explained, installed


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
