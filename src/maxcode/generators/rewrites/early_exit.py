"""Loops that stop when the answer is known."""

import re
from collections.abc import Iterator

from tree_sitter import Node

from maxcode.generators.rewrites.base import Site, SiteRewrite
from maxcode.generators.rewrites.cpp import CppSource, Edit, after, replace
from maxcode.generators.rewrites.cpp.tree import LOOPS, statements

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
