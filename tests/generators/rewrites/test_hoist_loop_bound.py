from collections.abc import Callable

from maxcode.generators.rewrites.loops import hoist_loop_bound

CODE = """
#include <cmath>
#include <cstring>
#include <iostream>
int digits(int n) { return n < 10 ? 1 : 1 + digits(n / 10); }
int main() {
    char text[] = "lower";
    int n = 12345, sum = 0;
    for (size_t i = 0; i < strlen(text); i++) text[i] -= 32;
    if (n > 0)
        for (int i = 1; i <= std::sqrt(n); i++) sum += i;
    for (int d = 0; d < digits(n); d++) sum += d;
    std::cout << text << sum;
}
"""


def test_computes_the_bound_once(same_output: Callable[..., str]) -> None:
    text = same_output(hoist_loop_bound, CODE)
    assert "const auto bound_1 = strlen(text);" in text
    assert "= std::sqrt(n);" in text
    assert "= digits(n);" in text


def test_leaves_bounds_that_change_alone(applied: Callable[..., list[str]]) -> None:
    for body in ("v.push_back(1);", "v.pop_back();", "v = w;", "grow(v);"):
        code = f"int main() {{ vector<int> v; for (int i = 0; i < v.size(); i++) {body} }}"
        assert applied(hoist_loop_bound, code) == []
    shrinking = "int main() { int n = 9; for (int i = 2; i <= sqrt(n); i++) n /= i; }"
    assert applied(hoist_loop_bound, shrinking) == []
