"""Reading and editing C++ source text, for rewrites."""

from maxcode.generators.rewrites.cpp.names import Function, Variable
from maxcode.generators.rewrites.cpp.source import CppSource
from maxcode.generators.rewrites.cpp.tree import (
    MISSING,
    Edit,
    Node,
    after,
    at_start,
    before,
    replace,
)

__all__ = [
    "MISSING", "CppSource", "Edit", "Function", "Node", "Variable", "after", "at_start", "before",
    "replace",
]  # fmt: skip
