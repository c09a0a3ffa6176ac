from collections.abc import Callable

from maxcode.generators.rewrites.lookups import unchecked_access

CODE = """
#include <iostream>
#include <map>
#include <vector>
int main() {
    std::vector<int> v = {1, 2, 3};
    std::map<int, int> m = {{1, 5}};
    v.at(1) = 7;
    std::cout << v.at(1) + v.at(v.size() - 1) << m.at(1);
}
"""


def test_indexes_directly(same_output: Callable[..., str]) -> None:
    text = same_output(unchecked_access, CODE)
    assert "v[1] = 7" in text
    assert "m.at(1)" in text


def test_leaves_programs_that_catch_alone(applied: Callable[..., list[str]]) -> None:
    code = "int main() { vector<int> v; try { v.at(1); } catch (const exception& e) { } }"
    assert applied(unchecked_access, code) == []
