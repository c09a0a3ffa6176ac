"""scanf replaced by a reader of the whole input."""

import re
from collections.abc import Iterator

from tree_sitter import Node

from maxcode.generators.rewrites.base import Rewrite
from maxcode.generators.rewrites.block_input import READER
from maxcode.generators.rewrites.cpp import CppSource, Edit, replace
from maxcode.generators.rewrites.cpp.streams import C_INPUT, main_body
from maxcode.generators.rewrites.cpp.tree import arguments
from maxcode.generators.rewrites.support import load

_FORMAT = re.compile(r'"(\s*%(d|u|ld|lld|lu|llu|lf|f| c))+\s*(\\n)?"')


class ScanfToBlockInput(Rewrite):
    """Applies where every scanf reads numbers through plain addresses."""

    name = "scanf-to-block-input"
    summary = "Reads the whole standard input at once instead of calling scanf for each number."
    weight = 6.0

    def apply(self, source: CppSource) -> Iterator[str]:
        """Yield the program with every scanf replaced."""
        others = [word for word in C_INPUT if word != "scanf"]
        if main_body(source) is None or source.mentions("cin", READER, *others):
            return
        edits: list[Edit] = []
        for call in source.walk("call_expression"):
            if source.callee(call) == "scanf":
                edit = self._edit(source, call)
                if edit is None:
                    return
                edits.append(edit)
        if edits:
            support = load("token_reader")
            declaration = f"static CTokenReader {READER} = CTokenReader::standard_input();"
            yield source.edited(edits, headers=support.headers, support=[support.code, declaration])

    def _edit(self, source: CppSource, call: Node) -> Edit | None:
        targets = self._targets(source, call)
        holder = source.parent(call)
        if not targets or holder is None:
            return None
        chain = " >> ".join([READER, *targets])
        if holder.type == "expression_statement":
            return replace(call, chain)
        test = source.of(holder).replace(" ", "").replace("std::", "")
        succeeded = rf"\)(==|>=){len(targets)}$|\)!=EOF$|\)>0$"
        if holder.type == "binary_expression" and re.search(succeeded, test):
            return replace(holder, f"bool({chain})")
        return None

    def _targets(self, source: CppSource, call: Node) -> list[str]:
        """Return what scanf reads into; nothing where it does more than read numbers."""
        given = [source.of(argument) for argument in arguments(call)]
        if not given or not _FORMAT.fullmatch(given[0]) or given[0].count("%") != len(given) - 1:
            return []
        if not all(target.startswith("&") for target in given[1:]):
            return []
        return [target[1:] for target in given[1:]]
