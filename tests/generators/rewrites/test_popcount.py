from collections.abc import Callable

from maxcode.generators.rewrites.arithmetic import popcount

CODE = """
#include <iostream>
int bits(unsigned x) {
    int count = 0;
    while (x > 0) {
        count += x & 1;
        x >>= 1;
    }
    return count;
}
int main() {
    int n = 1000, odd = 0;
    while (n) { if (n % 2 == 1) odd++; n /= 2; }
    std::cout << bits(255) << bits(0) << bits(1u << 31) << odd;
}
"""


def test_counts_by_instruction(same_output: Callable[..., str]) -> None:
    assert same_output(popcount, CODE).count("__builtin_popcountll") == 2


def test_leaves_other_digits_alone(applied: Callable[..., list[str]]) -> None:
    assert applied(popcount, "int main() { while (x) { c += x % 10; x /= 10; } }") == []
