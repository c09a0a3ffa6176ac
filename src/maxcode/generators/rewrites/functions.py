"""Costly functions that remember what they were asked."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from maxcode.generators.rewrites.base import Rewrite, Site, SiteRewrite
from maxcode.generators.rewrites.cpp import (
    CppSource,
    Edit,
    Function,
    Variable,
    after,
    before,
    replace,
)
from maxcode.generators.rewrites.cpp.names import body_of, template
from maxcode.generators.rewrites.cpp.source import costly_to_copy
from maxcode.generators.rewrites.cpp.tree import LOOPS, contains
from maxcode.generators.rewrites.support import load


class CacheResults(SiteRewrite):
    """For functions with loops, without effects, of numbers and strings only."""

    name = "cache-results"
    summary = "Remembers the results of a costly function for arguments that come again."
    weight = 4.0
    headers = ("map", "string", "tuple")

    def sites(self, source: CppSource) -> Iterator[Site]:
        """Yield each function whose results may be kept."""
        for function in source.functions:
            if not self._suits(source, function):
                continue
            named = next(
                node
                for node in source.walk("identifier", within=function.node)
                if source.of(node) == function.name and not contains(function.body, node)
            )
            computed = source.fresh(f"{function.name}_computed")
            head = source.data[function.node.start_byte : function.body.start_byte].decode()
            names = ", ".join(parameter.name for parameter in function.parameters)
            wrapper = (
                f"{head.rstrip()} {{\n"
                f"    using Key = decltype(std::make_tuple({names}));\n"
                f"    static std::map<Key, {function.return_type}> known;\n"
                f"    const Key key({names});\n"
                f"    auto found = known.find(key);\n"
                f"    if (found == known.end()) {{\n"
                f"        found = known.emplace(key, {computed}({names})).first;\n"
                f"    }}\n"
                f"    return found->second;\n}}"
            )
            yield [
                before(function.node, f"{head.rstrip()};\n"),
                replace(named, computed),
                after(function.node, f"\n\n{wrapper}"),
            ]

    def _suits(self, source: CppSource, function: Function) -> bool:
        return (
            bool(function.parameters)
            and function.name != "main"
            and source.function(function.name) is not None
            and source.is_arithmetic(function.return_type)
            and any(True for _ in source.walk(*LOOPS, within=function.body))
            and all(
                (p.form == "" or (p.form == "&" and p.const))
                and (source.is_arithmetic(p.type) or source.expand(p.type) == "string")
                for p in function.parameters
            )
            and not self._reads_globals(source, function)
            and source.enclosing(function.node, "class_specifier", "struct_specifier") is None
            and source.enclosing(function.node, "template_declaration") is None
            and source.effects.pure(function)
        )

    def _reads_globals(self, source: CppSource, function: Function) -> bool:
        for node in source.walk("identifier", within=function.body):
            variable = source.names.resolve(node)
            if variable is not None and variable.kind == "global" and not variable.const:
                return True
        return False


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


_TAKERS = frozenset({"push_back", "emplace_back", "insert", "push", "emplace", "push_front"})


class MoveLastUse(SiteRewrite):
    """For local values that nothing reads afterwards, judged by the order of the text."""

    name = "move-last-use"
    summary = "Moves a string or container into its last use instead of copying it."
    weight = 4.0
    headers = ("utility",)

    def sites(self, source: CppSource) -> Iterator[Site]:
        """Yield each last use that hands a value to a container or another variable."""
        for variable in source.variables:
            if variable.kind not in ("local", "parameter") or variable.form or variable.const:
                continue
            uses = source.uses(variable)
            if not uses or not costly_to_copy(source, variable.type):
                continue
            last = max(uses, key=lambda node: node.start_byte)
            if self._hands_over(source, last) and self._runs_once(source, last, variable):
                yield [replace(last, f"std::move({variable.name})")]

    def _hands_over(self, source: CppSource, use: Node) -> bool:
        above = source.parent(use)
        if above is None:
            return False
        if above.type == "assignment_expression":
            right = above.child_by_field_name("right")
            return right is not None and right.id == use.id
        call = source.parent(above)
        if above.type != "argument_list" or call is None or call.type != "call_expression":
            return False
        method = source.of(call.child_by_field_name("function")).rsplit(".", 1)
        return len(method) == 2 and method[1] in _TAKERS

    def _runs_once(self, source: CppSource, use: Node, variable: Variable) -> bool:
        """Say whether no loop (or lambda) comes back to the use with the same variable."""
        barriers = ("lambda_expression", *("for_statement", "while_statement", "do_statement"))
        return not any(
            above.type in (*barriers, "for_range_loop")
            and contains(variable.scope, above)
            and above.id != variable.scope.id
            and not contains(above, variable.node)
            for above in source.ancestors(use)
        )


class RangeReference(SiteRewrite):
    """Only where the loop does not change its variable."""

    name = "range-reference"
    summary = "Visits the elements of a container by reference instead of copying each."
    weight = 5.0

    def sites(self, source: CppSource) -> Iterator[Site]:
        """Yield each loop whose variable is a copy that is only read."""
        seen: set[int] = set()
        for variable in source.variables:
            loop = variable.declaration
            body = body_of(loop)
            if variable.kind != "range" or body is None or loop.id in seen:
                continue
            seen.add(loop.id)
            if variable.form not in ("", "[binding]"):
                continue
            if variable.type != "auto" and not costly_to_copy(source, variable.type):
                continue
            if any(
                source.effects.writes(other, body)
                for other in source.variables
                if other.declaration.id == loop.id
            ):
                continue
            start = [] if variable.const else [before(variable.type_node, "const ")]
            yield [*start, after(variable.type_node, "&")]


class UnrollPragma(Rewrite):
    """Exact: the compiler may only repeat loop bodies."""

    name = "unroll-pragma"
    summary = "Asks the compiler to unroll loops."
    weight = 2.5

    def apply(self, source: CppSource) -> Iterator[str]:
        """Yield the file with the pragma in its first line."""
        yield from _with_pragma(source, 'optimize("unroll-loops")')


class FastMathPragma(Rewrite):
    """May change the last digits of floating point results."""

    name = "fast-math-pragma"
    summary = "Lets the compiler reorder floating point operations and unroll loops."
    weight = 3.5

    def apply(self, source: CppSource) -> Iterator[str]:
        """Yield the file with the pragma in its first line."""
        yield from _with_pragma(source, 'optimize("Ofast,unroll-loops")')


class TargetPragma(Rewrite):
    """For x86 processors since 2013; others do not compile it."""

    name = "target-pragma"
    summary = "Lets the compiler use the vector instructions AVX2 and the like."
    weight = 3.5

    def apply(self, source: CppSource) -> Iterator[str]:
        """Yield the file with the pragma in its first line."""
        yield from _with_pragma(source, 'target("avx2,bmi,bmi2,lzcnt,popcnt,fma")')


def _with_pragma(source: CppSource, option: str) -> Iterator[str]:
    """Yield the file with a pragma before everything else, unless it has one of that kind."""
    kind = "#pragma GCC " + option.partition("(")[0]
    if source.text.strip() and kind not in source.text:
        newline = "\r\n" if "\r\n" in source.text else "\n"
        yield f"#pragma GCC {option}{newline}{source.text}"
