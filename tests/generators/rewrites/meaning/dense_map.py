"""Programs that provoke dense-map."""

from tests.generators.rewrites.meaning._cases import (
    counted,
    ints,
    lines,
    plain,
    rows,
    trap,
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
]
