"""Programs that provoke matrix-product-order."""

from tests.generators.rewrites.meaning._cases import ints, plain, sized, square, trap

CASES = [
    plain(
        r"""
int a[20][20], b[20][20], c[20][20];
int main() {
    int n;
    cin >> n;
    for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) cin >> a[i][j];
    for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) cin >> b[i][j];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            int s = 0;
            for (int k = 0; k < n; k++) s += a[i][k] * b[k][j];
            c[i][j] = s;
        }
    for (int i = 0; i < n; i++) { for (int j = 0; j < n; j++) cout << c[i][j] << " "; cout << "\n"; }
}
""",
        square((0, 6), -999, 999, 2),
        "1\n2\n3\n",
        "2\n1 2\n3 4\n1 0\n0 1\n",
    ),
    plain(
        r"""
using Matrix = std::vector<std::vector<long long>>;
const long long MOD = 998244353;
Matrix multiply(const Matrix& a, const Matrix& b) {
    int n = a.size(), m = b[0].size(), l = b.size();
    Matrix c(n, std::vector<long long>(m, 0));
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < m; ++j)
            for (int k = 0; k < l; ++k)
                c[i][j] = (c[i][j] + a[i][k] * b[k][j]) % MOD;
    return c;
}
int main() {
    int n;
    std::cin >> n;
    Matrix a(n, std::vector<long long>(n));
    for (auto& r : a) for (auto& x : r) std::cin >> x;
    Matrix c = multiply(a, a);
    for (auto& r : c) { for (auto x : r) std::cout << x << ' '; std::cout << '\n'; }
}
""",
        square((1, 5), 0, 998244352),
        "1\n3\n",
    ),
    plain(
        r"""
int main() {
    int n, m, p;
    scanf("%d %d %d", &n, &m, &p);
    vector<vector<int>> a(n, vector<int>(m)), b(m, vector<int>(p)), c(n, vector<int>(p));
    for (auto& r : a) for (int& x : r) scanf("%d", &x);
    for (auto& r : b) for (int& x : r) scanf("%d", &x);
    for (int i = 0; i < n; i++) for (int j = 0; j < p; j++) {
        c[i][j] = 0;
        for (int k = 0; k < m; k++) c[i][j] += a[i][k] * b[k][j];
    }
    for (auto& r : c) { for (int x : r) printf("%d ", x); puts(""); }
}
""",
        sized(
            lambda rng, n, m, p: f"{n} {m} {p}\n" + ints(n * m + m * p, -99, 99)(rng),
            (1, 4),
            (0, 4),
            (1, 4),
        ),
        "1 1 1\n2 3\n",
    ),
    trap(
        r"""
int main() {
    int n;
    cin >> n;
    vector<vector<long long>> a(n, vector<long long>(n));
    for (auto& r : a) for (auto& x : r) cin >> x;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            long long s = 0;
            for (int k = 0; k < n; k++) s += a[i][k] * a[k][j];
            a[i][j] = s % 1000;
        }
    for (auto& r : a) { for (auto x : r) cout << x << " "; cout << "\n"; }
}
""",
        square((0, 5), -99, 99),
        "1\n2\n",
        "2\n0 0\n0 0\n",
    ),
    trap(
        r"""
double a[9][9], b[9][9], c[9][9];
int main() {
    int n;
    cin >> n;
    for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) { cin >> a[i][j]; a[i][j] /= 3; }
    for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) { cin >> b[i][j]; c[i][j] = 0.1; }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double s = 0;
            for (int k = n - 1; k >= 0; k--) s += a[i][k] * b[k][j];
            c[i][j] += s;
        }
    for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) printf("%.17g ", c[i][j]);
    puts("");
}
""",
        square((0, 5), -(10**6), 10**6, 2),
        "1\n3\n3\n",
    ),
    trap(
        r"""
const int INF = 1e9;
int main() {
    int n;
    std::cin >> n;
    std::vector<std::vector<int>> d(n, std::vector<int>(n));
    for (auto& r : d) for (auto& x : r) { std::cin >> x; if (x < 0) x = INF; }
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j)
            for (int k = 0; k < n; ++k)
                d[i][j] = std::min(d[i][j], d[i][k] + d[k][j]);
    for (auto& r : d) { for (int x : r) std::cout << (x >= INF ? -1 : x) << ' '; std::cout << '\n'; }
}
""",
        square((0, 6), -1, 20),
        "1\n0\n",
        "2\n0 1\n1 0\n",
    ),
    trap(
        r"""
int a[9][9], b[9][9], c[9][9];
int main() {
    int n;
    cin >> n;
    for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) cin >> a[i][j];
    for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) cin >> b[i][j];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            int s = 0;
            for (int k = 0; k < n; k++) { s += a[i][k] * b[k][j]; if (s > 100) break; }
            c[i][j] = s;
        }
    for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) cout << c[i][j] << " ";
    cout << endl;
}
""",
        square((0, 5), -30, 30, 2),
        "1\n2\n3\n",
    ),
    trap(
        r"""
int a[9][9], b[9][9], c[9][9];
int main() {
    int n;
    cin >> n;
    for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) cin >> a[i][j];
    for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) cin >> b[i][j];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            int s = 0;
            for (int k = 0; k < n; k++) s += a[i][k] * b[k][j];
            c[i][j] = s;
            cout << s << (j + 1 < n ? " " : "\n");
            if (s == 0 && i > 0) a[i][0] += c[i - 1][j];
        }
}
""",
        square((0, 5), -3, 3, 2),
        "1\n2\n3\n",
        "2\n1 1\n1 1\n1 1\n1 1\n",
    ),
    trap(
        r"""
int main() {
    int n;
    cin >> n;
    vector<vector<long long>> a(n, vector<long long>(n)), c(n, vector<long long>(n, 7));
    for (auto& r : a) for (auto& x : r) cin >> x;
    const auto& b = a;
    auto& out = n % 2 ? c : a;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            long long s = i == j;
            for (int k = 0; k < n; k++) s = (s * 3 + a[i][k] * b[k][j]) % 10007;
            out[i][j] = s;
        }
    for (auto& r : out) { for (auto x : r) cout << x << ' '; cout << '\n'; }
}
""",
        square((0, 5), 0, 999),
        "1\n2\n",
    ),
    trap(
        r"""
int main() {
    int n;
    cin >> n;
    vector<vector<int>> a(n, vector<int>(n)), b = a, c = a;
    for (auto& r : a) for (auto& x : r) cin >> x;
    for (auto& r : b) for (auto& x : r) cin >> x;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            long long s = 0;
            for (int k = 0; k < n; k++) s += (long long)a[i][k] * b[k][j];
            c[i][j] = s % 1000;
        }
    for (auto& r : c) { for (int x : r) cout << x << " "; cout << "\n"; }
}
""",
        square((0, 5), -2 * 10**9, 10**9, 2),
        "1\n2\n3\n",
    ),
    trap(
        r"""
struct M { int n; vector<int> v; M(int n) : n(n), v(n * n) {} int& operator()(int i, int j) { return v[i * n + j]; } };
M mul(M& a, M& b) {
    M c(a.n);
    for (int i = 0; i < a.n; i++)
        for (int j = 0; j < a.n; j++)
            for (int k = 0; k < a.n; k++) c(i, j) = max(c(i, j), a(i, k) * b(k, j) - c(i, j));
    return c;
}
int main() {
    int n;
    cin >> n;
    M a(n);
    for (int& x : a.v) cin >> x;
    M c = mul(a, a);
    for (int x : c.v) cout << x << " ";
    cout << "\n";
}
""",
        square((0, 5), -9, 9),
        "1\n2\n",
    ),
]
