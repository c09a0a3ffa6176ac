"""Code that may change a number between two looks at it: `n` is looked at in each round."""

import pytest

from maxcode.generators.rewrites.cpp import CppSource

HEAD = "#include <bits/stdc++.h>\nusing namespace std;\n"


def steady(before: str, inside: str, outside: str = "", value: str = "n") -> bool:
    """Say whether `f(n)` is proved to have one value all through a loop."""
    pure = "int f(int x) { return x + 1; }\n"
    made = "" if "n;" in outside or "n =" in outside else "int n = 9; cin >> n;"
    loop = f"for (int i = 0; i < f({value}); i++) {{ {inside} }}"
    source = CppSource(f"{HEAD}{pure}{outside}\nint main() {{ {made} {before} {loop} }}")
    found = next(node for node in source.walk("for_statement") if f"f({value})" in node.text)
    call = next(found["condition"].walk("call_expression"))
    return source.changes.steady(call, found)


UNCHANGED = [
    ("", "cout << n << endl;"),
    ("int m = n;", "m--;"),
    ("const int& r = n;", "cout << r;"),
    ("vector<int> v; v.push_back(n);", "v[0]--;"),
    ("map<int, int> m; m[n] = 3;", "m[n]++;"),
    ("int m = min(n, 3), a[5]; a[n] = 2;", "m--; a[m]++;"),
    ("auto g = [n](int x) { return x + n; };", "cout << 1;"),
    ("", "int k = f(n); k++;"),
    ("map<int, int> m;", "for (auto [a, b] : m) b += a;"),
]
CHANGES = [
    # directly
    ("", "n--;"),
    ("", "(n) = 3;"),
    ("int k;", "(k, n) = 3;"),
    ("int k;", "(k ? k : n) = 3;"),
    ("", "cin >> n;"),
    ("", 'scanf("%d", &n);'),
    ("", "swap(n, i);"),
    ("", "memset(&n, 0, 4);"),
    ("", "unknown(n);"),
    # through another name
    ("int& r = n;", "r--;"),
    ("int& r(n);", "r--;"),
    ("int& r{n};", "r--;"),
    ("auto&& r = n;", "r--;"),
    ("int k = 3; int& r = min(n, k);", "r--;"),
    ("int k = 3; auto* p = k ? &n : &k;", "--*p;"),
    ("reference_wrapper<int> r = n;", "r.get()--;"),
    ("int k = 3; reference_wrapper<int> r = k; r = n;", "r.get()--;"),
    ("auto t = tie(n, n);", "get<0>(t)--;"),
    ("pair<int&, int> t(n, 3);", "t.first--;"),
    ("auto [a, b] = tie(n, n);", "a--;"),
    ("span<int> s(&n, 1);", "s[0]--;"),
    ("struct S { int& r; }; S s{n};", "s.r--;"),
    ("struct S { int* r; S(int& x) : r(&x) {} }; S s = n;", "--*s.r;"),
    ("vector<bool> v(3); auto r = v[n];", "r = true;"),
    ("vector<vector<bool>> v(3); auto& w = v[n]; auto r = w[n];", "r = true;"),
    ("struct S { int m = f(3); };", "S s; n = s.m;"),
    # in a lambda
    ("auto dec = [&] { n--; };", "dec();"),
    ("auto at = [&]() -> int& { return n; };", "at()--;"),
    ("auto at = [p = &n] { *p = 3; };", "at();"),
    ("function<void()> b = bind([](int& x) { x--; }, ref(n));", "b();"),
    ("", "[](int& x) { x--; }(n);"),
]
GLOBAL = [
    ("int n; void d() { n--; }", "d();"),
    ("int n; void d(); void e() { d(); } void d() { n--; }", "e();"),
    ("int n; void d() { n--; } void (*p)() = d;", "p();"),
    ("int n; void d() { n--; } void run(function<void()> h) { h(); }", "run(d);"),
    ("int n; void d() { n--; } map<int, void (*)()> m = {{1, d}};", "m[1]();"),
    ("int n; vector<function<void()>> m = {[] { n--; }};", "m[0]();"),
    ("int n; void d(int& y) { y--; }", "d(n);"),
    ("int n; int& r = n;", "r--;"),
    ("int n; int* q = &n;", "*q = 3;"),
    ("int n; int& at() { return n; }", "at()--;"),
    ("int n; struct S { S() { n--; } };", "S s;"),
    ("int n; struct S { int operator()(int) { return n--; } }; S s;", "s(3);"),
    ("int n; namespace a { void d() { n--; } }", "a::d();"),
    ("int n; template <class T> void d(T) { n--; }", "d(3);"),
    ("struct T { int n; } t; int& n = t.n;", "t.n--;"),
    ("int n; int f(long x) { return n--; }", ""),
    ("int n;\n#define d() n--", "d();"),
    ("atomic<int> n;", ""),
    ("volatile int n;", ""),
    ('int n;\n#include "other.h"', ""),
]


POINTED = [
    ("int* b = a + 1;", "b[0]--;"),
    ("int* b = &a[1];", "*b = 3;"),
    ("auto b = a;", "*b = 3;"),
    ("auto b = max_element(a, a + 3);", "*b = 3;"),
    ("int (&b)[3] = a;", "b[1] = 3;"),
    ("int (*b)[3] = &a;", "(*b)[1] = 3;"),
    ("", "2[a] = 3;"),
    ("", "sort(a, a + 3);"),
    ("", "fill(begin(a), end(a), 3);"),
    ("", "for (int* p : {a, a}) *p = 3;"),
    ("", "for (int& x : a) x = 3;"),
]


@pytest.mark.parametrize(("before", "inside"), UNCHANGED)
def test_what_leaves_a_number_alone(before: str, inside: str) -> None:
    assert steady(before, inside)


def test_what_may_change_a_number() -> None:
    assert [case for case in CHANGES if steady(*case)] == []
    assert steady("", "", "int n = 3;")
    assert [case for case in GLOBAL if steady("", case[1], case[0])] == []


def test_elements_change_through_pointers() -> None:
    array = "int a[3]; "
    assert steady(array, "i++; a[i];", value="a[1]")
    found = [case for case in POINTED if steady(array + case[0], case[1], value="a[1]")]
    assert found == []
