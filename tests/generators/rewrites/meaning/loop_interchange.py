"""Programs that provoke loop-interchange."""

from tests.generators.rewrites.meaning._cases import (
    counted,
    grid,
    ints,
    line,
    plain,
    rows,
    sized,
    square,
    trap,
    words,
)

CASES = [
    plain(
        r"""
int a[50][50];
int main() {
    int n, m;
    cin >> n >> m;
    for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) cin >> a[i][j];
    long long s = 0;
    for (int j = 0; j < m; j++)
        for (int i = 0; i < n; i++) s += a[i][j];
    cout << s << endl;
}
""",
        grid((0, 6), (0, 6), -(10**9), 10**9),
        "2 2\n1 2\n3 4\n",
    ),
    plain(
        r"""
int main() {
    int n;
    std::cin >> n;
    std::vector<std::vector<int>> a(n, std::vector<int>(n)), b = a;
    for (auto& r : a) for (auto& x : r) std::cin >> x;
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i)
            b[i][j] = a[i][j] * 2 + 1;
    for (auto& r : b) { for (int x : r) std::cout << x << ' '; std::cout << '\n'; }
}
""",
        square((0, 6), -99, 99),
        "2\n1 2\n3 4\n",
    ),
    plain(
        r"""
typedef vector<vector<long long>> mat;
mat mul(const mat& a, const mat& b, int n) {
    mat c(n, vector<long long>(n, 0));
    for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) for (int k = 0; k < n; k++)
        c[i][j] += a[i][k] * b[k][j];
    return c;
}
int main() {
    int n; cin >> n;
    mat a(n, vector<long long>(n)), b = a;
    for (auto& r : a) for (auto& x : r) cin >> x;
    for (auto& r : b) for (auto& x : r) cin >> x;
    mat c = mul(a, b, n);
    for (auto& r : c) { for (auto x : r) cout << x << " "; cout << "\n"; }
}
""",
        square((0, 5), -1000, 1000, 2),
        "1\n2\n3\n",
    ),
    trap(
        r"""
int a[20][20];
int main() {
    int n, m;
    cin >> n >> m;
    for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) cin >> a[i][j];
    for (int j = 0; j < m; j++)
        for (int i = 0; i < n; i++)
            if (i > 0 && j + 1 < m) a[i][j] += a[i - 1][j + 1] * (a[i][j] % 3);
    for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) cout << a[i][j] << " ";
    cout << endl;
}
""",
        grid((0, 5), (0, 5), -9, 9),
        "1 2\n1 2\n",
    ),
    trap(
        r"""
int main() {
    int n, m;
    cin >> n >> m;
    vector<vector<int>> g(n, vector<int>(m));
    for (auto& r : g) for (auto& x : r) cin >> x;
    int bi = -1, bj = -1, best = INT_MIN;
    for (int j = 0; j < m; j++)
        for (int i = 0; i < n; i++)
            if (g[i][j] > best) { best = g[i][j]; bi = i; bj = j; }
    cout << bi << " " << bj << endl;
}
""",
        grid((0, 5), (0, 5), 0, 3),
        "2 2\n1 2\n3 4\n",
    ),
    trap(
        r"""
int main() {
    int n, m;
    std::cin >> n >> m;
    std::vector<std::string> g(n);
    for (auto& s : g) std::cin >> s;
    for (int j = 0; j < m; ++j)
        for (int i = 0; i < n; ++i)
            if (g[i][j] == '#') { std::cout << i << ',' << j << '\n'; }
}
""",
        sized(lambda rng, n, m: f"{n} {m}\n" + words(n, "#.", m, "\n")(rng), (0, 4), (1, 4)),
        "2 2\n#.\n.#\n",
    ),
    trap(
        r"""
double a[10][10];
int main() {
    int n, m;
    cin >> n >> m;
    for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) cin >> a[i][j];
    double s = 0;
    for (int j = 0; j < m; j++)
        for (int i = 0; i < n; i++) s += a[i][j] / 7;
    printf("%.17g\n", s);
}
""",
        grid((0, 5), (0, 5), -(10**9), 10**9),
        "1 2\n7 14\n",
        "2 2\n7 14\n7 7\n",
    ),
    trap(
        r"""
int main() {
    int n;
    cin >> n;
    vector<vector<int>> rows(n);
    for (int i = 0; i < n; i++) { int k; cin >> k; rows[i].resize(k); for (int& x : rows[i]) cin >> x; }
    size_t widest = 0;
    for (auto& r : rows) widest = max(widest, r.size());
    for (size_t j = 0; j < widest; j++)
        for (int i = 0; i < n; i++) {
            if (j >= rows[i].size()) break;
            cout << rows[i][j] << ' ';
        }
    cout << '\n';
}
""",
        rows((0, 5), counted((0, 4), 0, 9)),
        "1\n2 4 5\n",
    ),
    trap(
        r"""
int a[20][20], n;
int main() {
    cin >> n;
    for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) cin >> a[i][j];
    int s = 0;
    for (int j = 0; j < n; j++) {
        int col = 0;
        for (int i = 0; i < n; i++) col += a[i][j];
        s = max(s, col);
    }
    int up = 0;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < j; i++) up = up * 2 % 1009 + a[i][j];
    cout << s << " " << up << "\n";
}
""",
        square((0, 6), 0, 9),
        "2\n1 2\n3 4\n",
    ),
    trap(
        r"""
int dp[30][30];
int main() {
    int n, W;
    cin >> n >> W;
    vector<int> w(n), v(n);
    for (int i = 0; i < n; i++) cin >> w[i] >> v[i];
    for (int i = 1; i <= W; i++)
        for (int j = 0; j < n; j++)
            if (w[j] <= i) dp[0][i] = max(dp[0][i], dp[0][i - w[j]] + v[j]);
    for (int j = 1; j < 5; j++)
        for (int i = 1; i < 5; i++) dp[i][j] = dp[i - 1][j] + dp[i][j - 1] + dp[0][(i * j) % (W + 1)];
    cout << dp[0][W] << " " << dp[4][4] << endl;
}
""",
        sized(
            lambda rng, n: (
                f"{n} {rng.randint(0, 25)}\n" + rows(n, ints(2, 1, 9), header=False)(rng)
            ),
            (0, 5),
        ),
        "1 5\n5 3\n",
    ),
    trap(
        r"""
int main() {
    int n, m, limit;
    cin >> n >> m >> limit;
    vector<vector<int>> a(n, vector<int>(m));
    for (auto& r : a) for (auto& x : r) cin >> x;
    int taken = 0;
    for (int j = 0; j < m; j++)
        for (int i = 0; i < n; i++) {
            if (taken + a[i][j] > limit) continue;
            taken += a[i][j];
        }
    cout << taken << endl;
}
""",
        line(
            sized(
                lambda rng, n, m: (
                    f"{n} {m} {rng.randint(0, 30)}\n" + grid(n, m, 0, 12, header=False)(rng)
                ),
                (0, 4),
                (0, 4),
            )
        ),
        "2 2 100\n1 2\n3 4\n",
    ),
    trap(
        r"""
int a[9][9];
int next_value() { static int k = 0; return k++; }
int main() {
    int n, m;
    cin >> n >> m;
    for (int j = 0; j < m; j++)
        for (int i = 0; i < n; i++) a[i][j] = next_value();
    for (int j = 0; j < m; j++)
        for (int i = 0; i < n; i++) cin >> a[i][j] ? a[i][j] += 1 : a[i][j] = -1;
    for (int i = 0; i < n; i++) { for (int j = 0; j < m; j++) cout << a[i][j] << " "; cout << "\n"; }
}
""",
        grid((0, 5), (0, 5), 0, 99),
        "1 2\n5 6\n",
    ),
]
