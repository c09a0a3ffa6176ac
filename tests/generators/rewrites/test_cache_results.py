from collections.abc import Callable

from maxcode.generators.rewrites.functions import cache_results

CODE = """
#include <iostream>
#include <string>
int vowels(std::string text, int step) {
    int found = 0;
    for (size_t i = 0; i < text.size(); i += step) found += text[i] == 'a';
    return found;
}
int main() { std::cout << vowels("banana", 1) << vowels("banana", 2) << vowels("banana", 1); }
"""


def test_asks_once(same_output: Callable[..., str]) -> None:
    assert "vowels_computed(text, step)" in same_output(cache_results, CODE)


def test_leaves_functions_with_effects_alone(applied: Callable[..., list[str]]) -> None:
    assert (
        applied(cache_results, CODE.replace("return found", 'std::cout << "!"; return found')) == []
    )
    assert applied(cache_results, CODE.replace("int found", "static int found")) == []
