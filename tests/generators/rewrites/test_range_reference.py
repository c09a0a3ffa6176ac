from collections.abc import Callable

from maxcode.generators.rewrites.functions import range_reference

CODE = """
#include <iostream>
#include <map>
#include <string>
#include <vector>
int main() {
    std::vector<std::string> words = {"a", "bc"};
    std::map<std::string, int> counts;
    for (auto word : words) counts[word]++;
    for (std::string word : words) std::cout << word;
    for (auto [key, value] : counts) std::cout << key << value;
    for (auto word : words) {
        word += "!";
        std::cout << word;
    }
}
"""


def test_visits_by_reference(same_output: Callable[..., str]) -> None:
    text = same_output(range_reference, CODE)
    assert "for (const auto& word : words) counts" in text
    assert "for (const std::string& word : words)" in text
    assert "for (const auto& [key, value] : counts)" in text
    assert "for (auto word : words) {" in text


def test_leaves_numbers_and_references_alone(applied: Callable[..., list[str]]) -> None:
    assert applied(range_reference, "int main() { for (int x : v) f(x); }") == []
    assert applied(range_reference, "int main() { for (auto& x : v) f(x); }") == []
