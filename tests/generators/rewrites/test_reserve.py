from collections.abc import Callable

from maxcode.generators.rewrites.containers import reserve

CODE = """
#include <iostream>
#include <vector>
int main() {
    int n = 5;
    std::vector<int> v;
    for (int i = 0; i < n; i++) {
        v.push_back(i * i);
    }
    std::cout << v.back() << v.size();
}
"""


def test_reserves_before_the_loop(same_output: Callable[..., str]) -> None:
    assert "v.reserve(n);\n    for" in same_output(reserve, CODE)


def test_leaves_unknown_lengths_alone(applied: Callable[..., list[str]]) -> None:
    for loop in (
        "while (cin >> x)",
        "for (int i = 0; i < f(); i++)",
        "for (;;) for (int i = 0; i < n; i++)",
    ):
        assert applied(reserve, f"int main() {{ vector<int> v; {loop} v.push_back(1); }}") == []
    reserved = (
        "int main() { vector<int> v; v.reserve(n); for (int i = 0; i < n; i++) v.push_back(i); }"
    )
    assert applied(reserve, reserved) == []
