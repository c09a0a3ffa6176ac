"""Programs that provoke target-pragma."""

from tests.generators.rewrites.meaning._cases import (
    counted,
    ints,
    line,
    plain,
    reals,
    rows,
    sized,
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
    long long s = 0;
    for (int i = 0; i < n; i++) s += (long long)a[i] * a[i];
    cout << s << endl;
}
""",
        counted((0, 40), -(2**31), 2**31 - 1),
        "2\n1 2\n",
    ),
    plain(
        r"""
int a[64][64];
int main() {
    int n;
    std::cin >> n;
    for (int i = 0; i < n; ++i) for (int j = 0; j < n; ++j) a[i][j] = (i * 7 + j * 13) % 10;
    int best = 0;
    for (int i = 0; i < n; ++i) { int s = 0; for (int j = 0; j < n; ++j) s += a[i][j] ^ i; best = std::max(best, s); }
    std::cout << best << '\n';
}
""",
        ints(1, 0, 64),
        "5\n",
    ),
    plain(
        r"""
int main() {
    string a, b;
    while (cin >> a >> b) {
        int d = abs((int)a.size() - (int)b.size());
        for (size_t i = 0; i < min(a.size(), b.size()); i++) d += a[i] != b[i];
        cout << d << " " << __builtin_popcount(d) << "\n";
    }
}
""",
        words((0, 8), "ab", (1, 40)),
        "ab ba\n",
    ),
    trap(
        r"""
int main() {
    int n;
    cin >> n;
    double s = 0.1;
    for (int i = 0; i < n; i++) { double x, y; cin >> x >> y; s = x * y + s; }
    printf("%.17g\n", s);
}
""",
        rows((0, 20), reals(2, -10, 10, 6)),
        "1\n1 2\n",
    ),
    trap(
        r"""
double cross(double ax, double ay, double bx, double by) { return ax * by - ay * bx; }
int main() {
    double a, b, c, d;
    while (cin >> a >> b >> c >> d) {
        double k = cross(a, b, c, d);
        cout << (k > 0 ? "left" : k < 0 ? "right" : "on line") << "\n";
    }
}
""",
        rows(
            (0, 6),
            lambda rng: " ".join([reals(2, -9, 9)(rng)] * 2),
            line(reals(4, -9, 9)),
            header=False,
        ),
        "1 0 0 1\n",
    ),
    trap(
        r"""
struct C { double re, im; };
C mul(C a, C b) { return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }
int main() {
    double re, im;
    int k;
    std::cin >> re >> im >> k;
    C z{0, 0};
    int i = 0;
    for (; i < k && z.re * z.re + z.im * z.im < 4; ++i) { z = mul(z, z); z.re += re; z.im += im; }
    std::printf("%d %.17g %.17g\n", i, z.re, z.im);
}
""",
        line(reals(2, -1.5, 0.6, 6), ints(1, 0, 200)),
        "0 0 5\n",
    ),
    trap(
        r"""
int main() {
    float x;
    float s = 0;
    int n = 0;
    float w[4] = {0.1f, 0.3f, 0.7f, 1.1f};
    while (cin >> x) { s += x * w[n++ % 4]; if (s * 0.99f - s > 100) s = 0; }
    printf("%.9g %d\n", s, n);
}
""",
        reals((0, 20), -99, 99, 4),
        "\n",
    ),
    trap(
        r"""
#ifdef __AVX2__
const char* kind = "vector";
#else
const char* kind = "plain";
#endif
int main() {
    int n;
    std::cin >> n;
    std::cout << n * 2LL;
    if (n > 5) std::cout << ' ' << kind;
#ifdef __FMA__
    if (n < -5) std::cout << " fma";
#endif
    std::cout << '\n';
}
""",
        ints(1, -9, 9),
        "1\n",
    ),
    trap(
        r"""
int main() {
    double h = 0.1, x = 1, v = 0, k;
    int n;
    cin >> k >> n;
    for (int i = 0; i < n; i++) {
        v = v - k * x * h;
        x = x + v * h;
    }
    printf("%.15g %.15g\n", x, v);
    double p[5] = {1, -0.5, 0.25, k, 0.1}, r = 0;
    for (int i = 4; i >= 0; i--) r = r * x + p[i];
    printf("%.17g\n", r);
}
""",
        line(reals(1, 0, 9, 5), ints(1, 0, 90)),
        "1 0\n",
    ),
    trap(
        r"""
template <class T> T dot(const vector<T>& a, const vector<T>& b) {
    T s = 0;
    for (size_t i = 0; i < a.size(); i++) s += a[i] * b[i];
    return s;
}
int main() {
    int n;
    cin >> n;
    vector<double> a(n), b(n);
    for (auto& x : a) cin >> x;
    for (auto& x : b) cin >> x;
    double d = dot(a, b);
    printf("%.17g %s\n", d, d == 0 ? "orthogonal" : "no");
}
""",
        sized(lambda rng, n: f"{n}\n" + reals(2 * n, -3, 3, 5)(rng), (0, 9)),
        "1\n0\n3\n",
    ),
]
