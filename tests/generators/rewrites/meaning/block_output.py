"""Programs that provoke block-output."""

from tests.generators.rewrites.meaning._cases import counted, ints, line, plain, rows, trap, words

CASES = [
    plain(
        r"""
int main() {
    int n;
    cin >> n;
    for (int i = 0; i < n; i++) { int x; cin >> x; cout << x << " "; }
    cout << "\n";
}
""",
        counted((0, 9), -(2**31), 2**31 - 1),
        "2\n1 2\n",
    ),
    plain(
        r"""
int main() {
    long long a; unsigned b; char c; std::string s;
    while (std::cin >> a >> b >> c >> s) std::cout << a << ',' << b << c << s << std::endl;
}
""",
        rows(
            (0, 5),
            line(ints(1, -(2**63), 2**63 - 1), ints(1, 0, 2**32 - 1), words(1, "abc", 1), words(1)),
            header=False,
        ),
        "1 2 a b\n",
    ),
    plain(
        r"""
int main() {
    int n;
    scanf("%d", &n);
    for (int i = 1; i <= n; i++) printf("%d %lld\n", i, (long long)i * i * 1000003);
}
""",
        ints(1, -2, 40),
        "2\n",
    ),
    trap(
        r"""
int main() {
    int x;
    while (cin >> x) {
        cout << x << "\n";
        if (x == 5) { cout << flush; abort(); }
        if (x == 6) exit(4);
        if (x == 7) { cout << "no flush" << endl; _Exit(7); }
    }
    cout << "end\n";
}
""",
        ints((0, 6), 0, 9),
        "1 2\n",
    ),
    trap(
        r"""
int main() {
    int n;
    cin >> n;
    cout << hex << n << " " << showbase << n << dec << noshowbase << " ";
    cout << setw(6) << n << "|" << left << setw(6) << n << "|" << setfill('0') << right << setw(4) << n % 100 << "|";
    cout << showpos << n << noshowpos << boolalpha << (n > 3) << "\n";
}
""",
        ints(1, -(10**6), 10**6),
        "5\n",
    ),
    trap(
        r"""
int main() {
    double x;
    int k = 0;
    while (std::cin >> x) {
        std::cout << x << ' ';
        if (++k == 2) std::cout << std::fixed << std::setprecision(2);
        if (k == 4) std::cout << std::scientific;
    }
    std::cout << 1.0f / 3 << ' ' << 100000000.0 << ' ' << 1e21 << '\n';
}
""",
        ints((0, 6), -9999999, 99999999),
        "1 2\n",
    ),
    trap(
        r"""
int main() {
    signed char a; unsigned char b = 200; short s; bool f; const char* p = "text";
    int v;
    cin >> v;
    a = 'A' + abs(v % 26); s = v; f = v > 0;
    cout << a << b << s << f << p << (void*)nullptr << '\n';
    cout << (v < 0 ? 'n' : 48) << ' ' << +a << ' ' << 'a' + 1 << ' ' << v / 2.0 << ' ' << -v % 7u << "\n";
    wchar_t w = L'x';
    cout << (int)w << ' ' << sizeof(int) << ' ' << nullptr << ' ' << v * 1LL << ' ' << 3000000000u << endl;
}
""",
        ints(1, -30000, 30000),
        "5\n",
    ),
    trap(
        r"""
struct P { int x, y; };
ostream& operator<<(ostream& o, const P& p) { return o << "(" << p.x << "," << setw(3) << p.y << ")"; }
int main() {
    int n;
    cin >> n;
    vector<P> v(n);
    for (auto& p : v) cin >> p.x >> p.y;
    for (auto& p : v) cout << p << (p.x > p.y ? "\n" : " ");
    ostream& out = n > 3 ? cerr : cout;
    out << n << "\n";
    cout.put('!').write("abc", 2) << endl;
}
""",
        rows((0, 6), ints(2, -99, 9999)),
        "1\n2 3\n",
    ),
    trap(
        r"""
int main() {
    int n;
    cin >> n;
    for (int i = 0; i < n; i++) {
        cout << i;
        printf("-");
        putchar('0' + i % 10);
        puts("");
        if (i == 4) system("true"), write(1, "raw\n", 4);
    }
    printf("%5.2f|%-4d|%x|%s|%c|%%\n", n / 3.0, n, n, "s", 'c');
}
""",
        ints(1, 0, 12),
        "0\n",
    ),
    trap(
        r"""
long long fact(int n) { if (n > 12) cout << "[" << n << "]"; if (n > 20) throw overflow_error("too large"); return n < 2 ? 1 : n * fact(n - 1); }
int main() {
    int n;
    while (cin >> n) {
        try { cout << n << "! = " << fact(n) << "\n"; }
        catch (const exception& e) { cout << "error: " << e.what() << endl; }
        if (n == 13) { fact(30); }
    }
}
""",
        ints((0, 5), -2, 22),
        "3\n",
        "5\n",
    ),
    trap(
        r"""
struct Tail { ~Tail() { cout << "tail\n"; } };
Tail global_tail;
int main() {
    static Tail inner;
    int n;
    cin >> n;
    cout << (n == 0 ? "zero" : to_string(n)) << "\n";
    cout << INT_MIN << " " << LLONG_MIN << " " << ULLONG_MAX << " " << (char)(n % 5 + 'a') << "\n";
    if (n < 0) exit(0);
    if (n > 90) { quick_exit(0); }
}
""",
        ints(1, -9, 89),
        "5\n",
    ),
    trap(
        r"""
int main() {
    stringstream ss;
    streambuf* old = cout.rdbuf();
    int n;
    cin >> n;
    if (n % 2) cout.rdbuf(ss.rdbuf());
    cout << "n=" << n << "\n";
    cout.rdbuf(old);
    cout << "captured " << ss.str().size() << "\n";
    if (n == 4) cout.setstate(ios::failbit);
    cout << "more\n";
    cout.clear();
}
""",
        ints(1, 0, 99),
        "2\n",
    ),
]
