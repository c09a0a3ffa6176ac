"""Programs that provoke early-exit."""

from tests.generators.rewrites.meaning._cases import (
    counted,
    ints,
    plain,
    sized,
    square,
    trap,
    words,
)

CASES = [
    plain(
        r"""
int main() {
    int n, t;
    cin >> n >> t;
    vector<int> a(n);
    for (int& x : a) cin >> x;
    bool found = false;
    for (int i = 0; i < n; i++) if (a[i] == t) found = true;
    cout << (found ? "yes" : "no") << endl;
}
""",
        sized(lambda rng, n: f"{n} {rng.randint(0, 3)}\n" + ints(n, -3, 3)(rng), (0, 9)),
        "3 2\n1 2 3\n",
    ),
    plain(
        r"""
bool sorted_up(const std::vector<int>& v) {
    bool ok = true;
    for (std::size_t i = 1; i < v.size(); ++i) { if (v[i] < v[i - 1]) { ok = false; } }
    return ok;
}
int main() {
    std::vector<int> v;
    int x;
    while (std::cin >> x) v.push_back(x);
    std::cout << sorted_up(v) << '\n';
}
""",
        ints((0, 8), -9, 9),
        "1 2 3\n",
        "3 1\n",
    ),
    plain(
        r"""
int main() {
    string s;
    while (cin >> s) {
        bool pal = true;
        int n = s.size();
        for (int i = 0; i < n; i++) if (s[i] != s[n - 1 - i]) pal = false;
        cout << pal;
    }
    cout << endl;
}
""",
        words((0, 6), "ab", (1, 5)),
        "aba ab\n",
    ),
    trap(
        r"""
int main() {
    int n, t;
    cin >> n >> t;
    bool found = false;
    for (int i = 0; i < n; i++) { int x; cin >> x; if (x == t) found = true; }
    string rest;
    cin >> rest;
    cout << found << " " << rest << endl;
}
""",
        sized(lambda rng, n: f"{n} {rng.randint(0, 3)}\n" + ints(n, -3, 3)(rng) + " end", (0, 9)),
        "2 7\n1 2\nend\n",
        "2 2\n1 2\nend\n",
    ),
    trap(
        r"""
int main() {
    int n;
    cin >> n;
    vector<int> a(n);
    for (int& x : a) cin >> x;
    bool ok = true;
    int bad = 0, last = -1;
    for (int i = 0; i < n; i++) { if (a[i] < 0) { ok = false; last = i; } bad += a[i] == -5; }
    if (n > 2) cout << bad << last;
    cout << ok << endl;
}
""",
        counted((0, 8), -6, 6),
        "2\n1 -1\n",
    ),
    trap(
        r"""
int main() {
    int n;
    cin >> n;
    vector<int> a(n);
    for (int& x : a) cin >> x;
    bool flag = false;
    for (int i = 0; i < n; i++) {
        if (a[i] > 3) flag = true;
        if (a[i] < -3) flag = false;
    }
    cout << flag << endl;
}
""",
        counted((0, 8), -6, 6),
        "2\n1 4\n",
    ),
    trap(
        r"""
bool check(int x) { if (x > 7) std::cout << "big " << x << '\n'; return x % 2 == 0; }
int main() {
    std::vector<int> v;
    int x;
    while (std::cin >> x) v.push_back(x);
    bool any = false;
    for (int y : v) if (check(y)) any = true;
    std::cout << any << '\n';
}
""",
        ints((0, 8), 0, 12),
        "1 3 4\n",
    ),
    trap(
        r"""
int main() {
    int n;
    cin >> n;
    vector<int> a(n);
    for (int& x : a) cin >> x;
    bool dup = false;
    set<int> seen;
    for (int i = 0; i < n; i++) dup = dup || !seen.insert(a[i]).second;
    bool dup2 = false;
    map<int, int> cnt;
    for (int i = 0; i < n; i++) if (cnt[a[i]]++) dup2 = true;
    cout << dup << dup2 << (n > 3 ? cnt.size() : 0) << endl;
}
""",
        counted((0, 8), 0, 5),
        "2\n1 1\n",
    ),
    trap(
        r"""
int main() {
    int n, i;
    cin >> n;
    vector<int> a(n);
    for (int& x : a) cin >> x;
    bool found = false;
    for (i = 0; i < n; i++) if (a[i] == 0) found = true;
    cout << found << " " << (i > 3 ? i : 0) << endl;
    bool any = false;
    int p = 0;
    while (p < n) { if (a[p] == 1) any = true; p++; }
    if (p != n) cout << "early " << p << endl;
    cout << any << endl;
}
""",
        counted((0, 8), -2, 3),
        "1\n1\n",
        "2\n5 0\n",
    ),
    trap(
        r"""
int main() {
    int n;
    cin >> n;
    vector<int> a(n);
    for (int& x : a) cin >> x;
    bool ok = true;
    for (int i = 0; i < n; i++) {
        try { if (a.at(a.at(i)) < 0) ok = false; }
        catch (const out_of_range&) { cout << "range\n"; }
    }
    bool bad = false;
    for (int i = 0; i < n; i++) { if (a[i] == 0) bad = true; if (100 / (a[i] ? a[i] : 1) == 50) exit(3); }
    cout << ok << bad << endl;
}
""",
        counted((0, 7), -1, 6),
        "2\n1 1\n",
    ),
    trap(
        r"""
int main() {
    int n;
    cin >> n;
    vector<vector<int>> a(n, vector<int>(n));
    for (auto& r : a) for (int& x : r) cin >> x;
    for (int i = 0; i < n; i++) {
        bool zero = false;
        for (int j = 0; j < n; j++) { if (a[i][j] == 0) zero = true; a[i][j]++; }
        if (zero) cout << "row " << i << "\n";
    }
    int s = 0;
    for (auto& r : a) for (int x : r) s += x * (n > 2);
    cout << s << endl;
}
""",
        square((0, 5), 0, 4),
        "2\n1 2\n3 4\n",
    ),
    trap(
        r"""
int main() {
    int n, round = 0;
    cin >> n;
    vector<int> a(n);
    for (int& x : a) cin >> x;
    bool changed = true;
    while (changed) {
        changed = false;
        for (int i = 0; i + 1 < n; i++)
            if (a[i] > a[i + 1]) { swap(a[i], a[i + 1]); changed = true; }
        round++;
    }
    volatile bool stop = false;
    for (int i = 0; i < n; i++) if (a[i] == 2) { stop = true; a[n - 1 - i] = 9; }
    for (int x : a) cout << x << ' ';
    cout << (n > 3 ? round : stop) << endl;
}
""",
        counted((0, 7), 0, 5),
        "2\n1 3\n",
    ),
    trap(
        r"""
int main() {
    int n;
    cin >> n;
    vector<int> a(n);
    for (int i = 0; i < n; i++) cin >> a[i];
    bool found = false;
    int where = -1;
    for (int i = 0; i < n; i++) {
        if (a[i] == 3) { found = true; where = i; }
    }
    cout << found << " " << where << endl;
}
""",
        counted((0, 8), 0, 4),
        "3\n1 3 2\n",
    ),
    trap(
        r"""
int main() {
    int n;
    cin >> n;
    vector<int> a(n);
    for (int i = 0; i < n; i++) cin >> a[i];
    bool ok = true;
    for (int i = 0; i < n; i++) {
        if (a[i] % 2) ok = false;
        else ok = ok || a[i] == 8;
    }
    cout << ok << endl;
}
""",
        counted((0, 6), 0, 9),
        "2\n1 2\n",
    ),
]
