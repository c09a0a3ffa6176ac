"""Languages for kernels besides C++."""

import sys
from pathlib import Path

import pytest

from maxcode.executors.kernel.languages import installed


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
