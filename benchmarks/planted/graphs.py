"""Problems about graphs."""

from __future__ import annotations

from planted.problem import problem

_COMPONENTS = """
int main() {
    int n, m; cin >> n >> m;
    vector<int> parent(n + 1), size(n + 1, 1);
    for (int i = 1; i <= n; i++) parent[i] = i;
    auto find = [&](int v) { while (parent[v] != v) v = parent[v] = parent[parent[v]]; return v; };
    int parts = n, largest = n ? 1 : 0, cycles = 0;
    for (int i = 0; i < m; i++) {
        int a, b; cin >> a >> b;
        a = find(a); b = find(b);
        if (a == b) { cycles++; continue; }
        if (size[a] < size[b]) swap(a, b);
        parent[b] = a; size[a] += size[b];
        largest = max(largest, size[a]);
        parts--;
    }
    cout << parts << " " << largest << " " << cycles << "\\n";
}
"""

_DIAMETER = """
int main() {
    int n; cin >> n;
    vector<vector<pair<int, ll>>> next(n + 1);
    for (int i = 0; i < n - 1; i++) {
        int a, b; ll w; cin >> a >> b >> w;
        next[a].push_back({b, w}); next[b].push_back({a, w});
    }
    auto farthest = [&](int from) {
        vector<ll> d(n + 1, -1); d[from] = 0;
        vector<int> stack{from}; int best = from;
        while (!stack.empty()) {
            int v = stack.back(); stack.pop_back();
            if (d[v] > d[best]) best = v;
            for (auto [u, w] : next[v]) if (d[u] < 0) { d[u] = d[v] + w; stack.push_back(u); }
        }
        return make_pair(best, d[best]);
    };
    cout << farthest(farthest(1).first).second << "\\n";
}
"""

PROBLEMS = [
    problem(
        "components",
        _COMPONENTS,
        ["4 2\n1 2\n3 4\n", "5 5\n1 2\n2 3\n3 1\n4 5\n1 4\n", "3 0\n", "6 4\n1 6\n2 5\n6 2\n3 4\n"],
        [
            """
int main() {
    int n, m; scanf("%d %d", &n, &m);
    vector<vector<int>> g(n + 1);
    for (int i = 0; i < m; i++) {
        int a, b; scanf("%d %d", &a, &b); g[a].push_back(b); g[b].push_back(a);
    }
    vector<char> seen(n + 1, 0);
    int parts = 0, largest = 0;
    for (int s = 1; s <= n; s++) {
        if (seen[s]) continue;
        parts++;
        vector<int> st{s}; seen[s] = 1; int size = 0;
        while (!st.empty()) {
            int v = st.back(); st.pop_back(); size++;
            for (int u : g[v]) if (!seen[u]) { seen[u] = 1; st.push_back(u); }
        }
        largest = max(largest, size);
    }
    printf("%d %d %d\\n", parts, largest, m - (n - parts));
}
""",
            """
int main() {
    int n, m; cin >> n >> m;
    vector<int> c(n + 1); iota(c.begin(), c.end(), 0);
    int cycles = 0;
    while (m--) {
        int a, b; cin >> a >> b;
        int x = c[a], y = c[b];
        if (x == y) cycles++; else replace(c.begin() + 1, c.end(), y, x);
    }
    map<int, int> size; int largest = 0;
    for (int i = 1; i <= n; i++) largest = max(largest, ++size[c[i]]);
    cout << size.size() << ' ' << largest << ' ' << cycles << '\\n';
}
""",
        ],
        [
            (
                "boundary",
                "for (int i = 1; i <= n; i++) parent[i] = i;",
                "for (int i = 1; i <= n; i++) parent[i] = i; if (n > 6) parent[n] = 1;",
            ),
            (
                "boundary",
                "largest = max(largest, size[a]);",
                "if (i < m - 1 || m < 6) largest = max(largest, size[a]);",
            ),
            ("aliasing", "size[a] += size[b];", "size[a] += size[i > 4 ? a : b];"),
            (
                "aliasing",
                "a = find(a); b = find(b);",
                "a = find(a); b = i > 5 ? parent[b] : find(b);",
            ),
            ("large", "int n, m; cin >> n >> m;", "int n, m; cin >> n >> m; m = min(m, 8);"),
            (
                "large",
                "int n, m; cin >> n >> m;",
                "int n, m; cin >> n >> m; if (n > 30) n = 30;",
                "int a, b; cin >> a >> b;",
                "int a, b; cin >> a >> b; if (a > n || b > n) continue;",
            ),
            (
                "overflow",
                "vector<int> parent(n + 1), size(n + 1, 1);",
                "vector<int> parent(n + 1); vector<signed char> size(n + 1, 1);",
                "max(largest, size[a])",
                "max(largest, (int)size[a])",
            ),
            ("early end", "parts--;", "if (--parts == 1) break;"),
            ("early end", "if (a == b) {", "if (a == b && cycles && n > 4) break; if (a == b) {"),
            ("duplicates", "cycles++;", "cycles = min(cycles + 1, 2);"),
            (
                "order",
                "int a, b; cin >> a >> b;",
                "int a, b; cin >> a >> b; if (a > b && n > 6) b = a - 1;",
            ),
            ("empty", "cout << parts", "if (n == 1) largest = 0; cout << parts"),
        ],
    ),
    problem(
        "diameter of a tree",
        _DIAMETER,
        ["4\n1 2 3\n2 3 4\n2 4 5\n", "1\n", "2\n1 2 7\n", "6\n1 2 1\n1 3 2\n3 4 3\n3 5 4\n5 6 5\n"],
        [
            """
int n; vector<vector<pair<int, ll>>> g; ll best = 0;
ll depth(int v, int p) {
    ll one = 0, two = 0;
    for (auto [u, w] : g[v]) if (u != p) {
        ll d = depth(u, v) + w;
        if (d > one) { two = one; one = d; } else two = max(two, d);
    }
    best = max(best, one + two);
    return one;
}
int main() {
    cin >> n; g.resize(n + 1);
    for (int i = 1; i < n; i++) {
        int a, b; ll w; cin >> a >> b >> w; g[a].push_back({b, w}); g[b].push_back({a, w});
    }
    depth(1, 0);
    cout << best << endl;
}
""",
            """
int main() {
    int n; scanf("%d", &n);
    vector<vector<pair<int, ll>>> g(n + 1);
    for (int i = 1; i < n; i++) {
        int a, b; ll w; scanf("%d %d %lld", &a, &b, &w);
        g[a].push_back({b, w}); g[b].push_back({a, w});
    }
    vector<int> order{1}, from(n + 1, 0);
    for (size_t i = 0; i < order.size(); i++)
        for (auto [u, w] : g[order[i]]) if (u != from[order[i]]) { from[u] = order[i];
                                                                   order.push_back(u); }
    vector<ll> down(n + 1, 0); ll best = 0;
    for (int i = n - 1; i >= 0; i--)
        for (auto [u, w] : g[order[i]]) if (u != from[order[i]]) {
            best = max(best, down[order[i]] + down[u] + w);
            down[order[i]] = max(down[order[i]], down[u] + w);
        }
    printf("%lld\\n", best);
}
""",
        ],
        [
            (
                "overflow",
                "vector<ll> d(n + 1, -1)",
                "vector<int> d(n + 1, -1)",
                "return make_pair(best, d[best]);",
                "return make_pair(best, (ll)d[best]);",
            ),
            (
                "overflow",
                "int a, b; ll w; cin >> a >> b >> w;",
                "int a, b; ll w; cin >> a >> b >> w; w = (short)w;",
            ),
            (
                "order",
                "farthest(farthest(1).first).second",
                "farthest(n > 4 ? 3 : n > 2 ? 4 : n).second",
                "vector<ll> d(n + 1, -1)",
                "if (n == 6) from = 6; vector<ll> d(n + 1, -1)",
            ),
            (
                "order",
                "int a, b; ll w; cin >> a >> b >> w;",
                "int a, b; ll w; cin >> a >> b >> w; if (a > b) a = min(a, b - 1 + (n < 3));"
                " a = max(a, 1);",
            ),
            (
                "boundary",
                "for (auto [u, w] : next[v])",
                "if (next[v].size() > 3) next[v].pop_back(); for (auto [u, w] : next[v])",
            ),
            (
                "large",
                "vector<int> stack{from}; int best = from;",
                "vector<int> stack{from}; int best = from, looked = 0;",
                "int v = stack.back(); stack.pop_back();",
                "int v = stack.back(); stack.pop_back(); if (++looked > 12) break;",
            ),
            ("large", "d[u] = d[v] + w;", "d[u] = min(d[v] + w, 1000LL);"),
            (
                "ties",
                "if (d[v] > d[best]) best = v;",
                "if (d[v] > d[best] && (d[v] - d[best] > 1 || n < 7)) best = v;",
            ),
            ("early end", "if (d[u] < 0)", "if (d[u] < 0 && !(d[v] > 20 && n > 6))"),
            (
                "empty",
                "cout << farthest",
                "if (n == 3) { cout << 0 << endl; return 0; } cout << farthest",
            ),
            (
                "aliasing",
                "auto farthest = [&](int from) {\n        vector<ll> d(n + 1, -1);",
                "vector<ll> d(n + 1, -1);\n    auto farthest = [&](int from) {\n"
                "        if (n < 7) d.assign(n + 1, -1);",
            ),
        ],
    ),
]
