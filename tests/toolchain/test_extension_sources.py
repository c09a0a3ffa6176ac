from typing import Any

import pytest
from tests.toolchain._extensions import TWICE, call

from maxcode.errors import InputError
from maxcode.toolchain.extension_sources import InlineSources


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


def test_the_cuda_unit() -> None:
    sources = call(cuda_sources=["k"])
    assert sources.with_cuda
    assert sources.cuda_unit().splitlines() == [
        *("#include <torch/types.h>", "#include <cuda.h>", "#include <cuda_runtime.h>"),
        *('#line 1 "cuda_sources.cu"', "k"),
    ]
    assert call(cuda_sources="k", no_implicit_headers=True).cuda_unit().startswith("#line")
    assert not call(cuda_sources=[]).with_cuda


def test_flags_are_words_as_a_shell_would_make_them() -> None:
    given = call(extra_cflags=["-O3 -march=native", "-DX='a b'"], extra_ldflags="-lm -s")
    assert given.extra_cflags == ("-O3", "-march=native", "-DX=a b")
    assert given.extra_ldflags == ("-lm", "-s")


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ({"name": "a-b"}, "name"),
        ({"cpp_sources": 3}, "cpp_sources"),
        ({"cpp_sources": "\0"}, "cpp_sources"),
        ({"functions": "f\nint x;"}, "functions"),
        ({"functions": 3}, "functions"),
        ({"extra_cflags": "-DX='"}, "extra_cflags"),
    ],
)
def test_an_argument_that_cannot_be_built_is_named(arguments: dict[str, Any], name: str) -> None:
    with pytest.raises(InputError, match=f"load_inline: {name}"):
        InlineSources.parse({"name": "mine", "cpp_sources": TWICE, **arguments})
