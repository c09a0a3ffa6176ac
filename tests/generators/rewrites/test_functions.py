"""Rewrites of functions: what each needs, and one change after another that takes that away."""

from collections.abc import Callable

import pytest

from maxcode.generators.rewrites import Rewrite
from maxcode.generators.rewrites.functions import (
    const_reference,
    fast_math_pragma,
    memoise,
    target_pragma,
    unroll_pragma,
)
from maxcode.generators.rewrites.support import load

HEAD = """
#include <algorithm>
#include <functional>
#include <iostream>
#include <map>
#include <string>
#include <vector>
using namespace std;
"""
WAYS = """
long long ways(int n, unsigned k);
long long ways(int n, unsigned k) {
    if (n == 0) return 1;
    if (n < 0 || k == 0) return 0;
    return ways(n - k, k) + ways(n, k - 1);
}
"""
BEST = """
const int extra = 1;
int best(const vector<int>& w, int i, int room) {
    if (i == (int)w.size()) return extra;
    int skip = best(w, i + 1, room);
    return w[i] > room ? skip : max(skip, w[i] + best(w, i + 1, room - w[i]));
}
"""
PASSED = """
struct Point { int x, y; };
int total(vector<int> v, Point p, string s);
int total(vector<int> v, Point p, string s) {
    for (size_t i = 0; i < s.size(); i++) p.x += s[i];
    int sum = p.x;
    for (int x : v) sum += x;
    return sum;
}
int callers() { return total({1, 2}, {3, 4}, "ab"); }
int main() {
"""
MAIN = r"""
    for (int n = 0; n < 30; n++) cout << ways(n, n % 9) << ' ';
    cout << ways(1500, 2) << best({3, 5, 8}, 0, 10) << ' ' << best({4, 4, 1}, 0, 10) << ' ';
    cout << callers();
}
"""
CASES = [
    (memoise, WAYS, "return ways_plain(n - k, k) + ways_plain(n, k - 1);"),
    (memoise, BEST, "if (depth == 0) known.clear();"),
    (const_reference, PASSED, "int total(const vector<int>& v, Point p, const string& s);"),
]


@pytest.mark.slow
def test_programs_print_the_same(same_printed: Callable[..., None]) -> None:
    codes = {rewrite.name + code: code for rewrite, code, _ in CASES if code is not PASSED}
    code = "".join([HEAD, *codes.values(), PASSED, MAIN])
    same_printed([rewrite for rewrite, _, _ in CASES], code, [part for *_, part in CASES])


RECURSIVE = [
    ("if (n", "cout << n; if (n"),
    ("if (n", "calls++; if (n"),
    ("if (n", "static int seen = 0; if (n"),
    ("if (n", "path.push_back(n); if (n"),
    ("if (n", "if (unknown(n)) return 3; if (n"),
    ("if (n", "if (rand() % 2) return 3; if (n"),
    ("if (n", "auto f = [&] { calls++; }; f(); if (n"),
    ("if (n", "int* p = &calls; *p = 3; if (n"),
    ("if (n", "int& p = calls; p = 3; if (n"),
    ("if (n", "next(n); if (n"),
    ("long long ways", "int next(int n) { return calls += n; }\nlong long ways"),
]
TRAPS = [
    (memoise, "int calls;\nvector<int> path;\n" + WAYS.partition(";\n")[2], [
        *RECURSIVE[:10],
        ("int n, unsigned k", "double n, unsigned k"),
        ("int n, unsigned k", "int n, unsigned& k"),
        ("return ways(n - k, k) +", "return"),
        ("ways(n, k - 1)", "again(n, k - 1)"),
    ]),
    (memoise, "int other(int i);\n" + BEST, [
        ("int skip = best(w,", "vector<int> u; int skip = best(u,"),
        ("int skip = best(w,", "vector<int> w; int skip = best(w,"),
        ("const vector<int>& w", "vector<int> w"),
        ("const vector<int>& w", "const vector<Unknown>& w"),
        ("const int extra", "int extra"),
        ("int skip = ", "if (other(i)) return 1; int skip = "),
    ]),
    (const_reference, PASSED.replace("Point p, string s", "Point p, int s")
        .replace("s.size()", "3").replace("s[i]", "s") + "}\n", [
        ("int sum = p.x;", "int sum = p.x; v.push_back(1);"),
        ("int sum = p.x;", "int sum = p.x; v[0] = 3;"),
        ("int sum = p.x;", "int sum = p.x; sort(v.begin(), v.end());"),
        ("int sum = p.x;", "int sum = p.x; for (int& x : v) x++;"),
        ("int sum = p.x;", "int sum = p.x; all.clear();"),
        ("int sum = p.x;", "int sum = p.x; change();"),
        ("int sum = p.x;", "int sum = p.x; auto keep = [=] { return v; };"),
        ("int callers", "int total(int n) { return n; }\nint callers"),
        ("int callers", "int (*other)(vector<int>, Point, int) = total;\nint callers"),
        ("total({1, 2}", "total(all = {1, 2}"),
        ("struct Point", "#include \"other.hpp\"\nstruct Point"),
    ]),
    (const_reference, "struct P { int x, y; };\nint f(P p) { return p.x; }\nint main() {}\n", [
        ("int x, y;", "int x, y; P(const P&);"),
        ("int x, y;", "int x, y; ~P();"),
        ("int x, y;", "int x, y; Unknown z;"),
        ("int x, y;", "int x; int& y;"),
        ("P { int", "P : Q { int"),
        ("P p)", "volatile P p)"),
        ("return p.x", "static P q = p; return p.x"),
        ("int main", "int other"),
    ]),
]  # fmt: skip


@pytest.mark.slow
def test_what_is_not_proved_is_left_alone(trapped: Callable[..., list[str]]) -> None:
    assert trapped(HEAD, TRAPS) == []


def test_pragmas(applied: Callable[[Rewrite, str], list[str]]) -> None:
    code = "int main() {}\n"
    assert [rewrite.guess for rewrite in (unroll_pragma, fast_math_pragma, target_pragma)] == [
        False, True, True,
    ]  # fmt: skip
    loop = "int main() { for (int i = 0; i < 9; i++) {} }\n"
    assert applied(unroll_pragma, loop) == [f'#pragma GCC optimize("unroll-loops")\n{loop}']
    assert applied(unroll_pragma, loop + "int line = __LINE__;\n") == []
    assert applied(unroll_pragma, code) == []  # nothing to unroll
    assert applied(fast_math_pragma, f'#pragma GCC optimize("O2")\n{code}') == []
    [text] = applied(target_pragma, f'#pragma GCC optimize("O3")\n{code}')
    assert text.startswith('#pragma GCC target("avx2')
    assert "fma" not in text
    assert applied(target_pragma, "") == []


SUPPORT = r"""
#include <cstdio>
#include <map>
TABLE
int main() {
    MemoTable<long long, 2> table;
    std::map<std::array<long long, 2>, long long> plain;
    unsigned long long state = 1;
    const long long ends[] = {0, -1, 1, 1LL << 63, ~(1LL << 63), 1LL << 32};
    for (int i = 0; i < 50000; i++) {
        state = state * 6364136223846793005ULL + 1442695040888963407ULL;
        MemoTable<long long, 2>::Key key{ends[state >> 33 & 3], (long long)(state >> 50)};
        if (i % 5 == 0) key[1] = ends[state >> 40 & 3];
        auto found = plain.find(key);
        const long long* held = table.find(key);
        if ((found == plain.end()) != !held || (held && *held != found->second)) return 1;
        if (!held) plain[key] = table.store(key, i);
    }
    for (long long i = 0; i < 300000; i++) table.store({i, i}, i);
    if (table.find({290000, 290000}) || *table.find({70000, 70000}) != 70000) return 2;
    table.clear();
    std::printf(table.find({1, 1}) ? "kept" : "done");
}
"""


@pytest.mark.slow
def test_the_table_holds_what_a_map_holds_up_to_its_limit(printed: Callable[[str], str]) -> None:
    table = load("memo_table")
    included = "".join(f"#include <{name}>\n" for name in table.headers)
    assert printed(included + SUPPORT.replace("TABLE", table.code)) == "done"
