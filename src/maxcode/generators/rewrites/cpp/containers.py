"""Where a file names the type of a standard container."""

import re
from collections import defaultdict

from tree_sitter import Node

from maxcode.generators.rewrites.cpp.edits import Edit
from maxcode.generators.rewrites.cpp.source import CppSource
from maxcode.generators.rewrites.cpp.types import template


def container_types(source: CppSource, *names: str) -> dict[str, list[Node]]:
    """Return, for each type such as `map<int,int>` (aliases resolved), the nodes naming it."""
    found: defaultdict[str, list[Node]] = defaultdict(list)
    for node in source.walk("template_type", "template_function"):
        text = source.expand(source.of(node))
        parts = template(text)
        if parts is not None and parts[0] in names:
            found[text].append(node)
    return dict(found)


def rename(source: CppSource, node: Node, name: str) -> Edit:
    """Give a template type another name and leave its arguments, dropping `std::`."""
    qualified = re.search(rb"\bstd\s*::\s*$", source.data[: node.start_byte])
    start = node.start_byte if qualified is None else qualified.start()
    named = node.child_by_field_name("name") or node
    return Edit(start, named.end_byte, name)
