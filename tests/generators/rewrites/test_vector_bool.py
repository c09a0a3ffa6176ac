from collections.abc import Callable

from maxcode.generators.rewrites.containers import (
    vector_bool_to_char,
    vector_flags_to_bits,
    vector_flags_to_bytes,
)

CODE = """
#include <iostream>
#include <vector>
int main() {
    int n = 30;
    std::vector<KIND> sieve(n + 1, ONE);
    for (int i = 2; i <= n; i++)
        if (sieve[i])
            for (int j = 2 * i; j <= n; j += i) sieve[j] = ZERO;
    for (int i = 2; i <= n; i++)
        if (sieve[i]) std::cout << i << ' ';
}
"""
BOOLS = CODE.replace("KIND", "bool").replace("ONE", "true").replace("ZERO", "false")
INTS = CODE.replace("KIND", "int").replace("ONE", "1").replace("ZERO", "0")


def test_bits_become_bytes(same_output: Callable[..., str]) -> None:
    assert "std::vector<char> sieve" in same_output(vector_bool_to_char, BOOLS)


def test_integers_become_bytes_or_bits(same_output: Callable[..., str]) -> None:
    assert "std::vector<char> sieve" in same_output(vector_flags_to_bytes, INTS)
    assert "std::vector<bool> sieve" in same_output(vector_flags_to_bits, INTS)


def test_leaves_counts_alone(applied: Callable[..., list[str]]) -> None:
    for change in ("sieve[j]++", "sieve[j] += 1", "sieve[j] = 2", "sieve[j] = j", "f(sieve)"):
        code = INTS.replace("sieve[j] = 0", change)
        assert applied(vector_flags_to_bytes, code) == []
        assert applied(vector_flags_to_bits, code) == []
