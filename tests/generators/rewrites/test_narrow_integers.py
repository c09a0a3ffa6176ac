from collections.abc import Callable

from maxcode.generators.rewrites.arithmetic import NarrowIntegers

CODE = """
#include <iostream>
#include <string>
long long common(std::string a, std::string b) {
    long long best = 0;
    for (size_t i = 0; i < a.size(); i++) {
        long long run = 0;
        while (i + run < a.size() && a[i + run] == b[run]) run++;
        if (run > best) best = run;
    }
    return best;
}
int main() { std::cout << common("xabcd", "abce"); }
"""


def test_narrows_counters(same_output: Callable[..., str]) -> None:
    text = same_output(NarrowIntegers(), CODE)
    assert "int best = 0;" in text
    assert "long long common" in text


def test_leaves_large_numbers_alone(applied: Callable[..., list[str]]) -> None:
    for use in ("x = x * 3;", "x += n;", "x = 10000000000;", "x = x << 20;"):
        code = f"long long f(int n) {{ long long x = n; {use} return x; }}"
        assert applied(NarrowIntegers(), code) == []
