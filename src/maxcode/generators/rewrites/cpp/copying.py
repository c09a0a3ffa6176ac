"""Which types are costly to copy."""

from maxcode.generators.rewrites.cpp.source import CppSource
from maxcode.generators.rewrites.cpp.types import template

_OWNERS = frozenset(
    {
        "vector", "map", "set", "unordered_map", "unordered_set", "deque", "list", "multiset",
        "multimap", "queue", "stack", "priority_queue", "array", "pair", "tuple", "function",
        "shared_ptr", "DenseMap", "DenseSet", "FlatGrid", "basic_string", "bitset",
    }
)  # fmt: skip


def costly_to_copy(source: CppSource, type_text: str) -> bool:
    """Say whether a type is a string, a container or a class defined in the file."""
    text = source.expand(type_text)
    parts = template(text)
    if parts is not None:
        return parts[0] in _OWNERS
    if text == "string":
        return True
    return any(
        source.of(node.child_by_field_name("name")) == text
        and node.child_by_field_name("body") is not None
        for node in source.walk("struct_specifier", "class_specifier")
    )
