"""Programs that provoke flat-grid."""

from tests.generators.rewrites.meaning._cases import (
    grid,
    ints,
    plain,
    rows,
    trap,
    words,
)

CASES = [
    plain(
        r"""
int main() {
    int n, m;
    cin >> n >> m;
    vector<vector<int>> g(n, vector<int>(m));
    for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) cin >> g[i][j];
    long long s = 0;
    for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) s += g[i][j] * (i + j);
    cout << s << endl;
}
""",
        grid((0, 6), (0, 6), -9999, 9999),
        "2 2\n1 2\n3 4\n",
    ),
    plain(
        r"""
int main() {
    std::string a, b;
    std::cin >> a >> b;
    std::vector<std::vector<int>> dp(a.size() + 1, std::vector<int>(b.size() + 1, 0));
    for (std::size_t i = 1; i <= a.size(); ++i)
        for (std::size_t j = 1; j <= b.size(); ++j)
            dp[i][j] = a[i - 1] == b[j - 1] ? dp[i - 1][j - 1] + 1 : std::max(dp[i - 1][j], dp[i][j - 1]);
    std::cout << dp[a.size()][b.size()] << '\n';
}
""",
        words(2, "ab", (1, 9)),
        "abab baba\n",
    ),
    trap(
        r"""
int main() {
    int n, m;
    cin >> n >> m;
    vector<vector<int>> a(n, vector<int>(m, 0));
    for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) cin >> a[i][j];
    vector<int>& top = a[0];
    int* last = a[n - 1].data();
    for (int j = 0; j < m; j++) { top[j] += last[j]; if (top[j] % 2) last[j] = 0; }
    auto row = a[0];
    row.push_back(7);
    a[0] = row;
    if (m > 2) a.erase(a.begin());
    int c = 0;
    for (auto& r : a) c += accumulate(r.begin(), r.end(), 0) * r.size();
    cout << c << endl;
}
""",
        grid((1, 4), (1, 4), 0, 9),
        "1 1\n0\n",
    ),
    trap(
        r"""
int main() {
    int n, m, t;
    cin >> t;
    vector<vector<int>> g(2, vector<int>(3, 1));
    while (t--) {
        cin >> n >> m;
        if (n > (int)g.size()) g.resize(n, vector<int>(m, -1));
        else g.assign(n, vector<int>(m, n));
        int s = 0;
        for (size_t i = 0; i < g.size(); i++) for (size_t j = 0; j < g[i].size(); j++) s += g[i][j] * (int)(i + 2 * j);
        cout << s << " " << g.size() << endl;
    }
    vector<vector<int>> moved = move(g);
    cout << moved.size() << g.size() << endl;
}
""",
        rows((0, 5), ints(2, 0, 4)),
        "0\n",
    ),
    trap(
        r"""
int n = 3;
vector<vector<double>> m(n, vector<double>(n, 0.5));
vector<vector<double>> identity(int k) { vector<vector<double>> r(k, vector<double>(k)); for (int i = 0; i < k; i++) r[i][i] = 1; return r; }
int main() {
    cin >> n;
    if (n > 3) m = identity(n);
    auto f = [](vector<vector<double>> x) { x[0][0] = 9; return x; };
    auto g = f(m);
    m[0].swap(g[1]);
    for (size_t i = 0; i < m.size(); i++) cout << m[i][0] << g[i][0] << m[i].size() << " ";
    int h = n - 3;
    if (h >= 0) { vector<vector<int>> e(h, vector<int>(n, h)); cout << e.empty() << (e.size() ? e.back().back() : -1); }
    cout << endl;
}
""",
        ints(1, 2, 6),
        "3\n",
    ),
]
