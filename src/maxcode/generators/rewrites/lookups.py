"""Membership in a vector by a hash set kept beside it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from maxcode.generators.rewrites.base import Site, SiteRewrite
from maxcode.generators.rewrites.cpp import CppSource, Edit, Variable, after, replace
from maxcode.generators.rewrites.cpp.names import plain, template
from maxcode.generators.rewrites.cpp.tree import arguments, statements

_READING = frozenset(
    {"size", "empty", "begin", "end", "front", "back", "push_back", "emplace_back", "reserve"}
)


class LinearFindToSet(SiteRewrite):
    """For vectors of numbers or strings that only ever grow at the end."""

    name = "linear-find-to-set"
    summary = "Tests for membership in a hash set instead of searching a vector from its start."
    weight = 9.0
    headers = ("unordered_set",)

    def sites(self, source: CppSource) -> Iterator[Site]:
        """Yield each vector that is searched with std::find for membership."""
        for variable in source.variables:
            parts = template(variable.type)
            if parts is None or parts[0] != "vector" or variable.value is not None:
                continue
            if variable.kind not in ("local", "global") or variable.form or not variable.alone:
                continue
            element = parts[1][0]
            if not (source.is_arithmetic(element) or source.expand(element) == "string"):
                continue
            edits = self._edits(source, variable, source.fresh(f"{variable.name}_known"))
            if edits:
                known = source.fresh(f"{variable.name}_known")
                kind = template(source.of(variable.type_node))
                held = kind[1][0] if kind else element
                held = "std::string" if held == "string" else held
                declared = (
                    f"\n{source.indent(variable.declaration)}std::unordered_set<{held}> {known};"
                )
                yield [after(variable.declaration, declared), *edits]

    def _edits(self, source: CppSource, variable: Variable, known: str) -> list[Edit]:
        """Return the edits at the uses; none where the vector is used otherwise."""
        edits: list[Edit] = []
        searched = False
        for use in source.uses(variable):
            called = source.method_call(use)
            if called is None:
                access = source.subscript(use)
                above = source.parent(use)
                visited = above is not None and above.type == "for_range_loop"
                if (access is None and not visited) or source.effects.is_write(use):
                    return []
                continue
            method, call, given = called
            if method not in _READING:
                return []
            if method in ("push_back", "emplace_back"):
                statement = source.parent(call)
                if len(given) != 1 or statement is None or statement.type != "expression_statement":
                    return []
                edits.append(after(call, f", {known}.insert({variable.name}.back())"))
            elif method == "begin":
                test = self._search(source, use, variable.name)
                if test is not None:
                    searched = True
                    edits.append(replace(test[0], f"{known}.count({test[1]}) {test[2]} 0"))
        return edits if searched else []

    def _search(self, source: CppSource, use: Node, name: str) -> tuple[Node, str, str] | None:
        """For `find(v.begin(), v.end(), x) != v.end()`: the test, x and the operator."""
        call = next(
            (a for a in source.ancestors(use) if a.type == "call_expression"
             and source.callee(a) == "find"), None,
        )  # fmt: skip
        test = None if call is None else source.parent(call)
        if call is None or test is None or test.type != "binary_expression":
            return None
        operator = source.of(test.child_by_field_name("operator"))
        right = source.of(test.child_by_field_name("right"))
        given = arguments(call)
        if operator not in ("==", "!=") or right != f"{name}.end()" or len(given) != 3:
            return None
        return test, source.of(given[2]), operator


class SingleLookup(SiteRewrite):
    """Counting with `if (m.count(k)) m[k]++; else m[k] = 1;` needs no test at all."""

    name = "single-lookup"
    summary = "Searches a map once instead of testing for the key and then using it."
    weight = 4.0

    def sites(self, source: CppSource) -> Iterator[Site]:
        """Yield each test whose branches count up or begin to count."""
        for branch in source.walk("if_statement"):
            found = self._tested(source, branch)
            alternative = branch.child_by_field_name("alternative")
            if found is None or alternative is None:
                continue
            container, key, is_absent = found
            first = self._action(source, branch.child_by_field_name("consequence"))
            others = [c for c in alternative.named_children if c.type != "comment"]
            second = self._action(source, others[0] if len(others) == 1 else None)
            begin, count = (first, second) if is_absent else (second, first)
            entry = f"{container}[{key}]"
            if begin is None or count is None:
                continue
            added = self._added(entry, count)
            if added is not None and begin == f"{entry}={added};":
                step = f"++{entry};" if added == "1" else f"{entry} += {added};"
                yield [replace(branch, step)]

    def _tested(self, source: CppSource, branch: Node) -> tuple[str, str, bool] | None:
        """Return container, key, and whether the test holds where the key is absent."""
        text = re.sub(r"\s", "", source.of(branch.child_by_field_name("condition")))[1:-1]
        found = re.fullmatch(r"(\w+)\.find\((.+)\)(==|!=)\1\.end\(\)", text)
        if found is not None:
            return found[1], found[2], found[3] == "=="
        found = re.fullmatch(r"(!?)(\w+)\.(?:count|contains)\(([^()]+)\)(==0|>0|!=0|==1)?", text)
        if found is None:
            return None
        return found[2], found[3], bool(found[1]) != (found[4] == "==0")

    def _action(self, source: CppSource, node: Node | None) -> str | None:
        actions = statements(node)
        return re.sub(r"\s", "", source.of(actions[0])) if len(actions) == 1 else None

    def _added(self, entry: str, count: str) -> str | None:
        """Return what a counting statement adds."""
        if count in (f"{entry}++;", f"++{entry};"):
            return "1"
        for pattern in (f"{entry}+=", f"{entry}={entry}+"):
            if count.startswith(pattern):
                return count[len(pattern) : -1]
        return None


class UncheckedAccess(SiteRewrite):
    """Not for maps, where `[]` would add what is missing, nor in programs that catch the error."""

    name = "unchecked-access"
    summary = "Indexes vectors and strings without checking the index each time."
    weight = 3.0
    max_single = 0

    def sites(self, source: CppSource) -> Iterator[Site]:
        """Yield each `v.at(i)`."""
        if any(True for _ in source.walk("catch_clause")):
            return
        for variable in source.variables:
            kind = source.expand(variable.type)
            parts = template(kind)
            if kind != "string" and (parts is None or parts[0] not in ("vector", "array", "deque")):
                continue
            for use in source.uses(variable):
                called = source.method_call(use)
                if called is not None and called[0] == "at" and len(called[2]) == 1:
                    yield [replace(called[1], f"{variable.name}[{source.of(called[2][0])}]")]


class EmplaceBack(SiteRewrite):
    """`v.push_back(T(a, b))` and `v.push_back(make_pair(a, b))` become `v.emplace_back(a, b)`."""

    name = "emplace-back"
    summary = "Makes an element in its place in the vector instead of moving it there."
    weight = 2.0

    def sites(self, source: CppSource) -> Iterator[Site]:
        """Yield each push_back of a value made in the call."""
        for variable in source.variables:
            parts = template(variable.type)
            if parts is None or parts[0] not in ("vector", "deque") or len(parts[1]) != 1:
                continue
            element = parts[1][0]
            for use in source.uses(variable):
                called = source.method_call(use)
                if called is None or called[0] != "push_back" or len(called[2]) != 1:
                    continue
                made = called[2][0]
                if made.type != "call_expression" or not arguments(made):
                    continue
                callee = plain(source.of(made.child_by_field_name("function")))
                pair = callee == "make_pair" and re.match(r"pair<", element)
                if callee == element or pair:
                    given = ", ".join(source.of(argument) for argument in arguments(made))
                    replaced = f"{source.of(use)}.emplace_back({given})"
                    yield [replace(called[1], replaced)]


class CompareInPlace(SiteRewrite):
    """`s.substr(i, n) == t` becomes `s.compare(i, n, t) == 0`."""

    name = "compare-in-place"
    summary = "Compares a part of a string where it lies instead of copying it first."
    weight = 5.0

    def sites(self, source: CppSource) -> Iterator[Site]:
        """Yield each comparison with a substring."""
        for test in source.walk("binary_expression"):
            operator = source.of(test.child_by_field_name("operator"))
            left, right = test.child_by_field_name("left"), test.child_by_field_name("right")
            if operator not in ("==", "!=") or left is None or right is None:
                continue
            for part, other in ((left, right), (right, left)):
                found = self._substring(source, part)
                if found is not None:
                    whole, given = found
                    yield [
                        replace(
                            test,
                            f"{whole}.compare({given}, {self._text(source, other)}) {operator} 0",
                        )
                    ]
                    break

    def _substring(self, source: CppSource, node: Node) -> tuple[str, str] | None:
        callee = node.child_by_field_name("function")
        if node.type != "call_expression" or callee is None or callee.type != "field_expression":
            return None
        if source.of(callee.child_by_field_name("field")) != "substr" or len(arguments(node)) != 2:
            return None
        given = ", ".join(source.of(argument) for argument in arguments(node))
        return source.of(callee.child_by_field_name("argument")), given

    def _text(self, source: CppSource, other: Node) -> str:
        """Return what to compare with: a substring as its string, place and length."""
        found = self._substring(source, other)
        if found is not None:
            return f"{found[0]}, {found[1]}"
        text = source.of(other)
        return text if other.type != "char_literal" else f'"{text[1:-1]}"'
