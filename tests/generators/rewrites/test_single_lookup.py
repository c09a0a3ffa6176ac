from collections.abc import Callable

from maxcode.generators.rewrites.lookups import single_lookup

CODE = """
#include <iostream>
#include <map>
#include <string>
int main() {
    std::map<std::string, int> m, n, o;
    std::string w;
    while (std::cin >> w) {
        if (m.find(w) == m.end()) {
            m[w] = 1;
        } else {
            m[w] = m[w] + 1;
        }
        if (n.count(w)) n[w] += 2; else n[w] = 2;
        if (o.count(w) == 0) o[w] = 1; else o[w]++;
    }
    for (auto& e : m) std::cout << e.first << e.second << n[e.first] << o[e.first];
}
"""


def test_searches_once(same_output: Callable[..., str]) -> None:
    text = same_output(single_lookup, CODE, "a b a c a")
    assert "n[w] += 2;\n" in text
    assert ".find(" not in text
    assert ".count(" not in text


def test_leaves_other_beginnings_alone(applied: Callable[..., list[str]]) -> None:
    for test in (
        "if (m.count(w)) m[w]++; else m[w] = 5;",
        "if (m.count(w)) m[w] = 1; else m[w]++;",
    ):
        assert applied(single_lookup, f"int main() {{ {test} }}") == []
