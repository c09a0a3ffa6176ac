"""Costly functions that remember what they were asked."""

from collections.abc import Iterator

from maxcode.generators.rewrites.base import Site, SiteRewrite
from maxcode.generators.rewrites.cpp import CppSource, Function, after, before, replace
from maxcode.generators.rewrites.cpp.tree import LOOPS, contains


class CacheResults(SiteRewrite):
    """For functions with loops, without effects, of numbers and strings only."""

    name = "cache-results"
    summary = "Remembers the results of a costly function for arguments that come again."
    weight = 4.0
    headers = ("map", "string", "tuple")

    def sites(self, source: CppSource) -> Iterator[Site]:
        """Yield each function whose results may be kept."""
        for function in source.functions:
            if not self._suits(source, function):
                continue
            named = next(
                node
                for node in source.walk("identifier", within=function.node)
                if source.of(node) == function.name and not contains(function.body, node)
            )
            computed = source.fresh(f"{function.name}_computed")
            head = source.data[function.node.start_byte : function.body.start_byte].decode()
            names = ", ".join(parameter.name for parameter in function.parameters)
            wrapper = (
                f"{head.rstrip()} {{\n"
                f"    using Key = decltype(std::make_tuple({names}));\n"
                f"    static std::map<Key, {function.return_type}> known;\n"
                f"    const Key key({names});\n"
                f"    auto found = known.find(key);\n"
                f"    if (found == known.end()) {{\n"
                f"        found = known.emplace(key, {computed}({names})).first;\n"
                f"    }}\n"
                f"    return found->second;\n}}"
            )
            yield [
                before(function.node, f"{head.rstrip()};\n"),
                replace(named, computed),
                after(function.node, f"\n\n{wrapper}"),
            ]

    def _suits(self, source: CppSource, function: Function) -> bool:
        return (
            bool(function.parameters)
            and function.name != "main"
            and source.function(function.name) is not None
            and source.is_arithmetic(function.return_type)
            and any(True for _ in source.walk(*LOOPS, within=function.body))
            and all(
                (p.form == "" or (p.form == "&" and p.const))
                and (source.is_arithmetic(p.type) or source.expand(p.type) == "string")
                for p in function.parameters
            )
            and not self._reads_globals(source, function)
            and source.enclosing(function.node, "class_specifier", "struct_specifier") is None
            and source.enclosing(function.node, "template_declaration") is None
            and source.effects.pure(function)
        )

    def _reads_globals(self, source: CppSource, function: Function) -> bool:
        for node in source.walk("identifier", within=function.body):
            variable = source.names.resolve(node)
            if variable is not None and variable.kind == "global" and not variable.const:
                return True
        return False
