"""Programs that provoke constant-division."""

from tests.generators.rewrites.meaning._cases import counted, ints, one, plain, reals, rows, trap

CASES = [
    plain(
        r"""
int main() {
    double x;
    while (cin >> x) cout << x / 4.0 << " " << x / 0.5 << "\n";
}
""",
        reals((0, 6), -999, 999),
        "2\n",
    ),
    plain(
        r"""
int main() {
    int n;
    std::cin >> n;
    double s = 0;
    for (int i = 0; i < n; ++i) { double x; std::cin >> x; s += x / 10.0; }
    std::printf("%.3f\n", s);
}
""",
        rows((0, 8), ints(1, -999, 999)),
        "2\n1\n2\n",
    ),
    plain(
        r"""
const double SCALE = 1024.0;
float half(float x) { return x / 2.0f; }
int main() {
    float x;
    while (cin >> x) printf("%.9g %.17g\n", half(x), x / SCALE);
}
""",
        reals((0, 6), -99, 99),
        "3\n",
    ),
    trap(
        r"""
int main() {
    double x;
    while (cin >> x) printf("%.17g %.17g\n", x / 3.0, x / 10.0);
}
""",
        ints((0, 8), -999, 9999),
        "0\n",
        "1 2\n",
    ),
    trap(
        r"""
int main() {
    int x;
    while (cin >> x) cout << (int)(x / 10.0) << " " << floor(x / 0.1) << " " << (x / 100.0 == 0.07) << "\n";
}
""",
        ints((0, 8), -999, 999),
        "5 10\n",
    ),
    trap(
        r"""
int main() {
    int n, hits = 0;
    std::cin >> n;
    for (int i = 0; i < n; ++i) {
        double x;
        std::cin >> x;
        double q = x / 7.0;
        if (q * 7.0 == x) ++hits;
        if (q == std::floor(q)) hits += 100;
    }
    std::cout << hits << '\n';
}
""",
        counted((0, 9), 0, 9999),
        "1\n7\n",
        "1\n14\n",
    ),
    trap(
        r"""
int main() {
    double x;
    while (cin >> x) {
        cout << setprecision(17) << x / 1e300 << " " << x / 1e-310 << " " << x / 1e308 << " ";
        double y = x;
        y /= 5e-324;
        cout << y << "\n";
    }
}
""",
        rows((0, 5), one("0", "1e-300", "5e-324", "1", "1e300", "1e-310"), header=False),
        "0\n",
    ),
    trap(
        r"""
#define THIRD 3.0
int main() {
    int a;
    while (cin >> a) {
        float f = a / 3.0f;
        double d = a / THIRD;
        long double l = a / 3.0L;
        int i = a / 3;
        cout << setprecision(17) << f << " " << d << " " << (double)l << " " << i << " " << 10 / 4 * a / 6.0 << " " << (d == f) << endl;
    }
}
""",
        ints((0, 6), -999, 999),
        "0\n",
        "3\n",
    ),
    trap(
        r"""
double radians(double deg) { return deg * M_PI / 180.0; }
int main() {
    double t = 0, d;
    int laps = 0;
    while (cin >> d) {
        t += d / 360.0;
        if (t >= 1) { t -= 1; laps++; }
        printf("%.17g ", cos(radians(d)));
    }
    printf("%d %.17g\n", laps, t);
}
""",
        ints((0, 8), 0, 360),
        "\n",
        "0\n",
    ),
    trap(
        r"""
struct Fixed { int raw; Fixed operator/(double d) const { return Fixed{int(raw / d) + 1}; } Fixed operator*(double d) const { return Fixed{int(raw * d)}; } };
template <class T> T avg(T a, T b) { return (a + b) / 2.5; }
int main() {
    int x, y;
    while (cin >> x >> y) {
        Fixed f{x};
        cout << (f / 4.0).raw << " " << avg(x, y) << " " << setprecision(17) << avg<double>(x, y) << " " << y / 1.1 / 2.0 << "\n";
    }
}
""",
        rows((0, 6), ints(2, -999, 999), header=False),
        "\n",
    ),
    trap(
        r"""
int main() {
    double sum = 0;
    int n;
    cin >> n;
    for (int i = 1; i <= n; i++) { sum += i / 9.0; sum /= 1.7; }
    printf("%.17g\n", sum);
    long long cents = 0;
    for (int i = 0; i < n; i++) cents += llround(i * 15 / 2.0) + (long long)(i * 29 / 0.29);
    cout << cents << " " << ceil(n / 0.7) << " " << (n % 7) / 6.0 * 6.0 - (n % 7) << endl;
}
""",
        ints(1, 0, 60),
        "0\n",
    ),
]
