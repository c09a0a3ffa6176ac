"""Applies rewrites to real programs, and builds and runs what they give."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest


class Compiler:
    """g++ without optimisation."""

    def __init__(self, gxx: str, folder: Path) -> None:
        self._command = [gxx, "-std=c++17", "-O0", "-w"]
        self._folder = folder
        self._built: dict[str, Path] = {}

    def outcome(self, code: str, stdin: str) -> tuple[int, str]:
        """Build a program and run it; gives its exit status, and what it prints."""
        if code not in self._built:
            self._built[code] = self._build(code)
        done = self._run([str(self._built[code])], stdin)
        return done.returncode, done.stdout

    def builds(self, code: str) -> bool:
        """Whether the compiler takes a program."""
        return self._run([*self._command, "-fsyntax-only", "-x", "c++", "-"], code).returncode == 0

    def _build(self, code: str) -> Path:
        source = self._folder / f"program{len(self._built)}.cpp"
        source.write_bytes(code.encode())
        binary = source.with_suffix("")
        done = self._run([*self._command, "-o", str(binary), str(source)])
        assert done.returncode == 0, done.stderr[:2000]
        return binary

    def _run(self, command: list[str], stdin: str = "") -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command, input=stdin, capture_output=True, text=True, timeout=60, check=False
        )


@pytest.fixture(scope="session")
def compiler(tmp_path_factory: pytest.TempPathFactory) -> Compiler:
    gxx = shutil.which("g++")
    if gxx is None:
        pytest.skip("needs g++")
    return Compiler(gxx, tmp_path_factory.mktemp("rewrites"))


@pytest.fixture
def printed(compiler: Compiler) -> Callable[[str], str]:
    """Return what a program prints."""

    def printed(code: str) -> str:
        status, text = compiler.outcome(code, "")
        assert status == 0, text
        return text

    return printed
