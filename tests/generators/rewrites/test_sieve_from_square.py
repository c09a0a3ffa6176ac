from collections.abc import Callable

from maxcode.generators.rewrites.loops import sieve_from_square

CODE = """
#include <iostream>
#include <vector>
int main() {
    int n = 100;
    std::vector<bool> composite(n + 1);
    for (int i = 2; i <= n; i++)
        if (!composite[i])
            for (int j = 2 * i; j <= n; j += i) composite[j] = true;
    for (int i = 2; i <= n; i++)
        if (!composite[i]) std::cout << i << ' ';
}
"""


def test_begins_at_the_square(same_output: Callable[..., str]) -> None:
    assert "long long j = static_cast<long long>(i) * i;" in same_output(sieve_from_square, CODE)


def test_leaves_other_steps_alone(applied: Callable[..., list[str]]) -> None:
    code = "int main() { for (int j = 2 * i; j <= n; j += 2) f(j); }"
    assert applied(sieve_from_square, code) == []
