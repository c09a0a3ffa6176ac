"""Programs that provoke cache-results."""

from tests.generators.rewrites.meaning._cases import (
    counted,
    either,
    ints,
    line,
    lines,
    one,
    plain,
    rows,
    trap,
    words,
)

CASES = [
    plain(
        r"""
int collatz(long long n) { int c = 0; while (n != 1) { n = n % 2 ? 3 * n + 1 : n / 2; c++; } return c; }
int main() {
    int t;
    cin >> t;
    while (t--) { int x; cin >> x; cout << collatz(x) << "\n"; }
}
""",
        counted((0, 8), 1, 100000),
        "2\n6 6\n",
    ),
    plain(
        r"""
int divisors(int n) {
    int c = 0;
    for (int i = 1; i <= n; ++i) if (n % i == 0) ++c;
    return c;
}
int main() {
    int x, s = 0;
    while (std::cin >> x) s += divisors(x);
    std::cout << s << '\n';
}
""",
        ints((0, 8), -3, 3000),
        "6 6\n",
    ),
    plain(
        r"""
int dist(const string& a, const string& b) {
    vector<vector<int>> d(a.size() + 1, vector<int>(b.size() + 1));
    for (size_t i = 0; i <= a.size(); i++) for (size_t j = 0; j <= b.size(); j++)
        d[i][j] = !i ? j : !j ? i : min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] != b[j - 1])});
    return d[a.size()][b.size()];
}
int main() {
    string a, b;
    while (cin >> a >> b) cout << dist(a, b) << endl;
}
""",
        words((0, 8), "ab", (1, 5)),
        "ab ba ab ba\n",
    ),
    trap(
        r"""
int mod = 10;
int power_sum(int n) { int s = 0; for (int i = 1; i <= n; i++) s = (s + i * i) % mod; return s; }
int main() {
    string op; int x;
    while (cin >> op >> x) {
        if (op == "mod") mod = x;
        else cout << power_sum(x) << "\n";
    }
}
""",
        rows(
            (0, 9),
            line("mod", ints(1, 1, 20)),
            line("get", ints(1, 0, 4)),
            line("get", ints(1, 0, 90)),
            header=False,
        ),
        "get 3\nget 3\n",
    ),
    trap(
        r"""
vector<int> v;
int query(int l, int r) { int m = INT_MIN; for (int i = l; i <= r; i++) m = max(m, v[i]); return m; }
int main() {
    int n, q;
    cin >> n;
    v.resize(n);
    for (int& x : v) cin >> x;
    for (cin >> q; q--;) {
        char c; int a, b;
        cin >> c >> a >> b;
        if (c == 's') v[a % n] = b; else cout << query(min(a, b) % n, min(a, b) % n + (n - 1 - min(a, b) % n)) << "\n";
    }
}
""",
        lines(counted((1, 5), -9, 9), rows((0, 9), line(one("s", "q"), ints(2, 0, 4)))),
        "2\n1 5\n1\nq 0 1\n",
    ),
    trap(
        r"""
int calls = 0;
int slow(int n) { calls++; int s = 0; for (int i = 0; i < n; i++) s += i % 7; return s; }
int noisy(int n) { if (n > 50) std::cout << "slow " << n << '\n'; int s = 0; for (int i = 0; i < n; i++) s ^= i; return s; }
int main() {
    int x;
    while (std::cin >> x) std::cout << slow(x) + noisy(x) << '\n';
    std::cout << (calls > 3 ? calls : 0) << '\n';
}
""",
        ints((0, 8), -2, 60),
        "5 5\n",
    ),
    trap(
        r"""
int roll(int sides) { static unsigned s = 12345; int r = 0; for (int i = 0; i < 3; i++) { s = s * 1103515245u + 12345u; r = (s >> 16) % sides; } return r; }
int rd(int limit) { int x = -1, n = 0; while (n < limit && cin >> x) n++; return x; }
int main() {
    int q;
    cin >> q;
    if (q > 1) for (int i = 0; i < q; i++) cout << roll(6) << " ";
    for (int i = 0; i < q; i++) cout << rd(2) << " ";
    cout << endl;
}
""",
        lines(ints(1, 0, 6), ints((0, 9), 0, 9)),
        "0\n",
        "1\n1 2\n",
    ),
    trap(
        r"""
int first_over(const vector<int>& v, int t) { for (size_t i = 0; i < v.size(); i++) if (v[i] > t) return i; return -1; }
int tally(const int* p, int n) { int s = 0; for (int i = 0; i < n; i++) s += p[i] * i; return s; }
int main() {
    vector<int> v;
    int x;
    while (cin >> x) {
        if (x < 0 && !v.empty()) v[0] = -x; else v.push_back(x);
        cout << first_over(v, 4) << " " << tally(v.data(), min<int>(2, v.size())) << "\n";
    }
}
""",
        ints((0, 9), -9, 9),
        "1\n",
    ),
    trap(
        r"""
struct Account { int balance; int interest(int years) const { long long b = balance; for (int i = 0; i < years; i++) b += b / 10; return (int)(b % 100000); } };
int main() {
    Account a{100};
    int y, d;
    while (cin >> y >> d) { cout << a.interest(y) << "\n"; if (d > 5) a.balance += d; }
    string text = "12";
    auto parse = [&text](int base) { int r = 0; for (char c : text) r = r * base + c - '0'; return r; };
    for (int i = 0; i < 3; i++) { cout << parse(10) << " "; if (a.balance > 100) text += '1'; }
    cout << endl;
}
""",
        rows((0, 7), line(ints(1, 0, 9), ints(1, 0, 9)), header=False),
        "3 0\n3 0\n",
    ),
    trap(
        r"""
int check(int n) {
    int s = 0;
    for (int i = 1; i < n; i++) { s += n % i; if (s > 500) throw domain_error("too big " + to_string(n)); }
    if (n < 0) throw n;
    return s;
}
double curve(double x, int k) { double r = x; for (int i = 0; i < k; i++) r = r * 0.5 + 1 / (r + (r == 0 ? copysign(2.0, x) : 0)); return r; }
int main() {
    int n; string x;
    while (cin >> n >> x) {
        try { cout << check(n) << "\n"; } catch (const domain_error& e) { cout << e.what() << "\n"; } catch (int k) { cout << "int " << k << "\n"; }
        printf("%.17g\n", curve(stod(x), abs(n % 5))); fflush(stdout);
    }
}
""",
        rows((0, 6), line(ints(1, -3, 90), one("0", "-0", "1", "2.5", "nan")), header=False),
        "5 1\n5 1\n",
    ),
    trap(
        r"""
int fill(int n, vector<int>& out) { out.clear(); for (int i = 1; i <= n; i++) if (n % i == 0) out.push_back(i); return out.size(); }
long long sum_to(unsigned n) { long long s = 0; for (unsigned i = 0; i <= n % 1000; i++) s += i; return s + n; }
int main() {
    vector<int> d;
    int x;
    while (cin >> x) {
        int k = fill(x, d);
        cout << k << " ";
        for (size_t i = 0; i < d.size() && i < 3; i++) cout << d[i] << " ";
        if (k > 2) d.pop_back();
        cout << sum_to(x) << sum_to(x + 0x80000000u) << "\n";
    }
}
""",
        ints((0, 8), -3, 300),
        "1\n",
    ),
    trap(
        r"""
string expand(string s, int k) { string r; for (int i = 0; i < k; i++) r += s + (i % 2 ? "," : ";"); return r; }
char* label(int n) { static char buf[32]; int s = 0; for (int i = 0; i < n; i++) s += i; snprintf(buf, 32, "L%d", s); return buf; }
int& cell(int i) { static int t[10]; int s = 0; for (int j = 0; j < i; j++) s += j; return t[s % 10]; }
int main() {
    int n;
    while (cin >> n) {
        cell(n)++;
        char* l = label(n);
        l[0] = 'a' + n % 20;
        cout << label(n) << l << cell(n) << expand(l, n % 4) << "\n";
        label(n + 1);
        cout << l << "\n";
    }
}
""",
        ints((0, 6), 0, 12),
        "0\n",
    ),
    trap(
        r"""
int base = 7;
int rounds(int n) {
    int c = 0;
    while (n > 1) { n = n % base == 0 ? n / base : n - 1; c++; }
    return c;
}
int main() {
    int q;
    cin >> q;
    for (int i = 0; i < q; i++) {
        int x;
        cin >> x;
        if (x % 2) base = x % 5 + 2;
        cout << rounds(x) << "\n";
    }
}
""",
        counted((0, 9), -5, 200),
        "2\n4 4\n",
    ),
    trap(
        r"""
int digits[10];
int spread(int n) {
    memset(digits, 0, sizeof digits);
    while (n > 0) { digits[n % 10]++; n /= 10; }
    int r = 0;
    for (int i = 0; i < 10; i++) r += digits[i] > 0;
    return r;
}
int main() {
    int t;
    cin >> t;
    while (t--) {
        int x;
        cin >> x;
        cout << spread(x) << " " << digits[1] << "\n";
    }
}
""",
        counted((0, 9), 0, 300),
        "2\n5 7\n",
    ),
    trap(
        r"""
long long divisor_sum(long long n) {
    long long s = 0;
    for (long long i = 1; i * i <= n; i++) if (n % i == 0) s += i + (i * i == n ? 0 : n / i);
    return s;
}
int main() {
    int t;
    cin >> t;
    while (t--) {
        long long x;
        cin >> x;
        cout << divisor_sum(x) << " " << divisor_sum(-x) << "\n";
    }
}
""",
        either(
            counted((0, 6), -(10**6), 10**6),
            one("3\n4294967297 1 4294967298", "2\n2147483649 -2147483647"),
        ),
        "2\n6 6\n",
    ),
]
