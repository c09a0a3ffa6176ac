"""Programs that provoke linear-find-to-set."""

from tests.generators.rewrites.meaning._cases import (
    counted,
    ints,
    line,
    lines,
    one,
    plain,
    rows,
    sized,
    trap,
    words,
)

CASES = [
    plain(
        r"""
int main() {
    int n, q;
    cin >> n;
    vector<int> a(n);
    for (int& x : a) cin >> x;
    cin >> q;
    while (q--) {
        int x;
        cin >> x;
        cout << (find(a.begin(), a.end(), x) != a.end() ? "YES" : "NO") << "\n";
    }
}
""",
        lines(counted((0, 9), -9, 9), counted((0, 9), -12, 12)),
        "3\n1 2 3\n2\n2 5\n",
    ),
    plain(
        r"""
int main() {
    std::vector<std::string> seen;
    std::string w;
    while (std::cin >> w) {
        if (std::find(seen.begin(), seen.end(), w) == seen.end()) {
            seen.push_back(w);
            std::cout << w << '\n';
        }
    }
    std::cout << seen.size() << '\n';
}
""",
        words((0, 20), "ab", (1, 3)),
        "a b a\n",
    ),
    plain(
        r"""
typedef long long ll;
bool has(const vector<ll>& v, ll x) {
    for (size_t i = 0; i < v.size(); i++) if (v[i] == x) return true;
    return false;
}
int main() {
    int n; cin >> n;
    vector<ll> v(n);
    for (auto& x : v) cin >> x;
    int c = 0; ll x;
    while (cin >> x) c += has(v, x);
    cout << c << endl;
}
""",
        lines(counted((0, 9), -(10**18), 10**18), ints((0, 9), -3, 3)),
        "3\n1 2 3\n2 4\n",
    ),
    trap(
        r"""
int main() {
    int n;
    cin >> n;
    vector<double> a(n);
    for (auto& x : a) { string s; cin >> s; x = stod(s); }
    string s;
    while (cin >> s) {
        double x = stod(s);
        cout << (find(a.begin(), a.end(), x) != a.end());
    }
    cout << endl;
}
""",
        lines(
            rows((0, 6), one("nan", "0", "-0", "1", "1.5")),
            words((0, 6), "12", 1),
            one("nan -0 0", "0", "nan 1"),
        ),
        "2\n1\n2\n1 2 3\n",
    ),
    trap(
        r"""
int main() {
    vector<int> v;
    string op; int x;
    while (cin >> op >> x) {
        if (op == "add") v.push_back(x);
        else if (op == "pop") { if (!v.empty()) v.pop_back(); }
        else if (op == "set") { if (!v.empty()) v[0] = x; }
        else cout << (find(v.begin(), v.end(), x) != v.end()) << "\n";
    }
}
""",
        rows((0, 15), line(one("add", "pop", "set", "has"), ints(1, 0, 3)), header=False),
        "add 1\nhas 1\nhas 2\n",
    ),
    trap(
        r"""
int main() {
    int n;
    cin >> n;
    vector<int> a(n);
    for (auto& x : a) cin >> x;
    int x;
    while (cin >> x) {
        auto it = find(a.begin(), a.end(), x);
        if (it != a.end()) { cout << it - a.begin() << "\n"; *it = -1; }
        else cout << "none\n";
    }
}
""",
        lines(counted((0, 9), -2, 4), ints((0, 9), -2, 4)),
        "3\n1 2 3\n1 2\n",
    ),
    trap(
        r"""
int main() {
    int n, x;
    cin >> n;
    vector<int> banned;
    auto allowed = [&](int v) { return find(banned.begin(), banned.end(), v) == banned.end(); };
    for (int i = 0; i < n; i++) {
        cin >> x;
        if (allowed(x)) cout << x << ' ';
        if (x < 0) banned.push_back(-x);
        if (x == 0) banned.clear();
        if (x == 7 && !banned.empty()) banned.front() = 1;
    }
    cout << endl;
}
""",
        counted((0, 15), -7, 7),
        "3\n1 2 3\n",
        "3\n-1 1 2\n",
    ),
    trap(
        r"""
struct Pt { int x, y; bool operator==(const Pt& o) const { return x == o.x || y == o.y; } };
int main() {
    int n;
    std::cin >> n;
    std::vector<Pt> taken;
    for (int i = 0; i < n; i++) {
        Pt p;
        std::cin >> p.x >> p.y;
        if (std::find(taken.begin(), taken.end(), p) == taken.end()) taken.push_back(p);
    }
    std::cout << taken.size() << std::endl;
}
""",
        rows((0, 9), ints(2, 0, 5)),
        "2\n1 1\n2 2\n",
    ),
    trap(
        r"""
int main() {
    int n, k;
    cin >> n >> k;
    vector<int> a(n);
    for (auto& x : a) cin >> x;
    int hits = 0;
    for (int i = 0; i + k <= n; i++)
        if (find(a.begin(), a.begin() + i, a[i]) != a.begin() + i) hits++;
    if (k > 0 && find(a.begin(), a.end(), k) != a.end()) hits += 100;
    cout << hits << "\n";
}
""",
        sized(lambda rng, n: f"{n} {rng.randint(0, n)}\n" + ints(n, 0, 4)(rng), (0, 9)),
        "3 1\n1 2 3\n",
    ),
    trap(
        r"""
int main() {
    vector<int> v{1, 2, 3};
    long long x;
    while (cin >> x) {
        if (find(v.begin(), v.end(), x) != v.end()) cout << "in\n";
        else { cout << "out\n"; if (v.size() < 6) v.push_back((int)(x % 100)); }
    }
}
""",
        ints((0, 9), -(2**40), 2**40),
        "1 5\n",
        "4294967297\n",
    ),
    trap(
        r"""
void fill(vector<int>& v, int x) { v.assign(3, x); }
int main() {
    vector<int> v;
    vector<int>& alias = v;
    int q, x, ok = 0;
    cin >> q;
    while (q--) {
        cin >> x;
        if (x % 3 == 0) fill(v, x + 1);
        else if (x % 3 == 1 && !alias.empty()) alias.back() = x;
        if (find(v.begin(), v.end(), x) != v.end()) ok++;
        cout << ok;
    }
    cout << endl;
}
""",
        counted((0, 12), 0, 9),
        "2\n2 5\n",
    ),
    trap(
        r"""
int main() {
    string s; char c;
    cin >> s;
    vector<char> vowels{'a', 'e'};
    int k = 0;
    for (char ch : s) {
        if (find(vowels.begin(), vowels.end(), ch) != vowels.end()) k++;
        if (ch == 'x') swap(vowels[0], vowels[1]), vowels[0] = 'b';
        if (isdigit((unsigned char)ch)) vowels.erase(vowels.begin()), vowels.push_back('c');
    }
    cout << k << endl;
}
""",
        words(1, "abcex1", (1, 12)),
        "aaee\n",
    ),
    plain(
        r"""
int main() {
    int n, m;
    cin >> n >> m;
    vector<int> a(n), b(m);
    for (int i = 0; i < n; i++) cin >> a[i];
    for (int i = 0; i < m; i++) cin >> b[i];
    int common = 0;
    for (int i = 0; i < m; i++) {
        if (find(a.begin(), a.end(), b[i]) != a.end()) common++;
    }
    cout << common << endl;
}
""",
        sized(lambda rng, n, m: f"{n} {m}\n" + ints(n + m, -3, 6)(rng), (0, 6), (0, 6)),
        "2 2\n1 2 2 3\n",
    ),
    trap(
        r"""
int main() {
    int n, m;
    cin >> n >> m;
    vector<int> a(n);
    for (int i = 0; i < n; i++) cin >> a[i];
    int common = 0;
    for (int i = 0; i < m; i++) {
        int x;
        cin >> x;
        if (find(a.begin(), a.end(), x) != a.end()) { common++; a[x < 0 ? 0 : x % n] = 100 + i; }
    }
    cout << common << endl;
}
""",
        sized(lambda rng, n, m: f"{n} {m}\n" + ints(n + m, -3, 6)(rng), (1, 6), (0, 9)),
        "2 1\n1 2 2\n",
    ),
    trap(
        r"""
int main() {
    int n;
    std::cin >> n;
    std::vector<int> used;
    int x = 1;
    for (int i = 0; i < n; ++i) {
        while (std::find(used.begin(), used.end(), x) != used.end()) x = (x * 5 + 3) % 64;
        used.push_back(x);
        if (used.size() > 10) used.erase(used.begin());
        std::cout << x << ' ';
    }
    std::cout << '\n';
}
""",
        ints(1, 0, 40),
        "5\n",
    ),
    trap(
        r"""
bool contains(const vector<float>& v, double x) { return find(v.begin(), v.end(), x) != v.end(); }
int main() {
    vector<float> v;
    double x;
    while (cin >> x) {
        cout << contains(v, x);
        v.push_back(x);
    }
    cout << endl;
}
""",
        rows(
            (0, 9), one("0.1", "0.5", "1", "0.1", "16777217", "16777216", "-0", "0"), header=False
        ),
        "1 2 1\n",
    ),
]
