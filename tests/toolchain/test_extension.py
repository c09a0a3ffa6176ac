import ctypes
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.toolchain._extensions import TWICE, call, miniature

from maxcode.errors import ToolError
from maxcode.toolchain.build_cache import BuildCache
from maxcode.toolchain.extension import BuiltExtension, ExtensionBuilder
from maxcode.toolchain.extension_cuda import Cuda
from maxcode.toolchain.extension_facts import TorchFacts


@pytest.fixture
def facts(tmp_path: Path) -> TorchFacts:
    return miniature(tmp_path / "torch")


@pytest.fixture
def builder(sandbox: Any, tmp_path: Path, facts: TorchFacts) -> ExtensionBuilder:
    return ExtensionBuilder(sandbox, tmp_path / "built", None, facts)


@pytest.fixture
def another(
    sandbox: Any, facts: TorchFacts, later: Callable[[], tuple[Path, BuildCache]]
) -> Callable[[], ExtensionBuilder]:
    """Makes a builder as a later run would."""
    return lambda: ExtensionBuilder(sandbox, *later(), facts)


def twice(built: BuiltExtension, number: float) -> float:
    """What the extension's function makes of a number."""
    assert built.library is not None, built.errors
    function = ctypes.CDLL(str(built.library)).twice
    function.argtypes, function.restype = [ctypes.c_double], ctypes.c_double
    return float(function(number))


def builds(sandbox: Any) -> list[str]:
    """The scripts of the builds, without those of headers."""
    return [" ".join(command) for command in sandbox.commands if "./main.cpp" in command]


def headers(sandbox: Any) -> int:
    return sum("c++-header" in command for command in sandbox.commands)


# -- what is built ---------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_function_can_be_called(builder: ExtensionBuilder, sandbox: Any) -> None:
    built = builder.build(call(), 60)
    assert twice(built, 21) == 42
    assert built.library is not None
    assert built.library.name == "mine.so"
    assert not built.errors
    assert len(builds(sandbox)) == 1
    assert headers(sandbox) == 0  # not worth it yet


@pytest.mark.slow
def test_flags_reach_the_compiler_as_words(builder: ExtensionBuilder) -> None:
    text = TWICE.replace("2", "BY") + "#ifndef __OPTIMIZE__\n#error\n#endif\n"
    assert builder.build(call(text), 60).library is None  # nothing is optimized unasked
    assert twice(builder.build(call(text, extra_cflags=["-O1 -DBY=7"]), 60), 1) == 7


# -- headers ---------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_later_run_finds_the_header(another: Any, sandbox: Any) -> None:
    builder = another()
    for number in range(3):  # as many uses of a header as repay to compile it
        assert builder.build(call(f"{TWICE}// use {number}"), 60).library
    assert headers(sandbox) == 1
    assert twice(another().build(call(f"{TWICE}//"), 60), 2) == 4
    assert headers(sandbox) == 1


# -- once ------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_later_run_need_not_build_again(another: Any, sandbox: Any) -> None:
    first, second = another().build(call(), 60), another().build(call(), 60)
    assert len(builds(sandbox)) == 1
    assert first.library != second.library
    assert twice(second, 3) == 6


# -- CUDA ------------------------------------------------------------------------------------------


def test_cuda_without_its_compiler(
    sandbox: Any, tmp_path: Path, facts: TorchFacts, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    builder = ExtensionBuilder(sandbox, tmp_path / "built", None, facts)
    built = builder.build(call(cuda_sources="__global__ void f() {}"), 60)
    assert built.library is None
    assert "there is no nvcc; install the CUDA toolkit" in built.errors
    assert not sandbox.commands


def test_an_nvcc_of_another_major_version_than_torch_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bin").mkdir()
    nvcc = tmp_path / "bin" / "nvcc"
    nvcc.write_text("#!/bin/sh\necho 'Cuda compilation tools, release 11.8, V11.8.89'\n")
    nvcc.chmod(0o755)
    monkeypatch.setenv("PATH", str(nvcc.parent), prepend=":")
    facts = TorchFacts("2.13.0", "c++20", (), (), (), cuda="13.0")
    cuda = Cuda.find(facts)
    assert cuda is not None
    assert cuda.version == "11.8"
    cuda.check(replace(facts, cuda="11.7"))
    with pytest.raises(ToolError, match=r"of CUDA 11\.8, and torch is built for 13\.0"):
        cuda.check(facts)
