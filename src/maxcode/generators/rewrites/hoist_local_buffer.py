"""Containers made once and emptied instead of made in every round of a loop."""

from collections.abc import Iterator

from tree_sitter import Node

from maxcode.generators.rewrites.base import Site, SiteRewrite
from maxcode.generators.rewrites.cpp import CppSource, Variable, replace
from maxcode.generators.rewrites.cpp.hoisting import declare_before
from maxcode.generators.rewrites.cpp.types import template


class HoistLocalBuffer(SiteRewrite):
    """The memory of a local vector or string is kept from one round to the next."""

    name = "hoist-local-buffer"
    summary = "Reuses the memory of a vector or string declared in a loop in all its rounds."
    weight = 4.0

    def sites(self, source: CppSource) -> Iterator[Site]:
        """Yield each vector or string declared directly in a loop's body."""
        for variable in source.variables:
            loop = self._loop(source, variable)
            reset = self._reset(source, variable)
            if loop is None or reset is None:
                continue
            kind = source.of(variable.type_node)
            outside = declare_before(source, loop, f"{kind} {variable.name};")
            yield [*outside, replace(variable.declaration, reset)]

    def _loop(self, source: CppSource, variable: Variable) -> Node | None:
        loops = source.enclosing_loops(variable.node)
        if variable.kind != "local" or not variable.alone or variable.form or not loops:
            return None
        body = loops[0].child_by_field_name("body")
        if body is None or variable.scope.id != body.id or variable.const:
            return None
        if "static" in source.of(variable.declaration).split():
            return None
        others = [v for v in source.variables if v.name == variable.name and v != variable]
        function = source.enclosing(loops[0], "function_definition")
        clash = any(
            function is not None
            and function.start_byte <= other.node.start_byte < function.end_byte
            for other in others
        )
        return None if clash else loops[0]

    def _reset(self, source: CppSource, variable: Variable) -> str | None:
        """Return the statement that gives the old container its new content."""
        parts = template(source.expand(variable.type))
        is_string = source.expand(variable.type) == "string"
        if not is_string and (parts is None or parts[0] != "vector"):
            return None
        value = variable.value
        if value is None:
            return f"{variable.name}.clear();"
        if value.type == "string_literal":
            return f"{variable.name} = {source.of(value)};"
        given = value.named_children if value.type in ("argument_list", "parameter_list") else []
        if len(given) == 2 and not any("begin" in source.of(argument) for argument in given):
            return f"{variable.name}.assign{source.of(value)};"
        if len(given) == 1 and parts is not None:
            size = source.of(given[0])
            element = parts[1][0]
            is_size = value.type == "parameter_list" or given[0].type != "identifier"
            return f"{variable.name}.assign({size}, {element}());" if is_size else None
        return None
