"""Programs that provoke const-reference."""

from tests.generators.rewrites.meaning._cases import (
    counted,
    ints,
    line,
    plain,
    rows,
    trap,
    words,
)

CASES = [
    plain(
        r"""
int total(vector<int> v) {
    int s = 0;
    for (int x : v) s += x;
    return s;
}
int main() {
    int n;
    cin >> n;
    vector<int> a(n);
    for (int& x : a) cin >> x;
    cout << total(a) << "\n";
}
""",
        counted((0, 9), -999, 999),
        "3\n1 2 3\n",
    ),
    plain(
        r"""
bool palindrome(std::string s) {
    for (std::size_t i = 0; i < s.size() / 2; ++i) if (s[i] != s[s.size() - 1 - i]) return false;
    return true;
}
int main() {
    std::string w;
    while (std::cin >> w) std::cout << palindrome(w) << '\n';
}
""",
        words((0, 6), "ab", (1, 4)),
        "aba\nab\n",
    ),
    trap(
        r"""
string keep;
int count_after(string s, char c) {
    keep += c;
    keep += c;
    return count(s.begin(), s.end(), c);
}
int main() {
    string w;
    char c;
    while (cin >> c >> w) { if (w != "x") cout << count_after(w, c); cout << count_after(keep, c) << "\n"; }
}
""",
        rows((0, 5), line(words(1, "ab", 1), words(1, "abx", (1, 4))), header=False),
        "\n",
    ),
    trap(
        r"""
struct Stack {
    vector<int> v;
    void push_all(vector<int> o) { for (size_t i = 0; i < o.size(); i++) v.push_back(o[i]); }
};
int main() {
    Stack s;
    int x;
    while (cin >> x) { if (x == 0) { if (s.v.size() < 50) s.push_all(s.v); } else s.v.push_back(x); }
    for (int y : s.v) cout << y << " ";
    cout << endl;
}
""",
        ints((0, 8), -2, 5),
        "1 2 3\n",
    ),
    trap(
        r"""
int f(string s) { return 1; }
int f(const char* s) { return 2; }
int g(string s) { s[0] = toupper(s[0]); return s[0]; }
int h(vector<int> v) { sort(v.begin(), v.end()); return v[v.size() / 2]; }
int cut(string s) { int k = 0; while (!s.empty()) { s.pop_back(); k++; } return k; }
int main() {
    string s; int x;
    vector<int> v;
    cin >> s;
    while (cin >> x) v.push_back(x);
    v.push_back(1);
    cout << f(s) << f("a") << g(s) << h(v) << cut(s) << s << v[0] << endl;
}
""",
        line(words(1), ints((0, 6), -5, 5)),
        "ab 3 1 2\n",
    ),
]
