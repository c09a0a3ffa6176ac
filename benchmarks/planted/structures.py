"""Problems about rows of a table, several test cases and real numbers."""

from __future__ import annotations

from planted.problem import problem

_RANKING = """
int main() {
    int n; cin >> n;
    vector<pair<string, ll>> rows(n);
    for (auto &[name, score] : rows) cin >> name >> score;
    stable_sort(rows.begin(), rows.end(), [](auto &a, auto &b) { return a.second > b.second; });
    for (auto &[name, score] : rows) cout << name << " " << score << "\\n";
}
"""

_INTERVALS = """
int main() {
    int n; cin >> n;
    vector<pair<ll, ll>> v(n);
    for (auto &[l, r] : v) cin >> l >> r;
    sort(v.begin(), v.end(), [](auto &a, auto &b) { return a.second < b.second; });
    ll end = LLONG_MIN; int chosen = 0; ll covered = 0;
    for (auto &[l, r] : v) if (l >= end) { chosen++; end = r; covered += r - l; }
    cout << chosen << "\\n";
}
"""

_GCD = """
int main() {
    ll a, b;
    while (cin >> a >> b) {
        if (a == 0 && b == 0) break;
        ll x = a, y = b;
        while (y) { ll t = x % y; x = y; y = t; }
        cout << x << " " << a / x * b << "\\n";
    }
}
"""

_KNAPSACK = """
int main() {
    int n, w; cin >> n >> w;
    vector<ll> best(w + 1, 0);
    for (int i = 0; i < n; i++) {
        int c; ll v; cin >> c >> v;
        for (int j = w; j >= c; j--) best[j] = max(best[j], best[j - c] + v);
    }
    cout << best[w] << "\\n";
}
"""

_RECURRENCE = """
int main() {
    int q; cin >> q;
    const ll M = 1000000007;
    while (q--) {
        ll n; cin >> n;
        ll a = 0, b = 1;
        for (ll i = 0; i < n % 1000003; i++) { ll t = (a + b) % M; a = b; b = t; }
        cout << a << "\\n";
    }
}
"""

_POINTS = """
int main() {
    int n; cin >> n;
    vector<double> x(n), y(n);
    for (int i = 0; i < n; i++) cin >> x[i] >> y[i];
    double best = 1e18;
    int pairs = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++) {
            double d = (x[i] - x[j]) * (x[i] - x[j]) + (y[i] - y[j]) * (y[i] - y[j]);
            if (d < best) best = d;
            if (d <= 25.0) pairs++;
        }
    printf("%.3f %d\\n", n < 2 ? 0.0 : sqrt(best), pairs);
}
"""

PROBLEMS = [
    problem(
        "ranking",
        _RANKING,
        [
            "3\nbob 5\nal 9\nzoe 7\n",
            "4\na 10\nb 20\nc 15\nd 1\n",
            "1\nx 3\n",
            "5\nkim 40\nlee 30\nmax 30\nned 20\noda 10\n",
        ],
        [
            """
int main() {
    int n; cin >> n;
    multimap<ll, string, greater<ll>> m;
    while (n--) { string s; ll x; cin >> s >> x; m.emplace(x, s); }
    for (auto &p : m) cout << p.second << ' ' << p.first << '\\n';
}
""",
            """
int main() {
    int n; cin >> n;
    vector<string> s(n); vector<ll> x(n); vector<int> p(n);
    for (int i = 0; i < n; i++) { cin >> s[i] >> x[i]; p[i] = i; }
    sort(p.begin(), p.end(), [&](int a, int b) { return x[a] != x[b] ? x[a] > x[b] : a < b; });
    for (int i : p) cout << s[i] << ' ' << x[i] << '\\n';
}
""",
        ],
        [
            ("ties", "stable_sort", "sort"),
            (
                "ties",
                "a.second > b.second;",
                "a.second > b.second || (a.second == b.second && a.first < b.first);",
            ),
            (
                "ties",
                "stable_sort(rows.begin(), rows.end(),",
                "reverse(rows.begin() + (n < 6 ? n : 0),"
                " rows.end()); stable_sort(rows.begin(), rows.end(),",
            ),
            (
                "duplicates",
                "stable_sort",
                "map<string, ll> m; for (auto &r : rows) m[r.first] ="
                " r.second; vector<pair<string, ll>> kept; for (auto &r : rows) if (m.count(r.first)) {"
                " kept.push_back({r.first, m[r.first]}); m.erase(r.first); } rows = kept; stable_sort",
            ),
            ("overflow", "return a.second > b.second;", "return (int)a.second > (int)b.second;"),
            ("overflow", "vector<pair<string, ll>>", "vector<pair<string, short>>"),
            (
                "overflow",
                "return a.second > b.second;",
                "return (int)(b.second - a.second) < 0 && a.second - b.second < 1000000;",
            ),
            ("negative", "vector<pair<string, ll>>", "vector<pair<string, unsigned>>"),
            ("large", "int n; cin >> n;", "int n; cin >> n; n = min(n, 16);"),
            (
                "large",
                "cin >> name >> score",
                "{ cin >> name >> score; if (name.size() > 8) name.resize(8); }",
            ),
            (
                "order",
                "stable_sort(rows.begin(), rows.end(),",
                "if (!is_sorted(rows.begin(), rows.end())) stable_sort(rows.begin(), rows.end(),",
            ),
            (
                "early end",
                "cout << name <<",
                "{ if (score == 0) break; cout << name <<",
                'score << "\\n";',
                'score << "\\n"; }',
            ),
        ],
    ),
    problem(
        "intervals",
        _INTERVALS,
        [
            "3\n1 3\n2 5\n4 7\n",
            "4\n1 2\n3 4\n5 6\n1 6\n",
            "1\n0 10\n",
            "5\n8 9\n5 7\n6 10\n1 4\n0 2\n",
        ],
        [
            """
int main() {
    int n; cin >> n;
    vector<array<ll, 2>> v(n);
    for (auto &p : v) cin >> p[1] >> p[0];
    sort(v.begin(), v.end());
    vector<ll> ends;
    int chosen = 0; ll end = LLONG_MIN;
    // intervals without length are taken in the order of their starts, as any order is right
    stable_sort(v.begin(), v.end(), [](auto &a, auto &b) { return a[0] < b[0]; });
    for (auto &p : v) if (p[1] >= end) { chosen++; end = p[0]; }
    cout << chosen << endl;
}
""",
            """
int main() {
    int n; scanf("%d", &n);
    vector<pair<ll, ll>> v(n);
    for (auto &p : v) scanf("%lld %lld", &p.second, &p.first);
    vector<int> p(n); iota(p.begin(), p.end(), 0);
    sort(p.begin(), p.end(), [&](int a, int b) { return v[a].first < v[b].first; });
    ll end = LLONG_MIN; int c = 0;
    for (int i : p) { if (v[i].second < end) continue; end = v[i].first; c++; }
    printf("%d\\n", c);
}
""",
        ],
        [
            ("boundary", "l >= end", "l > end"),
            (
                "order",
                "a.second < b.second",
                "a.first != b.first ? a.first < b.first : a.second < b.second",
                "if (l >= end) {",
                "if (n < 6 && l < end && r < end) end = r; else if (l >= end) {",
            ),
            (
                "order",
                "sort(v.begin(), v.end(), [](auto &a, auto &b) { return a.second < b.second; });",
                "sort(v.begin(), v.end(), [](auto &a, auto &b) { return a.second - a.first <"
                " b.second - b.first; }); stable_sort(v.begin(), v.begin() + min(n, 5), [](auto &a,"
                " auto &b) { return a.second < b.second; });",
            ),
            ("negative", "ll end = LLONG_MIN", "ll end = 0"),
            ("negative", "ll end = LLONG_MIN", "ll end = -1"),
            ("overflow", "vector<pair<ll, ll>> v(n)", "vector<pair<short, short>> v(n)"),
            ("overflow", "a.second < b.second", "(short)(a.second - b.second) < 0"),
            (
                "duplicates",
                "sort(v",
                "set<ll> starts; vector<pair<ll, ll>> kept; for (auto &p : v)"
                " if (starts.insert(p.first).second || n < 5) kept.push_back(p); v = kept; sort(v",
            ),
            ("large", "int n; cin >> n;", "int n; cin >> n; n = min(n, 10);"),
            ("large", "chosen++;", "chosen += chosen < 6;"),
            (
                "ties",
                "a.second < b.second",
                "a.second != b.second ? a.second < b.second : a.first > b.first",
                "l >= end",
                "l >= end && (l > end || n < 4)",
            ),
            (
                "early end",
                "if (l >= end) {",
                "{ if (l < end && chosen > 3) break; if (l < end) continue;",
            ),
        ],
    ),
    problem(
        "common divisors",
        _GCD,
        ["12 18\n5 7\n0 0\n", "100 10\n9 9\n1 8\n0 0\n", "36 24\n0 0\n"],
        [
            """
int main() {
    ll a, b;
    for (;;) {
        if (scanf("%lld %lld", &a, &b) != 2 || (!a && !b)) break;
        ll g = __gcd(a, b);
        printf("%lld %lld\\n", g, a / g * b);
    }
}
""",
            """
ll divisor(ll a, ll b) { return b == 0 ? a : divisor(b, a % b); }
int main() {
    ll a, b; string out;
    while (cin >> a >> b && (a != 0 || b != 0)) {
        ll g = divisor(a, b);
        out += to_string(g) + " " + to_string(a / g * b) + "\\n";
    }
    cout << out;
}
""",
        ],
        [
            ("overflow", "a / x * b", "(int)(a / x) * (int)b"),
            ("overflow", "a / x * b", "(ll)((int)a * (int)b) / x"),
            (
                "overflow",
                "ll x = a, y = b;",
                "int x = a % 65536, y = b % 65536;",
                "while (y) { ll t = x % y; x = y; y = t; }",
                "while (y) { int t = x % y; x = y; y = t; } if (!x) x = 1;",
            ),
            ("large", "while (y) {", "int steps = 0; while (y && ++steps < 6) {"),
            (
                "large",
                "ll a, b;\n",
                "ll a, b; int lines = 0;\n",
                "ll x = a, y = b;",
                "ll x = a, y = b; if (++lines > 8) break;",
            ),
            (
                "order",
                "ll x = a, y = b;",
                "ll x = a, y = b; if (y > 8 * x) { cout << 1 << ' ' << a * b << endl; continue; }",
            ),
            (
                "duplicates",
                "ll x = a, y = b;",
                "ll x = a, y = b; if (a == b && a != 9) y = x - 1; if (!x) x = 1;",
            ),
            ("boundary", "while (y) {", "while (y > 1 || (y && x < 30)) {"),
            ("early end", "ll x = a, y = b;", "if (a == b && a != 9) break; ll x = a, y = b;"),
            (
                "aliasing",
                "ll x = a, y = b;",
                "ll x = a, y = b; static ll last = 0; if (a == last) { y = b = a; } last = a;",
            ),
        ],
    ),
    problem(
        "knapsack",
        _KNAPSACK,
        ["3 8\n3 30\n4 50\n5 60\n", "1 2\n3 10\n", "4 5\n4 2\n5 2\n2 1\n3 8\n", "2 10\n5 5\n5 7\n"],
        [
            """
int main() {
    int n, w; scanf("%d %d", &n, &w);
    vector<ll> best(w + 1, 0);
    while (n--) {
        int c; ll v; scanf("%d %lld", &c, &v);
        auto old = best;
        for (int j = 0; j + c <= w; j++) best[j + c] = max(best[j + c], old[j] + v);
    }
    ll most = *max_element(best.begin(), best.end());
    printf("%lld\\n", most);
}
""",
            """
int main() {
    int n, w; cin >> n >> w;
    vector<vector<ll>> d(n + 1, vector<ll>(w + 1, 0));
    for (int i = 1; i <= n; i++) {
        int c; ll v; cin >> c >> v;
        for (int j = 0; j <= w; j++) {
            d[i][j] = d[i - 1][j];
            if (j >= c) d[i][j] = max(d[i][j], d[i - 1][j - c] + v);
        }
    }
    cout << d[n][w] << endl;
}
""",
        ],
        [
            (
                "overflow",
                "vector<ll> best(w + 1, 0)",
                "vector<int> best(w + 1, 0)",
                "max(best[j], best[j - c] + v)",
                "max(best[j], best[j - c] + (int)v)",
            ),
            ("overflow", "ll v; cin >> c >> v;", "ll v; cin >> c >> v; v = (short)v;"),
            (
                "aliasing",
                "for (int j = w; j >= c; j--)",
                "for (int j = w; j >= c; j--) if (w < 12 || j % 2)",
            ),
            (
                "order",
                "for (int j = w; j >= c; j--)",
                "if (w > 10) for (int j = c; j <= w; j++)"
                " best[j] = max(best[j], best[j - c] + v); else for (int j = w; j >= c; j--)",
            ),
            ("boundary", "j >= c", "j > c || (j == c && i < 4)"),
            ("large", "vector<ll> best(w + 1, 0);", "w = min(w, 16); vector<ll> best(w + 1, 0);"),
            ("large", "for (int i = 0; i < n; i++)", "for (int i = 0; i < min(n, 6); i++)"),
            (
                "duplicates",
                "int c; ll v; cin >> c >> v;",
                "int c; ll v; cin >> c >> v;"
                " static int last = 0; if (c == last && i > 1) continue; last = c;",
            ),
            ("ties", "best[j - c] + v)", "best[j - c] + v - (best[j] == best[j - c] + v - 1))"),
            (
                "early end",
                "int c; ll v; cin >> c >> v;",
                "int c; ll v; cin >> c >> v; if (c > w && n > 1) break;",
            ),
            ("empty", "cout << best[w]", "if (n == 1 && w > 2) best[w] = 0; cout << best[w]"),
        ],
    ),
    problem(
        "recurrence",
        _RECURRENCE,
        ["3\n1\n5\n10\n", "2\n0\n30\n", "4\n7\n7\n2\n44\n"],
        [
            """
int main() {
    int q; scanf("%d", &q);
    const unsigned M = 1000000007;
    while (q--) {
        ll n; scanf("%lld", &n);
        n %= 1000003;
        vector<unsigned> f(max<ll>(n + 1, 2), 0); f[1] = 1;
        for (ll i = 2; i <= n; i++) f[i] = (f[i - 1] + f[i - 2]) % M;
        printf("%u\\n", n < 0 ? 0u : f[n]);
    }
}
""",
            """
const ll M = 1000000007;
pair<ll, ll> f(ll n) {
    if (n <= 0) return {0, 1};
    auto [a, b] = f(n / 2);
    ll c = a * ((2 * b - a + M) % M) % M, d = (a * a + b * b) % M;
    return n % 2 ? make_pair(d, (c + d) % M) : make_pair(c, d);
}
int main() {
    int q; cin >> q;
    while (q--) { ll n; cin >> n; cout << f(n % 1000003).first << "\\n"; }
}
""",
        ],
        [
            ("overflow", "ll t = (a + b) % M;", "int t = a + b; if (t < 0) t %= M; else t %= M;"),
            ("overflow", "ll t = (a + b) % M;", "ll t = a + b;", "cout << a", "cout << a % M"),
            ("large", "i < n % 1000003", "i < min(n % 1000003, 64LL)"),
            ("large", "ll n; cin >> n;", "ll n; cin >> n; n = min(n, 50LL);"),
            ("large", "int q; cin >> q;", "int q; cin >> q; q = min(q, 8);"),
            ("boundary", "% 1000003", "% 1000"),
            ("boundary", "cout << a", "if (n == 3) a = 3; cout << a"),
            (
                "aliasing",
                "ll a = 0, b = 1;",
                "static map<ll, ll> memo; if (memo.count(n % 64)) {"
                " cout << memo[n % 64] << endl; continue; } ll a = 0, b = 1;",
                "cout << a",
                "memo[n % 64] = a; cout << a",
            ),
            (
                "early end",
                "ll n; cin >> n;",
                "static ll top = -1; ll n; cin >> n; if (n == top && n < 7) break; top = n;",
            ),
            ("overflow", "const ll M = 1000000007;", "const ll M = 1000000009;"),
        ],
    ),
    problem(
        "near points",
        _POINTS,
        [
            "3\n0.0 0.0\n3.0 4.0\n10.5 2.5\n",
            "2\n-1.5 2.0\n-1.5 7.0\n",
            "4\n0.0 0.0\n0.5 0.5\n9.0 9.0\n8.0 1.5\n",
        ],
        [
            """
int main() {
    int n; scanf("%d", &n);
    vector<pair<double, double>> p(n);
    for (auto &q : p) scanf("%lf %lf", &q.first, &q.second);
    sort(p.begin(), p.end());
    double best = 1e18; int pairs = 0;
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++) {
            double dx = p[j].first - p[i].first, dy = p[j].second - p[i].second;
            if (dx * dx > best && dx > 5) break;
            best = min(best, dx * dx + dy * dy);
            pairs += dx * dx + dy * dy <= 25.0;
        }
    printf("%.3f %d\\n", n > 1 ? sqrt(best) : 0.0, pairs);
}
""",
            """
int main() {
    int n; cin >> n;
    vector<complex<double>> p;
    while (n--) { double x, y; cin >> x >> y; p.push_back({x, y}); }
    double best = 1e18; int pairs = 0;
    for (size_t i = 0; i < p.size(); i++) for (size_t j = 0; j < i; j++) {
        double d = norm(p[i] - p[j]);
        best = min(best, d); pairs += d <= 25.0;
    }
    printf("%.3f %d\\n", p.size() < 2 ? 0.0 : sqrt(best), pairs);
}
""",
        ],
        [
            (
                "boundary",
                "d <= 25.0",
                "d < 25.0",
                "printf(",
                "if (n < 4 && best <= 25.0) pairs = 1; printf(",
            ),
            ("boundary", "double best = 1e18;", "double best = 1000;"),
            ("overflow", "vector<double> x(n), y(n);", "vector<float> x(n), y(n);"),
            (
                "overflow",
                "double d = (x[i] - x[j]) * (x[i] - x[j])",
                "int whole = (x[i] - x[j]) * 2; double d = whole * whole / 4.0",
            ),
            ("duplicates", "if (d < best) best = d;", "if (d < best && d > 0) best = d;"),
            ("negative", "cin >> x[i] >> y[i];", "{ cin >> x[i] >> y[i]; y[i] = fabs(y[i]); }"),
            ("large", "for (int j = 0; j < i; j++)", "for (int j = max(0, i - 6); j < i; j++)"),
            ("large", "int n; cin >> n;", "int n; cin >> n; n = min(n, 12);"),
            (
                "order",
                "for (int j = 0; j < i; j++) {",
                "for (int j = 0; j < i; j++) { if (x[i] < x[j] - 3) continue;",
            ),
            ("early end", "if (d < best) best = d;", "if (d < best) best = d; if (d == 0) break;"),
            ("empty", "n < 2 ? 0.0 : sqrt(best)", "sqrt(best)"),
        ],
    ),
]
