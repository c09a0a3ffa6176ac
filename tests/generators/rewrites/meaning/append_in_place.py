"""Programs that provoke append-in-place."""

from tests.generators.rewrites.meaning._cases import ints, plain, rows, trap, words

CASES = [
    plain(
        r"""
int main() {
    int n;
    cin >> n;
    string s;
    for (int i = 0; i < n; i++) { string w; cin >> w; s = s + w; }
    cout << s << "\n";
}
""",
        rows((0, 8), words(1)),
        "2\nab c\n",
    ),
    plain(
        r"""
std::string repeat(char c, int n) {
    std::string r = "";
    for (int i = 0; i < n; ++i) r = r + c;
    return r;
}
int main() {
    int n;
    while (std::cin >> n) std::cout << repeat('*', n) << std::endl;
}
""",
        ints((0, 4), -2, 30),
        "3\n",
    ),
    trap(
        r"""
string s;
string tail() { string t = s.empty() ? "x" : s.substr(s.size() - 1); s += "!"; return t; }
int main() {
    int n;
    cin >> n;
    for (int i = 0; i < n; i++) { const string before = s; s = s + (i % 2 ? tail() : "a"); if (i == 3) s = before + "|" + s; }
    cout << s << endl;
}
""",
        ints(1, 0, 9),
        "0\n",
        "1\n",
    ),
    trap(
        r"""
struct Rope {
    string v;
    Rope operator+(const Rope& o) const { return Rope{v + "(" + o.v + ")"}; }
    Rope& operator+=(const Rope& o) { v += o.v; return *this; }
};
int main() {
    Rope r;
    string w;
    int k = 0;
    while (cin >> w) { if (k++ < 1) r.v = w; else r = r + Rope{w}; }
    cout << r.v << "\n";
}
""",
        words((0, 6)),
        "ab\n",
    ),
    trap(
        r"""
int main() {
    string s, w;
    const char* kept = nullptr;
    size_t most = 0;
    vector<string> all;
    while (cin >> w) {
        string& last = s;
        s = w + s;
        s = s + last + w.substr(0, 1);
        all.push_back(s);
        if (s.size() > 100) s.clear();
    }
    for (auto& x : all) cout << x << "\n";
    cout << most << (kept == nullptr) << "\n";
}
""",
        words((0, 6)),
        "a\n",
    ),
]
