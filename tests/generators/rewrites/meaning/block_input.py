"""Programs that provoke block-input."""

from tests.generators.rewrites.meaning._cases import (
    counted,
    either,
    ints,
    line,
    lines,
    numbers,
    one,
    plain,
    rows,
    sized,
    trap,
    words,
)

TOKENS = one("+5", "007", "-0", "12", "3", "0", "-7", "2147483647", "-2147483648")
CASES = [
    plain(
        r"""
int main() {
    int n;
    cin >> n;
    long long s = 0;
    for (int i = 0; i < n; i++) { int x; cin >> x; s += x; }
    cout << s << endl;
}
""",
        either(counted((0, 12), -(2**31), 2**31 - 1), rows((0, 6), TOKENS)),
        "3\n1 2 3\n",
    ),
    plain(
        r"""
typedef long long ll;
int main() {
    ios::sync_with_stdio(false);
    cin.tie(nullptr);
    int n, q;
    cin >> n >> q;
    vector<ll> a(n + 1);
    for (int i = 1; i <= n; i++) { cin >> a[i]; a[i] += a[i - 1]; }
    while (q--) { int l, r; cin >> l >> r; cout << a[r] - a[l - 1] << "\n"; }
}
""",
        sized(
            lambda rng, n: (
                f"{n} 3\n"
                + ints(n, -(10**12), 10**12)(rng)
                + "\n"
                + "\n".join("{} {}".format(*sorted(numbers(rng, 2, 1, n))) for _ in range(3))
            ),
            (1, 9),
        ),
        "3 1\n1 2 3\n1 3\n",
    ),
    trap(
        r"""
int main() {
    int n;
    cin >> n;
    string s;
    getline(cin, s);
    cout << "[" << s << "]" << endl;
    while (getline(cin, s)) cout << s.size() << ":" << s << "\n";
}
""",
        lines(one("3", " 7 ", "-1 x y", "+5", "12abc"), words((0, 4), "ab \t", (0, 6), "\n")),
        "3\nabc\n",
        "2\na b\n",
    ),
    trap(
        r"""
struct Fraction { int p, q; };
istream& operator>>(istream& in, Fraction& f) { char slash; return in >> f.p >> slash >> f.q; }
int main() {
    Fraction f;
    int k = 0;
    while (cin >> f) { k++; cout << f.p << "|" << f.q << "\n"; }
    char rest;
    cin.clear();
    if (cin >> rest) cout << "left " << rest;
    cout << k << endl;
}
""",
        rows((0, 5), one("1/2", "3 / 4", "-5/+6", "7", "x/1", "8/y"), header=False),
        "1/2\n3/4\n",
    ),
    trap(
        r"""
int main() {
    long long big;
    int small;
    char c;
    cin >> c >> small >> big;
    cout << c << small << "," << big << (cin ? "" : "!") << endl;
    double d = -1;
    cin >> d;
    printf("%.17g\n", d);
    string s;
    while (cin >> s) cout << s << '\n';
}
""",
        line(
            one("a1", "b", "-5", "++3"),
            ints(1, -99, 99),
            one("5", "9223372036854775807", "9223372036854775808"),
            one(
                "0.1",
                "nan",
                "inf",
                "1e400",
                "0x1p3",
                "1e",
                "12345678.123456789",
                "2.2250738585072011e-308",
                "abc",
                "5.0.1",
            ),
        ),
        "a 1 5 0.1\n",
    ),
]
