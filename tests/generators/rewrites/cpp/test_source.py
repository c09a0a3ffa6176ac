import pytest

from maxcode.generators.rewrites.cpp import CppSource, Edit
from maxcode.generators.rewrites.support import load


def test_edits_count_bytes() -> None:
    source = CppSource('auto s = "größe"; int n;')
    [node] = [node for node in source.walk("identifier") if node.text == "n"]
    assert source.edited([Edit(node.start_byte, node.end_byte, "µ")]) == 'auto s = "größe"; int µ;'


def test_headers_and_support_come_below_the_includes_once() -> None:
    source = CppSource("#include <map>\nint main() {}\n")
    once = source.edited([], headers=["map", "set"], support=["struct A {};"])
    assert once == "#include <map>\n#include <set>\n\nstruct A {};\n\nint main() {}\n"
    again = CppSource(once).edited([], headers=["set"], support=["struct A {};", "A a;"])
    assert again.index("struct A {};") < again.index("A a;")
    assert again.count("struct A {};") == again.count("<set>") == 1


def test_what_is_included_further_below_is_included_above_the_code_that_needs_it() -> None:
    text = "#include <map>\n#ifdef X\n#include <x>\n#endif\n#include <vector>\nint a;\n"
    source, at = CppSource(text), text.index("int")
    above = source.edited([], headers=["map", "vector"], support=["std::vector<int> b;"])
    assert above.index("<vector>") < above.index("std::vector<int> b;") < above.index("#ifdef")
    assert above.count("<map>") == 1
    assert source.edited([Edit(at, at, "long ")], headers=["vector"]).count("<vector>") == 1


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_code_that_rewrites_added_is_not_shown(line_end: str) -> None:
    added = load("memo_table").code
    text = f"int main() {{ long double x; }}\n\n{added}\n".replace("\n", line_end)
    source = CppSource(text)
    assert [function.name for function in source.functions] == ["main"]
    assert len(list(source.walk("sized_type_specifier"))) == 1
