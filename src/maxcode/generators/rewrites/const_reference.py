"""Parameters that are only read, taken without a copy."""

from collections.abc import Iterator

from tree_sitter import Node

from maxcode.generators.rewrites.base import Site, SiteRewrite
from maxcode.generators.rewrites.cpp import CppSource, Edit, Function, Variable, after, before
from maxcode.generators.rewrites.cpp.copying import costly_to_copy
from maxcode.generators.rewrites.cpp.names import body_of


class ConstReference(SiteRewrite):
    """For functions and lambdas; earlier declarations of a function follow."""

    name = "const-reference"
    summary = "Passes strings, containers and objects that are only read by reference."
    weight = 7.0

    def sites(self, source: CppSource) -> Iterator[Site]:
        """Yield each function with parameters to change, then each such lambda."""
        for function in source.functions:
            edits: list[Edit] = []
            for position, parameter in enumerate(function.parameters):
                if self._suits(source, parameter, function.body):
                    edits += self._edits(parameter)
                    edits += self._declarations(source, function, position)
            if edits:
                yield edits
        for parameter in source.variables:
            body = body_of(parameter.scope)
            in_lambda = parameter.kind == "parameter" and parameter.scope.type.startswith("lambda")
            if in_lambda and body is not None and self._suits(source, parameter, body):
                yield self._edits(parameter)

    def _suits(self, source: CppSource, parameter: Variable, body: Node) -> bool:
        return (
            not parameter.form
            and costly_to_copy(source, parameter.type)
            and not source.effects.writes(parameter, body)
        )

    def _edits(self, parameter: Variable) -> list[Edit]:
        reference = after(parameter.type_node, "&")
        return (
            [reference] if parameter.const else [before(parameter.type_node, "const "), reference]
        )

    def _declarations(self, source: CppSource, function: Function, position: int) -> list[Edit]:
        edits: list[Edit] = []
        for declarator in source.walk("function_declarator"):
            owner = source.parent(declarator)
            listed = declarator.child_by_field_name("parameters")
            named = source.of(declarator.child_by_field_name("declarator"))
            if named != function.name or owner is None or listed is None:
                continue
            if owner.type in ("declaration", "field_declaration"):
                given = listed.named_children
                if len(given) == len(function.parameters):
                    type_node = given[position].child_by_field_name("type")
                    if type_node is not None:
                        edits += [before(type_node, "const "), after(type_node, "&")]
        return edits
