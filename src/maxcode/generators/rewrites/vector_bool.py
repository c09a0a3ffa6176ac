"""Flags in bytes or in bits."""

from collections.abc import Iterator

from tree_sitter import Node

from maxcode.generators.rewrites.base import Site, SiteRewrite
from maxcode.generators.rewrites.cpp import CppSource, replace
from maxcode.generators.rewrites.cpp.tree import contains

_FLAGS = ("0", "1", "true", "false")


class VectorBoolToChar(SiteRewrite):
    """A byte is read and written without shifts and masks."""

    name = "vector-bool-to-char"
    summary = "Keeps flags in bytes, which are quicker to reach than bits."
    weight = 4.0
    max_single = 0

    def sites(self, source: CppSource) -> Iterator[Site]:
        """Yield each vector of bool."""
        yield from _elements(source, ("bool",), "char")


class VectorFlagsToBits(SiteRewrite):
    """Bits fit into the cache where bytes or integers do not."""

    name = "vector-flags-to-bits"
    summary = "Packs flags into bits so that many of them fit into the cache."
    weight = 2.0

    def sites(self, source: CppSource) -> Iterator[Site]:
        """Yield each vector of char or int that only ever holds 0 and 1."""
        yield from _elements(source, ("char", "int", "unsigned char"), "bool")


class VectorFlagsToBytes(SiteRewrite):
    """A quarter of the memory."""

    name = "vector-flags-to-bytes"
    summary = "Keeps flags in bytes instead of integers, so that four times as many fit."
    weight = 4.0

    def sites(self, source: CppSource) -> Iterator[Site]:
        """Yield each vector of int that only ever holds 0 and 1."""
        yield from _elements(source, ("int", "long long"), "char")


def _elements(source: CppSource, old: tuple[str, ...], new: str) -> Iterator[Site]:
    for node in source.walk("template_type", "template_function"):
        listed = node.child_by_field_name("arguments")
        name = source.of(node.child_by_field_name("name"))
        inner = [] if listed is None else listed.named_children
        if name != "vector" or len(inner) != 1 or source.expand(source.of(inner[0])) not in old:
            continue
        if old == ("bool",) or _holds_flags(source, node):
            yield [replace(inner[0], new)]


def _holds_flags(source: CppSource, type_node: Node) -> bool:
    """Say whether the one variable of a type is filled with 0 and 1 and nothing else."""
    declared = [v for v in source.variables if contains(v.type_node, type_node)]
    if len(declared) != 1 or declared[0].form or declared[0].kind == "parameter":
        return False
    variable = declared[0]
    if variable.value is not None:
        given = variable.value.named_children
        if variable.value.type not in ("argument_list", "parameter_list") or not given:
            return False
        if len(given) == 2 and source.of(given[1]) not in _FLAGS:
            return False
    uses = source.uses(variable)
    return any(source.effects.is_write(use) for use in uses) and all(
        _keeps_flags(source, use) for use in uses
    )


def _keeps_flags(source: CppSource, use: Node) -> bool:
    access = source.subscript(use)
    if access is None:
        return False
    if not source.effects.is_write(use):
        return True
    above = source.parent(access[0])
    return (
        above is not None
        and above.type == "assignment_expression"
        and source.of(above.child_by_field_name("operator")) == "="
        and source.of(above.child_by_field_name("right")) in _FLAGS
    )
