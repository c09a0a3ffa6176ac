"""How a file uses the standard streams and their counterparts in C."""

from collections.abc import Iterator

from tree_sitter import Node

from maxcode.generators.rewrites.cpp.source import CppSource
from maxcode.generators.rewrites.cpp.tree import contains

C_INPUT = ("scanf", "getchar", "getchar_unlocked", "fgets", "gets", "fread", "stdin", "read")
C_OUTPUT = ("printf", "puts", "putchar", "putchar_unlocked", "fputs", "fwrite", "fputc", "stdout")


def uses_of_stream(source: CppSource, name: str) -> list[Node] | None:
    """Return the expressions `cin` or `std::cin`, None where a macro's body mentions the name."""
    if any(name in source.of(macro) for macro in source.walk("preproc_arg")):
        return None
    found = []
    for identifier in source.walk("identifier"):
        if source.of(identifier) != name or source.names.resolve(identifier) is not None:
            continue
        node, above = identifier, source.parent(identifier)
        if above is not None and above.type == "qualified_identifier":
            node, above = above, source.parent(above)
        if above is not None and above.type != "using_declaration":
            found.append(node)
    return found


def chain_top(source: CppSource, stream: Node, operator: str) -> Node | None:
    """Return the whole of `stream << a << b`, None where the stream begins no such chain."""
    top: Node | None = None
    current = stream
    for above in source.ancestors(stream):
        left = above.child_by_field_name("left")
        found = source.of(above.child_by_field_name("operator"))
        if above.type != "binary_expression" or left is None or left.id != current.id:
            break
        if found != operator:
            break
        top = current = above
    return top


def operands(source: CppSource, chain: Node, operator: str) -> Iterator[Node]:
    """Yield what is read or written by a chain, last first."""
    current: Node | None = chain
    while (
        current is not None
        and current.type == "binary_expression"
        and source.of(current.child_by_field_name("operator")) == operator
    ):
        right = current.child_by_field_name("right")
        if right is not None:
            yield right
        current = current.child_by_field_name("left")


def leftmost(chain: Node) -> Node:
    """Return the first operand of nested binary expressions."""
    while chain.type == "binary_expression":
        left = chain.child_by_field_name("left")
        if left is None:
            return chain
        chain = left
    return chain


def reads_tokens(source: CppSource, stream: Node) -> bool:
    """Say whether a use of an input stream can be served by the support code's TokenReader."""
    chain = chain_top(source, stream, ">>")
    if chain is not None:
        return all(_readable(source, operand) for operand in operands(source, chain, ">>"))
    above = source.parent(stream)
    if above is None:
        return False
    if above.type == "field_expression":
        return source.of(above.child_by_field_name("field")) in (
            "eof", "fail", "good", "ignore", "clear",
        )  # fmt: skip
    if above.type == "argument_list":
        call = source.parent(above)
        return call is not None and call.type == "call_expression" and _is_getline(source, call)
    return above.type in ("condition_clause", "unary_expression")


def _is_getline(source: CppSource, call: Node) -> bool:
    return source.callee(call) == "getline"


def _readable(source: CppSource, operand: Node) -> bool:
    if source.of(operand) in ("ws", "std::ws", "hex", "std::hex"):
        return False
    variable = source.names.resolve(operand) if operand.type == "identifier" else None
    return variable is None or not (variable.form and source.expand(variable.type) == "char")


def main_body(source: CppSource) -> Node | None:
    """Return the body of main."""
    main = source.function("main")
    return None if main is None or not contains(source.root, main.body) else main.body
