"""Programs that provoke hoist-loop-bound."""

from tests.generators.rewrites.meaning._cases import counted, ints, line, plain, rows, trap, words

CASES = [
    plain(
        r"""
int main() {
    string s;
    cin >> s;
    int c = 0;
    for (int i = 0; i < s.size(); i++) if (s[i] == 'a') c++;
    cout << c << endl;
}
""",
        words(1, "ab", (1, 15)),
        "aba\n",
    ),
    plain(
        r"""
char buf[200];
int main() {
    while (scanf("%199s", buf) == 1) {
        int sum = 0;
        for (size_t i = 0; i < strlen(buf); i++) sum += buf[i] - 'a';
        printf("%d\n", sum);
    }
}
""",
        words((0, 6), "abz", (1, 9)),
        "abc\n",
    ),
    plain(
        r"""
int main() {
    int n;
    std::cin >> n;
    int sum = 0;
    for (int i = 1; i <= std::sqrt(n); ++i) if (n % i == 0) sum += i;
    std::cout << sum << '\n';
}
""",
        ints(1, 0, 10**6),
        "12\n",
    ),
    trap(
        r"""
int main() {
    string s;
    cin >> s;
    for (size_t i = 0; i < s.size(); i++) {
        if (s[i] == 'x') s.erase(i, 1);
        else if (s[i] == 'b' && s.size() < 40) s += "c";
    }
    cout << s << endl;
}
""",
        words(1, "abx", (1, 9)),
        "aa\n",
    ),
    trap(
        r"""
int main() {
    int n;
    cin >> n;
    vector<int> a(n);
    for (int& x : a) cin >> x;
    auto grow = [&](int v) { if (a.size() < 30) a.push_back(v / 2); };
    for (size_t i = 0; i < a.size(); i++) if (a[i] > 3) grow(a[i]);
    for (int x : a) cout << x << " ";
    cout << endl;
}
""",
        counted((0, 6), 0, 30),
        "2\n1 2\n",
    ),
    trap(
        r"""
std::vector<int> work;
void handle(int x) { if (x > 1) { work.push_back(x - 1); if (x % 3 == 0) work.push_back(x / 3); } }
int main() {
    int x;
    std::cin >> x;
    work.push_back(x);
    for (std::size_t i = 0; i < work.size(); ++i) handle(work[i]);
    std::cout << work.size() << ' ' << work.back() << '\n';
}
""",
        ints(1, -3, 20),
        "1\n",
    ),
    trap(
        r"""
int main() {
    int n;
    cin >> n;
    int c = 0;
    for (int i = 2; i <= sqrt(n); i++)
        while (n % i == 0) { cout << i << " "; n /= i; c++; }
    if (n > 1) cout << n;
    cout << endl << c << endl;
    char word[32];
    cin >> setw(31) >> word;
    for (size_t i = 0; i < strlen(word); i++) if (word[i] == '.') word[i] = 0;
    cout << word << endl;
}
""",
        line(ints(1, 1, 10**6), words(1, "ab.", (1, 8))),
        "7 ab\n",
    ),
    trap(
        r"""
int limit = 5;
int bound() { static int k = 0; return limit - (++k > 3); }
int main() {
    int n;
    cin >> n >> limit;
    int s = 0;
    for (int i = 0; i < bound(); i++) s += i;
    cout << s << endl;
    for (int i = 0; i < min(n, limit); i++) { if (i == 2) limit--; s++; }
    cout << s << endl;
}
""",
        line(ints(1, 0, 9), ints(1, -2, 9)),
        "0 1\n",
        "1 2\n",
    ),
    trap(
        r"""
int main() {
    string line;
    vector<string> rows;
    while (getline(cin, line)) rows.push_back(line);
    for (int i = 0; i < (int)rows.size(); i++) {
        for (int j = 0; j < (int)rows[i].length(); j++) {
            if (rows[i][j] == '(' && i + 1 < (int)rows.size()) { swap(rows[i], rows[i + 1]); }
            if (j < (int)rows[i].length()) cout << rows[i][j];
        }
        cout << "\n";
    }
}
""",
        words((0, 5), "ab(", (0, 6), "\n"),
        "ab\nb\n",
    ),
    trap(
        r"""
int main() {
    map<int, int> m;
    int x, k = 0;
    while (cin >> x) m[x]++;
    for (int i = 0; i < (int)m.size(); i++) k += m[i] * i;
    cout << (m.size() < 60 ? k : -1) << " " << m.size() << endl;
    queue<int> q;
    for (auto& p : m) if (p.second) q.push(p.first);
    for (size_t i = 0; i < q.size(); i++) { cout << q.front() << ","; q.pop(); }
    cout << endl;
}
""",
        ints((0, 6), 0, 4),
        "0 1\n",
        "\n",
    ),
    trap(
        r"""
#define SIZE(v) ((int)(v).size())
int main() {
    int n;
    cin >> n;
    vector<vector<int>> g(n);
    for (auto& r : g) { int k; cin >> k; r.resize(k); for (int& y : r) cin >> y; }
    vector<int>* cur = n ? &g[0] : nullptr;
    int seen = 0;
    for (int i = 0; cur && i < SIZE(*cur); i++) {
        seen = seen * 3 % 1001 + (*cur)[i];
        if ((*cur)[i] == 0) cur = &g[(i + 1) % n];
    }
    for (int i = 0; i < n - seen % 3; i++) { seen++; cout << i; }
    cout << seen << endl;
}
""",
        rows((0, 4), counted((0, 5), 0, 3)),
        "1\n2 1 2\n",
    ),
    trap(
        r"""
struct Buf { string s; size_t size() { s += s.size() < 12 ? "z" : ""; return s.size(); } };
int main() {
    Buf b;
    cin >> b.s;
    int a = 0;
    for (size_t i = 0; i < b.size(); i++) a += b.s[i] == 'a';
    cout << a << (b.s.size() > 6 ? b.s : "") << endl;
    int n; cin >> n;
    volatile int top = n;
    for (int i = 0; i < top; i++) { if (i == 4) top = 6; }
    cout << top << endl;
}
""",
        line(words(1, "ab", (1, 6)), ints(1, -2, 12)),
        "aa 3\n",
    ),
]
