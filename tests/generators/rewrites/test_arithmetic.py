"""Rewrites of arithmetic: what each needs, and one change after another that takes that away."""

from collections.abc import Callable

import pytest

from maxcode.generators.rewrites import Rewrite
from maxcode.generators.rewrites.arithmetic import (
    binary_power,
    delayed_root,
    long_double_to_double,
    popcount,
    power_to_product,
    trial_division,
)
from maxcode.generators.rewrites.support import load

HEAD = """
#include <cmath>
#include <cstdio>
#include <iostream>
using namespace std;
"""
POWER = """
long long power(long long base, int n, long long m, long long result) {
    for (int i = 0; i < n; i++) {
        result = result * base % m;
    }
    return result;
}
"""
ROOT = """
struct P { double x, y; };
double gap(P a, P b) {
    double x = a.x - b.x;
    return sqrt(x * x + (a.y - b.y) * (a.y - b.y));
}
double nearest(const P* p, int n) {
    double best = 1e18;
    for (int i = 1; i < n; i++)
        if (gap(p[0], p[i]) < best) best = gap(p[0], p[i]);
    return best;
}
"""
LEAST = """
double least(const P* p, int n, double best) {
    for (int i = 1; i < n; i++) {
        double d = gap(p[0], p[i]);
        if (best >= d) best = d / 2;
    }
    return best;
}
"""
PRIME = """
bool prime(int n) {
    if (n < 2) return false;
    for (int i = 2; i < n; i++) {
        if (n % i == 0) return false;
    }
    return true;
}
bool also_prime(unsigned n) {
    bool result = n > 1;
    for (unsigned i = 2; i <= n / 2; ++i)
        if (n % i == 0) {
            result = false;
            break;
        }
    return result;
}
"""
BITS = """
int bits(unsigned x) {
    int count = 0;
    while (x > 0) { count += x & 1; x >>= 1; }
    return count;
}
int odd(int n) {
    int count = 0;
    if (n != -1)
        while (n) { if (n % 2 == 1) count++; n /= 2; }
    else count = 100;
    return count;
}
"""
MAIN = r"""
int main() {
    cout.precision(17);
    for (int n = -1; n < 40; n += 5)
        for (long long m : {1LL, -7LL, 1000000007LL, 3037000499LL})
            for (int base : {0, -3, 2, 2000000})
                cout << power(base, n, m, 1) << ' ' << power(base, n, m, m - 1) << ' ';
    P p[] = {{0, 0}, {3, 4}, {0.1, 0.2}, {1e-170, 1e-170}, {1e-200, 0}, {1e200, 0}, {NAN, 1}};
    for (int n = 1; n < 8; n++) cout << nearest(p, n) << ' ' << least(p, n, 1e300 * n) << ' ';
    cout << least(p, 7, -1) << least(p, 7, INFINITY) << least(p, 7, NAN);
    for (int n = -9; n < 60; n++) cout << prime(n) << also_prime(n + 9);
    cout << prime(46349 * 46327) << also_prime(46349u * 46351u);
    for (int n : {-1, -6, 0, 1, 1000, 2147483647}) cout << bits(n) << ' ' << odd(n) << ' ';
}
"""
CASES = [
    (binary_power, POWER, "} else {\n        for (int i = 0; i < n; i++) {"),
    (delayed_root, ROOT + LEAST, "double d = gap_below(p[0], p[i], best);"),
    (trial_division, PRIME, "i <= n / i; ++i"),
    (popcount, BITS, "if (n > 0) { count += __builtin_popcountll(n); n = 0; } else while"),
]


@pytest.mark.slow
def test_programs_print_the_same(same_printed: Callable[..., None]) -> None:
    code = "".join([HEAD, *(code for _, code, _ in CASES), MAIN])
    same_printed([rewrite for rewrite, _, _ in CASES], code, [part for *_, part in CASES])


TRAPS = [
    # numbers whose product is reduced otherwise, or that are not only themselves
    (binary_power, POWER, [
        ("result * base % m", "result * i % m"),
        ("result * base % m", "result * result % m"),
        ("result = result * base % m;", "result = result * base % m; n--;"),
        ("long long base", "unsigned long long base"),
        ("long long m", "unsigned m"),
        ("long long m", "__int128 m"),
        ("long long m", "double m"),
        ("long long result)", "int result)"),
        ("long long result)", "long long& result)"),
        ("long long base", "long long& base"),
        ("int n, long", "size_t n, long"),
        ("int i = 0", "int i = n"),
        ("i++", "i += 2"),
        ("for (int i = 0", "int i; for (i = 0"),
        ("long long power", "typedef unsigned ll;\n#define m other\nlong long power"),
    ]),
    # more than a root; a bound of another type, or that is not the same in both places
    (delayed_root, ROOT, [
        ("return sqrt(", "return 1 + sqrt("),
        ("return sqrt(", "if (x > 3) return 0; return sqrt("),
        ("return sqrt(", "cout << x; return sqrt("),
        ("return sqrt(", "static int calls; calls++; return sqrt("),
        ("double x = a.x", "best_so_far = 3; double x = a.x"),
        ("struct P", "double sqrt(double x) { return x; }\nstruct P"),
        ("struct P", "double gap(double a, double b) { return a - b; }\nstruct P"),
        ("double best", "float best"),
        ("double best", "static double best"),
        ("double best = 1e18;", "double kept = 1e18; double& best = kept;"),
        ("gap(p[0], p[i]) < best", "gap(p[0], p[i]) > best"),
        ("gap(p[0], p[i]) < best", "gap(p[0], p[i]) == best"),
        ("gap(p[0], p[i]) < best", "gap(p[0], p[i++]) < best"),
        ("gap(p[0], p[i]) < best", "gap(p[0], p[i]) + 1 < best"),
        ("double gap", "float gap"),
    ]),
    (delayed_root, ROOT.replace("if (gap(p[0], p[i]) < best) best = gap(p[0], p[i]);", "")
        + LEAST, [
        ("if (best >= d)", "best += d; if (best >= d)"),
        ("if (best >= d) best = d / 2;", "if (best >= d) best = d / 2; cout << d;"),
        ("if (best >= d) best = d / 2;", "if (best >= d) best = d / 2; else cout << d;"),
        ("if (best >= d)", "if (best >= d || d > 3)"),
        ("double d =", "float d ="),
    ]),
    # other bounds and counters, and what one divisor does not decide
    (trial_division, PRIME[: PRIME.index("bool also")], [
        ("int i = 2", "int i = 3"),
        ("int i = 2", "int i = 1"),
        ("i < n", "i < n / 2"),
        ("i < n", "i < m"),
        ("i < n", "i < n && i < 100"),
        ("int i = 2", "unsigned i = 2"),
        ("int n", "long long n"),
        ("int n", "int& n"),
        ("int n", "double n"),
        ("i++", "i += 2"),
        ("n % i == 0", "n % i == 1"),
        ("n % i == 0", "n % i == 0 && i > 9"),
        ("return false;\n    }\n", "return false;\n        else n--;\n    }\n"),
        ("0) return false", "0) return i"),
        ("0) return false", "0) { n = 1; break; }"),
        ("0) return false", "0) { count++; }"),
        ("0) return false", "0) { cout << i; return false; }"),
    ]),
    # other digits, numbers that are not whole or not only themselves
    (popcount, BITS[: BITS.index("int odd")], [
        ("x & 1", "x % 10"),
        ("x >>= 1", "x >>= 2"),
        ("x > 0", "x > 1"),
        ("unsigned x", "double x"),
        ("unsigned x", "unsigned& x"),
        ("int count", "double count"),
        ("int count", "bool count"),
        ("int count = 0;", "int kept = 0; int& count = kept;"),
        ("unsigned x", "volatile unsigned x"),
    ]),
]  # fmt: skip


def test_what_is_not_proved_is_left_alone(trapped: Callable[..., list[str]]) -> None:
    assert trapped(HEAD, TRAPS) == []


GUESSED = r"""
#include <cmath>
#include <cstdio>
int main() {
    long double y = 2.5L;
    double x = 1.5;
    int k = 4;
    printf("%.3Lf", sqrtl(y) + 10L);
    return pow(x - 1, 2) + std::pow(k, 3) + pow(10, k) + pow(x, 0.5) + pow(x, 1.5) + pow(x, x);
}
"""


def test_guesses(applied: Callable[[Rewrite, str], list[str]]) -> None:
    assert long_double_to_double.guess
    assert power_to_product.guess
    [text] = applied(long_double_to_double, GUESSED)
    for part in ("double y = 2.5;", '"%.3lf"', "sqrt(y) + 10L"):
        assert part in text
    text = applied(power_to_product, GUESSED)[0]
    for part in ("squared(x - 1)", "cubed(k)", "whole_power(10, k)", "std::sqrt(x)", "pow(x, x)"):
        assert part in text
    assert "pow(x, 1.5)" in text
    assert applied(power_to_product, f"double pow(double, int);\n{GUESSED}") == []
    assert applied(long_double_to_double, "long long a; double b = 1.0L;") == []


SUPPORT = r"""
#include <cstdio>
ROOTS
POWERS
template <class T>
void compare() {
    const T big = std::numeric_limits<T>::max(), least = std::numeric_limits<T>::denorm_min();
    const T values[] = {0, least, std::numeric_limits<T>::min(), T(1e-160), T(0.1), 1, T(1.0004),
                        3, T(1e18), T(1e154), T(1e300), big, INFINITY, NAN, -1, -INFINITY};
    for (T square : values)
        for (T bound : values) {
            if (root_reaches<T>(square, bound) && std::sqrt(square) < bound) std::puts("wrong");
            if (root_reaches<T>(square, bound) && std::sqrt(square) <= bound) std::puts("wrong");
            if (root_reaches<T>(bound * bound, bound)) std::puts("not certain");
        }
    if (!root_reaches<T>(T(4.1), 2) || root_reaches<T>(T(3.9), 2)) std::puts("useless");
}
int main() {
    compare<double>();
    compare<long double>();
    for (int base = -5; base < 6; base++)
        for (int n = 0; n < 20; n++)
            if (whole_power(base, n) != std::pow(base, n)) std::puts("wrong power");
    if (whole_power(2, -3) != 0.125 || squared(-3) != 9 || cubed(-0.5L) != -0.125L) std::puts("?");
    std::puts("done");
}
"""


@pytest.mark.slow
def test_support_computes_as_the_library_does(printed: Callable[[str], str]) -> None:
    roots, powers = load("roots"), load("powers")
    code = SUPPORT.replace("ROOTS", roots.code).replace("POWERS", powers.code)
    included = "".join(f"#include <{name}>\n" for name in (*roots.headers, *powers.headers))
    assert printed(included + code) == "done\n"
