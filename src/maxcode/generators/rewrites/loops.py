"""Loops that stop when the answer is known."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from maxcode.generators.rewrites.base import Site, SiteRewrite
from maxcode.generators.rewrites.cpp import CppSource, Edit, Variable, after, replace
from maxcode.generators.rewrites.cpp.names import body_of, template
from maxcode.generators.rewrites.cpp.source import (
    CountedLoop,
    counted,
    declare_before,
    leaves_early,
    names_in,
    row_jumps,
)
from maxcode.generators.rewrites.cpp.tree import LOOPS, statements, unwrap

_SET = re.compile(r"(\w+)=(true|false|0|1|-1|i|j|k);")


class EarlyExit(SiteRewrite):
    """A loop (or a chain of ifs in it) that does no more than set a flag leaves when it has."""

    name = "early-exit"
    summary = "Leaves a loop as soon as its flag is set instead of running it to its end."
    weight = 7.0

    def sites(self, source: CppSource) -> Iterator[Site]:
        """Yield, for each loop, the assignments of its flag."""
        for loop in source.walk(*LOOPS):
            parts = statements(loop.child_by_field_name("body"))
            if not parts or parts[-1].type != "if_statement":
                continue
            if any(part.type != "declaration" for part in parts[:-1]):
                continue
            flags = self._flags(source, parts[-1])
            if not flags:
                continue
            texts = {re.sub(r"\s", "", source.of(flag)) for flag in flags}
            if len(texts) == 1 and self._flag_is_plain(source, flags[0]):
                yield [self._leave(source, flag) for flag in flags]

    def _flags(self, source: CppSource, branch: Node) -> list[Node]:
        """Return the one statement of every branch, empty where a branch does something else."""
        actions = statements(branch.child_by_field_name("consequence"))
        if len(actions) != 1:
            return []
        if not _SET.fullmatch(re.sub(r"\s", "", source.of(actions[0]))):
            return []
        alternative = branch.child_by_field_name("alternative")
        if alternative is None:
            return actions
        other = [child for child in alternative.named_children if child.type != "comment"]
        if len(other) != 1:
            return []
        if other[0].type == "if_statement":
            rest = self._flags(source, other[0])
            return actions + rest if rest else []
        return []

    def _flag_is_plain(self, source: CppSource, flag: Node) -> bool:
        name = re.split(r"\W", source.of(flag), maxsplit=1)[0]
        value = re.sub(r"\s", "", source.of(flag)).split("=")[1].rstrip(";")
        return name not in ("i", "j", "k") and value in ("true", "false", "0", "1")

    def _leave(self, source: CppSource, flag: Node) -> Edit:
        above = source.parent(flag)
        if above is not None and above.type == "compound_statement":
            return after(flag, f"\n{source.indent(flag)}break;")
        return replace(flag, f"{{ {source.of(flag)} break; }}")


_CHEAP = ("min", "max", "abs", "size", "length", "empty", "end", "make_pair", "c_str", "distance")


class HoistInvariantCall(SiteRewrite):
    """One level at a time; applied again it moves a call further out."""

    name = "hoist-invariant-call"
    summary = "Calls a function before a loop where each call in the loop gives the same value."
    weight = 6.0

    def sites(self, source: CppSource) -> Iterator[Site]:
        """Yield, for each loop, the calls in its body that may be made before it."""
        number = 0
        for loop in source.walk(*LOOPS):
            body = body_of(loop)
            if body is None or loop.type == "do_statement":
                continue
            edits: dict[str, list[Edit]] = {}
            for call in source.walk("call_expression", within=body):
                if self._innermost(source, call) != loop or not self._worthwhile(source, call):
                    continue
                if not source.effects.invariant(call, loop):
                    continue
                text = source.of(call)
                if text not in edits:
                    number += 1
                    name = source.fresh(f"value_{number}")
                    edits[text] = declare_before(source, loop, f"const auto {name} = {text};")
                edits[text].append(replace(call, name))
            yield from edits.values()

    def _innermost(self, source: CppSource, call: Node) -> Node | None:
        loops = source.enclosing_loops(call)
        return loops[0] if loops else None

    def _worthwhile(self, source: CppSource, call: Node) -> bool:
        callee = call.child_by_field_name("function")
        name = source.callee(call).rsplit(".", 1)[-1]
        listed = call.child_by_field_name("arguments")
        has_arguments = listed is not None and bool(listed.named_children)
        return callee is not None and name not in _CHEAP and has_arguments


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


class HoistLoopBound(SiteRewrite):
    """For strlen, sqrt, size and pure functions of the file, of what the loop leaves alone."""

    name = "hoist-loop-bound"
    summary = "Computes the bound of a loop once, before the loop."
    weight = 7.0

    def sites(self, source: CppSource) -> Iterator[Site]:
        """Yield each call in a loop's condition that has one value all through the loop."""
        number = 0
        for loop in source.walk("for_statement", "while_statement"):
            condition = loop.child_by_field_name("condition")
            if condition is None:
                continue
            for call in self._calls(source, condition):
                if not source.effects.invariant(call, loop):
                    continue
                number += 1
                name = source.fresh(f"bound_{number}")
                declaration = f"const auto {name} = {source.of(call)};"
                yield [*declare_before(source, loop, declaration), replace(call, name)]

    def _calls(self, source: CppSource, condition: Node) -> Iterator[Node]:
        """Yield the calls that are operands of comparisons, not those within other calls."""
        end = -1
        for call in source.walk("call_expression", within=condition):
            above = source.parent(call)
            operand = above is not None and above.type in (
                "binary_expression", "cast_expression", "parenthesized_expression",
                "argument_list",
            )  # fmt: skip
            if call.start_byte >= end and operand:
                if "static_cast" in source.of(call):
                    continue  # its argument is the call that matters
                end = call.end_byte
                yield call


class LoopInterchange(SiteRewrite):
    """Swaps two perfectly nested loops where the inner one jumps from row to row."""

    name = "loop-interchange"
    summary = "Swaps two nested loops so that the inner one walks along the rows in memory."
    weight = 8.0

    def sites(self, source: CppSource) -> Iterator[Site]:
        """Yield each pair of loops that is better the other way round."""
        for node in source.walk("for_statement"):
            outer = counted(source, node)
            if outer is None or len(outer.statements) != 1:
                continue
            inner = counted(source, outer.statements[0])
            if inner is not None and self._suits(source, outer, inner):
                yield [self._header(outer, inner), self._header(inner, outer)]

    def _suits(self, source: CppSource, outer: CountedLoop, inner: CountedLoop) -> bool:
        independent = not names_in(inner.header, outer.variable)
        return (
            independent
            and not leaves_early(source, inner.body)
            and not any(True for _ in source.walk("for_statement", within=inner.body))
            and row_jumps(source, inner.body, inner.variable)
            > row_jumps(source, inner.body, outer.variable)
        )

    def _header(self, loop: CountedLoop, other: CountedLoop) -> Edit:
        start = loop.node.start_byte
        return Edit(start, start + len(loop.header.encode()), other.header)


class MatrixProductOrder(SiteRewrite):
    """Splits the middle loop: what precedes the sum, the sums of a whole row, what follows."""

    name = "matrix-product-order"
    summary = "Computes the sums of a whole row of a matrix product together, along the rows."
    weight = 8.0
    headers = ("vector",)

    def sites(self, source: CppSource) -> Iterator[Site]:
        """Yield each loop that sets up a sum, sums in an inner loop and uses the sum."""
        for node in source.walk("for_statement"):
            outer = counted(source, node)
            if outer is None or len(outer.statements) < 2:
                continue
            first, second, *rest = outer.statements
            inner = counted(source, second)
            if inner is None or leaves_early(source, outer.body):
                continue
            if names_in(inner.header, outer.variable):
                continue
            if row_jumps(source, inner.body, inner.variable) <= row_jumps(
                source, inner.body, outer.variable
            ):
                continue
            if first.type == "declaration" and rest:
                text = self._with_row_of_sums(source, outer, inner, first, rest)
            elif first.type == "expression_statement" and not rest:
                text = self._distributed(source, outer, inner, first)
            else:
                continue
            if text is not None:
                yield [replace(node, text)]

    def _distributed(
        self, source: CppSource, outer: CountedLoop, inner: CountedLoop, first: Node
    ) -> str:
        pad = source.indent(outer.node)
        return (
            f"{{\n{pad}{outer.header}\n{pad}    {source.of(first)}\n"
            f"{pad}{inner.header}\n{pad}    {outer.header}\n{pad}        {source.of(inner.body)}"
            f"\n{pad}}}"
        )

    def _with_row_of_sums(
        self,
        source: CppSource,
        outer: CountedLoop,
        inner: CountedLoop,
        first: Node,
        rest: list[Node],
    ) -> str | None:
        total = next((v for v in source.variables if v.declaration.id == first.id), None)
        if total is None or not self._suits(source, outer, total):
            return None
        sums = source.fresh(f"{total.name}_row")
        element = f"{sums}[{outer.variable}]"

        def renamed(node: Node) -> str:
            return re.sub(rf"(?<![\w.>]){re.escape(total.name)}\b", element, source.of(node))

        pad = source.indent(outer.node)
        after_sums = f"\n{pad}        ".join(renamed(statement) for statement in rest)
        limit, value = outer.limit, source.of(total.value)
        return (
            f"{{\n{pad}    std::vector<{source.of(total.type_node)}> {sums}({limit}, {value});\n"
            f"{pad}    {inner.header}\n{pad}        {outer.header}\n"
            f"{pad}            {renamed(inner.body)}\n"
            f"{pad}    {outer.header} {{\n{pad}        {after_sums}\n{pad}    }}\n{pad}}}"
        )

    def _suits(self, source: CppSource, outer: CountedLoop, total: Variable) -> bool:
        return (
            total.alone
            and not total.form
            and total.value is not None
            and total.value.type not in ("argument_list", "initializer_list")
            and source.is_arithmetic(total.type)
            and not names_in(source.of(total.value), outer.variable)
            and not outer.start.startswith("-")
        )


class SymmetricPairs(SiteRewrite):
    """Where loops over i and j leave out i == j, starts j at i + 1."""

    name = "symmetric-pairs"
    summary = "Looks at each unordered pair once instead of twice."
    weight = 5.0

    def sites(self, source: CppSource) -> Iterator[Site]:
        """Yield the start of each inner loop over the same range as the outer one."""
        for node in source.walk("for_statement"):
            outer = counted(source, node)
            if outer is None or not outer.statements:
                continue
            # What follows the inner loop would use a result for each i, over all j.
            inner = counted(source, outer.statements[-1])
            if inner is None or (inner.start, inner.limit) != (outer.start, outer.limit):
                continue
            i, j = outer.variable, inner.variable
            unequal = rf"\b(?:{i}\s*[!=]=\s*{j}|{j}\s*[!=]=\s*{i})\b"
            first = inner.node.child_by_field_name("initializer")
            if first is not None and re.search(unequal, source.of(inner.body)):
                yield [replace(first, re.sub(r"=[^;]*", f"= {i} + 1", source.of(first)))]


class BubbleToSort(SiteRewrite):
    """For bubble sort and exchange sort of a whole array; equal elements keep their order."""

    name = "bubble-to-sort"
    summary = "Sorts with the library's stable sort instead of comparing all pairs."
    weight = 9.5
    headers = ("algorithm",)

    def sites(self, source: CppSource) -> Iterator[Site]:
        """Yield each pair of loops that swaps elements that are out of order."""
        for node in source.walk("for_statement"):
            outer = counted(source, node)
            if outer is None or not outer.statements:
                continue
            inner = counted(source, outer.statements[-1])
            if inner is None or len(inner.statements) != 1:
                continue
            text = self._sort(source, outer, inner)
            if text is not None:
                yield [replace(node, text)]

    def _sort(self, source: CppSource, outer: CountedLoop, inner: CountedLoop) -> str | None:
        branch = inner.statements[0]
        if branch.type != "if_statement" or branch.child_by_field_name("alternative") is not None:
            return None
        swapped = self._swapped(source, branch)
        if swapped is None:
            return None
        array, first, second = swapped
        i, j = re.escape(outer.variable), re.escape(inner.variable)
        limit = re.sub(r"\s", "", inner.limit)
        if (first, second) == (inner.variable, f"{inner.variable}+1"):
            size = re.fullmatch(rf"(\w+(?:\.size\(\))?)(?:-{i}-1|-1-{i}|-1)", limit)
        elif (first, second) == (outer.variable, inner.variable):
            begins = re.sub(r"\s", "", inner.start) == f"{outer.variable}+1"
            size = re.fullmatch(r"(\w+(?:\.size\(\))?)", limit) if begins else None
        else:
            return None
        if size is None or outer.start not in ("0", "1") or not j:
            return None
        test = unwrap(branch.child_by_field_name("condition"))
        condition = re.sub(r"\s*\+\s*1\s*\]", "+1]", source.of(test))
        swapped_test = condition.replace(f"{array}[{first}]", "right").replace(
            f"{array}[{second}]", "left"
        )
        unknown = {array, outer.variable, inner.variable}
        if not unknown.isdisjoint(re.findall(r"\w+", swapped_test)) or "=" in swapped_test:
            return None
        return (
            f"std::stable_sort(&{array}[0], &{array}[0] + {size[1]}, "
            f"[&](const auto& left, const auto& right) {{ return {swapped_test}; }});"
        )

    def _swapped(self, source: CppSource, branch: Node) -> tuple[str, str, str] | None:
        """Return the array and the two places that a branch swaps."""
        body = "".join(
            re.sub(r"\s", "", source.of(part))
            for part in statements(branch.child_by_field_name("consequence"))
        )
        found = re.fullmatch(r"(?:std::)?swap\((\w+)\[(.+)\],\1\[(.+)\]\);", body)
        if found is None:
            found = re.fullmatch(
                r"[a-z]+(t|tmp|temp)=(\w+)\[(.+)\];\2\[\3\]=\2\[(.+)\];\2\[\4\]=\1;", body
            )
            places = None if found is None else (found[2], found[3], found[4])
        else:
            places = (found[1], found[2], found[3])
        if places is not None and places[1].endswith("+1"):
            places = (places[0], places[2], places[1])
        return places


class SieveFromSquare(SiteRewrite):
    """`for (int j = 2 * i; j <= n; j += i)` begins at `i * i`, without overflow."""

    name = "sieve-from-square"
    summary = "Strikes out multiples in a sieve from the square of the prime on."
    weight = 4.0

    def sites(self, source: CppSource) -> Iterator[Site]:
        """Yield the start of each loop over the multiples of a number."""
        for loop in source.walk("for_statement"):
            first = loop.child_by_field_name("initializer")
            step = loop.child_by_field_name("update")
            if first is None or step is None:
                continue
            start = re.fullmatch(
                r"(?:int|long|long long|size_t|ll)\s+(\w+)\s*=\s*(.+);", source.of(first)
            )
            moved = re.fullmatch(r"(\w+)\s*(?:\+=\s*(\w+)|=\s*\1\s*\+\s*(\w+))", source.of(step))
            if start is None or moved is None or start[1] != moved[1]:
                continue
            prime = moved[2] or moved[3]
            begins = re.sub(r"\s", "", start[2])
            if begins in (f"2*{prime}", f"{prime}*2", f"{prime}+{prime}"):
                square = f"long long {start[1]} = static_cast<long long>({prime}) * {prime};"
                yield [replace(first, square)]
