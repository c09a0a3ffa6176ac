from collections.abc import Callable

from maxcode.generators.rewrites.lookups import compare_in_place

CODE = """
#include <iostream>
#include <string>
int main() {
    std::string s = "banana", t = "ana";
    for (size_t i = 0; i < s.size(); i++)
        std::cout << (s.substr(i, 3) == t) << ("n" != s.substr(i, 1))
                  << (s.substr(i, 2) == s.substr(2, 2)) << ' ';
}
"""


def test_compares_without_copies(same_output: Callable[..., str]) -> None:
    text = same_output(compare_in_place, CODE)
    assert "s.compare(i, 3, t) == 0" in text
    assert "substr" not in text


def test_leaves_a_tail_alone(applied: Callable[..., list[str]]) -> None:
    assert applied(compare_in_place, "bool f(string s) { return s.substr(1) == s; }") == []
