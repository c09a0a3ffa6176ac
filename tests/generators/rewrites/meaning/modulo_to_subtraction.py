"""Programs that provoke modulo-to-subtraction."""

from tests.generators.rewrites.meaning._cases import counted, ints, line, listed, plain, trap

CASES = [
    plain(
        r"""
const int MOD = 1000000007;
int main() {
    int n;
    cin >> n;
    int a = 0, b = 1;
    for (int i = 0; i < n; i++) { int c = (a + b) % MOD; a = b; b = c; }
    cout << a << endl;
}
""",
        ints(1, 0, 200),
        "10\n",
    ),
    plain(
        r"""
int main() {
    const long long M = 998244353;
    int n;
    std::cin >> n;
    std::vector<long long> dp(n + 1);
    dp[0] = 1;
    for (int c : {1, 2, 5, 10})
        for (int i = c; i <= n; ++i) dp[i] = (dp[i] + dp[i - c]) % M;
    std::cout << dp[n] << '\n';
}
""",
        ints(1, 0, 300),
        "10\n",
    ),
    plain(
        r"""
int add(int x, int y, int m) { return (x + y) % m; }
int main() {
    int m, x, s = 0;
    cin >> m;
    while (cin >> x) s = add(s, x % m, m);
    cout << s << endl;
}
""",
        line(ints(1, 1, 10**9), ints((0, 9), 0, 2 * 10**9)),
        "10 5 6 7\n",
    ),
    trap(
        r"""
const int MOD = 1000;
int main() {
    int n, s = 0;
    cin >> n;
    for (int i = 0; i < n; i++) { int x; cin >> x; s = (s + x) % MOD; }
    cout << s << endl;
}
""",
        counted((0, 9), -(10**6), 10**6),
        "3\n1 2 3\n",
    ),
    trap(
        r"""
const long long MOD = 1000000007;
int main() {
    long long n, s = 1;
    cin >> n;
    vector<long long> a(n);
    for (auto& x : a) cin >> x;
    for (int i = 0; i < n; i++) s = (s + a[i] * a[i]) % MOD;
    long long t = 0;
    for (int i = 0; i < n; i++) t = (t - a[i]) % MOD;
    cout << s << " " << t << endl;
}
""",
        counted((0, 9), -2 * 10**9, 2 * 10**9),
        "1\n0\n",
        "2\n0 0\n",
    ),
    trap(
        r"""
int main() {
    int n, k, pos = 0;
    std::cin >> n >> k;
    std::vector<int> seen(n);
    for (int i = 0; i < 2 * n; ++i) { seen[pos]++; pos = (pos + k) % n; }
    for (int x : seen) std::cout << x << ' ';
    std::cout << pos << '\n';
}
""",
        line(ints(1, 1, 9), ints(1, 0, 60)),
        "5 2\n",
    ),
    trap(
        r"""
#define int long long
int m;
int addm(int a, int b) { return (a + b) % m; }
signed main() {
    int q, r = 0;
    cin >> q >> m;
    while (q--) {
        int x; cin >> x;
        r = addm(r, x);
        if (x == 7) m = 13;
        cout << r << " ";
    }
    cout << endl;
}
""",
        listed(
            lambda rng, v: f"{len(v)} {rng.randint(1, 100)}\n" + " ".join(map(str, v)),
            (0, 9),
            -500,
            500,
        ),
        "2 100\n5 6\n",
    ),
    trap(
        r"""
const unsigned M = 4000000007u;
int main() {
    unsigned s = 0, x;
    unsigned char c = 0;
    while (cin >> x) { s = (s + x % M) % M; c = (c + x % 200) % 200; }
    cout << s << " " << int(c) << endl;
    const int P = 2000000011;
    unsigned t = 0;
    for (int i = 0; i < 5; i++) t = (t + s % P) % P;
    cout << t << endl;
}
""",
        ints((0, 9), 0, 2**32 - 1),
        "1 2\n",
    ),
    trap(
        r"""
const int MOD = 1e9 + 7;
int main() {
    int n, k;
    cin >> n >> k;
    vector<int> p(n + 1, 0);
    for (int i = 1; i <= n; i++) p[i] = (p[i - 1] + (k + MOD - i) % MOD) % MOD;
    int r = 0;
    for (int i = 1; i <= n; i++) r = (p[i] - p[i / 2] + r) % MOD;
    cout << p[n] << " " << r << endl;
}
""",
        line(ints(1, 0, 15), ints(1, 0, 9)),
        "0 5\n",
        "1 5\n",
    ),
    trap(
        r"""
int calls = 0;
int next_value() { return ++calls * 3; }
int main() {
    int n, i = 0, s = 0;
    cin >> n;
    vector<int> a(n + 1);
    while (i < n) { s = (s + next_value()) % 10; a[i++] = (a[i ? i - 1 : 0] + s) % 7; }
    int h = 17;
    for (int x : a) h = (h * 31 + x) % 1009;
    for (int x : a) h = (h + x + h) % 1009;
    for (int x : a) h = (x + h + 1008) % 1009;
    cout << s << h << calls << endl;
}
""",
        ints(1, 0, 15),
        "0\n",
    ),
    trap(
        r"""
int main() {
    double x; int t = 0; short s = 30000;
    int n;
    cin >> n;
    for (int i = 0; i < n; i++) {
        cin >> x;
        t = (t + (int)x) % 360;
        s = (s + t) % 32000;
        t += t < 0 ? 360 : 0;
    }
    int hours = 0;
    for (int i = 0; i < n; i++) { hours = (hours + 50 - i) % 24; if (hours == 5) hours = 90; }
    cout << t << " " << s << " " << hours << endl;
}
""",
        counted((0, 8), -2000, 2000),
        "0\n",
    ),
    trap(
        r"""
const int MOD = 7;
struct Z { int v; Z operator+(Z o) const { return Z{(v + o.v) % MOD}; } };
int main() {
    int x;
    Z s{0};
    while (cin >> x) { Z z; z.v = x; s = s + z; cout << s.v; }
    cout << endl;
    volatile int w = s.v;
    for (int i = 0; i < 3; i++) w = (w + 6) % MOD;
    int big = 2000000000 % MOD, acc = MOD;
    for (int i = 0; i < 3; i++) acc = (acc + big) % MOD, acc += MOD * (i == 1);
    cout << w << acc << endl;
}
""",
        ints((0, 8), -20, 40),
        "1 2 3\n",
    ),
]
