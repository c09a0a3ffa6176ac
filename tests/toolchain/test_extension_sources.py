from typing import Any

import pytest
from tests.toolchain._extensions import TWICE, call

from maxcode.errors import InputError
from maxcode.toolchain.extension_sources import InlineSources


def test_what_is_not_given_is_as_torch_has_it() -> None:
    assert InlineSources.parse({"name": "m", "cpp_sources": "x"}) == InlineSources("m", ("x",))


def test_the_unit_is_that_of_torch_with_names_for_its_parts() -> None:
    sources = call(["a", "b"], functions={"f": "about f", "g": "about g"})
    assert sources.cpp_unit().splitlines() == [
        "#include <torch/extension.h>",
        '#line 1 "cpp_sources_0.cpp"',
        "a",
        '#line 1 "cpp_sources_1.cpp"',
        "b",
        '#line 1 "bindings.cpp"',
        "PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {",
        'm.def("f", torch::wrap_pybind_function(f), "about f");',
        'm.def("g", torch::wrap_pybind_function(g), "about g");',
        "}",
    ]


@pytest.mark.parametrize(
    ("functions", "pairs"),
    [
        (None, None),
        ("f", (("f", "f"),)),
        (["f", "g"], (("f", "f"), ("g", "g"))),
        ({"f": "about"}, (("f", "about"),)),
        ([], ()),
    ],
)
def test_functions_come_as_torch_takes_them(functions: Any, pairs: Any) -> None:
    assert call(functions=functions).functions == pairs


def test_without_translation_of_errors_functions_are_bound_as_they_are() -> None:
    unit = call(functions="f", with_pytorch_error_handling=False).cpp_unit()
    assert 'm.def("f", f, "f");' in unit


def test_the_cuda_unit() -> None:
    sources = call(cuda_sources=["k"])
    assert sources.with_cuda
    assert sources.cuda_unit().splitlines() == [
        *("#include <torch/types.h>", "#include <cuda.h>", "#include <cuda_runtime.h>"),
        *('#line 1 "cuda_sources.cu"', "k"),
    ]
    assert call(cuda_sources="k", no_implicit_headers=True).cuda_unit().startswith("#line")
    assert not call(cuda_sources=[]).with_cuda


@pytest.mark.parametrize(
    ("key", "flags", "words"),
    [
        ("extra_cflags", ["-O3 -march=native", "-ffast-math"], 3),
        ("extra_cflags", ["-std=c++20", "-fopenmp", "-DX='a b'", "-Wall", "-mavx2", "-g"], 6),
        ("extra_ldflags", ["-lgomp", "-L/usr/lib/x86_64-linux-gnu", "-Wl,-O1", "-fopenmp"], 4),
        ("extra_cuda_cflags", ["-O3", "--use_fast_math", "-lineinfo", "-arch=sm_90a"], 4),
        ("extra_cuda_cflags", ["-gencode", "arch=compute_90,code=sm_90", "-Xptxas -O3,-v"], 2),
        ("extra_cuda_cflags", ["-Xcompiler", "-fopenmp", "--expt-relaxed-constexpr"], 2),
    ],
)
def test_flags_that_change_code_are_allowed(key: str, flags: list[str], words: int) -> None:
    assert len(getattr(call(**{key: flags}), key)) == words


OUTSIDE = [
    *("-I/etc", "-B/tmp", "@/etc/passwd", "-include/etc/passwd", "-fplugin=/tmp/x.so", "-specs=x"),
    *("-wrapper", "-o", "/etc/passwd", "-Wp,-MD,x", "-Wa,-I/etc", "-fprofile-use=/x", "-x"),
    *("--sysroot=/", "-isystem", "-idirafter", "-save-temps", "-fdump-tree-all", "-E", "-S", ""),
    *("-Wl,-rpath,/tmp", "-Xlinker", "-T", "-fsyntax-only", "-ccbin=/tmp/x", "-L/usr/../etc"),
    *("--compiler-bindir=/tmp", "-keep", "-l/etc/x", "-L/tmp", "-Xcompiler=@/etc/passwd"),
]


@pytest.mark.parametrize("key", ["extra_cflags", "extra_ldflags", "extra_cuda_cflags"])
@pytest.mark.parametrize("flag", OUTSIDE)
def test_flags_that_read_write_or_run_are_not(key: str, flag: str) -> None:
    with pytest.raises(InputError, match=f"load_inline: {key}: the flag .* is not allowed"):
        call(**{key: ["-O2", f"'{flag}'"]})


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"name": "a-b"}, "name: an identifier"),
        ({"name": 'a"\nint x'}, "name: an identifier"),
        ({"name": None}, "name: an identifier"),
        ({"name": "x" * 101}, "name: an identifier"),
        ({"cpp_sources": 3}, "cpp_sources: a string or a list of strings is needed, not 3"),
        ({"cpp_sources": [b"x"]}, "cpp_sources: a string or a list"),
        ({"cpp_sources": "\0"}, "null character"),
        ({"functions": {"f": 3}}, "functions: a string or a list"),
        ({"functions": "f\nint x;"}, "one line"),
        ({"functions": 3}, "functions: a string or a list"),
        ({"sycl_sources": "x"}, "SYCL is not supported"),
        ({"extra_cflags": "-DX='"}, "extra_cflags: .* cannot be read"),
        ({"extra_include_paths": ["/etc"]}, "extra_include_paths: '/etc' lies outside /usr"),
        ({"extra_include_paths": "include"}, "lies outside /usr"),
        ({"extra_include_paths": "/usr/../etc"}, "lies outside /usr"),
    ],
)
def test_what_cannot_be_built_is_named(arguments: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        InlineSources.parse({"name": "mine", "cpp_sources": TWICE, **arguments})


def test_folders_of_the_system_may_be_searched() -> None:
    assert call(extra_include_paths=["/usr/include"]).extra_include_paths == ("/usr/include",)
