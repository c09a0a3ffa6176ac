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
]
