"""Programs that provoke endl-to-newline."""

from tests.generators.rewrites.meaning._cases import counted, ints, plain, trap, words

CASES = [
    plain(
        r"""
int main() {
    int n;
    cin >> n;
    for (int i = 0; i < n; i++) cout << i << endl;
}
""",
        ints(1, -2, 30),
        "3\n",
    ),
    plain(
        r"""
int main() {
    std::string w;
    while (std::cin >> w) {
        std::cout << w << " " << w.size() << std::endl;
    }
    std::cout << std::endl;
}
""",
        words((0, 6)),
        "ab\n",
    ),
    plain(
        r"""
#define el endl
void answer(bool b) { cout << (b ? "YES" : "NO") << endl; }
int main() {
    int t;
    cin >> t;
    while (t--) { int x; cin >> x; answer(x % 2 == 0); }
}
""",
        counted((0, 6), -9, 9),
        "2\n1 2\n",
    ),
    trap(
        r"""
int main() {
    int x;
    while (cin >> x) {
        cout << x << endl;
        if (x == 0) abort();
        if (x == 1) _Exit(3);
    }
}
""",
        ints((0, 6), 0, 6),
        "5 6\n",
    ),
    trap(
        r"""
int main() {
    int n;
    cin >> n;
    for (int i = 0; i < n; i++) {
        cout << "line " << i << endl;
        if (i % 3 == 2) write(1, "raw\n", 4);
    }
}
""",
        ints(1, 0, 9),
        "2\n",
    ),
    trap(
        r"""
struct Bad { ~Bad() noexcept(false) {} };
int main() {
    std::vector<int> v;
    int x;
    while (std::cin >> x) { v.push_back(x); std::cout << "read " << x << std::endl; }
    std::size_t i = v.empty() ? 0 : v[0];
    std::cout << "first" << std::endl;
    std::cout << v.at(i) << std::endl;
}
""",
        ints((1, 6), 0, 7),
        "0 1\n",
        "1 3\n",
    ),
    trap(
        r"""
struct Console {};
Console con;
Console& endl(Console& c) { printf("<end>\n"); return c; }
Console& operator<<(Console& c, const char* s) { printf("%s", s); return c; }
Console& operator<<(Console& c, Console& (*f)(Console&)) { return f(c); }
int main() {
    std::string s;
    while (std::cin >> s) con << s.c_str() << endl;
}
""",
        words((0, 5)),
        "\n",
    ),
    trap(
        r"""
int main() {
    int n;
    std::cin >> n;
    std::string endl = "; ";
    for (int i = 0; i < n; i++) std::cout << i << endl;
    std::cout << std::endl;
}
""",
        ints(1, 0, 9),
        "0\n",
    ),
    trap(
        r"""
int main() {
    ios::sync_with_stdio(false);
    int n;
    cin >> n;
    for (int i = 0; i < n; i++) {
        cout << "c++ " << i << endl;
        printf("c %d\n", i);
        fflush(stdout);
    }
}
""",
        ints(1, 0, 6),
        "0\n",
    ),
    trap(
        r"""
int main() {
    ostringstream os;
    int x;
    while (cin >> x) os << x << endl;
    cout << os.str().size() << endl << setw(5) << endl << 7 << "|" << setw(4) << endl;
    string s = os.str();
    cout << s << endl;
    auto nl = static_cast<ostream& (*)(ostream&)>(endl);
    cout << "x" << nl;
}
""",
        ints((0, 5), -9, 9),
        "1\n",
    ),
    trap(
        r"""
int main() {
    int n;
    cin >> n;
    cout << "before" << endl;
    if (n > 5) { int* p = nullptr; raise(SIGTERM); (void)p; }
    if (n < 0) terminate();
    cout << "after" << endl;
}
""",
        ints(1, -3, 9),
        "2\n",
    ),
    trap(
        r"""
static char buffer[8];
int main() {
    int n;
    cin >> n;
    cout << n << endl;
    system("printf 'child\n'");
    cout << n + 1 << endl;
    if (fork() == 0) { cout << "kid\n" << endl; _exit(0); }
    int st;
    wait(&st);
    cout << "parent" << endl;
}
""".replace(
            "static char buffer[8];",
            "#include <bits/stdc++.h>\n#include <sys/wait.h>\n#include <unistd.h>\nusing namespace std;",
        ),
        ints(1, 0, 9),
        "1\n",
    ),
]
