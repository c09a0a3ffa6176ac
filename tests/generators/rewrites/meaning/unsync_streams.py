"""Programs that provoke unsync-streams."""

from tests.generators.rewrites.meaning._cases import (
    counted,
    ints,
    listed,
    plain,
    trap,
    words,
)

CASES = [
    plain(
        r"""
int main() {
    int n;
    cin >> n;
    for (int i = 0; i < n; i++) { int x; cin >> x; cout << x * 2 << "\n"; }
}
""",
        counted((0, 9), -999, 999),
        "2\n1 2\n",
    ),
    plain(
        r"""
int main() {
    std::string line;
    int k = 0;
    while (std::getline(std::cin, line)) std::cout << ++k << ": " << line << std::endl;
}
""",
        words((0, 6), "ab ", (0, 6), "\n"),
        "a\nb\n",
    ),
    trap(
        r"""
void log_it(const char* what) { puts(what); }
int main() {
    std::string w;
    while (std::cin >> w) {
        if (w.size() > 3) { std::cout << "long\n"; log_it(w.c_str()); }
        else std::cout << w << '\n';
    }
}
""",
        words((0, 8), "ab", (1, 6)),
        "a b\n",
    ),
    trap(
        r"""
int main() {
    int n;
    cin >> n;
    if (n < 0) { printf("negative\n"); return 0; }
    vector<int> v(n);
    for (int i = 0; i < n; i++) if (scanf("%d", &v[i]) != 1) v[i] = -1;
    int last;
    if (cin >> last) cout << "last " << last << "\n";
    for (int x : v) printf("%d\n", x);
    cout << n << "\n";
}
""",
        listed(
            lambda rng, v: f"{len(v) - rng.randint(0, 2)}\n" + " ".join(map(str, v)), (0, 6), -9, 9
        ),
        "-1\n",
    ),
    trap(
        r"""
struct Report { ~Report() { printf("total %d\n", n); } int n = 0; };
Report r;
void bye() { fputs("bye\n", stdout); }
int main() {
    atexit(bye);
    int x;
    while (cin >> x) { r.n += x; if (x < 0) { cout << "stop\n"; exit(1); } }
    cout << "sum " << r.n << "\n";
}
""",
        ints((0, 6), -1, 9),
        "\n",
    ),
]
