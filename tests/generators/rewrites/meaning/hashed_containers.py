"""Programs that provoke hashed-containers."""

from tests.generators.rewrites.meaning._cases import (
    counted,
    ints,
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
    map<string, int> m;
    for (int i = 0; i < n; i++) { string s; cin >> s; m[s]++; }
    int best = 0;
    for (auto& p : m) best = max(best, p.second);
    cout << best << " " << m.size() << endl;
}
""",
        rows((0, 9), words(1, "ab", (1, 2))),
        "2\na b\n",
    ),
    plain(
        r"""
int main() {
    std::set<long long> s;
    long long x;
    int repeated = 0;
    while (std::cin >> x) { if (s.count(x)) ++repeated; else s.insert(x); }
    std::cout << repeated << ' ' << s.size() << '\n';
}
""",
        ints((0, 12), -(10**18), 10**18),
        "1 2 1\n",
    ),
    trap(
        r"""
struct Ci { bool operator()(const string& a, const string& b) const { return strcasecmp(a.c_str(), b.c_str()) < 0; } };
int main() {
    map<string, int, Ci> m;
    string w;
    while (cin >> w) m[w]++;
    set<int, greater<>> s;
    for (auto& p : m) s.insert(p.second);
    cout << m.size();
    for (int x : s) cout << " " << x;
    cout << endl;
}
""",
        words((0, 9), "aAbB", (1, 2)),
        "a b\n",
    ),
    trap(
        r"""
int main() {
    map<int, int> m;
    int n, x;
    cin >> n;
    for (int i = 0; i < n; i++) { cin >> x; m[x]++; }
    int& kept = m[0];
    auto it = m.find(0);
    for (int i = 1; i < 40; i++) m[i * 7] += i;
    kept += 5;
    ++it;
    cout << m[0] << " " << (it == m.end() ? 0 : it->first) << endl;
    map<int, int> other(m);
    cout << (other == m) << (other > m) << endl;
    for (auto i = m.begin(); i != m.end();) i = i->first % 2 ? m.erase(i) : next(i);
    cout << m.size() << endl;
}
""",
        counted((0, 6), -5, 5),
        "1\n5\n",
    ),
    trap(
        r"""
int main() {
    int n;
    cin >> n;
    set<double> s;
    for (int i = 0; i < n; i++) { string t; cin >> t; s.insert(stod(t)); }
    cout << s.size() << " " << s.count(0.0) << "\n";
    map<vector<int>, int> m;
    m[{n}]++;
    map<int, map<int, int>> deep;
    deep[n][1]++; deep[1][n]++; deep[-n][0] = 3;
    for (auto& a : deep) for (auto& b : a.second) cout << a.first << b.first << b.second << ' ';
    cout << endl;
}
""",
        rows((0, 6), one("0", "-0", "2", "1", "1.0")),
        "1\n1\n",
    ),
]
