"""Programs that provoke unchecked-access."""

from tests.generators.rewrites.meaning._cases import (
    counted,
    ints,
    line,
    lines,
    plain,
    rows,
    trap,
    words,
)

CASES = [
    plain(
        r"""
int main() {
    int n;
    cin >> n;
    vector<int> v(n);
    for (int i = 0; i < n; i++) cin >> v.at(i);
    int s = 0;
    for (int i = 0; i < n; i++) s += v.at(i) * i;
    cout << s << endl;
}
""",
        counted((0, 9), -99, 99),
        "2\n1 2\n",
    ),
    plain(
        r"""
int main() {
    std::string s;
    while (std::cin >> s) {
        bool pal = true;
        for (std::size_t i = 0; i < s.size(); ++i) if (s.at(i) != s.at(s.size() - 1 - i)) pal = false;
        std::cout << pal << '\n';
    }
}
""",
        words((0, 6), "ab", (1, 5)),
        "aba\n",
    ),
    plain(
        r"""
int main() {
    vector<vector<char>> g(3, vector<char>(3, '.'));
    int a, b;
    while (cin >> a >> b) g.at(abs(a) % 3).at(abs(b) % 3) = '#';
    for (auto& r : g) { for (size_t j = 0; j < r.size(); j++) cout << r.at(j); cout << endl; }
}
""",
        rows((0, 6), ints(2, -9, 9), header=False),
        "1 2\n",
    ),
    trap(
        r"""
int main() {
    int n, i;
    cin >> n;
    vector<int> v(n);
    for (int& x : v) cin >> x;
    while (cin >> i) {
        try { cout << v.at(i) << "\n"; }
        catch (const out_of_range& e) { cout << "bad index " << i << "\n"; }
    }
}
""",
        lines(counted((0, 6), 0, 9), ints((0, 6), -2, 8)),
        "2\n5 6\n0 1\n",
    ),
    trap(
        r"""
int parse(const string& s) {
    int r = 0, i = 0;
    while (isdigit((unsigned char)s.at(i))) { r = (r * 10 + s.at(i) - '0') % 100000; i++; }
    if (s.at(i) == ';') return r;
    throw invalid_argument("semicolon");
}
int main() {
    string s;
    while (cin >> s) {
        try { cout << parse(s) << endl; }
        catch (exception& e) { cout << "error" << endl; }
    }
}
""",
        words((0, 6), "12;x", (1, 6)),
        "12;\n",
    ),
    trap(
        r"""
int main() {
    std::map<std::string, int> m;
    int n;
    std::cin >> n;
    while (n--) { std::string k; int v; std::cin >> k >> v; m[k] = v; }
    std::string q;
    while (std::cin >> q) {
        try { std::cout << m.at(q) << '\n'; } catch (...) { std::cout << "no " << m.size() << '\n'; }
    }
}
""",
        lines(
            rows((0, 5), line(words(1, "ab", (1, 2)), ints(1, 0, 9))), words((0, 5), "ab", (1, 2))
        ),
        "1\na 5\na\n",
    ),
    trap(
        r"""
int main() {
    array<int, 5> a{1, 2, 3, 4, 5};
    deque<int> d;
    bitset<8> b(0b1011);
    int i;
    while (cin >> i) {
        d.push_back(i);
        try { cout << a.at(i) << " "; cout << d.at(i) << " "; cout << b.test(i) << "\n"; }
        catch (const out_of_range&) { cout << "out\n"; }
    }
}
""",
        ints((0, 8), -2, 9),
        "0\n",
    ),
    trap(
        r"""
struct Ring {
    vector<int> d;
    int at(int i) const { return d[(i % (int)d.size() + d.size()) % d.size()]; }
    int operator[](int i) const { return -1 - i; }
};
int main() {
    Ring r;
    int n;
    cin >> n;
    r.d.resize(n);
    for (int& x : r.d) cin >> x;
    int i;
    while (cin >> i) cout << r.at(i) << " ";
    cout << endl;
}
""",
        lines(counted((1, 5), 0, 9), ints((0, 6), 0, 12)),
        "1\n5\n",
    ),
    trap(
        r"""
int main() {
    int n;
    cin >> n;
    vector<int> v;
    for (int i = 0; i < n; i++) { int x; cin >> x; v.push_back(x); }
    int pos = 0, steps = 0;
    try { while (steps < 50) { pos += v.at(pos); steps++; } cout << "loop\n"; }
    catch (const out_of_range&) { cout << "left after " << steps << "\n"; }
    cout << v.at(0) << endl;
}
""",
        counted((1, 7), -2, 3),
        "1\n0\n",
    ),
    trap(
        r"""
string word;
char letter(int i) { return word.at(i); }
int main() {
    int i;
    cin >> word;
    while (cin >> i) {
        if (i == 7) word.clear();
        string s = word + "!";
        cout << s.at(s.size() - 1);
        try { cout << letter(i) << word.substr(i, 1); } catch (const out_of_range&) { cout << "?"; word += "x"; }
    }
    cout << endl;
    cout << word.at(0) << endl;
}
""",
        line(words(1, "ab", (1, 5)), ints((0, 6), 0, 8)),
        "ab 0 1\n",
    ),
    trap(
        r"""
int main() {
    vector<vector<int>> g;
    int n;
    cin >> n;
    for (int i = 0; i < n; i++) { int k; cin >> k; g.push_back(vector<int>(k, i)); }
    int c = 0, holes = 0;
    for (int i = 0; i < n; i++) for (int j = 0; j < 3; j++) {
        try { c += g.at(i).at(j); } catch (out_of_range&) { holes++; }
    }
    cout << c << " " << holes << endl;
    if (n > 4) { cout << "before" << endl; cout << g.at(n).size() << endl; }
    vector<bool> b(n);
    for (int i = 0; i < n; i++) b.at(i) = i % 2;
    cout << count(b.begin(), b.end(), true) << endl;
}
""",
        counted((0, 6), 0, 4),
        "1\n3\n",
    ),
    trap(
        r"""
int main() {
    int n, k;
    cin >> n >> k;
    vector<int> v(n, 7);
    cout << "start" << endl;
    cout << v.at(k) << endl;
    cout << "end" << endl;
}
""",
        ints(2, 0, 6),
        "3 1\n",
    ),
    trap(
        r"""
char pick(const string& s, int i) { return s.at(i); }
int main() {
    string s;
    int i;
    try {
        while (cin >> s >> i) cout << pick(s, i) << endl;
    } catch (const exception&) {
        cout << "bad\n";
    }
}
""",
        rows((0, 5), line(words(1), ints(1, 0, 5)), header=False),
        "ab 1\n",
    ),
    trap(
        r"""
struct Table {
    vector<int> v;
    int get(int i) const { return v.at(i); }
};
int safe(const Table& t, int i) noexcept(false) { return t.get(i); }
int main() {
    Table t;
    int n, i;
    cin >> n;
    t.v.assign(n, 3);
    while (cin >> i) {
        int r;
        try { r = safe(t, i); } catch (...) { r = -1; }
        cout << r << " ";
    }
    cout << endl;
}
""",
        line(ints(1, 0, 5), ints((0, 6), -1, 6)),
        "3 0 1\n",
    ),
]
