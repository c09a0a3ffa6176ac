"""Programs that provoke single-lookup."""

from tests.generators.rewrites.meaning._cases import (
    counted,
    ints,
    line,
    lines,
    listed,
    plain,
    rows,
    trap,
    words,
)

CASES = [
    plain(
        r"""
int main() {
    int n;
    cin >> n;
    map<string, int> m;
    for (int i = 0; i < n; i++) { string s; cin >> s; if (m.count(s)) m[s]++; else m[s] = 1; }
    string q;
    while (cin >> q) { if (m.count(q)) cout << m[q] << "\n"; else cout << 0 << "\n"; }
}
""",
        lines(rows((0, 7), words(1, "ab", (1, 2))), words((0, 5), "ab", (1, 2))),
        "2\na b\na\n",
    ),
    plain(
        r"""
int main() {
    std::unordered_map<long long, int> index;
    long long x;
    int i = 0;
    while (std::cin >> x) {
        if (index.find(x) == index.end()) index[x] = i;
        else std::cout << x << " first at " << index[x] << '\n';
        ++i;
    }
}
""",
        ints((0, 9), -(10**18), 10**18),
        "5 6 5\n",
    ),
    plain(
        r"""
int value(const map<char, int>& m, char c) {
    if (m.find(c) != m.end()) return m.at(c);
    return -1;
}
int main() {
    map<char, int> roman{{'I', 1}, {'V', 5}, {'X', 10}};
    string s;
    cin >> s;
    int t = 0;
    for (char c : s) t += value(roman, c);
    cout << t << endl;
}
""",
        words(1, "IVXa", (1, 9)),
        "XVI\n",
    ),
    trap(
        r"""
map<int, int> m;
int twist(int k) { m.erase(k); return k % 3; }
int main() {
    int x;
    while (cin >> x) {
        if (m.count(x)) { int t = x > 4 ? twist(x) : 0; m[x] += 1 + t; }
        else m[x] = 10;
        cout << m[x] << " ";
    }
    cout << m.size() << endl;
}
""",
        ints((0, 12), 0, 7),
        "1 1 2\n",
    ),
    trap(
        r"""
int main() {
    map<int, vector<int>> g;
    int a, b;
    while (cin >> a >> b) {
        if (g.count(a)) { g[b].push_back(a); if (b > 5) g.erase(a); if (g[a].size() < 3) g[a].push_back(b); }
        else g[a] = {b};
    }
    for (auto& p : g) { cout << p.first << ":"; for (int x : p.second) cout << x << ","; }
    cout << endl;
}
""",
        rows((0, 9), ints(2, 0, 7), header=False),
        "1 2\n",
    ),
    trap(
        r"""
int main() {
    std::map<int, int> m;
    int k, v;
    while (std::cin >> k >> v) {
        if (m.count(k)) { k = k / 2; std::cout << m[k] << ' '; }
        if (!m.count(v)) m[k] = v; else m[v + 1] = m[v];
    }
    for (auto& p : m) std::cout << p.first << '=' << p.second << '\n';
}
""",
        rows((0, 8), ints(2, 0, 6), header=False),
        "1 2\n",
    ),
    trap(
        r"""
int main() {
    unordered_map<string, int> m;
    string s;
    int limit;
    cin >> limit;
    while (cin >> s) {
        try {
            if (!m.count(s) && (int)m.size() >= limit) throw length_error(s);
            if (m.count(s) == 0) m[s] = m.size();
            cout << m[s] << "\n";
        } catch (const exception& e) { cout << "full " << e.what() << m.count(s) << "\n"; }
    }
    cout << m.size() << endl;
}
""",
        line(ints(1, 0, 4), words((0, 8), "ab", (1, 2))),
        "5\n",
    ),
    trap(
        r"""
int next_id() { static int id = 0; return ++id; }
int main() {
    map<string, int> ids;
    string s;
    while (cin >> s) {
        if (ids.find(s) == ids.end()) ids[s] = next_id();
        if (ids.count(s) && ids[s] > 2 && ids.erase(s)) ids["last"] = ids.count(s) ? ids[s] : -1;
        cout << ids.size() << " ";
    }
    for (auto& p : ids) cout << p.first << p.second << " ";
    cout << endl;
}
""",
        words((0, 9), "abc", 1),
        "a b a\n",
    ),
    trap(
        r"""
int f(map<int, int>& m, int n) {
    if (m.count(n)) return m[n];
    if (n < 2) return m[n] = n;
    int r = f(m, n - 1) + f(m, n - 2);
    if (!m.count(n)) m[n] = r % 1009;
    if (n % 7 == 0) m.clear();
    return m[n];
}
int main() {
    map<int, int> m;
    int n;
    while (cin >> n) cout << f(m, n) << " " << m.size() << "\n";
}
""",
        ints((0, 5), -3, 16),
        "5\n",
    ),
    trap(
        r"""
struct Ci { bool operator()(const string& a, const string& b) const { return a.size() < b.size(); } };
int main() {
    multimap<int, string> mm;
    map<string, string, Ci> m;
    int k; string s;
    while (cin >> k >> s) {
        if (mm.count(k)) { cout << mm.find(k)->second << mm.count(k) << " "; mm.insert({k, s}); } else mm.emplace(k, s);
        if (m.count(s)) { m[s] += s; s += "x"; m[s] = "new"; } else m[s] = s;
    }
    for (auto& p : m) cout << p.first << "->" << p.second << " ";
    cout << endl;
}
""",
        rows((0, 8), line(ints(1, 0, 3), words(1, "ab", (1, 3))), header=False),
        "1 a\n",
    ),
    trap(
        r"""
struct Table {
    map<int, int> d; int probes = 0;
    int count(int k) { probes++; return d.count(k); }
    int& operator[](int k) { probes += 10; return d[k]; }
};
int main() {
    Table t;
    int x;
    vector<int> keys;
    while (cin >> x) keys.push_back(x);
    for (int k : keys) { if (t.count(k)) t[k]++; else t[k] = 1; }
    cout << t.d.size() << " " << (keys.size() > 2 ? t.probes : 0) << endl;
    map<int, int> m;
    auto& alias = m;
    for (int k : keys) if (m.count(k)) { alias.erase(k); m[k] = m[k] + 5; } else { alias[k + 1] = 3; m[k] = alias[k] + 1; }
    for (auto& p : m) cout << p.first << p.second << " ";
    cout << endl;
}
""",
        ints((0, 8), 0, 5),
        "0\n",
    ),
    trap(
        r"""
int main() {
    unordered_map<int, int> m;
    int n, x, steps = 0;
    cin >> n;
    for (int i = 0; i < n; i++) {
        cin >> x;
        if (m.count(x)) {
            for (int j = 0; j < 40; j++) m[1000 + i * 40 + j] = j;
            m[x] += steps++;
        } else if (x < 0) { m.erase(-x); m[x]; }
        else m.insert({x, x * 2});
        cout << m[x] << " ";
    }
    set<int> s;
    for (int i = 0; i < n; i++) if (!s.count(i % 4)) { s.insert(i % 4); s.erase((i + 2) % 4); } else s.erase(i % 4);
    cout << s.size() << endl;
}
""",
        counted((0, 9), -3, 4),
        "1\n1\n",
    ),
    trap(
        r"""
int main() {
    int n;
    cin >> n;
    map<int, int> last;
    for (int i = 0; i < n; i++) {
        int x;
        cin >> x;
        if (last.count(x)) { last.erase(x - 1); last[x] = last[x] + i; }
        else { last.erase(x); last[x] = i; }
    }
    for (auto& p : last) cout << p.first << ":" << p.second << " ";
    cout << endl;
}
""",
        counted((0, 10), 0, 4),
        "2\n1 1\n",
    ),
    trap(
        r"""
int main() {
    unordered_map<int, int> seen;
    int n, target;
    cin >> n >> target;
    for (int i = 0; i < n; i++) {
        int x;
        cin >> x;
        if (seen.count(target - x)) cout << seen[target - x] << "," << i << " ";
        if (!seen.count(x)) seen[x] = i;
        target -= i % 3 == 2;
    }
    cout << seen.size() << endl;
}
""",
        listed(
            lambda rng, v: f"{len(v)} {rng.randint(-2, 8)}\n" + " ".join(map(str, v)), (0, 9), -3, 6
        ),
        "3 5\n2 3 1\n",
    ),
    trap(
        r"""
int main() {
    map<string, int> stock;
    string item;
    int k;
    while (cin >> item >> k) {
        if (stock.find(item) != stock.end() && stock[item] >= k) stock[item] -= k;
        else if (k < 0) stock[item] -= k;
        else cout << "no " << item << stock[item] << "\n";
        cout << stock.size() << "\n";
    }
}
""",
        rows((0, 9), line(words(1, "ab", 1), ints(1, -5, 5)), header=False),
        "a -3\na 2\n",
    ),
]
