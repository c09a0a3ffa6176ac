"""Callables passed by their own type."""

from collections.abc import Iterator

from tree_sitter import Node

from maxcode.generators.rewrites.base import Site, SiteRewrite
from maxcode.generators.rewrites.cpp import CppSource, Edit, Variable, after, before, replace
from maxcode.generators.rewrites.cpp.tree import contains
from maxcode.generators.rewrites.cpp.types import template


class FunctionToTemplate(SiteRewrite):
    """A std::function hides what is called, so that the compiler cannot insert it."""

    name = "function-to-template"
    summary = "Calls functions and lambdas directly instead of through std::function."
    weight = 5.0

    def sites(self, source: CppSource) -> Iterator[Site]:
        """Yield each parameter and each local variable that is a std::function."""
        for variable in source.variables:
            parts = template(variable.type)
            if parts is None or parts[0] != "function":
                continue
            value = variable.value
            if variable.kind == "parameter":
                yield from self._parameter(source, variable)
            elif variable.kind == "local" and value is not None and variable.alone:
                if value.type != "lambda_expression" or not self._only_called(source, variable):
                    continue
                inner = [use for use in source.uses(variable) if contains(value, use)]
                if inner:
                    yield from self._recursive(source, variable, value)
                else:
                    yield [replace(variable.type_node, "auto")]

    def _parameter(self, source: CppSource, variable: Variable) -> Iterator[Site]:
        function = variable.scope
        above = source.parent(function)
        if function.type != "function_definition" or above is None:
            return
        if above.type != "translation_unit" or variable.form not in ("", "&"):
            return
        if self._declared_twice(source, function):
            return
        name = source.fresh("Callable")
        yield [
            before(function, f"template <class {name}>\n"),
            replace(variable.type_node, name),
            *([] if variable.form else [before(variable.node, "&& ")]),
        ]

    def _declared_twice(self, source: CppSource, function: Node) -> bool:
        names = [
            source.of(declarator.child_by_field_name("declarator"))
            for declarator in source.walk("function_declarator")
        ]
        own = next(source.walk("function_declarator", within=function), None)
        return own is None or names.count(source.of(own.child_by_field_name("declarator"))) > 1

    def _only_called(self, source: CppSource, variable: Variable) -> bool:
        for use in source.uses(variable):
            call = source.parent(use)
            if call is None or call.type != "call_expression":
                return False
            callee = call.child_by_field_name("function")
            if callee is None or callee.id != use.id:
                return False
        return True

    def _recursive(self, source: CppSource, variable: Variable, value: Node) -> Iterator[Site]:
        """Give a recursive lambda itself as its first argument."""
        declarator = value.child_by_field_name("declarator")
        listed = None if declarator is None else declarator.child_by_field_name("parameters")
        parts = template(variable.type)
        if listed is None or parts is None or not listed.named_children or declarator is None:
            return
        result = parts[1][0].split("(")[0].strip()
        edits: list[Edit] = [
            replace(variable.type_node, "auto"),
            Edit(listed.start_byte + 1, listed.start_byte + 1, f"auto&& {variable.name}, "),
        ]
        if "->" not in source.of(declarator):
            edits.append(after(listed, f" -> {result}"))
        for use in source.uses(variable):
            call = source.parent(use)
            given = None if call is None else call.child_by_field_name("arguments")
            if given is None:
                return
            start = given.start_byte + 1
            edits.append(Edit(start, start, f"{variable.name}, "))
        yield edits
