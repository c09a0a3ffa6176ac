"""Programs that provoke dense-map."""

from tests.generators.rewrites.meaning._cases import (
    counted,
    ints,
    line,
    lines,
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
    map<int, int> cnt;
    for (int i = 0; i < n; i++) { int x; cin >> x; if (x >= 0 && x < 1000) cnt[x]++; }
    for (auto& p : cnt) cout << p.first << " " << p.second << "\n";
}
""",
        counted((0, 15), -3, 1005),
        "3\n1 2 1\n",
    ),
    plain(
        r"""
int main() {
    std::unordered_map<int, long long> sum;
    int k; long long v;
    while (std::cin >> k >> v) sum[k % 10 + 10] += v;
    long long best = 0;
    for (int i = 0; i < 20; i++) { auto it = sum.find(i); if (it != sum.end() && it->second > best) best = it->second; }
    std::cout << best << '\n';
}
""",
        rows((0, 9), ints(2, -(10**9), 10**9), header=False),
        "1 5\n11 6\n",
    ),
    plain(
        r"""
int main() {
    string s;
    cin >> s;
    map<char, int> f;
    for (char c : s) f[c]++;
    for (char c = 'a'; c <= 'z'; c++) if (f.count(c)) cout << c << f[c];
    cout << endl;
}
""",
        words(1, "abczy", (1, 20)),
        "abca\n",
    ),
    trap(
        r"""
int main() {
    int n;
    cin >> n;
    map<int, int> cnt;
    for (int i = 0; i < n; i++) { int x; cin >> x; cnt[x]++; }
    for (auto& [k, v] : cnt) cout << k << ":" << v << " ";
    cout << cnt.size() << endl;
}
""",
        counted((0, 12), -(2**31), 2**31 - 1),
        "3\n1 2 1\n",
    ),
    trap(
        r"""
#define int long long
signed main() {
    int n, s = 0;
    cin >> n;
    map<int, int> pre;
    pre[0] = 1;
    int total = 0;
    for (int i = 0; i < n; i++) { int x; cin >> x; s += x; total += pre[s]; pre[s]++; }
    cout << total << " " << pre.size() << endl;
}
""",
        counted((0, 12), -(10**15), 10**15),
        "3\n1 2 3\n",
    ),
    trap(
        r"""
int main() {
    map<int, int> m;
    string op; int k;
    while (cin >> op >> k) {
        if (op == "get") cout << m[k] << "\n";
        else if (op == "has") cout << m.count(k) << "\n";
        else if (op == "del") cout << m.erase(k) << "\n";
        else if (op == "low") { auto it = m.lower_bound(k); cout << (it == m.end() ? -1 : it->first) << "\n"; }
        else cout << m.size() << "\n";
    }
}
""",
        rows((0, 15), line(one("get", "has", "del", "low", "size"), ints(1, -3, 3)), header=False),
        "get 1\nhas 1\n",
    ),
    trap(
        r"""
int main() {
    std::unordered_map<int, int> m;
    int n, x;
    std::cin >> n;
    for (int i = 0; i < n; ++i) { std::cin >> x; m[x] = i; }
    while (std::cin >> x) {
        try { std::cout << m.at(x) << '\n'; }
        catch (const std::out_of_range&) { std::cout << "missing\n"; }
    }
}
""",
        lines(counted((0, 8), 0, 9), ints((0, 8), -3, 12)),
        "2\n4 5\n4\n",
    ),
    trap(
        r"""
int main() {
    int n;
    cin >> n;
    map<int, vector<int>> where;
    for (int i = 0; i < n; i++) { int x; cin >> x; where[x / 2].push_back(i); }
    where.erase(0);
    for (auto it = where.rbegin(); it != where.rend(); ++it) {
        cout << it->first << "->";
        for (int i : it->second) cout << i << ",";
        cout << "\n";
    }
    if (!where.empty()) cout << where.begin()->first << endl;
}
""",
        counted((0, 10), -9, 9),
        "2\n4 5\n",
    ),
    trap(
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
        ints((0, 4), -5, 2 * 10**9),
        "10\n",
        "100\n",
    ),
    trap(
        r"""
int main() {
    map<int, int> m;
    int n, a, b;
    cin >> n;
    for (int i = 0; i < n; i++) { cin >> a >> b; if (a >= 0 && a < 50) m.emplace(a, b); }
    for (auto it = m.begin(); it != m.end();) {
        if (it->second == 0) it = m.erase(it);
        else ++it;
    }
    map<int, int> copy = m;
    copy[3];
    cout << m.size() << (m == copy) << (m < copy) << "\n";
    for (auto& kv : m) { int& v = kv.second; v *= 2; cout << kv.first << ' ' << v << '\n'; }
}
""",
        rows((0, 9), ints(2, -1, 8)),
        "2\n1 5\n4 6\n",
    ),
    trap(
        r"""
int main() {
    unsigned n;
    cin >> n;
    unordered_map<unsigned, int> id;
    auto get = [&](unsigned k) { auto it = id.find(k); if (it != id.end()) return it->second; int v = id.size(); return id[k] = v; };
    for (unsigned i = 0; i < n; i++) { unsigned x; cin >> x; cout << get(x * 2654435761u) << ' ' << get(x - 1) << ' '; }
    cout << id.size() << endl;
}
""",
        counted((0, 8), 0, 2**32 - 1),
        "2\n1 2\n",
    ),
]
