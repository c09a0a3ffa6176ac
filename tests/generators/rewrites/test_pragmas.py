from collections.abc import Callable

from maxcode.generators.rewrites.functions import (
    FastMathPragma,
    TargetPragma,
    UnrollPragma,
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
    assert same_output(UnrollPragma(), CODE).startswith("#pragma GCC optimize(")
    assert same_output(FastMathPragma(), CODE).startswith('#pragma GCC optimize("Ofast')


def test_target_is_added_beside_optimisation(applied: Callable[..., list[str]]) -> None:
    [text] = applied(TargetPragma(), f'#pragma GCC optimize("O3")\n{CODE}')
    assert text.startswith('#pragma GCC target("avx2')


def test_leaves_chosen_options_alone(applied: Callable[..., list[str]]) -> None:
    assert applied(FastMathPragma(), f'#pragma GCC optimize("O2")\n{CODE}') == []
    assert applied(TargetPragma(), "") == []
