from collections.abc import Callable

from maxcode.generators.rewrites.arithmetic import long_double_to_double

CODE = r"""
#include <cmath>
#include <cstdio>
#include <iostream>
#include <vector>
int main() {
    std::vector<long double> v = {1.5L, 2.25L};
    long double sum = 0.0L;
    for (long double x : v) sum += sqrtl(x * x);
    printf("%.3Lf\n", sum);
    std::cout << sum << 10L;
}
"""


def test_changes_types_literals_functions_and_formats(same_output: Callable[..., str]) -> None:
    text = same_output(long_double_to_double, CODE)
    assert "long double" not in text
    assert '"%.3lf\\n"' in text
    assert "{1.5, 2.25}" in text
    assert "10L" in text


def test_leaves_other_types_alone(applied: Callable[..., list[str]]) -> None:
    assert applied(long_double_to_double, "long long a; double b = 1.0L;") == []
