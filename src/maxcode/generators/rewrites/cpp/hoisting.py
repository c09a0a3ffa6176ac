"""Naming the value of an expression before a loop."""

from tree_sitter import Node

from maxcode.generators.rewrites.cpp.edits import Edit, after, before
from maxcode.generators.rewrites.cpp.source import CppSource


def declare_before(source: CppSource, statement: Node, declaration: str) -> list[Edit]:
    """Place a declaration before a statement, in braces of its own where it needs them."""
    indent = source.indent(statement)
    block = source.parent(statement)
    if block is not None and block.type == "compound_statement":
        return [before(statement, f"{declaration}\n{indent}")]
    return [before(statement, f"{{ {declaration}\n{indent}"), after(statement, " }")]
