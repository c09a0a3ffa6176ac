"""Recursive functions that remember their results."""

from collections.abc import Iterator

from tree_sitter import Node

from maxcode.generators.rewrites.base import Site, SiteRewrite
from maxcode.generators.rewrites.cpp import CppSource, Function, after, before, replace
from maxcode.generators.rewrites.cpp.tree import contains
from maxcode.generators.rewrites.support import load


class Memoise(SiteRewrite):
    """For functions without effects, of one to four integers and of unchanging references."""

    name = "memoise"
    summary = "Remembers the results of a recursive function instead of computing them again."
    weight = 10.0
    support = load("memo_table")

    def sites(self, source: CppSource) -> Iterator[Site]:
        """Yield each recursive function whose result depends on a few integers."""
        for function in source.functions:
            calls = [
                call
                for call in source.walk("call_expression", within=function.body)
                if source.callee(call) == function.name
            ]
            if len(calls) >= 2 and self._suits(source, function):
                yield self._edits(source, function)

    def _suits(self, source: CppSource, function: Function) -> bool:
        keys = self._keys(source, function)
        others = [p for p in function.parameters if p.name not in keys]
        return (
            source.function(function.name) is not None
            and 1 <= len(keys) <= 4
            and source.is_arithmetic(function.return_type)
            and all(p.form == "&" and p.kind == "parameter" for p in others)
            and all(self._passed_on(source, function, p.name) for p in others)
            and source.enclosing(function.node, "class_specifier", "struct_specifier") is None
            and source.enclosing(function.node, "template_declaration") is None
            and source.effects.pure(function)
        )

    def _keys(self, source: CppSource, function: Function) -> list[str]:
        return [
            parameter.name
            for parameter in function.parameters
            if not parameter.form
            and (source.is_integer(parameter.type) or source.expand(parameter.type) == "bool")
        ]

    def _passed_on(self, source: CppSource, function: Function, name: str) -> bool:
        position = [p.name for p in function.parameters].index(name)
        for call in source.walk("call_expression", within=function.body):
            if source.callee(call) == function.name:
                listed = call.child_by_field_name("arguments")
                given = [] if listed is None else listed.named_children
                if position >= len(given) or source.of(given[position]) != name:
                    return False
        return True

    def _edits(self, source: CppSource, function: Function) -> Site:
        name, keys = function.name, self._keys(source, function)
        plain_name = source.fresh(f"{name}_computed")
        head = source.data[function.node.start_byte : function.body.start_byte].decode()
        table = f"MemoTable<{function.return_type}, {len(keys)}>"
        names = ", ".join(parameter.name for parameter in function.parameters)
        key = "{" + ", ".join(f"static_cast<long long>({k})" for k in keys) + "}"
        lines = [f"static {table} known;"]
        if self._needs_fresh_table(source, function):
            lines += ["static int depth = 0;", "if (depth == 0) known.clear();"]
            compute = [
                "++depth;",
                f"{function.return_type} result = {plain_name}({names});",
                "--depth;",
            ]
        else:
            compute = [f"{function.return_type} result = {plain_name}({names});"]
        lines += [
            f"const {table}::Key key{key};",
            "if (auto found = known.find(key)) return *found;",
            *compute,
            "return known.store(key, result);",
        ]
        wrapper = head.rstrip() + " {\n" + "".join(f"    {line}\n" for line in lines) + "}"
        declared = self._name_node(source, function)
        prototype = head.rstrip() + ";\n"
        return [
            before(function.node, prototype),
            replace(declared, plain_name),
            after(function.node, f"\n\n{wrapper}"),
        ]

    def _needs_fresh_table(self, source: CppSource, function: Function) -> bool:
        """Say whether results also depend on what is not in the key."""
        if any(p.form == "&" for p in function.parameters):
            return True
        for node in source.walk("identifier", within=function.body):
            variable = source.names.resolve(node)
            if variable is not None and not variable.const and variable.kind == "global":
                return True
        return False

    def _name_node(self, source: CppSource, function: Function) -> Node:
        return next(
            node
            for node in source.walk("identifier", within=function.node)
            if source.of(node) == function.name and not contains(function.body, node)
        )
