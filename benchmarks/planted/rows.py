"""Problems about rows of numbers: windows, pairs, order, matrices."""

from __future__ import annotations

from planted.problem import problem

_WINDOW = """
int main() {
    int n, k; cin >> n >> k;
    vector<ll> a(n);
    for (int i = 0; i < n; i++) cin >> a[i];
    deque<int> d;
    for (int i = 0; i < n; i++) {
        while (!d.empty() && a[d.back()] >= a[i]) d.pop_back();
        d.push_back(i);
        if (d.front() <= i - k) d.pop_front();
        if (i >= k - 1) cout << a[d.front()] << " ";
    }
    cout << "\\n";
}
"""

_PAIRS = """
int main() {
    int n; ll target; cin >> n >> target;
    map<ll, ll> seen;
    ll pairs = 0;
    for (int i = 0; i < n; i++) {
        ll x; cin >> x;
        auto it = seen.find(target - x);
        if (it != seen.end()) pairs += it->second;
        seen[x]++;
    }
    cout << pairs << "\\n";
}
"""

_INVERSIONS = """
vector<int> a, b;
ll sorted(int l, int r) {
    if (r - l < 2) return 0;
    int m = (l + r) / 2;
    ll found = sorted(l, m) + sorted(m, r);
    int i = l, j = m, k = l;
    while (i < m && j < r) {
        if (a[i] <= a[j]) b[k++] = a[i++];
        else { found += m - i; b[k++] = a[j++]; }
    }
    while (i < m) b[k++] = a[i++];
    while (j < r) b[k++] = a[j++];
    for (k = l; k < r; k++) a[k] = b[k];
    return found;
}
int main() {
    int n; cin >> n;
    a.resize(n); b.resize(n);
    for (int i = 0; i < n; i++) cin >> a[i];
    cout << sorted(0, n) << "\\n";
}
"""

_MATRIX = """
int main() {
    int n, m, p; cin >> n >> m >> p;
    vector<vector<ll>> a(n, vector<ll>(m)), b(m, vector<ll>(p));
    for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) cin >> a[i][j];
    for (int i = 0; i < m; i++) for (int j = 0; j < p; j++) cin >> b[i][j];
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < p; j++) {
            ll s = 0;
            for (int k = 0; k < m; k++) s += a[i][k] * b[k][j];
            cout << s << (j + 1 < p ? " " : "\\n");
        }
    }
}
"""

PROBLEMS = [
    problem(
        "minimum of windows",
        _WINDOW,
        ["5 2\n4 2 5 1 3\n", "6 3\n1 2 3 4 5 6\n", "4 4\n7 -3 8 2\n", "3 1\n9 8 10\n"],
        [
            """
int main() {
    int n, k; scanf("%d %d", &n, &k);
    vector<ll> a(n);
    for (auto &x : a) scanf("%lld", &x);
    for (int i = 0; i + k <= n; i++) printf("%lld ", *min_element(a.begin() + i, a.begin() + i + k));
    puts("");
}
""",
            """
int main() {
    int n, k; cin >> n >> k;
    vector<ll> a(n);
    multiset<ll> s;
    for (int i = 0; i < n; i++) {
        cin >> a[i]; s.insert(a[i]);
        if (i >= k) s.erase(s.find(a[i - k]));
        if (i >= k - 1) cout << *s.begin() << ' ';
    }
    cout << '\\n';
}
""",
        ],
        [
            ("overflow", "vector<ll> a(n)", "vector<short> a(n)"),
            (
                "overflow",
                "vector<ll> a(n)",
                "vector<float> a(n)",
                "cout << a[d.front()]",
                "cout << (ll)a[d.front()]",
            ),
            (
                "boundary",
                "if (d.front() <= i - k) d.pop_front();",
                "if (d.front() <= i - k && d.front() < 4) d.pop_front();",
            ),
            ("boundary", "if (i >= k - 1)", "if (i >= k - 1 && i < 32)"),
            ("boundary", "d.front() <= i - k", "d.front() < i - k + (i < 6)"),
            (
                "ties",
                "a[d.back()] >= a[i]",
                "a[d.back()] > a[i]",
                "d.push_back(i);",
                "if (d.empty() || a[d.back()] != a[i]) d.push_back(i);",
            ),
            (
                "duplicates",
                "a[d.back()] >= a[i]) d.pop_back();",
                "a[d.back()] >= a[i]) { bool same = a[d.back()] == a[i]; d.pop_back();"
                " if (same && i > 1 && !d.empty()) d.pop_back(); }",
            ),
            ("negative", "cout << a[d.front()]", "cout << max(a[d.front()], -100LL)"),
            ("large", "deque<int> d;", "k = min(k, 6); deque<int> d;"),
            ("large", "vector<ll> a(n);", "vector<ll> a(n); k = min(k, 10);"),
            ("empty", "deque<int> d;", "if (n == 1) a[0] = max(a[0], 0LL); deque<int> d;"),
            ("early end", "d.push_back(i);", "d.push_back(i); if (a[i] == 0) break;"),
        ],
    ),
    problem(
        "pairs with a sum",
        _PAIRS,
        ["4 6\n1 5 2 4\n", "5 10\n1 2 3 4 5\n", "6 8\n5 3 4 6 2 9\n", "3 0\n-1 1 7\n"],
        [
            """
int main() {
    int n; ll t; scanf("%d %lld", &n, &t);
    vector<ll> a(n);
    for (auto &x : a) scanf("%lld", &x);
    ll c = 0;
    for (int i = 0; i < n; i++) for (int j = 0; j < i; j++) c += a[i] + a[j] == t;
    printf("%lld\\n", c);
}
""",
            """
int main() {
    int n; ll t; cin >> n >> t;
    vector<ll> a(n);
    for (auto &x : a) cin >> x;
    sort(a.begin(), a.end());
    ll c = 0;
    for (int i = 0; i < n; i++) {
        auto r = equal_range(a.begin() + i + 1, a.end(), t - a[i]);
        c += r.second - r.first;
    }
    cout << c << endl;
}
""",
        ],
        [
            ("duplicates", "pairs += it->second", "pairs++"),
            ("duplicates", "seen[x]++", "seen[x] = 1"),
            ("duplicates", "seen[x]++;", "seen[x]++; if (2 * x == target) seen[x] = 0;"),
            (
                "aliasing",
                "auto it = seen.find(target - x);",
                "seen[x]++; auto it = seen.find(target - x);",
                "        seen[x]++;\n    }",
                "    }",
                "pairs += it->second;",
                "pairs += it->second - (2 * x == target && it->second > 2);"
                " if (it != seen.end() && 2 * x == target && it->second <= 2) pairs -= 1;",
            ),
            ("overflow", "ll x; cin >> x;", "short x; cin >> x;"),
            ("overflow", "map<ll, ll> seen;", "map<short, ll> seen;"),
            (
                "overflow",
                "ll pairs = 0;",
                "signed char pairs = 0;",
                "cout << pairs",
                "cout << (int)pairs",
            ),
            ("negative", "ll x; cin >> x;", "ll x; cin >> x; if (x < -50) continue;"),
            ("negative", "auto it =", "if (target - x < -10) { seen[x]++; continue; } auto it ="),
            (
                "large",
                "int n; ll target; cin >> n >> target;",
                "int n; ll target; cin >> n >> target; n = min(n, 12);",
            ),
            ("early end", "ll x; cin >> x;", "ll x; cin >> x; if (x == 0) break;"),
            (
                "order",
                "if (it != seen.end())",
                "if (it != seen.end() && (x >= target - x || n < 7))",
            ),
        ],
    ),
    problem(
        "inversions of a permutation",
        _INVERSIONS,
        ["5\n3 1 2 5 4\n", "4\n4 3 2 1\n", "6\n1 2 3 4 5 6\n", "3\n2 3 1\n"],
        [
            """
int main() {
    int n; scanf("%d", &n);
    vector<int> a(n);
    ll c = 0;
    for (int i = 0; i < n; i++) {
        scanf("%d", &a[i]);
        for (int j = 0; j < i; j++) c += a[j] > a[i];
    }
    printf("%lld\\n", c);
}
""",
            """
int main() {
    int n; cin >> n;
    vector<int> tree(n + 2, 0);
    ll c = 0;
    for (int i = 0; i < n; i++) {
        int x; cin >> x;
        c += i;
        for (int j = x; j > 0; j -= j & -j) c -= tree[j];
        for (int j = x; j <= n; j += j & -j) tree[j]++;
    }
    cout << c << endl;
}
""",
        ],
        [
            (
                "overflow",
                "ll sorted",
                "signed char sorted",
                "ll found = sorted(l, m) + sorted(m, r);",
                "int found = sorted(l, m) + sorted(m, r);",
                "cout << sorted(0, n)",
                "cout << (int)sorted(0, n)",
            ),
            ("boundary", "found += m - i;", "found += min(m - i, 3);"),
            (
                "boundary",
                "if (r - l < 2) return 0;",
                "if (r - l < 2) return 0; if (r - l > 6 && r - l < 9) return 1;",
            ),
            ("large", "a.resize(n); b.resize(n);", "n = min(n, 16); a.resize(n); b.resize(n);"),
            ("large", "a.resize(n); b.resize(n);", "a.resize(n); b.resize(n); if (n > 24) n = 24;"),
            (
                "aliasing",
                "for (k = l; k < r; k++) a[k] = b[k];",
                "if (r - l < 8 || l == 0) for (k = l; k < r; k++) a[k] = b[k];",
            ),
            (
                "order",
                "if (a[i] <= a[j]) b[k++] = a[i++];",
                "if (a[i] <= a[j] + (l > 3)) b[k++] = a[i++];",
            ),
            (
                "order",
                "int n; cin >> n;",
                "int n; cin >> n; if (n > 7) { cout << n << endl; return 0; }",
            ),
            ("early end", "while (i < m && j < r) {", "while (i < m && j < r && k < l + 8) {"),
            (
                "boundary",
                "while (j < r) b[k++] = a[j++];",
                "while (j < r) b[k++] = a[j++]; if (r - l == 5 && l) found++;",
            ),
        ],
    ),
    problem(
        "product of matrices",
        _MATRIX,
        [
            "2 2 2\n1 2\n3 4\n5 6\n7 8\n",
            "1 3 1\n1 2 3\n4\n5\n6\n",
            "2 1 3\n2\n-1\n3 4 5\n",
            "3 3 3\n1 0 0\n0 1 0\n0 0 1\n4 5 6\n7 8 9\n1 2 3\n",
        ],
        [
            """
int main() {
    int n, m, p; scanf("%d %d %d", &n, &m, &p);
    vector<ll> a(n * m), b(m * p), c(n * p, 0);
    for (auto &x : a) scanf("%lld", &x);
    for (auto &x : b) scanf("%lld", &x);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < m; k++)
            for (int j = 0; j < p; j++) c[i * p + j] += a[i * m + k] * b[k * p + j];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < p; j++) printf("%lld%c", c[i * p + j], j + 1 < p ? ' ' : '\\n');
}
""",
            """
int main() {
    int n, m, p; cin >> n >> m >> p;
    vector<vector<ll>> a(n, vector<ll>(m)), t(p, vector<ll>(m));
    for (auto &r : a) for (auto &x : r) cin >> x;
    for (int k = 0; k < m; k++) for (int j = 0; j < p; j++) cin >> t[j][k];
    for (auto &r : a)
        for (int j = 0; j < p; j++)
            cout << inner_product(r.begin(), r.end(), t[j].begin(), 0LL) << (j + 1 < p ? ' ' : '\\n');
}
""",
        ],
        [
            ("overflow", "ll s = 0", "int s = 0"),
            ("overflow", "s += a[i][k] * b[k][j]", "s += (int)a[i][k] * (int)b[k][j]"),
            (
                "overflow",
                "vector<vector<ll>> a(n, vector<ll>(m)), b(m, vector<ll>(p))",
                "vector<vector<short>> a(n, vector<short>(m)), b(m, vector<short>(p))",
            ),
            ("boundary", "k < m; k++) s", "k < m / 4 * 4 + (m < 4 ? m % 4 : 0); k++) s"),
            ("boundary", "k < m; k++) s", "k < min(m, 8); k++) s"),
            ("boundary", "j < p; j++) {", "j < min(p, 8); j++) {"),
            ("large", "cin >> n >> m >> p;", "cin >> n >> m >> p; if (n > 5) n = 5;"),
            ("large", "ll s = 0;", "ll s = 0; if (n * p > 64) { cout << 0 << ' '; continue; }"),
            ("negative", "s += a[i][k] * b[k][j]", "s += a[i][k] < -1 ? 0 : a[i][k] * b[k][j]"),
            ("negative", "cin >> b[i][j]", "cin >> b[i][j], b[i][j] = abs(b[i][j])"),
            (
                "early end",
                "s += a[i][k] * b[k][j]",
                "{ if (b[k][j] == 0 && m > 3) break; s += a[i][k] * b[k][j]; }",
            ),
            (
                "order",
                "s += a[i][k] * b[k][j]",
                "s += a[i][k] * (n == m && m == p && n > 3 ? b[j][k] : b[k][j])",
            ),
        ],
    ),
]
