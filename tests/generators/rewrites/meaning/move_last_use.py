"""Programs that provoke move-last-use."""

from tests.generators.rewrites.meaning._cases import counted, ints, line, plain, rows, trap, words

CASES = [
    plain(
        r"""
struct Person { string name; vector<int> marks; Person(string n, vector<int> m) : name(n), marks(m) {} };
int main() {
    int n;
    cin >> n;
    vector<Person> all;
    for (int i = 0; i < n; i++) {
        string name; int k;
        cin >> name >> k;
        vector<int> m(k);
        for (int& x : m) cin >> x;
        all.push_back(Person(name, m));
    }
    for (auto& p : all) cout << p.name << " " << p.marks.size() << "\n";
}
""",
        rows((0, 5), line(words(1), counted((0, 4), 0, 9))),
        "1\nbob 2\n1 2\n",
    ),
    plain(
        r"""
int main() {
    std::vector<std::string> lines;
    std::string line;
    while (std::getline(std::cin, line)) {
        std::string copy = line;
        std::reverse(copy.begin(), copy.end());
        lines.push_back(copy);
    }
    for (auto& l : lines) std::cout << l << '\n';
}
""",
        words((0, 6), "ab ", (0, 6), "\n"),
        "ab\n",
    ),
    plain(
        r"""
vector<int> evens(const vector<int>& v) { vector<int> r; for (int x : v) if (x % 2 == 0) r.push_back(x); vector<int> out = r; return out; }
int main() {
    vector<int> v; int x;
    while (cin >> x) v.push_back(x);
    map<int, vector<int>> m;
    vector<int> e = evens(v);
    m[v.size()] = e;
    for (auto& p : m) cout << p.first << " " << p.second.size() << endl;
}
""",
        ints((0, 8), -9, 9),
        "1 2\n",
    ),
    trap(
        r"""
int main() {
    int n;
    cin >> n;
    vector<vector<int>> all;
    vector<int> cur;
    for (int i = 0; i < n; i++) {
        int x;
        cin >> x;
        cur.push_back(x);
        if (x < 0) continue;
        all.push_back(cur);
    }
    for (auto& v : all) cout << v.size() << " " << v[0] << "\n";
}
""",
        counted((0, 7), -3, 9),
        "1\n5\n",
    ),
    trap(
        r"""
vector<string> path, best;
void dfs(int d, string s) {
    path.push_back(s);
    if (path.size() > best.size()) best = path;
    if (d > 0) { dfs(d - 1, s + "l"); if (d % 2) dfs(d - 2, s); }
    path.pop_back();
}
int main() {
    int d;
    string s;
    cin >> d >> s;
    dfs(d, s);
    for (auto& p : best) cout << p << " ";
    cout << path.size() << s << endl;
}
""",
        line(ints(1, 0, 6), words(1)),
        "0 a\n",
    ),
    trap(
        r"""
struct Box { const std::string& ref; std::string own; };
void show(const std::string& a, std::string b) { std::cout << a << '|' << b << '\n'; }
int main() {
    std::string s;
    while (std::cin >> s) {
        std::string& alias = s;
        std::string t = s + s;
        if (s.size() > 2) show(t, t);
        Box b{t, t};
        std::cout << (s.size() > 3 ? b.ref : b.own) << alias << '\n';
    }
}
""",
        words((0, 5), "ab", (1, 5)),
        "a\n",
    ),
    trap(
        r"""
int main() {
    int n;
    cin >> n;
    vector<string> out;
    string w = "a rather long word, longer than the small buffer";
    auto peek = [&w] { return w.size(); };
    string* p = &w;
    for (int i = 0; i < n; i++) {
        string t = w + to_string(i);
        auto show = [&t, i] { if (i > 1) cout << t << "\n"; };
        out.push_back(t);
        show();
    }
    out.push_back(w);
    cout << (n > 1 ? peek() : 0) << (n > 2 ? p->size() : 0) << out.size() << endl;
}
""",
        ints(1, 0, 6),
        "0\n",
        "1\n",
    ),
    trap(
        r"""
struct Ledger { vector<string> rows; ~Ledger() { cout << "rows " << (rows.size() > 2 ? rows.size() : 0) << "\n"; } };
vector<string> copy_of(Ledger& l) { return l.rows; }
vector<vector<string>> archive;
int main() {
    Ledger l;
    string w;
    while (cin >> w) l.rows.push_back(w);
    archive.push_back(copy_of(l));
    archive.push_back(l.rows);
    for (auto& a : archive) cout << a.size() << endl;
}
""",
        words((0, 6)),
        "a\n",
    ),
    trap(
        r"""
void add(vector<vector<int>>& g, vector<int> row) { g.push_back(row); row.push_back(1); cout << row.size() << " "; }
int pick(vector<int> v, int i) { try { vector<int> w = v; return w.at(i); } catch (const out_of_range&) { return v.size(); } }
int main() {
    int n, i;
    cin >> n;
    vector<vector<int>> g;
    vector<int> row;
    for (int k = 0; k < n; k++) { row.push_back(k); add(g, row); }
    cin >> i;
    cout << pick(row, i) << pick(row, i + 1) << g.size() << endl;
}
""",
        ints(2, 0, 6),
        "0 0\n",
    ),
    trap(
        r"""
int main() {
    string a, b;
    cin >> a >> b;
    int tries = 0;
again:
    tries++;
    vector<string> v;
    v.push_back(a);
    if (b.size() > 2) { b.pop_back(); goto again; }
    static string last = a;
    string kept = last;
    do { v.push_back(kept); } while (v.size() < b.size() + 1);
    for (auto& s : v) cout << s << " ";
    cout << tries << last << endl;
}
""",
        words(2, "ab", (1, 6)),
        "a b\n",
    ),
    trap(
        r"""
struct Shape { string name; Shape(const string& n) : name(n) {} Shape(const Shape& o) : name(o.name + "'") {} Shape(Shape&& o) : name(move(o.name)) {} Shape& operator=(const Shape& o) { name = o.name; return *this; } };
void keep(vector<Shape>& v, Shape s) { v.push_back(s); }
int main() {
    vector<Shape> v;
    v.reserve(99);
    string w;
    int k = 0;
    while (cin >> w) { Shape s(w); if (++k > 1) keep(v, s); else v.emplace_back(w); }
    for (auto& s : v) cout << s.name << " ";
    cout << endl;
}
""",
        words((0, 6)),
        "ab\n",
    ),
    trap(
        r"""
map<string, vector<string>> index_;
string normal(string s) { for (char& c : s) c = tolower(c); return s; }
int main() {
    string w;
    string last;
    while (cin >> w) {
        string k = normal(w);
        index_[k].push_back(k);
        if (last != k && !last.empty()) index_[last].push_back(k);
        last = k;
        auto p = make_pair(k, k.size());
        tuple<string, string> t(k, k);
        cout << p.first.size() + p.second << get<0>(t) << get<1>(t) << last << " ";
    }
    for (auto& [k, v] : index_) { vector<string> all = v; all.insert(all.end(), v.begin(), v.end()); cout << k << all.size(); }
    cout << endl;
}
""",
        words((0, 6), "aAb", (1, 3)),
        "\n",
    ),
    trap(
        r"""
int main() {
    int n;
    cin >> n;
    vector<vector<int>> rounds;
    vector<int> cur(n);
    for (int& x : cur) cin >> x;
    for (int r = 0; r < 3; r++) {
        rounds.push_back(cur);
        if (r == 1) continue;
        for (size_t i = 0; i < cur.size(); i++) cur[i] += r;
    }
    for (auto& v : rounds) { for (int x : v) cout << x << " "; cout << "\n"; }
}
""",
        counted((0, 5), 0, 9),
        "0\n",
    ),
    trap(
        r"""
string shout(string s) { for (char& c : s) c = toupper(c); return s; }
int main() {
    string s;
    while (cin >> s) {
        string t = s;
        cout << shout(t) << (t.size() > 2 ? t : "") << "\n";
        string u = s;
        cout << shout(u) + u << "\n";
    }
}
""",
        words((0, 5), "ab", (1, 30)),
        "\n",
    ),
    trap(
        r"""
vector<int> stored;
void keep(const vector<int>& v) { stored = v; }
void keep(vector<int>&& v) { stored = v; stored.push_back(-1); }
int main() {
    int n;
    cin >> n;
    vector<int> v;
    for (int i = 0; i < n; i++) { int x; cin >> x; v.push_back(x); }
    keep(v);
    for (int x : stored) cout << x << " ";
    cout << endl;
}
""",
        counted((0, 5), 0, 9),
        "2\n1 2\n",
    ),
]
