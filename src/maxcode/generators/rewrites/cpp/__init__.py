"""Reading and editing C++ source text: what rewrites are written with."""

from maxcode.generators.rewrites.cpp.names import Function, Variable
from maxcode.generators.rewrites.cpp.source import CppSource
from maxcode.generators.rewrites.cpp.tree import (
    Edit,
    after,
    before,
    delete,
    replace,
)

__all__ = ["CppSource", "Edit", "Function", "Variable", "after", "before", "delete", "replace"]
