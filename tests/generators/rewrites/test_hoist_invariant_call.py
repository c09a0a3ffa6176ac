from collections.abc import Callable

from maxcode.generators.rewrites.loops import hoist_invariant_call

CODE = """
#include <cmath>
#include <iostream>
int divisors(int n) {
    int found = 0;
    for (int i = 1; i <= n; i++) found += n % i == 0;
    return found;
}
int main() {
    int total = 0;
    for (int n = 1; n < 20; n++)
        for (int k = 0; k < 5; k++) {
            if (divisors(n) > k) total += divisors(n) + std::pow(n, 0.25) + divisors(k);
        }
    std::cout << total;
}
"""


def test_calls_before_the_loop(same_output: Callable[..., str]) -> None:
    text = same_output(hoist_invariant_call, CODE)
    assert text.count("= divisors(n);") == 1
    assert "divisors(k)" in text


def test_each_call_gets_its_own_value(same_output: Callable[..., str]) -> None:
    added = "total += divisors(6) + 10 * std::sqrt(16.0) + 100 * divisors(6);"
    text = same_output(
        hoist_invariant_call, CODE.replace("if (divisors(n) > k)", f"{added} if (k)")
    )
    assert "value_1 + 10 * value_2 + 100 * value_1" in text


def test_leaves_calls_that_change_alone(applied: Callable[..., list[str]]) -> None:
    for call in ("roll(6)", "pow(x, 2)", "pow(i, 2)"):
        code = f"int roll(int n) {{ return seed = seed * n; }} int seed; int main() {{ \
            double x = 1; for (int i = 0; i < 9; i++) x += {call}; }}"
        assert applied(hoist_invariant_call, f"int seed;\n{code}") == []
