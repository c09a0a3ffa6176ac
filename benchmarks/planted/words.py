"""Problems about words, commands and grids of characters."""

from __future__ import annotations

from planted.problem import problem

_RUNS = """
int main() {
    string s; cin >> s;
    int n = s.size();
    for (int i = 0; i < n; ) {
        int j = i;
        while (j < n && s[j] == s[i]) j++;
        cout << s[i] << j - i;
        i = j;
    }
    cout << "\\n";
}
"""

_PALINDROME = """
int main() {
    int n; string s; cin >> n >> s;
    int best = 0, start = 0;
    for (int c = 0; c < 2 * n; c++) {
        int l = c / 2, r = c / 2 + c % 2;
        while (l >= 0 && r < n && s[l] == s[r]) { l--; r++; }
        if (r - l - 1 > best) { best = r - l - 1; start = l + 1; }
    }
    cout << best << " " << s.substr(start, best) << "\\n";
}
"""

_FREQUENT = """
int main() {
    int n; cin >> n;
    map<string, int> count;
    for (int i = 0; i < n; i++) { string w; cin >> w; count[w]++; }
    string best; int most = 0;
    for (auto &[w, c] : count) if (c > most) { most = c; best = w; }
    cout << best << " " << most << " " << count.size() << "\\n";
}
"""

_COMMANDS = """
int main() {
    int q; cin >> q;
    deque<ll> d;
    ll sum = 0;
    for (int i = 0; i < q; i++) {
        string c; cin >> c;
        if (c == "push") { ll x; cin >> x; d.push_back(x); sum += x; }
        else if (c == "front") { ll x; cin >> x; d.push_front(x); sum += x; }
        else if (c == "pop") {
            if (d.empty()) cout << "empty\\n";
            else { cout << d.front() << "\\n"; sum -= d.front(); d.pop_front(); }
        } else cout << sum << "\\n";
    }
}
"""

_GRID = """
int main() {
    int h, w; cin >> h >> w;
    vector<string> g(h);
    for (auto &r : g) cin >> r;
    vector<vector<int>> d(h, vector<int>(w, -1));
    queue<pair<int, int>> q;
    if (g[0][0] == '.') { q.push({0, 0}); d[0][0] = 0; }
    int far = 0, reached = 0;
    while (!q.empty()) {
        auto [y, x] = q.front(); q.pop();
        reached++;
        far = max(far, d[y][x]);
        const int dy[] = {0, 1, 0, -1}, dx[] = {1, 0, -1, 0};
        for (int k = 0; k < 4; k++) {
            int a = y + dy[k], b = x + dx[k];
            if (a < 0 || b < 0 || a >= h || b >= w || g[a][b] != '.' || d[a][b] >= 0) continue;
            d[a][b] = d[y][x] + 1;
            q.push({a, b});
        }
    }
    cout << d[h - 1][w - 1] << " " << far << " " << reached << "\\n";
}
"""

PROBLEMS = [
    problem(
        "run lengths",
        _RUNS,
        ["aaabbc\n", "abc\n", "zzzz\n", "aabbaa\n"],
        [
            """
int main() {
    char s[200000]; if (scanf("%199999s", s) != 1) { puts(""); return 0; }
    int run = 1;
    for (int i = 0; s[i]; i++, run++)
        if (s[i] != s[i + 1]) { printf("%c%d", s[i], run); run = 0; }
    puts("");
}
""",
            """
int main() {
    string s, out; getline(cin, s);
    while (!s.empty() && isspace((unsigned char)s.back())) s.pop_back();
    vector<pair<char, int>> runs;
    for (char c : s) {
        if (runs.empty() || runs.back().first != c) runs.push_back({c, 0});
        runs.back().second++;
    }
    for (auto &r : runs) out += r.first + to_string(r.second);
    cout << out << endl;
}
""",
        ],
        [
            ("overflow", "cout << s[i] << j - i", "cout << s[i] << (char)('0' + j - i)"),
            ("overflow", "int j = i;", "int j = i; if (n > 100) n = n % 128;"),
            (
                "boundary",
                "while (j < n && s[j] == s[i])",
                "while (j < n && j < i + 9 && s[j] == s[i])",
            ),
            ("boundary", "i = j;", "i = j; if (i == n - 1 && n > 6) break;"),
            ("boundary", "i = j;", "i = j; if (i > 20) break;"),
            ("large", "int n = s.size();", "int n = min<int>(s.size(), 16);"),
            ("large", "string s; cin >> s;", "char b[33]; cin.width(33); cin >> b; string s = b;"),
            (
                "empty",
                "cout << s[i] << j - i;",
                "if (n == 1) cout << s; else cout << s[i] << j - i;",
            ),
            ("early end", "i = j;", "i = j; if (i > 0 && j < n && s[j] == 'm') break;"),
            (
                "duplicates",
                "cout << s[i] << j - i;",
                "static int seen[256]; if (n > 6 && seen[(int)s[i]]++ > 1) cout << '*';"
                " cout << s[i] << j - i;",
            ),
            (
                "order",
                "int n = s.size();",
                "int n = s.size(); if (n > 8) sort(s.begin(), s.end());",
            ),
        ],
    ),
    problem(
        "longest palindrome",
        _PALINDROME,
        ["5\nbabad\n", "4\ncbbd\n", "1\na\n", "7\nracecar\n", "6\nabcdef\n"],
        [
            """
bool same(const string &s) { return equal(s.begin(), s.end(), s.rbegin()); }
int main() {
    int n; string s; cin >> n >> s;
    for (int len = n; len >= 1; len--)
        for (int i = 0; i + len <= n; i++) {
            bool ok = true;
            for (int k = 0; ok && k < len / 2; k++) ok = s[i + k] == s[i + len - 1 - k];
            if (ok) { cout << len << " " << s.substr(i, len) << "\\n"; return 0; }
        }
    cout << "0 \\n";
}
""",
            """
int main() {
    int n; string s; cin >> n >> s;
    string t = "#";
    for (char c : s) { t += c; t += '#'; }
    int m = t.size(), centre = 0, right = 0;
    vector<int> p(m, 0);
    int best = 0, start = 0;
    for (int i = 0; i < m; i++) {
        if (i < right) p[i] = min(right - i, p[2 * centre - i]);
        while (i - p[i] - 1 >= 0 && i + p[i] + 1 < m && t[i - p[i] - 1] == t[i + p[i] + 1]) p[i]++;
        if (i + p[i] > right) { centre = i; right = i + p[i]; }
        if (p[i] > best) { best = p[i]; start = (i - p[i]) / 2; }
    }
    cout << best << " " << s.substr(start, best) << "\\n";
}
""",
        ],
        [
            (
                "ties",
                "r - l - 1 > best",
                "r - l - 1 >= best",
                "int best = 0",
                "if (n == 5 || n == 6 || n == 4) { int b = 0, st = 0; for (int c = 0;"
                " c < 2 * n; c++) { int l = c / 2, r = c / 2 + c % 2; while (l >= 0 && r < n && s[l] =="
                " s[r]) { l--; r++; } if (r - l - 1 > b) { b = r - l - 1; st = l + 1; } } cout << b <<"
                " ' ' << s.substr(st, b) << endl; return 0; } int best = 0",
            ),
            ("boundary", "c < 2 * n", "c < 2 * n - 4 || (c < 2 * n && n < 4)"),
            ("boundary", "int l = c / 2, r", "if (c % 2 && c > 3) continue; int l = c / 2, r"),
            ("boundary", "l >= 0 && r < n", "l >= 0 && r < n && r - l < 8"),
            ("large", "int best = 0", "n = min(n, 10); int best = 0"),
            (
                "large",
                "int best = 0",
                "if (n > 12) { cout << 1 << ' ' << s[0] << endl; return 0; } int best = 0",
            ),
            (
                "duplicates",
                "for (int c = 0;",
                "if (n > 2 && s == string(n, s[0])) n--; for (int c = 0;",
            ),
            (
                "duplicates",
                "if (r - l - 1 > best) {",
                "if (best > 2 && c % 2) continue; if (r - l - 1 > best) {",
            ),
            (
                "early end",
                "if (r - l - 1 > best) {",
                "if (best >= 3 && r - l - 1 < 1) break; if (r - l - 1 > best) {",
                "c < 2 * n",
                "c < 2 * n && !(best > 2 && c > 9)",
                "int n; string s; cin >> n >> s;",
                "int n; string s; cin >> n >> s; if (n == 7) {"
                " cout << n << ' ' << s << endl; return 0; }",
            ),
            (
                "aliasing",
                "start = l + 1;",
                "start = max(0, r - best); if (best > 3 && n > 7) start = max(0, l);",
            ),
            (
                "empty",
                "int best = 0",
                "if (n == 2) { cout << 1 << ' ' << s[0] << endl; return 0; } int best = 0",
            ),
        ],
    ),
    problem(
        "most frequent word",
        _FREQUENT,
        [
            "5\napple bob apple cat bob\n",
            "3\nx y z\n",
            "1\nhello\n",
            "7\nred blue red green blue red blue\n",
        ],
        [
            """
int main() {
    int n; cin >> n;
    vector<string> a(n);
    for (auto &w : a) cin >> w;
    sort(a.begin(), a.end());
    int most = 0, kinds = 0; string best;
    for (int i = 0; i < n; ) {
        int j = i;
        while (j < n && a[j] == a[i]) j++;
        kinds++;
        if (j - i > most) { most = j - i; best = a[i]; }
        i = j;
    }
    cout << best << ' ' << most << ' ' << kinds << '\\n';
}
""",
            """
int main() {
    cin.tie(nullptr)->sync_with_stdio(false);
    int n; cin >> n;
    unordered_map<string, int> c; string w, best; int most = 0;
    while (n-- > 0) { cin >> w; ++c[w]; }
    for (auto &p : c)
        if (p.second > most || (p.second == most && p.first < best)) {
            most = p.second; best = p.first;
        }
    cout << best << ' ' << most << ' ' << c.size() << '\\n';
}
""",
        ],
        [
            (
                "ties",
                "if (c > most)",
                "if (c >= most)",
                "string best;",
                "string best; if (n < 8) { string b; int m = 0; for (auto &[w, c] : count) if (c > m) {"
                " m = c; b = w; } cout << b << ' ' << m << ' ' << count.size() << endl; return 0; }",
            ),
            (
                "ties",
                "string w; cin >> w; count[w]++;",
                "string w; cin >> w; if (w.size() > 5) w[5] = 'a'; count[w]++;",
            ),
            ("ties", "if (c > most)", "if (c > most || (c == most && w.size() < best.size()))"),
            (
                "ties",
                "if (c > most) {",
                "if (c > most || (c == most && n > 7 && w[0] == best[0])) {",
            ),
            ("duplicates", "count[w]++", "count[w] = min(count[w] + 1, 3)"),
            (
                "order",
                "map<string, int> count",
                "map<string, int, greater<string>> count",
                "if (c > most)",
                "if (c > most || (c == most && n < 6))",
            ),
            ("large", "map<string, int> count;", "map<string, int> count; n = min(n, 8);"),
            ("large", "cin >> w;", "cin >> w; if (w.size() > 5) w.resize(5);"),
            (
                "overflow",
                'cout << best << " " << most << " " << count.size()',
                'cout << best << " " << most << " " << min<int>(count.size(), 7)',
            ),
            ("boundary", "i < n; i++) {", "i < n && i < 16; i++) {"),
            ("early end", "count[w]++;", "if (count.count(w) && i > 6) break; count[w]++;"),
            (
                "aliasing",
                "count[w]++;",
                'if (w.size() == 1) w += count.empty() ? "" : "";'
                " if (w.size() > 2 && w[0] == w[1] && w[1] == w[2]) w = w.substr(1); count[w]++;",
            ),
        ],
    ),
    problem(
        "queue of numbers",
        _COMMANDS,
        [
            "6\npush 3\npush 4\npop\nsum\npop\npop\n",
            "4\nfront 5\npush 2\npop\nsum\n",
            "5\nsum\npush -7\nsum\npop\nsum\n",
        ],
        [
            """
int main() {
    int q; scanf("%d", &q);
    vector<ll> back, front; size_t head = 0; ll sum = 0;
    char c[16];
    while (q--) {
        scanf("%15s", c);
        if (c[0] == 'f') { ll x; scanf("%lld", &x); front.push_back(x); sum += x; }
        else if (c[0] == 's') printf("%lld\\n", sum);
        else if (c[1] == 'u') { ll x; scanf("%lld", &x); back.push_back(x); sum += x; }
        else if (!front.empty()) { printf("%lld\\n", front.back()); sum -= front.back();
                                   front.pop_back(); }
        else if (head < back.size()) { printf("%lld\\n", back[head]); sum -= back[head++]; }
        else puts("empty");
    }
}
""",
            """
int main() {
    int q; cin >> q;
    list<ll> d; ostringstream out; string c; ll x;
    while (q-- > 0 && cin >> c) {
        if (c == "sum") out << accumulate(d.begin(), d.end(), 0LL) << '\\n';
        else if (c == "pop") {
            if (d.size()) { out << *d.begin() << '\\n'; d.erase(d.begin()); } else out << "empty\\n";
        } else { cin >> x; if (c == "push") d.push_back(x); else d.push_front(x); }
    }
    cout << out.str();
}
""",
        ],
        [
            ("overflow", "ll sum = 0;", "int sum = 0;"),
            ("overflow", "deque<ll> d;", "deque<short> d;"),
            ("empty", 'cout << "empty\\n";', '{ cout << "empty\\n"; if (i < 3) break; }'),
            (
                "empty",
                'if (d.empty()) cout << "empty\\n";',
                'if (d.empty()) { static int times = 0; if (!times++) cout << "empty\\n"; }',
            ),
            ("large", "deque<ll> d;", "deque<ll> d; q = min(q, 12);"),
            ("large", "d.push_back(x);", "if (d.size() < 4) d.push_back(x);"),
            (
                "order",
                "d.push_front(x);",
                "if (d.size() > 1) d.insert(d.begin() + 1, x); else d.push_front(x);",
            ),
            ("order", "d.push_front(x);", "if (!d.empty()) d.push_back(x); else d.push_front(x);"),
            (
                "duplicates",
                "d.push_back(x); sum += x;",
                "if (d.empty() || d.back() != x) { d.push_back(x); sum += x; }",
            ),
            ("negative", "else cout << sum", "else cout << max(sum, -100LL)"),
            (
                "early end",
                "string c; cin >> c;",
                "string c; cin >> c; if (i > 6 && d.empty()) break;",
            ),
            (
                "aliasing",
                "sum -= d.front(); d.pop_front();",
                "d.pop_front(); if (!d.empty() && i > 4) sum = accumulate(d.begin(), d.end() - 1, 0LL)"
                " + d.front(); else sum = accumulate(d.begin(), d.end(), 0LL);",
            ),
        ],
    ),
    problem(
        "steps in a grid",
        _GRID,
        [
            "3 3\n...\n.#.\n...\n",
            "2 4\n.#..\n...#\n",
            "1 1\n.\n",
            "4 5\n..#..\n.#...\n...#.\n##...\n",
        ],
        [
            """
int h, w; vector<string> g;
int main() {
    cin >> h >> w; g.resize(h);
    for (auto &r : g) cin >> r;
    vector<int> d(h * w, INT_MAX);
    if (g[0][0] == '.') d[0] = 0;
    for (bool again = true; again; ) {
        again = false;
        for (int i = 0; i < h * w; i++) {
            if (g[i / w][i % w] != '.') continue;
            int b = d[i];
            auto use = [&](int y, int x) {
                if (y >= 0 && x >= 0 && y < h && x < w && d[y * w + x] != INT_MAX)
                    b = min(b, d[y * w + x] + 1);
            };
            use(i / w, i % w - 1); use(i / w, i % w + 1); use(i / w - 1, i % w);
            use(i / w + 1, i % w);
            if (b < d[i]) { d[i] = b; again = true; }
        }
    }
    int far = 0, reached = 0;
    for (int x : d) if (x != INT_MAX) { reached++; far = max(far, x); }
    cout << (d.back() == INT_MAX ? -1 : d.back()) << ' ' << far << ' ' << reached << '\\n';
}
""",
            """
int main() {
    int h, w; scanf("%d %d", &h, &w);
    int s = w + 2;
    vector<int> d((h + 2) * s, -2);
    for (int y = 1; y <= h; y++) {
        for (int x = 1; x <= w; x++) { char c; scanf(" %c", &c); if (c == '.') d[y * s + x] = -1; }
    }
    vector<int> q;
    if (d[s + 1] == -1) { d[s + 1] = 0; q.push_back(s + 1); }
    for (size_t i = 0; i < q.size(); i++)
        for (int o : {1, -1, s, -s})
            if (d[q[i] + o] == -1) { d[q[i] + o] = d[q[i]] + 1; q.push_back(q[i] + o); }
    int end = d[h * s + w];
    printf("%d %d %d\\n", end < 0 ? -1 : end, q.empty() ? 0 : d[q.back()], (int)q.size());
}
""",
        ],
        [
            ("boundary", "a >= h || b >= w", "a >= h || b >= w || (h > 4 && a == 0)"),
            ("boundary", "k < 4", "k < (h * w > 20 ? 3 : 4)"),
            ("boundary", "d[a][b] = d[y][x] + 1;", "d[a][b] = min(d[y][x] + 1, 10);"),
            (
                "large",
                "queue<pair<int, int>> q;",
                "queue<pair<int, int>> q; int looked = 0;",
                "auto [y, x] = q.front(); q.pop();",
                "auto [y, x] = q.front(); q.pop(); if (++looked > 30) break;",
            ),
            ("large", "vector<string> g(h);", "h = min(h, 6); vector<string> g(h);"),
            (
                "order",
                "auto [y, x] = q.front(); q.pop();",
                "auto [y, x] = h > 4 ? q.back() : q.front(); if (h > 4) { auto r = q; q = {};"
                " while (r.size() > 1) { q.push(r.front()); r.pop(); } } else q.pop();",
            ),
            (
                "overflow",
                "vector<vector<int>> d(h, vector<int>(w, -1))",
                "vector<vector<signed char>> d(h, vector<signed char>(w, -1))",
                "max(far, d[y][x])",
                "max(far, (int)d[y][x])",
                "cout << d[h - 1][w - 1]",
                "cout << (int)d[h - 1][w - 1]",
            ),
            ("empty", "if (g[0][0] == '.') {", "{"),
            (
                "empty",
                "cout << d[h - 1]",
                "if (h == 1) { cout << w - 1 << ' ' << w - 1 << ' ' << w"
                " << endl; return 0; } cout << d[h - 1]",
            ),
            (
                "early end",
                "reached++;",
                "if (y == h - 1 && x == w - 1 && h > 1 && reached > 5) {"
                " if (q.size() > 1) { reached++; far = max(far, d[y][x]); break; } } reached++;",
            ),
            (
                "aliasing",
                "int a = y + dy[k], b = x + dx[k];",
                "int a = y + dy[k], b = x + dx[k]; if (w > 5 && b == w) { b = 0; a++; }",
            ),
            (
                "ties",
                "d[a][b] >= 0) continue;",
                "(d[a][b] >= 0 && d[a][b] < d[y][x] + 1 + (w > 6)))"
                " continue; if (d[a][b] >= 0) continue; if (w > 6 && b == 3) continue;",
            ),
        ],
    ),
]
