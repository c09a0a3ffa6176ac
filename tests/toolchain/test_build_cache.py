import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from maxcode.errors import ToolError
from maxcode.program import Program
from maxcode.sandbox.process import ProcessSandbox
from maxcode.toolchain.build_cache import BuildCache
from maxcode.toolchain.gxx import Gxx

HELLO = Program.of('#include <cstdio>\nint main() { puts("hello"); }\n')


# -- content by name -------------------------------------------------------------------------------


@pytest.mark.parametrize("content", [b"", b"x", bytes(range(256)) * 1000])
def test_what_is_kept_comes_back(tmp_path: Path, content: bytes) -> None:
    cache = BuildCache(tmp_path / "cache")
    assert cache.fetch("a") is None
    cache.keep("a", content)
    assert BuildCache(tmp_path / "cache").fetch("a") == content
    cache.keep("a", b"other")
    assert cache.fetch("a") == b"other"


@pytest.mark.parametrize(
    "damage", [lambda whole: b"", lambda whole: whole[:20], lambda whole: whole[:-1] + b"?"]
)
def test_damaged_content_is_as_good_as_none(
    tmp_path: Path, damage: Callable[[bytes], bytes]
) -> None:
    cache = BuildCache(tmp_path / "cache")
    cache.keep("a", b"content" * 1000)
    (entry,) = (tmp_path / "cache").iterdir()
    entry.write_bytes(damage(entry.read_bytes()))
    assert cache.fetch("a") is None
    cache.keep("a", b"new")
    assert cache.fetch("a") == b"new"


def test_the_least_recently_used_goes_first(tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    cache = BuildCache(folder, 100_000)
    for number in range(4):
        cache.keep(str(number), bytes(20_000))
        os.utime(folder / str(number), (number, number))
    assert cache.fetch("0") is not None
    cache.keep("4", bytes(20_000))
    kept = [name for name in "01234" if cache.fetch(name) is not None]
    assert kept == ["0", "3", "4"]


@pytest.mark.parametrize("mode", [0o777, 0o770, 0o702])
def test_a_folder_that_others_can_write_is_refused(tmp_path: Path, mode: int) -> None:
    tmp_path.chmod(mode)
    with pytest.raises(ToolError, match=r"another user.*remove it, or set XDG_CACHE_HOME"):
        BuildCache(tmp_path)


# -- builds ----------------------------------------------------------------------------------------


def test_another_run_need_not_build_again(another: Any, sandbox: Any) -> None:
    first, second = (another().build(HELLO, ["-O0"], 60).executable for _ in range(2))
    assert len(sandbox.commands) == 1
    assert first != second
    assert first.read_bytes() == second.read_bytes()
    assert os.access(second, os.X_OK)


def test_what_took_too_long_is_not_kept(another: Any) -> None:
    assert another().build(HELLO, ["-O0"], 0.001).timed_out
    assert another().build(HELLO, ["-O0"], 60).executable


@pytest.mark.slow
def test_a_damaged_executable_is_built_again(another: Any, sandbox: Any, tmp_path: Path) -> None:
    expected = another().build(HELLO, ["-O0"], 60).executable.read_bytes()
    (entry,) = (tmp_path / "cache").glob("*.program")
    entry.write_bytes(b"#!/bin/sh\necho planted\n")
    assert another().build(HELLO, ["-O0"], 60).executable.read_bytes() == expected
    assert len(sandbox.commands) == 2


@pytest.mark.slow
def test_where_programs_can_include_anything_nothing_is_kept(tmp_path: Path) -> None:
    header = tmp_path / "answer.h"
    program = Program.of(f'#include "{header}"\nint main() {{ return ANSWER; }}\n')
    cache, built = BuildCache(tmp_path / "cache"), list[bytes]()
    for answer in (1, 2):
        header.write_text(f"#define ANSWER {answer}\n")
        gxx = Gxx(ProcessSandbox(), tmp_path / f"run{answer}", cache)
        executable = gxx.build(program, ["-O0"], 60).executable
        assert executable is not None
        built.append(executable.read_bytes())
    assert built[0] != built[1]
