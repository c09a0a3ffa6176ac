"""Rewrites of loops: what each needs, and one change of it after another that takes that away."""

from collections.abc import Callable

import pytest

from maxcode.generators.rewrites.loops import hoist_loop_bound

HEAD = """
#include <cctype>
#include <cmath>
#include <cstring>
#include <iostream>
#include <string>
#include <vector>
using namespace std;
"""
BOUND = """
int digits(int n) { return n < 10 ? 1 : 1 + digits(n / 10); }
int capitals(char* text, int n) {
    int sum = 0;
    for (size_t i = 0; i < strlen(text); i++) text[i] = static_cast<char>(toupper(text[i]));
    if (n > 0)
        for (int i = 1; i <= sqrt(n); i++) sum += i;
    for (int d = 0; d < digits(n) && d < 5; d++) sum += d;
    return sum + text[1];
}
"""
MAIN = r"""
int main() {
    char text[] = "lower";
    cout << capitals(text, 12345) << text << ' ';
}
"""
CASES = [
    (hoist_loop_bound, BOUND, "const auto bound_3 = digits(n);"),
]


@pytest.mark.slow
def test_programs_print_the_same(same_printed: Callable[..., None]) -> None:
    code = "".join([HEAD, *(code for _, code, _ in CASES), MAIN])
    same_printed([rewrite for rewrite, _, _ in CASES], code, [part for *_, part in CASES])


CAPITALS = """
int capitals(char* text, int n) {
    for (size_t i = 0; i < strlen(text); i++) text[i] = static_cast<char>(toupper(text[i]));
    return n;
}
"""
TRAPS = [
    # text that may get shorter; what the loop or a callee changes; not computed at all
    (hoist_loop_bound, CAPITALS, [
        ("toupper(text[i])", "toupper(text[i + 1])"),
        ("toupper(text[i])", "text[i] - 1"),
        ("text[i] = ", "text[i++] = "),
        ("i++) ", "i++, text++) "),
        ("int capitals", "int toupper(int c) { return 0; }\nint capitals"),
        ("int capitals", "#define strlen(x) (x[0])\nint capitals"),
        ("char* text, int n", "volatile char* text, int n"),
        ("text[i] = ", "char* other = text; other[i] = 0; text[i] = "),
    ]),
    (hoist_loop_bound, "int seen;\nint f(int n) {\n    int s = 0;\n"
        "    for (int i = 0; i <= sqrt(n); i++) s += i;\n    return s;\n}\n", [
        ("s += i", "s += n--"),
        ("int s = 0;", "int& s = n;"),
        ("int f(int n) {\n    int s = 0;", "int f(int& n, int& s) {"),
        ("s += i", "cin >> n"),
        ("s += i", "scanf(\"%d\", &n)"),
        ("i <= sqrt(n)", "i < 3 && i <= sqrt(n)"),
        ("i <= sqrt(n)", "(i < 3 ? 9 : sqrt(n)) > i"),
        ("int f(int n)", "double sqrt(int n) { return seen += n; }\nint f(int n)"),
        ("sqrt(n)", "unknown(n)"),
        ("sqrt(n)", "sqrt(i)"),
    ]),
]  # fmt: skip


def test_what_is_not_proved_is_left_alone(trapped: Callable[..., list[str]]) -> None:
    assert trapped(HEAD, TRAPS) == []
