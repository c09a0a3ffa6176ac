from collections.abc import Callable

from maxcode.generators.rewrites.arithmetic import binary_power

CODE = """
#include <iostream>
const long long m = 1000000007;
long long power(long long base, int n) {
    long long result = 1;
    for (int i = 0; i < n; i++) {
        result = result * base % m;
    }
    return result;
}
int main() {
    for (int n = 0; n < 70; n += 7) std::cout << power(12345678, n) << ' ';
}
"""


def test_squares_repeatedly(same_output: Callable[..., str]) -> None:
    assert ">>= 1" in same_output(binary_power, CODE)


def test_leaves_a_factorial_alone(applied: Callable[..., list[str]]) -> None:
    code = "int main() { long long r = 1; for (int i = 1; i < 9; i++) r = r * i % 7; }"
    assert applied(binary_power, code) == []
