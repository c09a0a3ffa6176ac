"""Where the rewrites of containers apply, and traps: what they leave alone."""

from collections.abc import Callable, Sequence

import pytest

from maxcode.generators.rewrites import Rewrite
from maxcode.generators.rewrites.containers import (
    dense_map,
    dense_set,
    flat_grid,
    hashed_containers,
)

pytestmark = pytest.mark.slow

MAP = """
#include <map>
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
    map<int, long long> m = counted(v), n = m;
    m[-5] += m[k];
    m.insert({k, 4});
    bool added = m.insert(make_pair(k, 2)).second;
    if (m.find(k) == m.end() && n.end() != n.find(k + 1)) m.erase(k);
    for (const auto& [key, value] : m) cout << key << value;
    n.clear();
    cout << known(m, 2) << m.size() << m.empty();
    /**/
}
"""
# Left alone by both kinds of tables, by what cannot be seen or by what only a tree can.
MAP_TRAPS = (
    "m.lower_bound(1);", "cout << m.begin()->first;", "auto it = m.find(k);", "m.erase(m.begin());",
    "for (auto& e : m) e.second = 1;", "for (auto e : m) m[e.first + 1] = 2;", "print(m);",
    "auto copy = m;", "auto& other = m;", "vector<Counts> all;", "swap(m, n);", "m.swap(n);",
    "cout << m.at(1);", "if (m == n) k = 1;", "auto c = counted(v);", "counted(v).begin();",
    "map<int, long long>* p = &m;", "struct S { Counts c; };", "for (auto it : m) f(&it.second);",
    "m.insert(n.begin(), n.end());", "auto f = [m] { return 1; };", "Counts a[3];",
    "m.insert({{1, 2}, {3, 4}});",
    "auto f = &known;", "Counts other = {{1, 2}};", "sizeof(m);",
    "auto g = [&] { m[1]; }; for (auto e : m) g();",
    "extern int x;", "k = m.insert({1, 2}).first->second;", "std::thread t(f);", "m.merge(n);",
    ("int main", "template <class T> void f(T t, Counts c) {} int main"),
    ("int main", "long long known(const Counts& c) { return 1; } int main"),
    ("#include <map>", "#define int long long"), ("#include <map>", '#include "own.h"'),
    "for (auto& e : m) kept.push_back(std::cref(e.second));",
    ("#include <map>", "struct map {};"), ("#include <map>", "namespace std { int x; }"),
)  # fmt: skip
DENSE_TRAPS = (
    ("typedef map<int, long long>", "typedef map<int, string>"),
    ("typedef map<int, long long>", "typedef map<double, long long>"),
    ("typedef map<int, long long>", "typedef map<int, long long, greater<int>>"),
    ("Counts c;", "Counts c; counted(v);"),  # recursive: many tables at a time
    ("Counts c;", "Counts c; main();"),
)

CASES: dict[Rewrite, tuple[str, Sequence[str], Sequence[str | tuple[str, str]]]] = {
    dense_map: (
        MAP,
        [
            "typedef DenseMap<int, long long> Counts;", "DenseMap<int, long long> m = counted(v)",
            "m.count(k) == 0 && 0 != n.count(k + 1)", "value] : m.ordered())",
        ],
        (*MAP_TRAPS, *DENSE_TRAPS),
    ),
    hashed_containers: (
        MAP,
        [
            "typedef std::unordered_map<int, long long> Counts;",
            "value] : std::map<int, long long>(m.begin(), m.end()))", "m.find(k) == m.end()",
        ],
        (
            *MAP_TRAPS, *DENSE_TRAPS[1:3], "while (k) for (auto e : m) k = 0;",
            ("typedef map<int, long long>", "struct V { ~V() {} }; typedef map<int, V>"),
        ),
    ),
    dense_set: (
        """
        std::set<long> found;
        int main() {
            int k = 1;
            if (found.insert(k).second && !found.count(2)) found.insert(k + 1);
            for (long x : found) std::cout << x;
            /**/
        }""",
        ["DenseSet<long> found;", "long x : found.ordered()"],
        [
            "found.emplace(1);", "auto it = found.begin();", "found.insert({1, 2});", "f(found);",
            "found.erase(found.find(1));", "std::set<long> other{1, 2};",
            "for (long x : found) f(x);"
            " } int f(int x) { found.erase(x); return 1;", "std::cout << *found.rbegin();",
            "for (long x : found) std::for_each(v.begin(), v.end(), grow); } void grow(int x) {",
            "auto grow = [&] { found.insert(9); }; for (long x : found) std::apply(grow, t);",
            "struct G { G() { found.insert(2); } }; for (long x : found) G g;",
            ("std::set<long> found;",
            "namespace a { std::set<long> found; } std::set<long> found;"),
            ("std::set<long>", "std::multiset<long>"), ("std::set<long>",
            "std::unordered_set<long>"),
        ],
    ),
    flat_grid: (
        """
        using namespace std;
        typedef vector<vector<int>> Table;
        int largest(vector<int> row) { return row[0]; }
        int trace(const Table& t) { return t.size() && t[0].size() ? t[0][0] : 0; }
        Table filled(int n) { Table t(n, vector<int>(n)), u = t; t[0][0] = u[0][0]; return t; }
        int main() {
            int n = 3; vector<int> r;
            Table t = filled(n);
            vector<vector<long long>> dp(n, vector<long long>(n + 1, -1));
            for (long long x : dp[0]) cout << x;
            t = filled(2);
            cout << largest(t[1]) << trace(t) << dp[2][3];
            /**/
        }""",
        ["typedef FlatGrid<int> Table;", "t(n, n), u = t;", "FlatGrid<long long> dp(n, n + 1, -1)"],
        [
            f"{change} {change.replace('t', 'dp')}"
            for change in (
                "t.push_back({1});", "t[0].push_back(1);", "t[0] = r;", "auto& r = t[0];", "f(t);",
                "swap(t[0], t[1]);", "t.resize(9);", "auto row = t[0];", "t[0].clear();",
                "for (auto& row : t) n++;", "sort(t[0].begin(), t[0].end());", "r = std::move(t);",
                "swap(t, t);", "t[0].swap(t[1]);", "auto u = t;", "n = t == t;", "t.back()[0] = 1;",
            )
        ],
    ),
}  # fmt: skip


@pytest.mark.parametrize("rewrite", CASES, ids=lambda one: one.name)
def test_applies_where_it_is_proved(
    rewrite: Rewrite, applied: Callable[..., list[str]], broken_by: Callable[..., str]
) -> None:
    code, expected, traps = CASES[rewrite]
    text = applied(rewrite, code)[0]
    for piece in expected:
        assert piece in text
    for trap in traps:
        assert applied(rewrite, broken_by(code, trap)) == [], trap
