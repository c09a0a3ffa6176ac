from collections.abc import Callable

from maxcode.generators.rewrites.functions import (
    fast_math_pragma,
    target_pragma,
    unroll_pragma,
)

CODE = """
#include <iostream>
int main() {
    double sum = 0;
    for (int i = 0; i < 8; i++) sum += i;
    std::cout << sum;
}
"""


def test_pragmas_come_first(same_output: Callable[..., str]) -> None:
    assert same_output(unroll_pragma, CODE).startswith("#pragma GCC optimize(")
    assert same_output(fast_math_pragma, CODE).startswith('#pragma GCC optimize("Ofast')


def test_target_is_added_beside_optimisation(applied: Callable[..., list[str]]) -> None:
    [text] = applied(target_pragma, f'#pragma GCC optimize("O3")\n{CODE}')
    assert text.startswith('#pragma GCC target("avx2')


def test_leaves_chosen_options_alone(applied: Callable[..., list[str]]) -> None:
    assert applied(fast_math_pragma, f'#pragma GCC optimize("O2")\n{CODE}') == []
    assert applied(target_pragma, "") == []
