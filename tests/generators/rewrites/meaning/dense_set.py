"""Programs that provoke dense-set."""

from tests.generators.rewrites.meaning._cases import (
    counted,
    ints,
    line,
    one,
    plain,
    rows,
    trap,
    words,
)

CASES = [
    plain(
        r"""
int main() {
    int n;
    cin >> n;
    set<int> s;
    for (int i = 0; i < n; i++) { int x; cin >> x; s.insert(((x % 100) + 100) % 100); }
    for (int x : s) cout << x << " ";
    cout << s.size() << endl;
}
""",
        counted((0, 15), -999, 999),
        "3\n1 2 1\n",
    ),
    plain(
        r"""
int main() {
    std::unordered_set<char> seen;
    std::string s;
    std::cin >> s;
    int dup = 0;
    for (char c : s) { if (seen.count(c)) dup++; seen.insert(c); }
    std::cout << dup << '\n';
}
""",
        words(1, "abcde", (1, 12)),
        "abca\n",
    ),
    trap(
        r"""
int main() {
    set<int> s;
    string op; int x;
    while (cin >> op >> x) {
        if (op == "add") s.insert(x);
        else if (op == "del") cout << s.erase(x) << "\n";
        else if (op == "next") { auto it = s.upper_bound(x); if (it == s.end()) cout << "none\n"; else cout << *it << "\n"; }
        else cout << s.count(x) << s.size() << s.empty() << "\n";
    }
}
""",
        rows((0, 15), line(one("add", "add", "del", "next", "has"), ints(1, -2, 6)), header=False),
        "add 1\nhas 1\n",
    ),
    trap(
        r"""
typedef long long ll;
int main() {
    ll a, c, m;
    cin >> a >> c >> m;
    unordered_set<ll> seen;
    ll x = 1;
    int steps = 0;
    while (steps < 200 && seen.insert(x).second) { x = (x * a + c) % m; steps++; }
    cout << steps << " " << x << endl;
}
""",
        line(ints(1, -1000, 1000), ints(1, -1000, 10**6), ints(1, 1, 10**12)),
        "3 1 10\n",
    ),
    trap(
        r"""
bool vis[100];
int main() {
    int n, k;
    std::cin >> n >> k;
    std::set<int> left;
    for (int i = 0; i < n; ++i) left.insert(i);
    auto it = left.begin();
    while (left.size() > 1) {
        for (int s = 1; s < k; ++s) { ++it; if (it == left.end()) it = left.begin(); }
        std::cout << *it << ' ';
        it = left.erase(it);
        if (it == left.end()) it = left.begin();
    }
    if (!left.empty()) std::cout << *left.begin() << '\n';
}
""",
        line(ints(1, 0, 20), ints(1, 1, 9)),
        "1 1\n",
        "5 2\n",
    ),
]
