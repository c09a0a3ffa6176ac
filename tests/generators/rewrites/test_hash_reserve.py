from collections.abc import Callable

from maxcode.generators.rewrites.containers import hash_reserve

CODE = """
#include <iostream>
#include <unordered_map>
int main() {
    std::unordered_map<int, int> m;
    for (int i = 0; i < 9; i++) m[i % 4]++;
    std::cout << m[3] << m.size();
}
"""


def test_begins_with_room(same_output: Callable[..., str]) -> None:
    assert "m(1 << 16);" in same_output(hash_reserve, CODE)


def test_leaves_tables_in_loops_alone(applied: Callable[..., list[str]]) -> None:
    assert applied(hash_reserve, "int main() { for (;;) { unordered_set<int> s; } }") == []
