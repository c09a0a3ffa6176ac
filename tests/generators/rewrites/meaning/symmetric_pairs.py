"""Programs that provoke symmetric-pairs."""

from tests.generators.rewrites.meaning._cases import (
    counted,
    either,
    ints,
    plain,
    reals,
    rows,
    sized,
    square,
    trap,
    words,
)

CASES = [
    plain(
        r"""
int main() {
    int n;
    cin >> n;
    vector<int> a(n);
    for (int& x : a) cin >> x;
    int c = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            if (i != j && a[i] == a[j]) c++;
    cout << c << endl;
}
""",
        counted((0, 9), -2, 3),
        "3\n1 1 2\n",
    ),
    plain(
        r"""
int main() {
    int n;
    std::cin >> n;
    std::vector<long long> x(n);
    for (auto& v : x) std::cin >> v;
    long long best = 0;
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j)
            best = std::max(best, std::abs(x[i] - x[j]));
    std::cout << best << '\n';
}
""",
        counted((0, 9), -(10**9), 10**9),
        "2\n1 5\n",
    ),
    plain(
        r"""
int main() {
    int n, d;
    cin >> n >> d;
    vector<pair<int, int>> p(n);
    for (auto& q : p) cin >> q.first >> q.second;
    bool close = false;
    for (int i = 0; i < n; i++) for (int j = 0; j < n; j++)
        if (i != j && abs(p[i].first - p[j].first) + abs(p[i].second - p[j].second) <= d) close = true;
    cout << (close ? "yes" : "no") << endl;
}
""",
        sized(
            lambda rng, n: (
                f"{n} {rng.randint(0, 9)}\n" + rows(n, ints(2, -9, 9), header=False)(rng)
            ),
            (0, 7),
        ),
        "2 3\n0 0\n1 1\n",
    ),
    trap(
        r"""
int main() {
    int n;
    cin >> n;
    vector<int> a(n);
    for (int& x : a) cin >> x;
    int best = INT_MIN, bi = -1, bj = -1;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            if (i != j && a[i] - 2 * a[j] > best) { best = a[i] - 2 * a[j]; bi = i; bj = j; }
    cout << bi << " " << bj << endl;
}
""",
        counted((0, 7), -9, 9),
        "1\n4\n",
        "2\n5 1\n",
    ),
    trap(
        r"""
double force(double a, double b) { return 1.0 / (1 + (a - b) * (a - b)); }
int main() {
    int n;
    cin >> n;
    vector<double> x(n), f(n);
    for (double& v : x) cin >> v;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            if (i != j) f[i] += force(x[i], x[j]);
    for (double v : f) printf("%.17g\n", v);
}
""",
        counted((0, 9), -99, 99),
        "2\n1 2\n",
    ),
    trap(
        r"""
int main() {
    int n;
    std::cin >> n;
    std::vector<int> a(n);
    for (auto& x : a) std::cin >> x;
    int best = 1000000, ai = -1, aj = -1;
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            if (i == j) continue;
            int d = std::abs(a[i] - a[j]);
            if (d <= best) { best = d; ai = i; aj = j; }
        }
    std::cout << (n > 2 ? ai : 0) << ' ' << (n > 2 ? aj : 0) << ' ' << best << '\n';
}
""",
        counted((0, 7), -9, 9),
        "2\n1 5\n",
    ),
    trap(
        r"""
int main() {
    int n, t;
    cin >> n >> t;
    vector<int> a(n);
    for (int& x : a) cin >> x;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            if (a[i] + a[j] == t) { cout << i << "," << j << "\n"; }
    int c = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            if (a[i] + a[j] == t + 1) c++;
    cout << c << endl;
}
""",
        sized(lambda rng, n: f"{n} {rng.randint(-3, 6)}\n" + ints(n, -3, 4)(rng), (0, 7)),
        "1 7\n3\n",
    ),
    trap(
        r"""
int n, m[9][9];
int main() {
    cin >> n;
    for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) cin >> m[i][j];
    int s = 0, c = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            if (i != j) { s += m[i][j]; c += m[i][j] == m[j][i]; }
    cout << s << " " << c << endl;
}
""",
        square((0, 5), 0, 5),
        "2\n1 2\n2 1\n",
    ),
    trap(
        r"""
int main() {
    int n;
    cin >> n;
    vector<string> w(n);
    for (auto& s : w) cin >> s;
    int c = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            if (i != j && w[j].compare(0, w[i].size(), w[i]) == 0) c++;
    int len = 0;
    for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) if (w[i] != w[j]) len = max<int>(len, w[i].size() * 2 + w[j].size());
    cout << c << " " << len << endl;
}
""",
        rows((0, 6), words(1, "ab", (1, 3))),
        "2\nab ba\n",
    ),
    trap(
        r"""
int main() {
    int n;
    cin >> n;
    vector<int> hp(n);
    for (int& x : hp) cin >> x;
    int hits = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            if (i == j || hp[i] <= 0 || hp[j] <= 0) continue;
            if ((i + j) % 2 == 0 || hp[i] > 4) { hp[j] -= 2; hits++; }
        }
    for (int x : hp) cout << x << " ";
    cout << hits << endl;
}
""",
        counted((0, 6), -2, 9),
        "2\n1 1\n",
    ),
    trap(
        r"""
long long total = 0;
long long dist(long long a, long long b) { total++; return a > b ? a - b : (b - a) * 2; }
int main() {
    int n;
    cin >> n;
    vector<long long> a(n);
    for (auto& x : a) cin >> x;
    long long s = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) s += dist(a[i], a[j]) % 1000;
    unsigned char small = 0;
    for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) if (a[i] * a[j] > 50) small += 3;
    cout << s << " " << (n > 2 ? total : 0) << " " << int(small) << endl;
}
""",
        counted((0, 12), -99, 99),
        "1\n5\n",
        "2\n3 3\n",
    ),
    trap(
        r"""
int main() {
    int n;
    cin >> n;
    vector<double> a(n);
    for (auto& x : a) cin >> x;
    double s = 0;
    int k = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            if (i == j) continue;
            s += fabs(a[i] - a[j]) / 3;
            if (s > 1e6) { k = i * n + j; break; }
        }
    printf("%.17g %d\n", s, k);
}
""",
        either(rows((0, 8), reals(1, -99, 99)), counted((0, 6), -(10**6), 10**6)),
        "2\n1 4\n",
    ),
]
