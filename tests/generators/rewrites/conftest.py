"""Applies rewrites to real programs, and builds and runs what they give."""

import shutil
import subprocess
from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest

_HEADERS = (
    "algorithm", "cctype", "cmath", "cstdio", "cstring", "deque", "functional", "iomanip",
    "iostream", "list", "map", "numeric", "set", "sstream", "string", "unordered_map",
    "unordered_set", "utility", "vector",
)  # fmt: skip


class Compiler:
    """g++ without optimisation, with the usual headers compiled once."""

    def __init__(self, gxx: str, folder: Path) -> None:
        self._command = [gxx, "-std=c++17", "-O0", "-w"]
        self._folder = folder
        self._built: dict[tuple[str, bool], Path] = {}
        self._numbers = count()
        self._header = folder / "usual.hpp"
        self._header.write_text("".join(f"#include <{name}>\n" for name in _HEADERS))
        self._run([*self._command, "-x", "c++-header", str(self._header)])

    def output(self, code: str, stdin: str, *, usual_headers: bool = False) -> str:
        """Build a program, run it and return what it prints.

        With usual_headers it builds faster, but needs no includes of its own.
        """
        status, printed = self.outcome(code, stdin, usual_headers=usual_headers)
        assert status == 0, printed
        return printed

    def outcome(self, code: str, stdin: str, *, usual_headers: bool = False) -> tuple[int, str]:
        """The same with its exit status, which may be any."""
        if (code, usual_headers) not in self._built:
            self._built[code, usual_headers] = self._build(code, usual_headers)
        done = self._run([str(self._built[code, usual_headers])], stdin)
        return done.returncode, done.stdout

    def _build(self, code: str, usual_headers: bool) -> Path:
        source = self._folder / f"program{next(self._numbers)}.cpp"
        source.write_bytes(code.encode())
        binary = source.with_suffix("")
        extra = ["-include", str(self._header)] if usual_headers else []
        done = self._run([*self._command, *extra, "-o", str(binary), str(source)])
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
    return lambda code: compiler.output(code, "")
