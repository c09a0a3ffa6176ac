from collections.abc import Callable

from maxcode.generators.rewrites.loops import hoist_local_buffer

CODE = """
#include <iostream>
#include <string>
#include <vector>
int main() {
    for (int i = 0; i < 3; i++) {
        std::vector<int> counts(4, 0);
        std::vector<int> copy(i + 1);
        std::string s;
        counts[i]++;
        s += 'x';
        copy[i] = 7;
        for (int c : counts) std::cout << c;
        std::cout << s << copy[0] << copy.size();
    }
}
"""


def test_empties_instead_of_making(same_output: Callable[..., str]) -> None:
    text = same_output(hoist_local_buffer, CODE)
    assert "counts.assign(4, 0);" in text
    assert "s.clear();" in text
    assert "copy.assign(i + 1, int());" in text


def test_leaves_what_is_made_once_alone(applied: Callable[..., list[str]]) -> None:
    assert applied(hoist_local_buffer, "int main() { vector<int> v(4, 0); for (;;) f(v); }") == []
    code = "int main() { for (;;) { vector<int> v(w.begin(), w.end()); } }"
    assert applied(hoist_local_buffer, code) == []
