"""Counting loops taken apart."""

import re
from dataclasses import dataclass

from tree_sitter import Node

from maxcode.generators.rewrites.cpp.source import CppSource
from maxcode.generators.rewrites.cpp.tree import statements


@dataclass(frozen=True)
class CountedLoop:
    """`for (int i = start; i < bound; ++i) body`, with < or <=.

    * `node`: the whole loop
    * `header`: its text up to the body
    * `variable`: the name of the counter
    * `start`: the text of its first value
    * `limit`: the text of the first value that it does not take
    * `body`: the statement repeated
    """

    node: Node
    header: str
    variable: str
    start: str
    limit: str
    body: Node

    @property
    def statements(self) -> list[Node]:
        """The statements of the body."""
        return statements(self.body)


def counted(source: CppSource, node: Node | None) -> CountedLoop | None:
    """Take a loop apart; None unless it has one counter and counts up by one."""
    if node is None or node.type != "for_statement":
        return None
    first, test, step, body = (
        node.child_by_field_name(name) for name in ("initializer", "condition", "update", "body")
    )
    if first is None or test is None or step is None or body is None:
        return None
    found = re.fullmatch(r"[\w\s:]*?(\w+)\s*=\s*([^,;]+);?", source.of(first))
    if found is None:
        return None
    name, start = found[1], found[2].strip()
    if source.of(step).replace(" ", "") not in (f"{name}++", f"++{name}", f"{name}+=1"):
        return None
    left, right = test.child_by_field_name("left"), test.child_by_field_name("right")
    operator = source.of(test.child_by_field_name("operator"))
    if source.of(left) != name or right is None or operator not in ("<", "<="):
        return None
    limit = source.of(right) if operator == "<" else f"{source.of(right)} + 1"
    header = source.data[node.start_byte : body.start_byte].decode().rstrip()
    return CountedLoop(node, header, name, start, limit, body)


def names_in(text: str, name: str) -> bool:
    """Say whether `text` mentions an identifier."""
    return re.search(rf"\b{re.escape(name)}\b", text) is not None


def row_jumps(source: CppSource, body: Node, counter: str) -> int:
    """Count the accesses in which stepping `counter` moves to another row."""
    jumps = 0
    for access in source.walk("subscript_expression", within=body):
        above = source.parent(access)
        if above is not None and above.type == "subscript_expression":
            argument = above.child_by_field_name("argument")
            if argument is not None and argument.id == access.id:
                continue  # counted as part of the longer expression
        *rows, last = _indices(source, access)
        in_rows = any(names_in(row, counter) for row in rows)
        strided = re.search(
            rf"\b{counter}\b\s*\*|\*\s*{counter}\b|\(\s*{counter}\b[^()]*\)\s*\*", last
        )
        if (in_rows and not names_in(last, counter)) or strided:
            jumps += 1
    return jumps


def _indices(source: CppSource, access: Node) -> list[str]:
    indices: list[str] = []
    current: Node | None = access
    while current is not None and current.type == "subscript_expression":
        indices.insert(0, source.of(current.child_by_field_name("indices"))[1:-1])
        current = current.child_by_field_name("argument")
    return indices


def leaves_early(source: CppSource, body: Node) -> bool:
    """Say whether a body holds a jump that ties it to its loop."""
    jumps = ("break_statement", "continue_statement", "return_statement", "goto_statement")
    return any(True for _ in source.walk(*jumps, within=body))
