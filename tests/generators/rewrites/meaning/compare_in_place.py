"""Programs that provoke compare-in-place."""

from tests.generators.rewrites.meaning._cases import ints, line, plain, rows, trap, words

CASES = [
    plain(
        r"""
int main() {
    string s, p;
    cin >> s >> p;
    int c = 0;
    for (size_t i = 0; i + p.size() <= s.size(); i++) if (s.substr(i, p.size()) == p) c++;
    cout << c << endl;
}
""",
        words(2, "ab", (1, 8)),
        "abab ab\n",
    ),
    plain(
        r"""
bool starts(const std::string& s, const std::string& p) { return s.substr(0, p.size()) == p; }
int main() {
    std::string p, w;
    std::cin >> p;
    while (std::cin >> w) if (starts(w, p)) std::cout << w << '\n';
}
""",
        words((1, 7), "ab", (1, 4)),
        "a ab b\n",
    ),
    plain(
        r"""
int main() {
    string s;
    while (cin >> s) cout << (s.size() >= 2 && s.substr(s.size() - 2) == "ab" ? "ends" : "no") << "\n";
}
""",
        words((0, 6), "ab", (1, 5)),
        "ab ba\n",
    ),
    trap(
        r"""
int main() {
    string s; int i, k;
    while (cin >> s >> i >> k) {
        try { cout << (s.substr(i, k) == "ab") << "\n"; }
        catch (const out_of_range&) { cout << "range\n"; }
    }
}
""",
        rows((0, 6), line(words(1, "ab", (1, 5)), ints(2, -1, 6)), header=False),
        "abab 0 2\n",
    ),
    trap(
        r"""
int main() {
    string s, t;
    cin >> s >> t;
    for (size_t i = 0; i <= s.size(); i++) {
        cout << (s.substr(i, 3) < t.substr(0, 2)) << (s.substr(i) != t) << (t <= s.substr(i, 1)) << " ";
        if (s.substr(i, 2) == s.substr(0, 2) && i > 0) cout << "period " << i << " ";
    }
    cout << endl;
}
""",
        words(2, "ab", (2, 6)),
        "ab ba\n",
    ),
    trap(
        r"""
int main() {
    std::string s;
    std::getline(std::cin, s);
    int c = 0;
    for (int i = 0; i < (int)s.size(); ++i) {
        if (s.substr(i, 2) == "a") c += 1;
        if (s.substr(i, 1) == std::string(1, s[0])) c += 10;
        if (s.substr(i, -1) == s) c += 100;
        if (s.substr(i, 0) == "") c += 1000;
    }
    std::cout << c << '\n';
}
""",
        words(1, "ab", (0, 9)),
        "ab\n",
    ),
    trap(
        r"""
int main() {
    string s;
    cin >> s;
    int i = 0, k = 0;
    while (i + 1 < (int)s.size()) {
        if (s.substr(i++, 2) == "ab") k++;
        else if (s.substr(i, 2) == (s[i] == 'b' ? (s[i] = 'a', "aa") : "bb")) k += 10;
    }
    cout << s << k << endl;
}
""",
        words(1, "ab", (1, 9)),
        "a\n",
    ),
    trap(
        r"""
struct Text {
    string v;
    string substr(int a, int n) const { string r; for (int i = n - 1; i >= 0; i--) if (a + i < (int)v.size()) r += v[a + i]; return r; }
    size_t size() const { return v.size(); }
    int compare(int, int, const string&) const { return 0; }
};
int main() {
    Text t;
    string p;
    cin >> t.v >> p;
    int c = 0;
    for (size_t i = 0; i < t.size(); i++) if (t.substr(i, p.size()) == p) c++;
    cout << c << endl;
}
""",
        words(2, "ab", (1, 5)),
        "aaa aa\n",
    ),
    trap(
        r"""
int main() {
    string a;
    cin >> a;
    const char* z = "ab\0c";
    string b(z, 4);
    a += '\0';
    a += 'c';
    int hits = 0;
    for (size_t i = 0; i < a.size(); i++) {
        if (a.substr(i, 4) == b) hits += 1;
        if (a.substr(i, 4) == z) hits += 10;
        if (a.substr(i, 2) == z) hits += 100;
    }
    cout << hits << endl;
}
""",
        words(1, "ab", (1, 5)),
        "b\n",
    ),
    trap(
        r"""
string s;
string pick() { s.pop_back(); return "ab"; }
int main() {
    cin >> s;
    int c = 0;
    while (s.size() > 2) {
        if (s.substr(s.size() - 2, 2) == pick()) c++;
        if (pick() == s.substr(0, 2)) c += 10;
    }
    cout << c << s << endl;
}
""",
        words(1, "ab", (1, 8)),
        "ab\n",
    ),
    trap(
        r"""
int main() {
    string s, t; unsigned n;
    cin >> s >> t >> n;
    string_view v(s);
    cout << (v.substr(0, n) == t) << (s.substr(s.size() - min<size_t>(n, s.size())) == t.substr(t.size() / 2)) << endl;
    int order = s.substr(0, n).compare(t);
    cout << (order < 0 ? -1 : order > 0) << endl;
    try { cout << (s.substr(n) == s.substr(n, string::npos)) << (s.substr(n, 1) > "a") << endl; } catch (exception& e) { cout << "short\n"; }
}
""",
        line(words(2, "ab", (1, 5)), ints(1, 0, 7)),
        "ab ab 2\n",
    ),
    trap(
        r"""
int main() {
    vector<string> d;
    string s, w;
    cin >> s;
    while (cin >> w) d.push_back(w);
    vector<char> ok(s.size() + 1);
    ok[0] = 1;
    for (int i = 1; i <= (int)s.size(); i++)
        for (auto& x : d) {
            int from = i - (int)x.size();
            if (ok[max(0, from)] && s.substr(max(0, from), i) == x) ok[i] = 1;
        }
    cout << (int)ok[s.size()] << (s.substr(s.find('b') == string::npos ? 0 : s.find('b')) == "b") << endl;
}
""",
        words((1, 5), "ab", (1, 4)),
        "ab ab\n",
    ),
]
