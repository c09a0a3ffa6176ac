"""Programs that provoke hash-reserve."""

from tests.generators.rewrites.meaning._cases import (
    counted,
    ints,
    line,
    plain,
    reals,
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
    unordered_map<int, int> m;
    for (int i = 0; i < n; i++) { int x; cin >> x; m[x]++; }
    int best = 0;
    for (auto& p : m) best = max(best, p.second);
    cout << best << endl;
}
""",
        counted((0, 15), -(2**31), 2**31 - 1),
        "3\n1 2 1\n",
    ),
    plain(
        r"""
int main() {
    std::unordered_set<std::string> s;
    std::string w;
    while (std::cin >> w) s.insert(w);
    std::cout << s.size() << ' ' << s.count("a") << '\n';
}
""",
        words((0, 12), "ab", (1, 2)),
        "a b\n",
    ),
    plain(
        r"""
unordered_map<long long, long long> memo;
long long f(long long n) {
    if (n < 3) return n;
    auto it = memo.find(n);
    if (it != memo.end()) return it->second;
    return memo[n] = f(n / 2) + f(n / 3);
}
int main() {
    long long n;
    while (cin >> n) cout << f(n) << "\n";
}
""",
        ints((0, 4), 0, 10**18),
        "10\n",
    ),
    trap(
        r"""
int main() {
    unordered_map<int, int> m;
    int x;
    while (cin >> x) m[x]++;
    for (auto& p : m) cout << p.first << ":" << p.second << " ";
    cout << endl;
}
""",
        ints((0, 20), -999, 999),
        "1\n",
        "5 5\n",
    ),
    trap(
        r"""
int main() {
    std::unordered_set<int> s;
    int n, x;
    std::cin >> n;
    for (int i = 0; i < n; ++i) { std::cin >> x; s.insert(x); }
    int best = -1;
    for (int y : s) if (best == -1 || y % 10 > best % 10) best = y;
    std::cout << best << '\n';
    if (!s.empty()) std::cout << (n > 1 ? *s.begin() : 0) << '\n';
}
""",
        counted((0, 15), 0, 60),
        "1\n5\n",
        "0\n",
    ),
    trap(
        r"""
int main() {
    unordered_map<int, double> w;
    int k; double v;
    while (cin >> k >> v) w[k] += v / 3;
    double s = 0;
    for (auto& p : w) s += p.second;
    printf("%.17g\n", s);
}
""",
        rows((0, 20), line(ints(1, -99, 99), reals(1, -10, 10)), header=False),
        "1 2\n",
    ),
    trap(
        r"""
int main() {
    unordered_map<string, int> m;
    string w;
    while (cin >> w) m[w] = w.size();
    cout << m.size() << " " << (m.size() > 1 ? m.bucket_count() : 0) << endl;
    if (m.size() > 2) { m.rehash(3); cout << m.bucket_count() << m.begin()->first << endl; }
}
""",
        words((0, 9), "abc", (1, 3)),
        "a\n",
    ),
    trap(
        r"""
int main() {
    int n;
    cin >> n;
    unordered_map<int, vector<int>> g;
    for (int i = 0; i < n; i++) { int a, b; cin >> a >> b; g[a].push_back(b); g[b].push_back(a); }
    vector<int> order;
    for (auto& [u, vs] : g) order.push_back(u * 10 + vs.size());
    unordered_set<int> seen(order.begin(), order.end());
    vector<int> again(seen.begin(), seen.end());
    for (int x : again) cout << x << " ";
    cout << endl;
}
""",
        rows((0, 9), ints(2, 0, 40)),
        "0\n",
    ),
    trap(
        r"""
struct H { size_t operator()(int x) const { return x & 3; } };
int main() {
    unordered_set<int, H> s;
    unordered_multimap<int, int> mm;
    int x, i = 0;
    while (cin >> x) { s.insert(x); mm.emplace(x % 4, i++); }
    for (auto it = s.begin(); it != s.end();) { if (*it % 2) it = s.erase(it); else ++it; }
    for (int y : s) cout << y << " ";
    for (auto& p : mm) cout << p.first << p.second << " ";
    cout << endl;
}
""",
        ints((0, 15), 0, 99),
        "2\n",
    ),
    trap(
        r"""
unordered_map<int, int> cnt;
int main() {
    int t;
    cin >> t;
    while (t--) {
        int n, x;
        cin >> n;
        cnt.clear();
        while (n--) { cin >> x; cnt[x]++; }
        int best = -1, who = 0;
        for (auto& p : cnt) if (p.second > best) { best = p.second; who = p.first; }
        cout << who << " " << best << "\n";
        auto copy = cnt;
        if (cnt.size() > 1) cout << copy.begin()->first << (float)cnt.load_factor() << "\n";
    }
}
""",
        rows((0, 4), counted((0, 9), 0, 30)),
        "1\n2 5 5\n",
    ),
]
