"""Problems about rows of numbers."""

from __future__ import annotations

from planted.problem import problem

_SUM = """
int main() {
    int n; cin >> n;
    vector<ll> a(n);
    for (int i = 0; i < n; i++) cin >> a[i];
    ll sum = 0, best = LLONG_MIN, count = 0;
    for (int i = 0; i < n; i++) {
        sum += a[i];
        if (a[i] > best) { best = a[i]; count = 0; }
        if (a[i] == best) count++;
    }
    cout << sum << " " << best << " " << count << "\\n";
}
"""

_SUBARRAY = """
int main() {
    int t; cin >> t;
    while (t--) {
        int n; cin >> n;
        ll best = LLONG_MIN, run = 0;
        for (int i = 0; i < n; i++) {
            ll x; cin >> x;
            run = max(run, 0LL) + x;
            best = max(best, run);
        }
        cout << best << "\\n";
    }
}
"""

_COUNT_LESS = """
int main() {
    int n, q; cin >> n >> q;
    vector<ll> a(n);
    for (int i = 0; i < n; i++) cin >> a[i];
    sort(a.begin(), a.end());
    for (int i = 0; i < q; i++) {
        ll x; cin >> x;
        int less = lower_bound(a.begin(), a.end(), x) - a.begin();
        int most = upper_bound(a.begin(), a.end(), x) - a.begin();
        cout << less << " " << n - most << "\\n";
    }
}
"""

_LIS = """
int main() {
    int n; cin >> n;
    vector<ll> tails;
    for (int i = 0; i < n; i++) {
        ll x; cin >> x;
        auto it = lower_bound(tails.begin(), tails.end(), x);
        if (it == tails.end()) tails.push_back(x); else *it = x;
    }
    cout << tails.size() << "\\n";
}
"""

_COINS = """
int main() {
    int n, s; cin >> n >> s;
    vector<int> c(n);
    for (int i = 0; i < n; i++) cin >> c[i];
    const int INF = 1e9;
    vector<int> best(s + 1, INF);
    best[0] = 0;
    for (int i = 0; i < n; i++)
        for (int v = c[i]; v <= s; v++)
            if (best[v - c[i]] + 1 < best[v]) best[v] = best[v - c[i]] + 1;
    cout << (best[s] >= INF ? -1 : best[s]) << "\\n";
}
"""

_PREFIX = """
int main() {
    int n, q; cin >> n >> q;
    vector<ll> p(n + 1, 0);
    for (int i = 1; i <= n; i++) { cin >> p[i]; p[i] += p[i - 1]; }
    for (int i = 0; i < q; i++) {
        int l, r; cin >> l >> r;
        cout << p[r] - p[l - 1] << "\\n";
    }
}
"""

PROBLEMS = [
    problem(
        "sum and maximum",
        _SUM,
        ["5\n3 1 4 1 5\n", "3\n-2 7 7\n", "1\n9\n", "6\n10 20 -5 20 3 8\n"],
        [
            """
int main() {
    int n; scanf("%d", &n);
    map<ll, int> seen; ll sum = 0, x;
    while (n--) { scanf("%lld", &x); sum += x; seen[x]++; }
    printf("%lld %lld %d\\n", sum, seen.rbegin()->first, seen.rbegin()->second);
}
""",
            """
int main() {
    ios::sync_with_stdio(false); cin.tie(nullptr);
    int n; cin >> n;
    vector<ll> a(n);
    for (auto &x : a) cin >> x;
    ll best = *max_element(a.begin(), a.end());
    cout << accumulate(a.begin(), a.end(), 0LL) << ' ' << best << ' '
         << count(a.begin(), a.end(), best) << endl;
}
""",
        ],
        [
            ("overflow", "ll sum = 0, best", "int sum = 0; ll best"),
            ("overflow", "vector<ll> a(n)", "vector<short> a(n)"),
            ("overflow", "sum += a[i]", "sum = (int)(sum + a[i])"),
            ("boundary", "sum += a[i];", "if (i < 64) sum += a[i];"),
            ("boundary", "if (a[i] == best) count++", "if (a[i] == best && count < 2) count++"),
            ("negative", "best = LLONG_MIN", "best = 0"),
            ("negative", "best = LLONG_MIN", "best = -1000"),
            ("negative", "sum += a[i];", "sum += a[i] < -100 ? -100 : a[i];"),
            ("large", "vector<ll> a(n);", "n = min(n, 20); vector<ll> a(n);"),
            ("large", "vector<ll> a(n);", "static ll a[100]; n = min(n, 100);"),
            ("duplicates", "count++;", "count = min(count + 1, 2LL);"),
            (
                "ties",
                "if (a[i] == best) count++;",
                "if (a[i] == best && (i == 0 || count == 0 || i - count < 4)) count++;",
            ),
            ("early end", "sum += a[i];", "if (a[i] == 0) break; sum += a[i];"),
        ],
    ),
    problem(
        "largest subarray",
        _SUBARRAY,
        ["2\n5\n1 -2 3 4 -1\n3\n-5 2 1\n", "1\n4\n4 -1 2 1\n", "3\n1\n6\n2\n3 -4\n4\n2 2 -9 5\n"],
        [
            """
int main() {
    int t; scanf("%d", &t);
    for (; t > 0; t--) {
        int n; scanf("%d", &n);
        vector<ll> p(n + 1, 0);
        for (int i = 0; i < n; i++) { scanf("%lld", &p[i + 1]); p[i + 1] += p[i]; }
        ll low = 0, best = LLONG_MIN;
        for (int i = 1; i <= n; i++) { best = max(best, p[i] - low); low = min(low, p[i]); }
        printf("%lld\\n", best);
    }
}
""",
            """
int main() {
    cin.tie(nullptr)->sync_with_stdio(false);
    int t; cin >> t;
    string out;
    while (t-- > 0) {
        int n; cin >> n;
        ll best = numeric_limits<ll>::min(), run = 0, x;
        while (n-- > 0) {
            cin >> x;
            run = run > 0 ? run + x : x;
            if (run > best) best = run;
        }
        out += to_string(best) + "\\n";
    }
    cout << out;
}
""",
        ],
        [
            (
                "overflow",
                "ll best = LLONG_MIN, run = 0",
                "int best = INT_MIN, run = 0",
                "max(run, 0LL) + x",
                "max(run, 0) + (int)x",
            ),
            (
                "overflow",
                "ll best = LLONG_MIN, run = 0",
                "ll best = LLONG_MIN; int run = 0",
                "max(run, 0LL)",
                "max(run, 0)",
                "max(best, run)",
                "max(best, (ll)run)",
            ),
            ("negative", "best = LLONG_MIN", "best = 0"),
            ("negative", "best = LLONG_MIN", "best = -1"),
            ("negative", "best = max(best, run);", "if (run > 0) best = max(best, run);"),
            ("boundary", "i < n; i++) {", "i < n && i < 16; i++) {"),
            ("early end", "best = max(best, run);", "best = max(best, run); if (x == 0) break;"),
            ("early end", "cout << best", "if (best == 0) break; cout << best"),
            ("large", "int t; cin >> t;", "int t; cin >> t; t = min(t, 10);"),
            (
                "aliasing",
                "ll best = LLONG_MIN, run = 0;",
                "static ll run = 0; ll best = LLONG_MIN; if (n > 4) run = 0;",
            ),
            (
                "order",
                "run = max(run, 0LL) + x;\n            best = max(best, run);",
                "best = max(best, max(run, 0LL) + x); run = run < -20 ? 0 : max(run, 0LL) + x;"
                " if (n == 2) run = x;",
            ),
            ("empty", "cout << best", "if (n == 1 && best < 0) best = 0; cout << best"),
        ],
    ),
    problem(
        "smaller and larger",
        _COUNT_LESS,
        ["5 2\n1 3 5 7 9\n5\n6\n", "4 3\n8 2 6 4\n1\n8\n9\n", "6 2\n10 20 30 40 50 60\n35\n60\n"],
        [
            """
int main() {
    int n, q; scanf("%d %d", &n, &q);
    vector<ll> a(n);
    for (auto &x : a) scanf("%lld", &x);
    while (q--) {
        ll x; scanf("%lld", &x);
        int less = 0, more = 0;
        for (ll y : a) { less += y < x; more += y > x; }
        printf("%d %d\\n", less, more);
    }
}
""",
            """
int main() {
    int n, q; cin >> n >> q;
    map<ll, int> a;
    for (int i = 0; i < n; i++) { ll x; cin >> x; a[x]++; }
    map<ll, int> before; int sum = 0;
    for (auto [x, c] : a) { before[x] = sum; sum += c; }
    while (q--) {
        ll x; cin >> x;
        auto low = before.lower_bound(x), up = before.upper_bound(x);
        cout << (low == before.end() ? n : low->second) << ' '
             << (up == before.end() ? 0 : n - up->second) << '\\n';
    }
}
""",
        ],
        [
            ("overflow", "vector<ll> a(n)", "vector<short> a(n)"),
            ("overflow", "ll x; cin >> x;", "short x; cin >> x;"),
            (
                "duplicates",
                "sort(a.begin(), a.end());",
                "sort(a.begin(), a.end()); a.erase(unique(a.begin(), a.end()), a.end());"
                " n = a.size();",
            ),
            (
                "duplicates",
                "int most = upper_bound(a.begin(), a.end(), x) - a.begin();",
                "int most = less + (less < n && a[less] == x);",
            ),
            (
                "ties",
                "int less = lower_bound(a.begin(), a.end(), x) - a.begin();",
                "int less = upper_bound(a.begin(), a.end(), x - 1) - a.begin();"
                " while (less > 1 && a[less - 1] == a[less - 2]) less--;",
            ),
            (
                "order",
                "sort(a.begin(), a.end());",
                "if (a[0] > a[n - 1]) sort(a.begin(), a.end());",
            ),
            (
                "order",
                "sort(a.begin(), a.end());",
                "for (int i = 0; i + 1 < n; i++) for (int j = 0; j < 3 && j + 1 < n; j++)"
                " if (a[j] > a[j + 1]) swap(a[j], a[j + 1]);",
            ),
            ("boundary", "sort(a.begin(), a.end());", "sort(a.begin(), a.begin() + min(n, 8));"),
            ("negative", "vector<ll> a(n);", "vector<unsigned> a(n);"),
            ("large", "int n, q; cin >> n >> q;", "int n, q; cin >> n >> q; q = min(q, 10);"),
            ("early end", "ll x; cin >> x;", "ll x; cin >> x; if (x < a[0] - 1) break;"),
            ("boundary", "cout << less", "if (less == n && n > 5) less--; cout << less"),
        ],
    ),
    problem(
        "longest increasing subsequence",
        _LIS,
        ["6\n5 1 4 2 3 6\n", "5\n1 2 3 4 5\n", "4\n9 7 5 3\n", "8\n3 10 2 11 1 12 20 15\n"],
        [
            """
int main() {
    int n; scanf("%d", &n);
    vector<int> a(n), l(n, 1);
    int best = 0;
    for (int i = 0; i < n; i++) {
        scanf("%d", &a[i]);
        for (int j = 0; j < i; j++) if (a[j] < a[i]) l[i] = max(l[i], l[j] + 1);
        best = max(best, l[i]);
    }
    printf("%d\\n", best);
}
""",
            """
int main() {
    int n; cin >> n;
    set<ll> tails;
    while (n--) {
        ll x; cin >> x;
        auto it = tails.lower_bound(x);
        if (it != tails.end()) tails.erase(it);
        tails.insert(x);
    }
    cout << tails.size() << endl;
}
""",
        ],
        [
            ("duplicates", "lower_bound", "upper_bound"),
            ("duplicates", "auto it = ", "if (!tails.empty() && x == tails[0]) x++;\n auto it = "),
            ("large", "int n; cin >> n;", "int n; cin >> n; n = min(n, 16);"),
            ("large", "cout << tails.size()", "cout << min<size_t>(tails.size(), 10)"),
            ("overflow", "ll x; cin >> x;", "short x; cin >> x;"),
            ("overflow", "vector<ll> tails", "vector<signed char> tails"),
            (
                "boundary",
                "if (it == tails.end()) tails.push_back(x);",
                "if (it == tails.end()) { if (tails.size() < 6) tails.push_back(x); }",
            ),
            (
                "order",
                "auto it = lower_bound(tails.begin(), tails.end(), x);",
                "auto it = tails.begin(); while (it != tails.end() && *it < x) it += min<int>(2,"
                " tails.end() - it);",
            ),
            ("ties", "*it = x;", "if (x < *it - 1 || it == tails.begin()) *it = x;"),
            ("early end", "ll x; cin >> x;", "ll x; cin >> x; if (x == 0) break;"),
            ("negative", "ll x; cin >> x;", "ll x; cin >> x; x = abs(x - 1);"),
            (
                "aliasing",
                "*it = x;",
                "*it = x, tails[max<int>(0, (int)tails.size() - 5)] = "
                "min(x, tails[max<int>(0, (int)tails.size() - 5)]);",
            ),
        ],
    ),
    problem(
        "fewest coins",
        _COINS,
        ["3 11\n1 2 5\n", "1 3\n2\n", "4 27\n2 7 10 5\n", "2 0\n3 4\n"],
        [
            """
int main() {
    int n, s; scanf("%d %d", &n, &s);
    vector<int> c(n);
    for (auto &x : c) scanf("%d", &x);
    vector<int> level(s + 1, -1);
    queue<int> q; q.push(0); level[0] = 0;
    while (!q.empty()) {
        int v = q.front(); q.pop();
        for (int x : c) if (v + x <= s && level[v + x] < 0) {
            level[v + x] = level[v] + 1; q.push(v + x);
        }
    }
    printf("%d\\n", level[s]);
}
""",
            """
int main() {
    int n, s; cin >> n >> s;
    set<int> c;
    for (int i = 0; i < n; i++) { int x; cin >> x; c.insert(x); }
    vector<ll> best(s + 1, 1e15); best[0] = 0;
    for (int v = 1; v <= s; v++)
        for (int x : c) { if (x > v) break; best[v] = min(best[v], best[v - x] + 1); }
    cout << (best[s] < 1000000000 ? best[s] : -1) << endl;
}
""",
        ],
        [
            (
                "boundary",
                "v <= s",
                "v < s",
                "cout << (best[s]",
                "best[s] = INF; for (int x : c) if "
                "(x <= s) best[s] = min(best[s], best[s - x] + 1); if (s == 0) best[s] = 0; "
                "if (s > 40) best[s] = best[s - 1] + 1; cout << (best[s]",
            ),
            (
                "order",
                "cout << (best",
                "ll greedy = 0, rest = s; sort(c.rbegin(), c.rend());"
                " for (ll x : c) { greedy += rest / x; rest %= x; }"
                " if (!rest) best[s] = greedy; cout << (best",
            ),
            (
                "large",
                "vector<int> best(s + 1, INF);",
                "if (s > 50) s = 50; vector<int> best(s + 1, INF);",
            ),
            (
                "large",
                "for (int i = 0; i < n; i++)\n        for",
                "for (int i = 0; i < min(n, 4); i++)\n        for",
            ),
            ("boundary", "const int INF = 1e9;", "const int INF = 12;"),
            (
                "overflow",
                "vector<int> best(s + 1, INF);",
                "vector<signed char> best(s + 1, 100);",
                "best[s] >= INF ? -1 : best[s]",
                "best[s] >= 100 ? -1 : (int)best[s]",
            ),
            ("empty", "best[0] = 0;", "best[0] = 0; if (s == 1) { cout << 1 << endl; return 0; }"),
            (
                "early end",
                "if (best[v - c[i]] + 1 < best[v])",
                "if (best[v - c[i]] + 1 < best[v] && best[v] >= INF)",
            ),
            (
                "duplicates",
                "for (int v = c[i];",
                "for (int v = i > 3 && c[i] <= c[i - 1] ? s + 1 : c[i];",
            ),
            (
                "order",
                "for (int v = c[i]; v <= s; v++)",
                "for (int v = i && c[i] < c[i - 1] && i + 1 < n ? s + 1 : c[i]; v <= s; v++)",
            ),
        ],
    ),
    problem(
        "range sums",
        _PREFIX,
        [
            "5 2\n1 2 3 4 5\n1 3\n2 5\n",
            "3 3\n-4 6 1\n1 1\n1 3\n2 3\n",
            "6 4\n5 5 5 5 5 5\n1 6\n3 4\n1 2\n5 6\n",
        ],
        [
            """
int main() {
    int n, q; scanf("%d %d", &n, &q);
    vector<ll> a(n);
    for (auto &x : a) scanf("%lld", &x);
    while (q--) {
        int l, r; scanf("%d %d", &l, &r);
        printf("%lld\\n", accumulate(a.begin() + l - 1, a.begin() + r, 0LL));
    }
}
""",
            """
int main() {
    int n, q; cin >> n >> q;
    vector<ll> tree(n + 1, 0);
    for (int i = 1; i <= n; i++) {
        ll x; cin >> x;
        for (int j = i; j <= n; j += j & -j) tree[j] += x;
    }
    auto sum = [&](int i) { ll s = 0; for (; i > 0; i -= i & -i) s += tree[i]; return s; };
    while (q--) { int l, r; cin >> l >> r; cout << sum(r) - sum(l - 1) << '\\n'; }
}
""",
        ],
        [
            ("overflow", "vector<ll> p", "vector<int> p"),
            ("overflow", "cout << p[r] - p[l - 1]", "cout << (int)(p[r] - p[l - 1])"),
            (
                "overflow",
                "vector<ll> p",
                "vector<float> p",
                "cout << p[r] - p[l - 1]",
                "cout << (ll)(p[r] - p[l - 1])",
            ),
            ("boundary", "p[r] - p[l - 1]", "p[r] - (l > 5 && l == r ? p[l] : p[l - 1])"),
            ("boundary", "cout << p[r]", "if (l == n && n > 1) l--; cout << p[r]"),
            (
                "large",
                "vector<ll> p(n + 1, 0);",
                "static ll p[64]; n = min(n, 63);",
                "cin >> l >> r;",
                "cin >> l >> r; r = min(r, n);",
            ),
            ("large", "for (int i = 0; i < q; i++)", "for (int i = 0; i < min(q, 8); i++)"),
            ("negative", "cout << p[r] - p[l - 1]", "cout << max(p[r] - p[l - 1], -10LL)"),
            (
                "duplicates",
                "int l, r; cin >> l >> r;",
                "int l, r; cin >> l >> r; static int ll_ = 0;"
                " if (l == ll_) { l++; r = max(r, l); r = min(r, n); l = min(l, n); } ll_ = n > 6 ? l : 0;",
            ),
            ("early end", "cout << p[r]", "if (p[r] == 0 && i) break; cout << p[r]"),
            ("empty", "p[i] += p[i - 1]; }", "p[i] += p[i - 1]; } if (n == 1) p[1] = abs(p[1]);"),
            ("order", "cin >> l >> r;", "cin >> l >> r; if (l > n / 2 + 2) swap(l, r);"),
        ],
    ),
]
