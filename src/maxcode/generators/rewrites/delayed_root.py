"""Square roots taken only of what passes a comparison."""

import re
from collections.abc import Iterator

from tree_sitter import Node

from maxcode.generators.rewrites.base import Site, SiteRewrite
from maxcode.generators.rewrites.cpp import (
    CppSource,
    Edit,
    Function,
    Variable,
    after,
    before,
    replace,
)
from maxcode.generators.rewrites.cpp.tree import arguments, unwrap

_SQUARED = "_squared"
_ORDER = ("<", ">", "<=", ">=")


class DelayedRoot(SiteRewrite):
    """`if (distance(a, b) < best)` becomes `if (distance_squared(a, b) < best * best)`."""

    name = "delayed-root"
    summary = "Compares squared distances and takes the root only of those that pass."
    weight = 7.0

    def sites(self, source: CppSource) -> Iterator[Site]:
        """Yield each comparison with a function of the file that returns a square root."""
        for function in source.functions:
            root = self._returned_root(source, function)
            if root is None:
                continue
            name = source.fresh(function.name + _SQUARED)
            edits: list[Edit] = []
            for call in source.walk("call_expression"):
                if source.callee(call) == function.name:
                    edits += self._comparison(source, call, name)
                    edits += self._variable(source, call, name)
            if edits:
                yield [before(function.node, self._squared(source, function, root, name)), *edits]

    def _returned_root(self, source: CppSource, function: Function) -> Node | None:
        """Return the call of sqrt that is the function's only result."""
        results = list(source.walk("return_statement", within=function.body))
        if len(results) != 1 or not results[0].named_children:
            return None
        value = unwrap(results[0].named_children[0])
        if value is None or value.type != "call_expression":
            return None
        is_root = source.callee(value) in ("sqrt", "sqrtl", "sqrtf") and len(arguments(value)) == 1
        return value if is_root else None

    def _squared(self, source: CppSource, function: Function, root: Node, name: str) -> str:
        """Return a copy of the function without the root."""
        start = function.node.start_byte
        copy = source.data[start : root.start_byte].decode()
        copy = re.sub(rf"\b{function.name}\b", name, copy, count=1)
        rest = source.data[root.end_byte : function.node.end_byte].decode()
        return f"{copy}{source.of(arguments(root)[0])}{rest}\n\n"

    def _comparison(self, source: CppSource, call: Node, name: str) -> list[Edit]:
        """Square both sides of `call < x` and `x > call`."""
        test = source.parent(call)
        callee = call.child_by_field_name("function")
        if test is None or callee is None or test.type != "binary_expression":
            return []
        if source.of(test.child_by_field_name("operator")) not in _ORDER:
            return []
        left, right = test.child_by_field_name("left"), test.child_by_field_name("right")
        other = right if left is not None and left.id == call.id else left
        if other is None or other.type not in ("identifier", "number_literal"):
            return []
        text = source.of(other)
        return [replace(callee, name), replace(other, f"{text} * {text}")]

    def _variable(self, source: CppSource, call: Node, name: str) -> list[Edit]:
        """Delay the root in `double d = call; if (d < best) ...` where nothing else reads d."""
        variable = next((v for v in source.variables if v.value == call and v.alone), None)
        branch = None if variable is None else source.next_statement(variable.declaration)
        callee = call.child_by_field_name("function")
        if variable is None or branch is None or callee is None:
            return []
        test = unwrap(branch.child_by_field_name("condition"))
        body = branch.child_by_field_name("consequence")
        sides = self._sides(source, test, variable)
        uses = source.uses(variable)
        if sides is None or body is None or not uses or uses[-1].end_byte > body.end_byte:
            return []
        own, other = sides
        square = source.fresh(f"{variable.name}{_SQUARED}")
        root = f"{source.of(variable.type_node)} {variable.name} = std::sqrt({square});"
        if body.type == "compound_statement":
            pad = source.indent(branch) + "    "
            delayed = [Edit(body.start_byte + 1, body.start_byte + 1, f"\n{pad}{root}")]
        else:
            delayed = [before(body, f"{{ {root} "), after(body, " }")]
        return [
            replace(variable.node, square),
            replace(callee, name),
            replace(own, square),
            replace(other, f"{source.of(other)} * {source.of(other)}"),
            *delayed,
        ]

    def _sides(
        self, source: CppSource, test: Node | None, variable: Variable
    ) -> tuple[Node, Node] | None:
        """Return the operands of a comparison, first the variable, then another name."""
        if test is None or source.of(test.child_by_field_name("operator")) not in _ORDER:
            return None
        left, right = test.child_by_field_name("left"), test.child_by_field_name("right")
        if left is None or right is None or (left.type, right.type) != ("identifier",) * 2:
            return None
        own, other = (left, right) if source.of(left) == variable.name else (right, left)
        return (own, other) if source.of(own) == variable.name else None
