"""Programs that provoke vector-flags-to-bits."""

from tests.generators.rewrites.meaning._cases import (
    counted,
    ints,
    line,
    listed,
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
    int n;
    cin >> n;
    vector<char> comp(n + 1, 0);
    int c = 0;
    for (int i = 2; i <= n; i++) {
        if (comp[i]) continue;
        c++;
        for (long long j = (long long)i * i; j <= n; j += i) comp[j] = 1;
    }
    cout << c << endl;
}
""",
        ints(1, 0, 600),
        "20\n",
    ),
    plain(
        r"""
int main() {
    int n, x;
    std::cin >> n;
    std::vector<bool> seen(n);
    std::vector<int> gone(n, 0);
    while (std::cin >> x) { seen[x % n] = true; gone[(x + 1) % n] = 1; }
    int c = 0;
    for (int i = 0; i < n; ++i) if (seen[i] && !gone[i]) ++c;
    std::cout << c << '\n';
}
""",
        line(ints(1, 1, 20), ints((0, 9), 0, 99)),
        "5 1 2\n",
    ),
    plain(
        r"""
int main() {
    int n, q, x;
    cin >> n >> q;
    vector<char> on(n, false);
    while (q--) { cin >> x; if (x < 0 || x >= n) continue; if (on[x]) on[x] = false; else on[x] = true; }
    for (int i = 0; i < n; i++) if (on[i]) cout << i << "\n";
}
""",
        listed(
            lambda rng, v: f"{rng.randint(0, 9)} {len(v)}\n" + " ".join(map(str, v)), (0, 9), -1, 9
        ),
        "3 1\n1\n",
    ),
    trap(
        r"""
int main() {
    int n;
    cin >> n;
    vector<char> v(n, 0);
    for (int i = 0; i < n; i++) { int x; cin >> x; v[i] = x; }
    int s = 0;
    for (char c : v) { if (c) s += c; }
    cout << s << endl;
}
""",
        counted((0, 9), -3, 120),
        "2\n1 0\n",
    ),
    trap(
        r"""
int main() {
    int n;
    cin >> n;
    vector<char> mark(n, 0);
    for (int i = 0; i < n; i++) if (i % 3 == 0) mark[i] = 1;
    for (int i = 0; i + 1 < n; i++) mark[i + 1] += mark[i];
    cout << (n ? (int)mark[n - 1] : 0) << (n ? &mark[0] + n - &mark.back() : 0) << "\n";
    for (auto& m : mark) m = m ? 2 : 0;
    cout << accumulate(mark.begin(), mark.end(), 0) << endl;
}
""",
        ints(1, 0, 30),
        "0\n",
    ),
    trap(
        r"""
int main() {
    int n;
    std::cin >> n;
    std::vector<char> text(n, 0);
    for (int i = 0; i < n; ++i) std::cin >> text[i];
    for (int i = 0; i < n; ++i) if (text[i]) std::cout << text[i];
    bool* none = nullptr;
    std::vector<unsigned char> lit(n, 0);
    for (int i = 0; i < n; ++i) lit[i] = text[i] == 'a';
    unsigned char* p = lit.data();
    for (int i = 0; i < n; ++i) std::cout << int(p[i]);
    std::cout << (none == nullptr) << '\n';
}
""",
        sized(lambda rng, n: f"{n}\n" + words(n, "ab", 1)(rng), (0, 9)),
        "0\n",
    ),
    trap(
        r"""
int ones(const vector<char>& v) { int s = 0; for (char c : v) s += c == 1; return s; }
void bump(char& c) { c = c == 1 ? 3 : 1; }
int main() {
    int n, x;
    cin >> n;
    vector<char> seen(n, 0);
    while (cin >> x) { if (x >= 0 && x < n) { if (seen[x]) bump(seen[x]); else seen[x] = 1; } }
    cout << ones(seen) << endl;
    char& first = n ? seen[0] : *new char(7);
    first = 5;
    cout << int(n ? seen[0] : first) << endl;
}
""",
        line(ints(1, 0, 5), ints((0, 8), 0, 5)),
        "3 1\n",
    ),
    trap(
        r"""
int main() {
    int n;
    cin >> n;
    vector<int> state(n, 0);
    vector<vector<int>> g(n);
    for (int i = 0; i < n; i++) { int k; cin >> k; g[i].resize(k); for (int& x : g[i]) { cin >> x; x %= n; } }
    bool cycle = false;
    function<void(int)> go = [&](int u) {
        state[u] = 1;
        for (int v : g[u]) { if (state[v] == 1) cycle = true; else if (state[v] == 0) go(v); }
        state[u] = 2;
    };
    for (int i = 0; i < n; i++) if (!state[i]) go(i);
    cout << cycle << endl;
}
""",
        rows((0, 5), counted((0, 2), 0, 9)),
        "2\n0\n0\n",
    ),
    trap(
        r"""
int main() {
    int n;
    cin >> n;
    vector<bool> on(n);
    string s(n, 0);
    for (int i = 0; i < n; i += 2) { on[i] = true; s[i] = 1; }
    vector<char> used(n, 0);
    for (int i = 0; i < n; i += 3) used[i] = true;
    vector<char> old = used;
    reverse(used.begin(), used.end());
    rotate(used.begin(), used.begin() + n / 2, used.end());
    memset(used.data(), 1, n / 3);
    int c = 0;
    for (int i = 0; i < n; i++) c = c * 2 % 1009 + used[i] + on[i] + s[i];
    cout << c << (old < used) << (old == used) << count(used.begin(), used.end(), 1) << endl;
}
""",
        ints(1, 0, 30),
        "0\n",
    ),
    trap(
        r"""
int main() {
    int n;
    cin >> n;
    vector<char> alive(n, 1);
    int pos = 0, left = n;
    while (left > 1) {
        int k = 0;
        while (k < 3) { if (alive[pos]) k += alive[pos]; if (k < 3) pos = (pos + 1) % n; }
        alive[pos] = 0;
        left--;
        if (left == 4) alive[(pos + 1) % n] *= 2;
    }
    for (int i = 0; i < n; i++) if (alive[i]) cout << i << (int)alive[i];
    cout << endl;
}
""",
        ints(1, 0, 20),
        "1\n",
        "2\n",
    ),
    trap(
        r"""
int main() {
    int n, i;
    cin >> n;
    vector<char> ok(n, 0);
    ok.push_back(1);
    while (cin >> i) {
        try { ok.at(i) ^= 1; ok.resize(ok.size() + 1, i % 2); if (i == 3) ok.insert(ok.begin(), 7); }
        catch (const out_of_range&) { cout << "no "; }
    }
    ok.erase(remove(ok.begin(), ok.end(), 0), ok.end());
    for (char c : ok) cout << int(c) << " ";
    cout << ok.size() << "\n";
}
""",
        line(ints(1, 0, 6), ints((0, 7), -1, 9)),
        "2\n",
        "2 1\n",
    ),
    trap(
        r"""
int main() {
    int n, x;
    cin >> n;
    vector<char> seen(n + 1, 0);
    int steps = 0;
    while (cin >> x) {
        if (x < 0 || x > n) continue;
        if (seen[x]) steps += seen[x];
        seen[x] = x > 3 ? 2 : 1;
    }
    cout << steps << endl;
}
""",
        line(ints(1, 0, 9), ints((0, 9), 0, 9)),
        "5 1 1\n",
    ),
    trap(
        r"""
int main() {
    int n;
    cin >> n;
    vector<int> alive(n, 1);
    for (int i = 0; i < n; i += 3) alive[i] = 0;
    int score = 0;
    for (int i = 0; i < n; i++) score += alive[i] == -1 ? 5 : -alive[i];
    for (int i = 0; i < n; i++) if (!alive[i]) alive[i] = ~alive[i];
    for (int i = 0; i < n; i++) score += alive[i];
    cout << score << endl;
}
""",
        ints(1, 0, 20),
        "0\n",
    ),
]
