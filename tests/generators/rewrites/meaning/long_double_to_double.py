"""Programs that provoke long-double-to-double."""

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

CASES = [
    plain(
        r"""
int main() {
    long double a, b;
    cin >> a >> b;
    cout << fixed << setprecision(3) << (a + b) / 4 << endl;
}
""",
        ints(2, -999, 999),
        "1 2\n",
    ),
    plain(
        r"""
int main() {
    int n;
    std::cin >> n;
    long double s = 0;
    for (int i = 0; i < n; ++i) { int x; std::cin >> x; s += x; }
    std::cout << (long long)s << '\n';
}
""",
        counted((0, 12), -(10**6), 10**6),
        "2\n1 2\n",
    ),
    plain(
        r"""
typedef long double ld;
ld half(ld x) { return x * 0.5; }
int main() {
    int k;
    while (cin >> k) cout << half(k) + half(half(k)) << "\n";
}
""",
        ints((0, 6), -999, 999),
        "4\n",
    ),
    trap(
        r"""
int main() {
    long double s = 0;
    long long x;
    while (cin >> x) s += x;
    cout << (long long)s << endl;
}
""",
        ints((0, 6), -(10**18), 10**18),
        "1 2 3\n",
    ),
    trap(
        r"""
int main() {
    double x;
    cin >> x;
    long double y = x;
    y = y / 3 * 7 + 1e-3L;
    cout << setprecision(20) << (y == (double)y ? 0 : y) << endl;
    printf("%.17Lg\n", y);
}
""",
        reals(1, -1000, 1000),
        "0\n",
    ),
    trap(
        r"""
typedef long long ll;
typedef long double ld;
ll mulmod(ll a, ll b, ll m) {
    ll q = (ll)((ld)a * b / m);
    ll r = (ll)((unsigned long long)a * b - (unsigned long long)q * m);
    r %= m;
    return r < 0 ? r + m : r;
}
int main() {
    ll a, b, m;
    while (cin >> a >> b >> m) cout << mulmod(a % m, b % m, m) << "\n";
}
""",
        rows((0, 4), line(ints(2, 0, 4 * 10**18), ints(1, 1, 4 * 10**18)), header=False),
        "5 6 7\n",
    ),
    trap(
        r"""
int main() {
    long long n;
    std::cin >> n;
    long long r = std::sqrt((long double)n);
    std::cout << r << ' ' << (r * r == n) << '\n';
}
""",
        either(
            lambda rng: str(
                rng.randint(0, 3 * 10**9) ** 2 - rng.randint(0, 1) if rng.random() < 0.9 else 0
            ),
            ints(1, 0, 9 * 10**18),
        ),
        "16\n",
        "15\n",
    ),
    trap(
        r"""
int f(double) { return 1; }
int f(long double) { return 2; }
template <class T> const char* name(T) { return sizeof(T) == 8 ? "small" : "large"; }
int main() {
    long double x;
    cin >> x;
    cout << f(x) << name(x) << sizeof x << " " << numeric_limits<long double>::digits << endl;
    auto y = x + 1;
    cout << f(y) << (y == x) << endl;
}
""",
        one("0", "1e16", "1e19", "2.5", "nan", "1e25"),
        "1\n",
    ),
    trap(
        r"""
int main() {
    long double p = 1;
    int n;
    cin >> n;
    for (int i = 1; i <= n; i++) p *= i;
    cout << p << endl;
    long double q = powl(10, n);
    cout << (q > numeric_limits<double>::max()) << q / p << endl;
    printf("%.0Lf\n", p);
}
""",
        ints(1, 0, 400),
        "5\n",
    ),
    trap(
        r"""
int main() {
    long double lo = 0, hi = 2e9L, target;
    cin >> target;
    int steps = 0;
    while (lo < hi && steps < 200) {
        long double mid = (lo + hi) / 2;
        if (mid == lo || mid == hi) break;
        if (mid * mid < target) lo = mid; else hi = mid;
        steps++;
    }
    cout << fixed << setprecision(6) << lo << " " << (target > 2 ? steps : 0) << endl;
}
""",
        ints(1, 0, 10**12),
        "1\n",
    ),
    trap(
        r"""
int main() {
    long double eps = 1;
    int k = 0, n;
    scanf("%d", &n);
    while (1 + eps / 2 > 1 && k < n) { eps /= 2; k++; }
    printf("%d\n", k);
    long double t;
    if (scanf("%Lf", &t) == 1) printf("%.5Lf %.10Le\n", t, t * 0.1L);
    long double s = 0;
    for (int i = 0; i < n; i++) s += 0.1L;
    printf("%d\n", s == n * 0.1L);
}
""",
        line(ints(1, 0, 100), reals(1, -99, 99)),
        "1 2.5\n",
    ),
    trap(
        r"""
typedef long double ld;
struct P { ld x, y; };
ld cross(P a, P b, P c) { return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x); }
int main() {
    P p[3];
    while (cin >> p[0].x >> p[0].y >> p[1].x >> p[1].y >> p[2].x >> p[2].y) {
        ld c = cross(p[0], p[1], p[2]);
        cout << (c > 0 ? "left" : c < 0 ? "right" : "on") << "\n";
    }
}
""",
        rows((0, 4), either(ints(6, 10**9 - 3, 10**9), ints(6, -(2**31), 2**31)), header=False),
        "0 0 1 1 2 2\n",
    ),
]
