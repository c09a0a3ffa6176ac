"""Programs that provoke memoise."""

from tests.generators.rewrites.meaning._cases import (
    counted,
    ints,
    line,
    lines,
    plain,
    rows,
    trap,
)

CASES = [
    plain(
        r"""
const int MOD = 1000007;
int fib(int n) {
    if (n < 2) return n;
    return (fib(n - 1) + fib(n - 2)) % MOD;
}
int main() {
    int n;
    while (cin >> n) cout << fib(n) << "\n";
}
""",
        ints((0, 4), 0, 19),
        "5\n",
        "10 11\n",
    ),
    plain(
        r"""
long long ways(int r, int c) {
    if (r == 0 || c == 0) return 1;
    return ways(r - 1, c) + ways(r, c - 1);
}
int main() {
    int t;
    std::cin >> t;
    while (t--) {
        int r, c;
        std::cin >> r >> c;
        std::cout << ways(r, c) << '\n';
    }
}
""",
        rows((0, 4), ints(2, 0, 8)),
        "2\n2 2\n3 4\n",
    ),
    trap(
        r"""
#define int long long
int f(int n, int k) {
    if (k == 0) return n;
    return (f(n / 2, k - 1) + f(n - 1, k - 1)) % 1000003;
}
signed main() {
    int n, k;
    while (cin >> n >> k) cout << f(n, k) << '\n';
}
""",
        lines(rows((0, 3), line(ints(1, -(10**17), 10**17), ints(1, 0, 9)), header=False)),
        "5 3\n9 2\n",
    ),
    trap(
        r"""
struct Rng { unsigned s; unsigned next() { s = s * 1664525u + 1013904223u; return s >> 24; } };
Rng g;
unsigned walk(int n) {
    if (n <= 0) return g.next() % 3;
    return walk(n - 1) + walk(n - 2) * 2u;
}
int main() {
    int n;
    cin >> n >> g.s;
    if (n < 2) cout << n << endl;
    else cout << walk(n) << endl;
}
""",
        line(ints(1, 0, 12), ints(1, 0, 10**9)),
        "0 7\n",
        "1 3\n",
    ),
    trap(
        r"""
long long sum(const int* p, int n) {
    if (n <= 0) return 0;
    if (n == 1) return p[0];
    return sum(p, n / 2) + 3 * sum(p + n / 2, n - n / 2);
}
int main() {
    int n, q;
    cin >> n;
    vector<int> a(n);
    for (auto& x : a) cin >> x;
    cout << sum(a.data(), n) << "\n";
    for (cin >> q; q--;) {
        int i, v;
        cin >> i >> v;
        if (i < 0 || i >= n) continue;
        a[i] = v;
        cout << sum(a.data(), n) << "\n";
    }
}
""",
        lines(counted((0, 12), -99, 99), rows((0, 4), ints(2, 0, 9))),
        "3\n1 2 3\n0\n",
    ),
]
