"""Where the rewrites of C++ apply, and traps: what they leave alone.

A trap replaces `/**/`, or a piece of the program; its rewrite must then not apply.
"""

from collections.abc import Sequence

import pytest
from tests.generators.rewrites.conftest import Compiler

from maxcode.generators.rewrites import CppSource, Rewrite
from maxcode.generators.rewrites.containers import (
    dense_map,
    dense_set,
    hashed_containers,
)
from maxcode.generators.rewrites.functions import (
    fast_math_pragma,
    memoise,
    target_pragma,
    unroll_pragma,
)
from maxcode.generators.rewrites.io import append_in_place, block_input, unsync_streams

MAP = """
#include <iostream>
#include <map>
#include <vector>
using namespace std;
typedef map<int, long long> Counts;
Counts counted(const vector<int>& v) {
    Counts c;
    for (int x : v) c[x]++;
    return c;
}
long long known(const Counts& c, int k) { return c.count(k) ? 1 : 0; }
int main() {
    vector<int> v; int k = 3;
    for (int x; cin >> x;) v.push_back(x);
    map<int, long long> m = counted(v), n = m;
    m[-5] += m[k];
    m.insert({k, 4});
    bool added = m.insert(make_pair(k, 2)).second;
    if (m.find(k) == m.end() && n.end() != n.find(k + 1)) m.erase(k);
    for (const auto& [key, value] : m) cout << key << value;
    n.clear();
    cout << known(m, 2) << m.size() << m.empty() << added;
    /**/
}
"""
# Left alone by both kinds of tables: another name of the container, or an operation of trees alone.
MAP_TRAPS = (
    "m.lower_bound(1);", "cout << m.begin()->first;", "auto it = m.find(k);", "m.erase(m.begin());",
    "for (auto& e : m) e.second = 1;", "for (auto e : m) m[e.first + 1] = 2;", "print(m);",
    "auto& other = m;", "vector<Counts> all;", "swap(m, n);", "m.swap(n);",
    "cout << m.at(1);", "if (m == n) k = 1;",
    "map<int, long long>* p = &m;", "struct S { Counts c; };", "for (auto it : m) f(&it.second);",
    "m.insert(n.begin(), n.end());", "auto f = [m] { return 1; };", "Counts a[3];",
    "Counts other = {{1, 2}};", "sizeof(m);", "while (k) for (auto e : m) k = 0;",
    "auto g = [&] { m[1]; }; for (auto e : m) g();",
    "extern int x;", "k = m.insert({1, 2}).first->second;", "std::thread t(f);", "m.merge(n);",
    "for (auto& e : m) kept.push_back(std::cref(e.second));",
    ("int main", "long long known(const Counts& c) { return 1; } int main"),
    ("#include <map>", "#define int long long"), ("#include <map>", '#include "own.h"'),
    ("#include <map>", "struct map {};"), ("#include <map>", "namespace std { int x; }"),
    ("typedef map<int, long long>", "typedef map<double, long long>"),
    ("typedef map<int, long long>", "typedef map<int, long long, greater<int>>"),
)  # fmt: skip

CASES: dict[str, tuple[Rewrite, str, Sequence[str], Sequence[str | tuple[str, str]]]] = {
    "dense-map": (
        dense_map,
        MAP,
        ["", "1 2 2 -5 3", "3 4 4 100000000 3", "4194303 4194304 -1 3"],
        (*MAP_TRAPS, ("typedef map<int, long long>", "typedef map<int, string>")),
    ),
    "hashed-containers": (
        hashed_containers,
        MAP,
        ["", "1 2 2 -5 3", "9 8 7 3 3 4 4 1"],
        (
            *MAP_TRAPS,
            ("typedef map<int, long long>", "struct V { ~V() {} }; typedef map<int, V>"),
        ),
    ),
    "dense-set": (
        dense_set,
        """
        #include <iostream>
        #include <set>
        std::set<long> all;
        int main() {
            int k = 1; std::set<long> found = all;
            while (std::cin >> k)
                if (found.insert(k).second && !found.count(2)) found.insert(k + 1L);
            for (long x : found) std::cout << x << ' ';
            /**/
        }""",
        ["", "1 -7 3 1", "5 4 3 2 1", "33554430 33554431 33554432 0 2147483647"],
        [
            "found.emplace(1);", "auto it = found.begin();", "f(found);", "for (long x : all) k++;",
            "found.erase(found.find(1));", "std::set<long> other{1, 2};",
            "std::cout << *found.rbegin();",
            "auto grow = [&] { found.insert(9); }; for (long x : found) std::apply(grow, t);",
        ],
    ),
    "block-input": (
        block_input,
        r"""
        #include <iostream>
        #include <string>
        #include <vector>
        #define ll long long
        struct P { double x; };
        int main() {
            int n, a[5]; char c = 'c'; P p; std::string word, line; std::vector<long> v(3);
            std::ios::sync_with_stdio(false); std::cin.tie(nullptr);
            if (!(std::cin >> n >> a[1] >> p.x)) return 1;
            while (std::cin >> c >> v[0] && n) std::cin.ignore();
            for (std::cin >> n; std::getline(std::cin, line, ';'); std::cin >> word)
                n += std::cin.eof();
            std::cin.clear();
            std::cout << n << a[1] << c << p.x << word << '|' << line << v[0];
            /**/
        }""",
        ["", "1 2", "+5 007 1e3 x 9 -1 4 one;two;three", "2 1 1 a 1x 7 q;w e;", "2147483648"],
        [
            'scanf("%d", &n);', "c = std::cin.get();", "std::cin.peek();", "std::cin >> std::hex;",
            "std::cin >> std::ws;", "std::istream& in = std::cin;", "f(std::cin);",
            "std::cin.exceptions(std::ios::failbit);", "std::cout << std::flush;",
            'system("cat");', "goto end; end:;", "std::istream_iterator<int> it(std::cin);",
            ("struct P {", "std::istream& operator>>(std::istream& i, int*); struct P {"),
            ("struct P {", "#define word line\nstruct P {"),
            ("struct P {", "#define double long double\nstruct P {"),
            ("struct P {", "int cin; struct P {"),
            ("struct P {", "#ifdef X\nint x;\n#endif\nstruct P {"),
            ("<iostream>", '"own.h"'), ("<iostream>", "<thread>"), ("P p;", "P p; p = ;"),
        ],
    ),
    "unsync-streams": (
        unsync_streams,
        r"""
        #include <iostream>
        int total(int);
        int total(int x) { return x; }
        int main() {
            int a;
            std::cin >> a;
            std::cout << total(a) << std::endl;
            /**/
        }""",
        ["7", " -1 x"],
        [
            'printf("x");', 'scanf("%d", &a);', "getchar();", 'std::cerr << "x";',
            "std::ios::sync_with_stdio(0);", "std::cout << std::flush;", "std::cin.unget();",
            "std::cin.tellg();", "std::cin.tie(0);", 'freopen("f", "r", stdin);',
            "std::abort();", "std::wcout << 1;",
            ("int main", "int early = total(1); int main"),
            ("int main", "int early = [] { return 1; }(); int main"),
            ("int main", "struct S { S() { std::cout << 1; } } s; int main"),
        ],
    ),
    "append-in-place": (
        append_in_place,
        r"""
        #include <iostream>
        #include <string>
        using namespace std;
        string made(int n) { return string(n, 'x'); }
        string f(string t, char c, string& w, int k) {
            string s = "x";
            s = s + made(k) + ", ";
            s = s + t + c + to_string(k);
            if (k) w = w + 'x' + "y";
            return s;
        }
        int main() {
            string w;
            for (int k; cin >> k;) cout << f(w, 'c', w, k) << '|' << w << endl;
        }""",
        ["", "0 1 2 9"],
        [],
    ),
    "memoise": (
        memoise,
        """
        #include <algorithm>
        #include <iostream>
        const int extra = 1;
        int calls;
        long long ways(int n, unsigned k) {
            if (n == 0) return std::max(extra, 0);
            if (n < 0 || k == 0) return 0;
            return ways(n - k, k) + ways(n, k - 1);
        }
        int main() {
            for (int n, k; std::cin >> n >> k;) std::cout << ways(n, k) << ' ';
        }""",
        ["", "4 3 0 0 9 9 -1 5 20 9"],
        [
            *((("if (n == 0)", f"{effect} if (n == 0)")) for effect in (
                "cout << n;", "calls++;", "static int seen = 0;", "path.push_back(n);", "next(n);",
                "if (rand() % 2) return 3;", "auto f = [&] { calls++; }; f();",
                "int* p = &calls; *p = 3;", "int& p = calls; p = 3;",
            )),
            ("int n, unsigned k", "double n, unsigned k"),
            ("int n, unsigned k", "int n, unsigned& k"),
            ("return ways(n - k, k) +", "return"), ("const int extra", "int extra"),
            ("long long ways", "int max(int a, int b) { return calls++; } long long ways"),
        ],
    ),
}  # fmt: skip


def applied(rewrite: Rewrite, code: str) -> str | None:
    return rewrite.apply(CppSource(code))


@pytest.mark.parametrize("name", CASES)
def test_applies_where_its_conditions_hold(name: str) -> None:
    rewrite, code, _, traps = CASES[name]
    assert applied(rewrite, code)
    for trap in traps:
        old, new = ("/**/", trap) if isinstance(trap, str) else trap
        assert old in code
        assert applied(rewrite, code.replace(old, new, 1)) is None, trap


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_a_rewritten_program_does_what_it_did(compiler: Compiler, name: str) -> None:
    rewrite, code, inputs, _ = CASES[name]
    text = applied(rewrite, code) or ""
    for given in inputs:
        assert compiler.outcome(text, given) == compiler.outcome(code, given), given


@pytest.mark.slow
def test_what_a_table_cannot_do_does_not_build(compiler: Compiler) -> None:
    uses = ("auto c = m; c.begin();", "counted(v).begin();", "auto c = m; for (auto e : c) k++;")
    assert compiler.builds(MAP.replace("/**/", "".join(f"{{ {use} }}" for use in uses)))
    for use in uses:
        for rewrite in (dense_map, hashed_containers):
            assert not compiler.builds(applied(rewrite, MAP.replace("/**/", use)) or "")


@pytest.mark.parametrize(
    "statement",
    [
        "s = 'x' + s;", "s = s + t + s;", "s = s + t + made(k);", "k = k + k;", "s = s - t;",
        "w = w + t + b;", "s = s + made(k) + to_string(k);", "b = b + c + s;", "s = s + t + v[0];",
        "static string u; w = w + t + u;",
    ],
)  # fmt: skip
def test_leaves_other_sums_alone(statement: str) -> None:
    code = CASES["append-in-place"][1]
    start, end = code.index("            s = s + made"), code.index("return s;")
    code = f"{code[:start]}auto& b = s; vector<string> v; {statement} {code[end:]}"
    assert applied(append_in_place, code) is None


def test_pragmas() -> None:
    code = "int main() {}\n"
    loop = "int main() { for (int i = 0; i < 9; i++) {} }\n"
    assert applied(unroll_pragma, loop) == f'#pragma GCC optimize("unroll-loops")\n{loop}'
    assert applied(unroll_pragma, loop + "int line = __LINE__;\n") is None
    assert applied(unroll_pragma, code) is None  # nothing to unroll
    assert applied(fast_math_pragma, f'#pragma GCC optimize("O2")\n{code}') is None
    text = applied(target_pragma, f'#pragma GCC optimize("O3")\n{code}') or ""
    assert text.startswith('#pragma GCC target("avx2')
    assert "fma" not in text  # it rounds once instead of twice
