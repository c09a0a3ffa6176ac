"""Programs that provoke power-to-product."""

from tests.generators.rewrites.meaning._cases import counted, ints, one, plain, reals, rows, trap

CASES = [
    plain(
        r"""
int main() {
    double x;
    cin >> x;
    printf("%.6f\n", pow(x, 2) + 3 * x);
}
""",
        ints(1, -999, 999),
        "2\n",
    ),
    plain(
        r"""
int main() {
    int n;
    std::cin >> n;
    long long s = 0;
    for (int i = 1; i <= n; ++i) s += (long long)std::pow(i, 3);
    std::cout << s << '\n';
}
""",
        ints(1, -1, 90),
        "3\n",
    ),
    plain(
        r"""
double dist(int a, int b, int c, int d) { return sqrt(pow(a - c, 2) + pow(b - d, 2)); }
int main() {
    int a, b, c, d;
    while (cin >> a >> b >> c >> d) cout << fixed << setprecision(4) << dist(a, b, c, d) << endl;
}
""",
        rows((0, 5), ints(4, -999, 999), header=False),
        "0 0 3 4\n",
    ),
    trap(
        r"""
int main() {
    int x;
    while (cin >> x) cout << (long long)pow(x, 2) << " " << pow(x, 3) << "\n";
}
""",
        ints((0, 6), -(10**6), 10**6),
        "2 3\n",
    ),
    trap(
        r"""
int main() {
    double x;
    cin >> x;
    printf("%.17g %.17g %.17g\n", pow(x, 3), pow(x, 4), pow(x, 7));
}
""",
        reals(1, -50, 50, 9),
        "2\n",
        "1.5\n",
    ),
    trap(
        r"""
int reads = 0;
double next_value() { double x = 0; std::cin >> x; ++reads; return x; }
int main() {
    int n;
    std::cin >> n;
    for (int i = 0; i < n; ++i) std::cout << std::pow(next_value(), 2) << ' ';
    std::cout << (n > 0 ? reads : 0) << '\n';
}
""",
        counted((0, 6), -9, 9),
        "0\n",
    ),
    trap(
        r"""
int pow(int b, int e) { int r = 1; for (int i = 0; i < e; i++) r = r * b % 1000; return r; }
int main() {
    int x;
    while (std::cin >> x) std::cout << pow(x, 2) << ' ' << pow(x, 5) << '\n';
}
""",
        ints((0, 6), -1000, 1000),
        "2 3\n",
    ),
    trap(
        r"""
int main() {
    string s;
    while (cin >> s) {
        double x = stod(s);
        printf("%.17g %.17g %.17g %.17g\n", pow(x, 2), pow(x, -2), pow(x, 0), pow(x, 0.5));
    }
}
""",
        rows(
            (0, 6),
            one("0", "-0", "nan", "inf", "-inf", "2", "1e200", "1e-200", "-3", "0.1"),
            header=False,
        ),
        "2\n1\n",
    ),
    trap(
        r"""
int main() {
    int a, b;
    cin >> a >> b;
    cout << (long long)pow(a + b, 2) << " " << pow(a, 2) / pow(2, 3) << " " << -pow(b, 2) << " " << 100 / pow(a | 1, 2) << "\n";
    int i = a;
    double r = pow(i++, 2) + pow(--b, 3);
    cout << r << " " << i << " " << b << endl;
    int y = pow(10, 2) * a;
    unsigned u = b;
    cout << y << " " << pow(u, 2) << " " << pow((char)a, 2) << endl;
}
""",
        ints(2, -9000, 9000),
        "2 3\n",
    ),
    trap(
        r"""
int main() {
    float f;
    int k = 0;
    while (cin >> f) {
        printf("%.17g %.17g ", (double)pow(f, 2), (double)powf(f, 2));
        auto p = pow(f, 3);
        cout << sizeof p << " " << sizeof(pow(k, 2)) << " ";
        double d = pow(k, 2) / 3;
        cout << d << "\n";
        k++;
        cout.flush();
        fflush(stdout);
    }
}
""",
        reals((0, 5), -99, 99),
        "2 3\n",
    ),
    trap(
        r"""
template <class T> T square(T x) { return pow(x, 2); }
#define CUBE(x) pow(x, 3)
int main() {
    int a, b;
    while (cin >> a >> b) {
        cout << square(a) << " " << square((long long)b) << " " << CUBE(a - b) << " " << CUBE(a) / CUBE(2) << " ";
        cout << complex<double>(pow(complex<double>(a, b), 2)).imag() << "\n";
    }
}
""",
        rows((0, 5), ints(2, -1200, 1200), header=False),
        "1 2\n",
    ),
    trap(
        r"""
struct Money { long cents; };
Money pow(Money m, int k) { return Money{m.cents * k}; }
int main() {
    long c;
    double sum = 0;
    while (std::cin >> c) {
        std::cout << pow(Money{c}, 2).cents << ' ';
        long double big = c;
        sum += std::pow(big, 2) - std::pow(c, 2);
        std::cout << std::setprecision(20) << std::pow(c, 2) << ' ' << std::fmod(std::pow(c, 3), 1000) << '\n';
    }
    std::cout << sum << '\n';
}
""",
        ints((0, 5), -(10**15), 10**15),
        "5 10\n",
    ),
]
