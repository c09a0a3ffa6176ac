"""Programs that provoke unroll-pragma."""

from tests.generators.rewrites.meaning._cases import counted, ints, plain, trap

CASES = [
    plain(
        r"""
int main() {
    int n;
    cin >> n;
    vector<int> a(n);
    for (int i = 0; i < n; i++) cin >> a[i];
    long long s = 0;
    for (int i = 0; i < n; i++) s += a[i];
    cout << s << endl;
}
""",
        counted((0, 20), -(2**31), 2**31 - 1),
        "2\n1 2\n",
    ),
    plain(
        r"""
int main() {
    int n;
    std::cin >> n;
    int s = 0;
    for (int i = 0; i < n; ++i)
        for (int j = 0; j <= i; ++j) { if ((i ^ j) == 3) continue; s += i * j % 7; }
    std::cout << s << '\n';
}
""",
        ints(1, -3, 40),
        "5\n",
    ),
    plain(
        r"""
int a[100];
int main() {
    int n = 0;
    while (n < 100 && scanf("%d", &a[n]) == 1) n++;
    for (int i = 1; i < n; i++) a[i] += a[i - 1] / 2;
    for (int i = n - 1; i >= 0; i--) printf("%d ", a[i]);
    puts("");
}
""",
        ints((0, 20), -999, 999),
        "1 2\n",
    ),
    trap(
        r"""
int main() {
    int n;
    cin >> n;
    double s = 0;
    for (int i = 1; i <= n; i++) s += 1.0 / i / i;
    printf("%.17g\n", s);
}
""",
        ints(1, 0, 300),
        "5\n",
    ),
    trap(
        r"""
int line_of() { return __LINE__; }
int main() {
    int n;
    cin >> n;
    for (int i = 0; i < n; i++) cout << i;
    if (n > 3) cout << " line " << __LINE__ << " " << line_of();
    cout << endl;
    assert(n < 8);
}
""",
        ints(1, 0, 7),
        "2\n",
    ),
    trap(
        r"""
#define REP(i, n) for (int i = 0; i < (n); i++)
#define EACH for (auto&
int main() {
    int n;
    cin >> n;
    vector<int> v(n);
    REP(i, n) cin >> v[i];
    EACH x : v) x *= 2;
    if (n > 2) REP(i, n) v[i]++; else REP(i, n) v[i]--;
    REP(i, n) { if (v[i] < 0) break; cout << v[i] << ' '; }
    cout << endl;
}
""",
        counted((0, 8), -3, 9),
        "1\n1\n",
    ),
    trap(
        r"""
int main() {
    int n;
    std::cin >> n;
    if (n > 0)
        for (int i = 0; i < n; ++i)
            if (i % 2)
                for (int j = i; j < n; j += 2) std::cout << j;
            else std::cout << '-';
    else for (int i = n; i < 0; ++i) std::cout << 'n';
    int k = 0;
    do for (int i = 0; i < 2; ++i) k += i; while (k < n);
    std::cout << k << '\n';
}
""",
        ints(1, -5, 12),
        "0\n",
        "1\n",
    ),
    trap(
        r"""
volatile int flag = 0;
int f(int n) { int r = 0; for (;;) { if (n-- <= 0) return r; r += n & 1; } }
int main() {
    int n, k = 0;
    cin >> n;
loop:
    for (int i = 0; i < n; i++) { flag = flag + i; if (flag > 50) goto out; }
    if (++k < 3) goto loop;
out:
    int i = 0;
    switch (n % 3) { case 0: for (; i < 3; i++) case 1: k++; break; default: k--; }
    cout << k << " " << flag << f(n) << endl;
}
""",
        ints(1, 0, 20),
        "0\n",
    ),
    trap(
        r"""
template <int N> struct Loop { static int run(int x) { int r = x; for (int i = 0; i < N; i++) r = r * 3 % 101; return r; } };
auto table = [] { array<int, 10> t{}; for (int i = 0; i < 10; i++) t[i] = i * i; return t; }();
constexpr int tri(int n) { int s = 0; for (int i = 1; i <= n; i++) s += i; return s; }
static_assert(tri(4) == 10, "");
int main() {
    int x;
    while (cin >> x) { cout << Loop<5>::run(x % 50) + table[abs(x) % 10] << " " << tri(x % 9) << "\n"; for (char c : "ab") if (c) cout << c; }
}
""",
        ints((0, 6), -99, 99),
        "5\n",
    ),
    trap(
        r"""
int main() {
    string s = R"(for (int i = 0; i < 3; i++) x;)";
    // for (int i = 0; i < 9; i++)
    int n; cin >> n;
    for (int i = 0; i < n; i++) for (auto c : s) if (c == ';') cout << i << (i < n - 1 ? "," : "\n");
    for (unsigned char u = 250; u != (unsigned char)(n + 5); u++) cout << int(u) << " ";
    float f = 0;
    for (float x = 0; x < n; x += 0.3f) f += x;
    printf("%.9g\n", f);
}
""",
        ints(1, 0, 12),
        "1\n",
    ),
]
