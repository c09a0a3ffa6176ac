"""Programs that provoke fast-math-pragma."""

from tests.generators.rewrites.meaning._cases import (
    counted,
    either,
    ints,
    line,
    one,
    plain,
    reals,
    rows,
    trap,
)

NUMS = rows(
    (0, 9), one("nan", "inf", "-inf", "0", "-0", "1", "0.1", "1e300", "1e-300", "-2.5", "1e16")
)
PARSE = "double rd() { string s; cin >> s; return s.empty() ? 0 : stod(s); }\n"
CASES = [
    plain(
        r"""
int main() {
    int n;
    cin >> n;
    long long s = 0;
    for (int i = 0; i < n; i++) { int x; cin >> x; s += (long long)x * x; }
    cout << s << endl;
}
""",
        counted((0, 9), -(10**6), 10**6),
        "2\n1 2\n",
    ),
    plain(
        r"""
int main() {
    int n;
    std::cin >> n;
    double s = 0;
    for (int i = 0; i < n; ++i) { int x; std::cin >> x; s += x; }
    std::printf("%.2f\n", s / 4);
}
""",
        counted((0, 9), -1000, 1000),
        "2\n1 2\n",
    ),
    plain(
        r"""
int main() {
    double x, y;
    while (cin >> x >> y) cout << (x < y ? "less" : "not less") << " " << fixed << setprecision(2) << x + y << "\n";
}
""",
        rows((0, 5), line(ints(2, -999, 999)), header=False),
        "1 2\n",
    ),
    trap(
        PARSE
        + r"""
int main() {
    int n;
    cin >> n;
    int bad = 0;
    for (int i = 0; i < n; i++) { double x = rd(); if (isnan(x)) bad++; else if (isinf(x)) bad += 10; else if (x != x) bad += 100; }
    cout << bad << endl;
}
""",
        NUMS,
        "2\n1\n0\n",
    ),
    trap(
        PARSE
        + r"""
int main() {
    int n;
    cin >> n;
    double lo = INFINITY, hi = -INFINITY;
    for (int i = 0; i < n; i++) { double x = rd(); lo = min(lo, x); hi = max(hi, x); }
    if (lo == INFINITY) cout << "none\n";
    else cout << lo << " " << hi << " " << hi - lo << "\n";
}
""",
        NUMS,
        "2\n1\n0\n",
    ),
    trap(
        PARSE
        + r"""
int main() {
    int n;
    cin >> n;
    double s = 0, c = 0;
    for (int i = 0; i < n; i++) {
        double y = rd() - c;
        double t = s + y;
        c = (t - s) - y;
        s = t;
    }
    printf("%.17g\n", s);
}
""",
        either(
            rows((0, 9), one("1", "1e16", "-1e16", "0.1", "3.14159", "1e-3")),
            rows((5, 30), reals(1, -(10**9), 10**9, 6)),
        ),
        "2\n1\n2\n",
    ),
    trap(
        r"""
int main() {
    int n;
    std::cin >> n;
    std::vector<double> a(n);
    for (auto& x : a) std::cin >> x;
    double s = 0;
    for (int i = 0; i < n; ++i) s += a[i] * 0.1;
    double p = 1;
    for (int i = 0; i < n; ++i) p *= a[i] / 3;
    std::printf("%.17g %.17g\n", s, p);
}
""",
        rows((0, 40), reals(1, -100, 100, 6)),
        "1\n2\n",
    ),
    trap(
        PARSE
        + r"""
int main() {
    double x = rd(), y = rd();
    cout << 1 / x << " " << x * 0 << " " << x - x << " " << x / x << " " << copysign(1, x * y) << " " << signbit(x + y) << endl;
    cout << (x + y) - y << " " << sqrt(x) * sqrt(x) << " " << (x > y) << !(x <= y) << endl;
    cout << x / 10 * 10 << " " << (x == 0 ? 1 / y : x) << " " << fmod(x, y) << endl;
}
""",
        line(
            *[one("nan", "inf", "-inf", "0", "-0", "1", "0.1", "1e300", "1e-310", "-2.5", "1e16")]
            * 2
        ),
        "1 1\n",
        "4 2\n",
    ),
    trap(
        PARSE
        + r"""
int main() {
    int n;
    cin >> n;
    vector<double> v(n);
    for (auto& x : v) x = rd();
    auto end = remove_if(v.begin(), v.end(), [](double x) { return !(x == x); });
    v.erase(end, v.end());
    sort(v.begin(), v.end());
    for (double x : v) cout << (isfinite(x) ? x : 0.0) << (fpclassify(x) == FP_SUBNORMAL ? "s" : "") << " ";
    cout << endl;
}
""",
        NUMS,
        "2\n1\n0\n",
    ),
    trap(
        r"""
int main() {
    double x;
    double eps = 1;
    while (1 + eps / 2 != 1) eps /= 2;
    double tiny = DBL_MIN;
    while (cin >> x) {
        double r = (x + 6755399441055744.0) - 6755399441055744.0;
        cout << r << " " << (tiny / (1 + x * x) > 0) << " " << (tiny * 0.5 * x == 0) << "\n";
    }
    cout << eps << endl;
}
""",
        reals((0, 6), -9, 9),
        "\n",
    ),
    trap(
        r"""
double f(double x) { return x * x - 2; }
int main() {
    double a, b;
    while (cin >> a >> b) {
        int k = 0;
        while (b - a > 0 && k < 100) { double m = (a + b) / 2; if (m == a || m == b) break; if (f(m) > 0) b = m; else a = m; k++; }
        double q = a / b, h = hypot(a, b) / 7;
        float g = (float)a / 3.0f + (float)b / 7.0f;
        printf("%.17g %d %.17g %.17g %.9g\n", a, k, q, h, g);
    }
}
""",
        rows((0, 4), line(reals(1, 0, 1), reals(1, 1.5, 9)), header=False),
        "\n",
    ),
]
