"""Programs that provoke binary-power."""

from tests.generators.rewrites.meaning._cases import (
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
    long long b, e, m;
    cin >> b >> e >> m;
    long long r = 1 % m;
    b %= m;
    for (long long i = 0; i < e; i++) r = r * b % m;
    cout << r << endl;
}
""",
        line(ints(1, 0, 10**9), ints(1, 0, 500), ints(1, 1, 10**9)),
        "2 10 1000\n",
        "3 5 7\n",
    ),
    plain(
        r"""
const int MOD = 1e9 + 7;
typedef long long ll;
ll power(ll a, int n) {
    ll res = 1;
    for (int i = 0; i < n; ++i) res = (res * a) % MOD;
    return res;
}
int main() {
    int t; ll a; int n;
    for (cin >> t; t-- && cin >> a >> n;) cout << power(a % MOD, n) << "\n";
}
""",
        rows((0, 5), line(ints(1, 0, 10**9), ints(1, 0, 900))),
        "2\n2 3\n5 4\n",
    ),
    plain(
        r"""
unsigned modpow(unsigned base, unsigned times, unsigned mod) {
    unsigned result = 1;
    base %= mod;
    while (times > 0) { result = result * base % mod; times--; }
    return result;
}
int main() {
    unsigned a, b, m;
    while (std::cin >> a >> b >> m) std::cout << modpow(a, b, m) << '\n';
}
""",
        rows((0, 4), line(ints(2, 0, 400), ints(1, 2, 60000)), header=False),
        "2 5 10\n",
    ),
    trap(
        r"""
int main() {
    long long b, m; int e;
    cin >> b >> e >> m;
    long long r = 1;
    for (int i = 0; i < e; i++) r = r * b % m;
    cout << r << endl;
}
""",
        line(ints(1, -(10**9), 10**9), ints(1, -3, 60), ints(1, 1, 9 * 10**8)),
        "2 10 1000\n",
    ),
    trap(
        r"""
// r * b stays below 2^63 because r < m; b * b would not
int main() {
    unsigned long long b, e, m, r = 1;
    cin >> b >> e >> m;
    for (unsigned long long i = 0; i < e; i++) r = r % m * b % m;
    cout << r << "\n";
}
""",
        line(ints(1, 0, 10**12), ints(1, 0, 99), ints(1, 1, 10**6)),
        "2 10 1000\n",
    ),
    trap(
        r"""
int power(int a, int n, int m) {
    int r = 1;
    for (int i = 0; i < n; i++) r = r * a % m;
    return r;
}
int main() {
    int a, n, m;
    cin >> a >> n >> m;
    cout << power(a, n, m) << endl;
}
""",
        either(
            line(ints(1, 0, 10**6), ints(1, 0, 50), ints(1, 1, 2000)),
            line(ints(1, -1000, 1000), ints(1, 0, 50), ints(1, 1, 10**6)),
        ),
        "3 4 100\n",
        "2 0 1\n",
    ),
    trap(
        r"""
int main() {
    int b, e;
    std::cin >> b >> e;
    const int mod = 9973;
    int r = 1, seen = 0;
    for (int i = 0; i < e; i++) {
        r = r * b % mod;
        if (r == 1) seen++;
    }
    std::cout << r << ' ' << seen << '\n';
}
""",
        line(ints(1, 0, 9972), ints(1, 0, 500)),
        "2 3\n",
    ),
    trap(
        r"""
int main() {
    long long b, e, m, s;
    cin >> s >> b >> e >> m;
    long long r = s;
    for (long long i = 1; i <= e; ++i) r = (r * b) % m;
    cout << r << '\n';
}
""",
        line(ints(2, -30000, 30000), ints(1, -2, 40), ints(1, 1, 10**9)),
        "1 2 10 1000\n",
    ),
    trap(
        r"""
#define int long long
int mulmod(int a, int b, int m) { return a * b % m + (a * b % m < 0 ? m : 0); }
signed main() {
    int b, e, m, i, r = 1;
    cin >> b >> e >> m;
    for (i = 0; i < e; i++) r = mulmod(r, b, m);
    cout << r << " after " << i << endl;
}
""",
        line(ints(1, -999, 999), ints(1, -5, 80), ints(1, 1, 10**6)),
        "2 8 1000\n",
    ),
    trap(
        r"""
int main() {
    long long b, e, m;
    cin >> b >> e >> m;
    long long r = 1;
    for (int i = 0; i < e; i++) {
        r = r * b % m;
        if (r == 0) break;
        if (i % 7 == 6) b++;
    }
    cout << r << " " << b << endl;
}
""",
        line(ints(1, 0, 10**6), ints(1, 0, 90), ints(1, 1, 10**6)),
        "2 5 1000\n",
        "3 4 1000\n",
    ),
    trap(
        r"""
int main() {
    double b; int e;
    cin >> b >> e;
    double r = 1;
    for (int i = 0; i < e; i++) r = fmod(r * b, 1000.0);
    printf("%.17g\n", r);
}
""",
        line(reals(1, -50, 50), ints(1, 0, 60)),
        "2 5\n",
    ),
    trap(
        r"""
int main() {
    int b, e, m;
    cin >> b >> e >> m;
    long long r = 1;
    while (e--) r = r * b % m;
    cout << r << ' ' << e << '\n';
    unsigned char small = 1;
    for (int i = 0; i < b % 9; i++) small = small * 7 % 251;
    cout << int(small) << '\n';
}
""",
        line(ints(1, 0, 10**9), ints(1, 0, 60), ints(1, 1, 10**9)),
        "2 3 1000\n",
    ),
    trap(
        r"""
long long power(long long a, long long n, long long m) {
    long long r = 1;
    for (long long i = 0; i < n; i++) r = r * a % m;
    return r;
}
int main() {
    long long a, n, m;
    while (cin >> a >> n >> m) cout << power(a, n, m) << "\n";
}
""",
        rows(
            (0, 4),
            line(
                one("3", "-3", "1000000000", "3000000000", "-2000000000", "0"),
                ints(1, -2, 40),
                one("1", "7", "1000000007", "3000000000", "2"),
            ),
            header=False,
        ),
        "2 10 1000\n",
    ),
]
