from collections.abc import Callable

from maxcode.generators.rewrites.functions import move_last_use

CODE = """
#include <iostream>
#include <string>
#include <vector>
int main() {
    std::vector<std::string> words;
    std::vector<std::vector<int>> rows;
    for (int i = 0; i < 3; i++) {
        std::string word(i + 1, 'x');
        word += 'y';
        words.push_back(word);
        std::vector<int> row = {i};
        rows.push_back(row);
    }
    for (auto& w : words) std::cout << w;
    std::cout << rows[2][0];
}
"""


def test_moves_into_containers(same_output: Callable[..., str]) -> None:
    text = same_output(move_last_use, CODE)
    assert "words.push_back(std::move(word));" in text
    assert "rows.push_back(std::move(row));" in text


def test_leaves_what_is_needed_again_alone(applied: Callable[..., list[str]]) -> None:
    for code in (
        "int main() { string s; for (;;) v.push_back(s); }",
        "int main() { string s; v.push_back(s); cout << s; }",
        "int main() { const string s; v.push_back(s); }",
    ):
        assert applied(move_last_use, code) == []
