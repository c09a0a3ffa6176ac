from collections.abc import Callable

from maxcode.generators.rewrites.arithmetic import power_to_product

CODE = """
#include <cmath>
#include <iostream>
int main() {
    double x = 1.5;
    int k = 4, n = 7;
    long double y = 2.5L;
    std::cout << pow(x - 1, 2) << ' ' << std::pow(n, 3) << ' ' << pow(10, k) << ' ' << pow(2, k - 6)
              << ' ' << pow(x, 0.5) << ' ' << pow(y, 2) << ' ' << pow(x, 1.5);
}
"""


def test_multiplies(same_output: Callable[..., str]) -> None:
    text = same_output(power_to_product, CODE)
    assert "squared(x - 1)" in text
    assert "whole_power(10, k)" in text
    assert "pow(x, 1.5)" in text


def test_leaves_real_exponents_alone(applied: Callable[..., list[str]]) -> None:
    assert applied(power_to_product, "double f(double x, double y) { return pow(x, y); }") == []
