"""Programs that provoke vector-flags-to-bytes."""

from tests.generators.rewrites.meaning._cases import (
    counted,
    either,
    ints,
    line,
    lines,
    one,
    plain,
    rows,
    sized,
    trap,
)

CASES = [
    plain(
        r"""
int main() {
    int n;
    cin >> n;
    vector<int> seen(n + 1, 0);
    int x, c = 0;
    while (cin >> x) if (x >= 0 && x <= n && !seen[x]) { seen[x] = 1; c++; }
    cout << c << endl;
}
""",
        line(ints(1, 0, 9), ints((0, 9), -1, 9)),
        "5 1 2 1\n",
    ),
    plain(
        r"""
int main() {
    int n;
    std::cin >> n;
    std::vector<int> prime(n + 1, 1);
    for (int i = 2; i * i <= n; ++i)
        if (prime[i]) for (int j = i * i; j <= n; j += i) prime[j] = 0;
    for (int i = 2; i <= n; ++i) if (prime[i]) std::cout << i << ' ';
    std::cout << '\n';
}
""",
        ints(1, 0, 300),
        "20\n",
    ),
    plain(
        r"""
vector<vector<int>> g;
vector<int> vis;
void dfs(int u) { vis[u] = 1; for (int v : g[u]) if (!vis[v]) dfs(v); }
int main() {
    int n, m;
    cin >> n >> m;
    g.resize(n); vis.assign(n, 0);
    while (m--) { int a, b; cin >> a >> b; g[a].push_back(b); }
    if (n) dfs(0);
    for (int i = 0; i < n; i++) if (vis[i]) cout << i << " ";
    cout << endl;
}
""",
        sized(
            lambda rng, n, m: f"{n} {m}\n" + rows(m, ints(2, 0, n - 1), header=False)(rng),
            (1, 6),
            (0, 6),
        ),
        "3 1\n0 1\n",
    ),
    trap(
        r"""
int main() {
    int n;
    cin >> n;
    vector<int> seen(10, 0);
    for (int i = 0; i < n; i++) { int x; cin >> x; seen[x % 10]++; }
    for (int i = 0; i < 10; i++) if (seen[i]) cout << i << "x" << seen[i] << " ";
    cout << endl;
}
""",
        sized(
            lambda rng, n: f"{n}\n" + " ".join(str(rng.choice([3, 7])) for _ in range(n)),
            [0, 3, 255, 256, 260, 600],
        ),
        "2\n1 2\n",
    ),
    trap(
        r"""
int main() {
    int n;
    cin >> n;
    vector<int> flag(n, 0);
    for (int i = 0; i < n; i++) { int x; cin >> x; flag[i] = x & 256; }
    int c = 0;
    for (int i = 0; i < n; i++) if (flag[i]) c++;
    vector<int> mark(n, -1);
    for (int i = 0; i < n; i++) mark[i] = flag[i] ? 300 : mark[i];
    cout << c << " " << accumulate(mark.begin(), mark.end(), 0) << endl;
}
""",
        counted((0, 8), 0, 1000),
        "1\n1\n",
    ),
    trap(
        r"""
int main() {
    int n;
    std::cin >> n;
    std::vector<int> used(n, 0);
    for (int i = 0; i < n; ++i) if (i % 2) used[i] = 1;
    for (int i = 0; i < n; ++i) std::cout << used[i] << ' ';
    int* p = used.data();
    int s = 0;
    for (int i = 0; i < n; ++i) s += *p++ * i;
    std::cout << s << ' ' << used.size() * sizeof(used[0]) << '\n';
}
""",
        ints(1, 0, 9),
        "0\n",
    ),
    trap(
        r"""
void set_all(vector<int>& v, int x) { for (int& e : v) e = x; }
int main() {
    int n, x;
    cin >> n;
    vector<int> done(n, 0);
    for (int i = 0; i < n; i++) if (i % 3 == 0) done[i] = 1;
    while (cin >> x) { if (x > 1) set_all(done, x); else if (x >= 0 && x < n) done[x] = 1 - done[x]; }
    for (int d : done) cout << d << " ";
    cout << endl;
}
""",
        line(ints(1, 0, 6), ints((0, 6), 0, 5000)),
        "3\n",
        "3 1\n",
    ),
    trap(
        r"""
int main() {
    int n, stamp = 0, total = 0;
    cin >> n;
    vector<int> visited(5, 0);
    for (int t = 0; t < n; t++) {
        stamp++;
        for (int i = t % 3; i < 5; i += 2) if (visited[i] != stamp) { visited[i] = stamp; total++; }
        if (t % 100 == 99) for (int v : visited) total += v;
    }
    cout << total << " " << visited[1] << endl;
}
""",
        either(ints(1, 0, 20), one("128", "255", "256", "257", "300", "700")),
        "0\n",
        "1\n",
    ),
    trap(
        r"""
int main() {
    int n, x;
    cin >> n;
    vector<int> has(n, 0);
    vector<int> parent(n, -1);
    for (int i = 0; i < n; i++) { cin >> x; has[i] = x > 0; if (i) parent[i] = i - 1; }
    for (int i = 0; i < n; i++) has[i] += has[max(0, i - 1)];
    auto it = max_element(has.begin(), has.end());
    if (n) cout << *it << " " << it - has.begin() << " " << parent[n - 1] << "\n";
    printf("%d\n", n ? has[0] : 0);
    fflush(stdout);
    cout << count(has.begin(), has.end(), 2) << endl;
}
""",
        either(counted((0, 9), -1, 2), one("300\n" + "1 " * 300)),
        "1\n0\n",
    ),
    trap(
        r"""
int total(const vector<int>& f) { return accumulate(f.begin(), f.end(), 0); }
template <class T> T both(T a, T b) { return a * 200 + b * 200; }
int main() {
    int n;
    cin >> n;
    vector<int> on(n, 1);
    for (int i = 0; i < n; i += 3) on[i] = 0;
    vector<int> copy = on;
    sort(copy.begin(), copy.end());
    cout << total(on) << (n > 1 ? both(on[0], on[1]) : 0) << (copy < on);
    for (auto x : on) cout << x;
    swap(copy, on);
    vector<vector<int>> all{on, copy};
    cout << all[0].size() << (n ? ~on[0] : 0) << (n ? min(on[0], 1) : 0) << endl;
}
""",
        ints(1, 0, 12),
        "0\n",
    ),
    trap(
        r"""
int main() {
    int n;
    cin >> n;
    vector<int> seen(n, 0);
    for (int i = 0; i < n; i++) cin >> seen[i];
    int lit = 0;
    for (int i = 0; i < n; i++) if (seen[i]) lit++;
    vector<int> flag(3, 0);
    while (cin >> flag[0]) { flag[1] |= flag[0]; flag[2] = flag[2] ? 0 : 1; }
    cout << lit << flag[1] << flag[2] << endl;
}
""",
        lines(counted((0, 6), 0, 1), ints((0, 5), 0, 999)),
        "2\n1 0\n",
    ),
    trap(
        r"""
int main() {
    int n;
    cin >> n;
    vector<int> hit(20, 0);
    for (int i = 0; i < n; i++) hit[i % 20] = 1;
    int total = 0;
    for (int r = 0; r < n; r++)
        for (int i = 0; i < 20; i++) if (hit[i]) hit[i] = hit[i] + 1;
    for (int i = 0; i < 20; i++) if (hit[i]) total++;
    cout << total << endl;
}
""",
        either(ints(1, 0, 30), one("127", "128", "254", "255", "256")),
        "3\n",
    ),
    trap(
        r"""
int main() {
    int n, m;
    cin >> n >> m;
    vector<int> seen(n, 0);
    for (int i = 0; i < m; i++) { int x; cin >> x; if (x >= 0 && x < n) seen[x] = m; }
    int c = 0;
    for (int i = 0; i < n; i++) if (seen[i]) c++;
    cout << c << endl;
}
""",
        sized(lambda rng, m: f"9 {m}\n" + ints(m, 0, 8)(rng), [0, 1, 3, 256, 512]),
        "3 1\n1\n",
    ),
]
