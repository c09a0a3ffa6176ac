"""Programs that provoke range-reference."""

from tests.generators.rewrites.meaning._cases import (
    counted,
    ints,
    line,
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
    vector<string> v(n);
    for (auto& s : v) cin >> s;
    size_t total = 0;
    for (auto s : v) total += s.size();
    cout << total << endl;
}
""",
        rows((0, 8), words(1)),
        "2\nab c\n",
    ),
    plain(
        r"""
int main() {
    std::map<std::string, std::vector<int>> m;
    std::string k;
    int x;
    while (std::cin >> k >> x) m[k].push_back(x);
    for (std::pair<std::string, std::vector<int>> p : m) {
        std::cout << p.first;
        for (int y : p.second) std::cout << ' ' << y;
        std::cout << '\n';
    }
}
""",
        rows((0, 9), line(words(1, "ab", (1, 2)), ints(1, -9, 9)), header=False),
        "a 1\n",
    ),
    plain(
        r"""
struct Row { string name; int score[3]; };
int main() {
    vector<Row> t;
    Row r;
    while (cin >> r.name >> r.score[0] >> r.score[1] >> r.score[2]) t.push_back(r);
    int best = -1; string who;
    for (Row x : t) { int s = x.score[0] + x.score[1] + x.score[2]; if (s > best) best = s, who = x.name; }
    cout << who << " " << best << endl;
}
""",
        rows((0, 6), line(words(1), ints(3, 0, 9)), header=False),
        "a 1 2 3\n",
    ),
    trap(
        r"""
int main() {
    vector<string> v;
    string w;
    while (cin >> w) v.push_back(w);
    for (auto s : v) { s += "!"; reverse(s.begin(), s.end()); if (s.size() > 3) cout << s << "\n"; }
    for (auto& s : v) cout << (s.size() > 2 ? s : "-") << "\n";
}
""",
        words((0, 6)),
        "ab\n",
    ),
    trap(
        r"""
vector<vector<int>> g;
void touch(size_t i, int x) { if (i < g.size()) g[i].push_back(x); }
int main() {
    int n;
    cin >> n;
    g.resize(n);
    for (auto& r : g) { int k; cin >> k; r.resize(k); for (int& x : r) cin >> x; }
    size_t i = 0;
    for (auto r : g) {
        if (r.size() > 1) touch(i, r[0]);
        for (size_t j = 0; j < r.size() && j < 10; j++) if (r[j] > 5) touch(i, r[j] - 1);
        cout << r.size() << " ";
        i++;
    }
    for (auto& r : g) cout << r.size();
    cout << endl;
}
""",
        rows((0, 5), counted((0, 4), 0, 9)),
        "1\n1 2\n",
    ),
    trap(
        r"""
int main() {
    int n;
    std::cin >> n;
    std::vector<std::vector<int>> rows(n, std::vector<int>(3));
    for (auto& r : rows) for (auto& x : r) std::cin >> x;
    int k = 0;
    for (std::vector<int> r : rows) {
        rows[(k + 1) % n][0] += r[1];
        rows[k][2] = 0;
        std::cout << r[0] + r[2] * 10 << ' ';
        ++k;
    }
    std::cout << '\n';
}
""",
        rows((0, 5), ints(3, -9, 9)),
        "1\n0 0 0\n",
    ),
    trap(
        r"""
vector<string> names() { return {"x", "yy", "zzz"}; }
int main() {
    int n;
    cin >> n;
    vector<function<string()>> later;
    {
        vector<string> v = names();
        for (int i = 0; i < n; i++) v.push_back(to_string(i) + "-item-that-is-long-enough");
        for (auto s : v) { string t = move(s); if (t.size() % 2) later.push_back([t] { return t; }); }
        for (auto s : v) cout << s.size();
    }
    for (auto f : later) cout << f() << " ";
    for (auto s : names()) cout << s;
    cout << endl;
}
""",
        ints(1, 0, 9),
        "0\n",
    ),
    trap(
        r"""
struct Item { string s; mutable int uses = 0; int use() const { return ++uses; } };
struct Loud { static int n; string s; Loud(string t) : s(t) {} Loud(const Loud& o) : s(o.s) { n++; } };
int Loud::n = 0;
int main() {
    vector<Item> v;
    vector<Loud> w;
    string s;
    w.reserve(20);
    while (cin >> s) { v.push_back({s}); w.emplace_back(s); }
    for (auto it : v) if (it.s.size() > 1) it.use();
    int t = 0;
    for (const auto it : v) t += it.use();
    for (auto l : w) t += l.s.size();
    cout << t << " " << (w.size() > 2 ? Loud::n : 0) << endl;
}
""",
        words((0, 6)),
        "a\n",
    ),
    trap(
        r"""
int main() {
    vector<bool> b;
    int x;
    while (cin >> x) b.push_back(x > 0);
    for (auto f : b) { if (f) f = false; }
    int c = 0;
    for (bool f : b) c += f;
    vector<string> v{"a", "b"};
    for (auto s : v) { v[0] = "changed"; v[1] += s; cout << s; }
    string text = "abc";
    for (char ch : text) { if (c > 1) text[2] = 'z'; cout << ch; }
    cout << c << endl;
}
""",
        ints((0, 6), -3, 3),
        "0\n",
    ),
    trap(
        r"""
int main() {
    map<string, int> m{{"one", 1}, {"two", 2}};
    string w;
    while (cin >> w) m[w]++;
    for (auto p : m) { m[p.first] *= 2; if (p.second > 1) cout << p.first << p.second << " "; }
    set<vector<int>> s;
    for (auto p : m) s.insert(vector<int>(2, p.second));
    for (vector<int> v : s) { v.push_back(1); v[0]--; cout << v.size() << v[0]; }
    const char* names[] = {"ab", "cd"};
    for (string n : names) cout << n;
    for (string n : {"x", "y"}) { n += "z"; cout << n; }
    cout << endl;
}
""",
        words((0, 6), "ab", (1, 2)),
        "\n",
    ),
    trap(
        r"""
struct Node { string label; vector<int> out; bool seen = false; };
vector<Node> nodes;
int walk(int u) {
    nodes[u].seen = true;
    int n = 1;
    for (auto v : nodes[u].out) if (!nodes[v].seen) n += walk(v);
    for (auto node : nodes) if (!node.seen && node.label == nodes[u].label) { nodes[u].label += "'"; n += 100 * (node.label < nodes[u].label); }
    return n;
}
int main() {
    int n, m;
    cin >> n >> m;
    nodes.resize(n);
    for (auto& x : nodes) cin >> x.label;
    while (m--) { int a, b; cin >> a >> b; nodes[a].out.push_back(b); }
    cout << walk(0) << endl;
    for (auto x : nodes) { for (auto& y : nodes) y.label = "q"; cout << x.label; }
    cout << endl;
}
""",
        sized(
            lambda rng, n, m: (
                f"{n} {m}\n"
                + words(n, "ab", 1)(rng)
                + "\n"
                + rows(m, ints(2, 0, n - 1), header=False)(rng)
            ),
            (1, 5),
            (0, 6),
        ),
        "1 0\nq\n",
    ),
]
