import ctypes
import shutil
from collections.abc import Callable, Sequence
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
def another(sandbox: Any, tmp_path: Path, facts: TorchFacts) -> Callable[[], ExtensionBuilder]:
    """Makes a builder as a later run would, with all that share one cache on disk."""
    numbers = iter(range(100))

    def make() -> ExtensionBuilder:
        cache = BuildCache(tmp_path / "cache")
        return ExtensionBuilder(sandbox, tmp_path / f"run{next(numbers)}", cache, facts)

    return make


def answer(built: BuiltExtension, number: float, name: str = "mine") -> float:
    """What the last function that was bound makes of a number."""
    assert built.library is not None, built.errors
    library = ctypes.CDLL(str(built.library))
    start = getattr(library, f"PyInit_{name}")
    start.restype = ctypes.c_void_p
    function = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double)(start())
    return float(function(number))


def errors(built: BuiltExtension) -> list[str]:
    assert built.library is None
    assert not built.timed_out
    return built.errors.splitlines()


def builds(sandbox: Any) -> list[str]:
    """The scripts of the builds, without those of headers."""
    return [" ".join(command) for command in sandbox.commands if "./main.cpp" in command]


def headers(sandbox: Any) -> int:
    return sum("c++-header" in command for command in sandbox.commands)


# -- what is built ---------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_function_can_be_called(builder: ExtensionBuilder, sandbox: Any) -> None:
    built = builder.build(call(), 60)
    assert answer(built, 21) == 42
    assert built.library is not None
    assert built.library.name == "mine.so"
    assert not built.errors
    assert len(builds(sandbox)) == 1
    assert headers(sandbox) == 0  # not worth it yet


@pytest.mark.slow
def test_flags_reach_the_compiler_as_words(builder: ExtensionBuilder) -> None:
    text = "#ifdef __OPTIMIZE__\ndouble twice(double x) { return BY * x; }\n#endif\n"
    assert errors(builder.build(call(text), 60))  # nothing is optimized unasked
    assert answer(builder.build(call(text, extra_cflags=["-O1 -DBY=7"]), 60), 1) == 7


# -- headers ---------------------------------------------------------------------------------------


def use(builder: ExtensionBuilder, flags: Sequence[str] = (), times: int = 3) -> None:
    """As many uses of a header as repay to compile it."""
    for number in range(times):
        built = builder.build(call(f"{TWICE}// use {number}", extra_cflags=[*flags]), 60)
        assert built.library, built.errors


@pytest.mark.slow
def test_a_later_run_finds_the_header(another: Any, sandbox: Any) -> None:
    use(another())
    assert headers(sandbox) == 1
    assert answer(another().build(call(f"{TWICE}//"), 60), 2) == 4
    assert headers(sandbox) == 1


# -- what fails ------------------------------------------------------------------------------------


@pytest.mark.slow
def test_an_error_names_the_line_of_the_candidates_own_source(builder: ExtensionBuilder) -> None:
    built = builder.build(call("\ndouble twice(double x) {\n    return 2 * y;\n}\n"), 60)
    assert errors(built) == [
        "cpp_sources.cpp:3:16: error: 'y' was not declared in this scope",
        "    3 |     return 2 * y;",
        "      |                ^",
    ]


# -- once ------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_later_run_need_not_build_again(another: Any, sandbox: Any) -> None:
    first, second = another().build(call(), 60), another().build(call(), 60)
    assert len(builds(sandbox)) == 1
    assert first.library != second.library
    assert answer(second, 3) == 6


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


needs_nvcc = pytest.mark.skipif(not shutil.which("nvcc"), reason="there is no nvcc")


@pytest.mark.slow
@needs_nvcc
def test_an_error_in_a_kernel_names_its_line(builder: ExtensionBuilder) -> None:
    built = builder.build(call(cuda_sources="\n__global__ void f() { missing(); }\n"), 120)
    assert not built.compiled_only
    assert "cuda_sources.cu(2): error: identifier" in built.errors


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
