"""String streams that only split text replaced by a light reader."""

from collections.abc import Iterator

from maxcode.generators.rewrites.base import Site, SiteRewrite
from maxcode.generators.rewrites.cpp import CppSource, Edit, Variable, replace
from maxcode.generators.rewrites.cpp.streams import reads_tokens
from maxcode.generators.rewrites.support import load


class StringstreamToReader(SiteRewrite):
    """A string stream costs a locale and several allocations each time it is made."""

    name = "stringstream-to-reader"
    summary = "Splits lines into numbers and words without a string stream for each line."
    weight = 6.0
    support = load("token_reader")

    def sites(self, source: CppSource) -> Iterator[Site]:
        """Yield each string stream that is made from a text and only read."""
        if "operator>>" in source.text.replace(" ", ""):
            return
        for variable in source.variables:
            if variable.type not in ("istringstream", "stringstream"):
                continue
            if variable.alone and not variable.form and variable.value is not None:
                edits = self._edits(source, variable)
                if edits is not None:
                    yield edits

    def _edits(self, source: CppSource, variable: Variable) -> list[Edit] | None:
        edits = [replace(variable.type_node, "TokenReader")]
        for use in source.uses(variable):
            called = source.method_call(use)
            if called is not None and called[0] in ("str", "clear"):
                if called[0] == "str" and not called[2]:
                    return None
                continue
            if not reads_tokens(source, use):
                return None
            listed = source.parent(use)
            call = None if listed is None else source.parent(listed)
            callee = None if call is None else call.child_by_field_name("function")
            if callee is not None and source.of(callee) == "std::getline":
                edits.append(replace(callee, "getline"))
        return edits
