from collections.abc import Callable

from maxcode.generators.rewrites.functions import const_reference

CODE = """
#include <algorithm>
#include <iostream>
#include <string>
#include <vector>
struct Point { int x, y; };
int total(std::vector<int> v, Point p, std::string s);
int total(std::vector<int> v, Point p, std::string s) {
    for (size_t i = 0; i < s.size(); i++) p.x += s[i];
    int sum = p.x;
    for (int x : v) sum += x;
    return sum;
}
int main() {
    std::vector<std::string> words = {"pear", "fig"};
    std::sort(words.begin(), words.end(), [](std::string a, std::string b) { return a < b; });
    std::cout << total({1, 2}, {3, 4}, "ab") << words[0];
}
"""


def test_passes_what_is_read_by_reference(same_output: Callable[..., str]) -> None:
    text = same_output(const_reference, CODE)
    changed = "int total(const std::vector<int>& v, Point p, const std::string& s)"
    assert text.count(changed) == 2
    assert "[](const std::string& a, const std::string& b)" in text


def test_leaves_what_the_function_changes_alone(applied: Callable[..., list[str]]) -> None:
    for change in ("s += 'x';", "s[0] = 'x';", "s.push_back('x');", "sort(s.begin(), s.end());"):
        assert applied(const_reference, f"void f(string s) {{ {change} }}") == []
    assert applied(const_reference, "int f(int n, const string& s) { return n; }") == []
