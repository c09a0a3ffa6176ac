from collections.abc import Callable

from maxcode.generators.rewrites.functions import function_to_template

CODE = """
#include <functional>
#include <iostream>
int twice(std::function<int(int)> f, int x) { return f(f(x)); }
int apply(const std::function<int(int)>& f, int x) { return f(x); }
int main() {
    int step = 3;
    std::function<int(int)> add = [&](int x) { return x + step; };
    std::function<int(int)> fib = [&](int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); };
    std::cout << twice([](int x) { return x * x; }, 3) << apply([](int x) { return -x; }, 2);
    std::cout << add(1) << fib(10);
}
"""


def test_calls_directly(same_output: Callable[..., str]) -> None:
    assert "std::function" not in same_output(function_to_template, CODE)


def test_leaves_what_is_reassigned_alone(applied: Callable[..., list[str]]) -> None:
    code = "int main() { function<int(int)> f = [](int x) { return x; }; f = g; }"
    assert applied(function_to_template, code) == []
