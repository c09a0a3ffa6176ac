"""Values handed over instead of copied."""

from collections.abc import Iterator

from tree_sitter import Node

from maxcode.generators.rewrites.base import Site, SiteRewrite
from maxcode.generators.rewrites.cpp import CppSource, Variable, replace
from maxcode.generators.rewrites.cpp.copying import costly_to_copy
from maxcode.generators.rewrites.cpp.tree import contains

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
