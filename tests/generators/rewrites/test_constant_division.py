from collections.abc import Callable

from maxcode.generators.rewrites.arithmetic import constant_division

CODE = """
#include <iostream>
int main() {
    double sum = 0;
    for (int i = 0; i < 9; i++) sum += i / 4.0;
    std::cout << sum / 3.0;
}
"""


def test_multiplies_in_loops(same_output: Callable[..., str]) -> None:
    text = same_output(constant_division, CODE)
    assert "i * (1.0 / 4.0)" in text
    assert "sum / 3.0" in text


def test_leaves_whole_numbers_alone(applied: Callable[..., list[str]]) -> None:
    assert applied(constant_division, "int main() { for (;;) x = n / 10; }") == []
