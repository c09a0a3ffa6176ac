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
]
