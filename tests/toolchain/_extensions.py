"""A torch of one empty header, and what load_inline is called with for it."""

from pathlib import Path
from typing import Any

from maxcode.toolchain.extension_facts import TorchFacts
from maxcode.toolchain.extension_sources import InlineSources

TWICE = 'extern "C" double twice(double x) { return 2 * x; }\n'


def miniature(folder: Path) -> TorchFacts:
    header = folder / "include" / "torch" / "extension.h"
    header.parent.mkdir(parents=True)
    header.write_text("#pragma once\n")
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
    return TorchFacts("2.0", "c++17", (folder / "include",), (), ())


def call(cpp_sources: Any = TWICE, **more: Any) -> InlineSources:
    return InlineSources.parse({"name": "mine", "cpp_sources": cpp_sources, **more})
