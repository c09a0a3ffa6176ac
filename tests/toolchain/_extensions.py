"""A miniature of torch that compiles in no time, and what load_inline is called with for it."""

from pathlib import Path
from typing import Any

from maxcode.toolchain.extension_facts import TorchFacts
from maxcode.toolchain.extension_sources import InlineSources

HEADERS = {
    "types.h": """
#pragma once
#include <cstddef>
namespace torch { struct Tensor { double value; }; inline Tensor empty() { return {0}; } }
""",
    "utils.h": "#pragma once\n",
    "csrc/Exceptions.h": """
#pragma once
namespace torch { template <class F> F wrap_pybind_function(F f) { return f; } }
""",
    "csrc/utils/pybind.h": """
#pragma once
struct Module { void* last; template <class F> void def(const char*, F f, const char*) { last = (void*)f; } };
#define NAMED(name) PyInit_##name
#define JOINED(name) NAMED(name)
#define PYBIND11_MODULE(name, m) \\
  static void bind(Module&); extern "C" void* JOINED(name)() { Module m; bind(m); return m.last; } \\
  static void bind(Module& m)
""",  # noqa: E501
    "torch.h": "#include <torch/extension.h>\n",
    "extension.h": """
#pragma once
#include <torch/types.h>
#include <torch/utils.h>
#include <torch/csrc/Exceptions.h>
#include <torch/csrc/utils/pybind.h>
""",
}
TWICE = "double twice(double x) { return 2 * x; }\n"


def miniature(folder: Path) -> TorchFacts:
    include = folder / "include"
    for name, text in HEADERS.items():
        path = include / "torch" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
    return TorchFacts("2.0", "c++17", (include,), (), ())


def call(cpp_sources: Any = TWICE, **more: Any) -> InlineSources:
    arguments = {"name": "mine", "cpp_sources": cpp_sources, "functions": ["twice"], **more}
    return InlineSources.parse(arguments)
