"""Rewrites keep what programs print and how they end.

The programs were written from the rewrites' summaries alone, without a look at how places are
found.
"""

import pytest
from tests.generators.rewrites.conftest import Compiler

from maxcode.generators.rewrites import CppSource, catalogue

REWRITES = {one.name: one for one in catalogue()}
PROGRAMS = {
    "append-in-place": (
        r"""
string s;
string tail() { string t = s.empty() ? "x" : s.substr(s.size() - 1); s += "!"; return t; }
int main() {
    int n;
    cin >> n;
    for (int i = 0; i < n; i++) {
        const string before = s;
        s = s + (i % 2 ? tail() : "a");
        if (i == 3) s = before + "|" + s;
    }
    cout << s << endl;
}
""",
        ["0", "1", "2", "3", "4", "9", "x"],
    ),
    "block-input": (
        r"""
int main() {
    int n;
    cin >> n;
    string s;
    getline(cin, s);
    cout << n << "[" << s << "]" << endl;
    while (getline(cin, s)) cout << s.size() << ":" << s << "\n";
}
""",
        [
            *("", " 7 \nab", "-1 x y\n\nab", "12abc\n a", "3\nabc", "2\na b", "a\tb\n \n\n"),
            *("+5 007", "2147483647 -0", "2147483648\nab", "-2147483649", "- 5\nab"),
        ],
    ),
    "dense-map": (
        r"""
map<int, int> memo;
int f(int n) {
    if (n <= 2) return 1;
    if (memo.count(n)) return memo[n];
    int r = (f(n / 2) + f(n / 3 + 1) + f(n - n / 2)) % 1000007;
    return memo[n] = r;
}
int main() {
    int n;
    while (cin >> n) cout << f(n) << " " << memo.size() << "\n";
}
""",
        ["", "10", "100 -5 10", "2000000000 3", "1999999999 0 1", "4194303 4194304"],
    ),
    "dense-set": (
        r"""
typedef long long ll;
int main() {
    ll a, c, m;
    cin >> a >> c >> m;
    set<ll> seen;
    ll x = 1;
    int steps = 0;
    while (steps < 200 && seen.insert(x).second) { x = (x * a + c) % m; steps++; }
    for (ll one : seen) cout << one << " ";
    cout << steps << " " << x << endl;
}
""",
        ["3 1 10", "-9 -7 12", "7 999999 1000000000000", "-5 3 40000000", "0 0 1", "9 -9 33554432"],
    ),
    "hashed-containers": (
        r"""
int main() {
    std::set<long long> s;
    long long x;
    int repeated = 0;
    while (std::cin >> x) { if (s.count(x)) ++repeated; else s.insert(x); }
    for (long long one : s) std::cout << one << ' ';
    std::cout << repeated << ' ' << s.size() << '\n';
}
""",
        ["", "1 2 1", "-1 0 -1 1000000000000000000 -1000000000000000000 0", "5 4 3 2 1 5 x"],
    ),
    "memoise": (
        r"""
long long ways(int r, int c) {
    if (r == 0 || c == 0) return 1;
    return ways(r - 1, c) + ways(r, c - 1);
}
int main() {
    int r, c;
    while (std::cin >> r >> c) std::cout << ways(r, c) << '\n';
}
""",
        ["", "2 2 3 4", "0 0 0 8 8 0", "8 8 7 8 8 7"],
    ),
    "unroll-pragma": (
        r"""
int main() {
    int n;
    cin >> n;
    double s = 0;
    for (int i = 1; i <= n; i++) s += 1.0 / i / i;
    printf("%.17g\n", s);
}
""",
        ["0", "1", "5", "300"],
    ),
    "unsync-streams": (
        r"""
int main() {
    std::string line;
    int k = 0;
    while (std::getline(std::cin, line)) std::cout << ++k << ": " << line << std::endl;
}
""",
        ["", "a\nb\n", "a", "\n\n ab \n"],
    ),
}


def test_every_rewrite_has_a_program() -> None:
    assert PROGRAMS.keys() == REWRITES.keys()


@pytest.mark.slow
@pytest.mark.parametrize("name", REWRITES)
def test_a_rewritten_program_does_what_it_did(compiler: Compiler, name: str) -> None:
    body, texts = PROGRAMS[name]
    opened = "" if "std::" in body else "using namespace std;\n"
    code = f"#include <bits/stdc++.h>\n{opened}{body}"
    variant = REWRITES[name].apply(CppSource(code))
    assert variant
    for text in texts:
        assert compiler.outcome(variant, text) == compiler.outcome(code, text), (text, variant)
