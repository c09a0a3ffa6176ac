"""Programs that provoke emplace-back."""

from tests.generators.rewrites.meaning._cases import counted, ints, line, plain, rows, trap, words

CASES = [
    plain(
        r"""
int main() {
    int n;
    cin >> n;
    vector<pair<int, string>> v;
    for (int i = 0; i < n; i++) { int k; string s; cin >> k >> s; v.push_back(make_pair(k, s)); }
    sort(v.begin(), v.end());
    for (auto& p : v) cout << p.first << p.second << " ";
    cout << endl;
}
""",
        rows((0, 7), line(ints(1, -9, 9), words(1))),
        "1\n2 a\n",
    ),
    plain(
        r"""
struct Edge { int u, v; double w; Edge(int u, int v, double w) : u(u), v(v), w(w) {} };
int main() {
    int m;
    std::cin >> m;
    std::vector<Edge> es;
    while (m--) { int a, b; double w; std::cin >> a >> b >> w; es.push_back(Edge(a, b, w)); }
    double t = 0;
    for (auto& e : es) t += e.w * (e.u < e.v);
    std::cout << t << '\n';
}
""",
        rows((0, 7), ints(3, 0, 9)),
        "1\n1 2 3\n",
    ),
    plain(
        r"""
int main() {
    string s;
    vector<string> v;
    while (cin >> s) { v.push_back(string(s.rbegin(), s.rend())); v.push_back(s + "!"); }
    for (auto& x : v) cout << x << "\n";
}
""",
        words((0, 6)),
        "ab\n",
    ),
    trap(
        r"""
struct P { int x, y; };
struct Q { short x; Q(int v) : x(v) {} explicit Q(double d) : x(d * 2) {} };
int main() {
    int a, b;
    vector<P> v;
    vector<Q> q;
    while (cin >> a >> b) { v.push_back({a, b}); v.push_back(P{b, a}); q.push_back(a); q.push_back(Q(b / 2.0)); }
    int s = 0;
    for (auto& p : v) s = s * 3 % 1009 + p.x - p.y;
    for (auto& e : q) s += e.x;
    cout << s << endl;
}
""",
        rows((0, 6), ints(2, -99, 99), header=False),
        "1 2\n",
    ),
    trap(
        r"""
int main() {
    int n, k;
    cin >> n;
    vector<vector<int>> g;
    while (n--) { cin >> k; g.push_back({k, 1}); g.push_back(vector<int>{k}); g.push_back(vector<int>(k)); g.push_back({}); }
    for (auto& r : g) cout << r.size() << (r.empty() ? 0 : r[0]) << " ";
    vector<string> s;
    s.push_back({'a', 'b'});
    s.push_back(string(3, 'x'));
    s.push_back({"ab", 1});
    for (auto& x : s) cout << x << ",";
    cout << endl;
}
""",
        counted((0, 5), 0, 6),
        "1\n1\n",
    ),
    trap(
        r"""
int main() {
    int n;
    std::cin >> n;
    std::vector<std::string> v{"first"};
    for (int i = 0; i < n; ++i) { v.push_back(v[0] + std::to_string(i)); v.push_back(v.back()); }
    std::vector<std::vector<int>> w{{1, 2}};
    for (int i = 0; i < n; ++i) { w.push_back(w[i / 2]); w.back().push_back(i); w.push_back(std::vector<int>(w[0])); }
    std::size_t t = 0;
    for (auto& r : w) t += r.size();
    std::cout << v.size() << v.back() << t << '\n';
}
""",
        ints(1, 0, 12),
        "0\n",
    ),
    trap(
        r"""
struct Log {
    static int made, moved; int v;
    Log(int v) : v(v) { made++; }
    Log(const Log& o) : v(o.v) { moved += 10; }
    Log(Log&& o) : v(o.v) { moved++; }
};
int Log::made = 0, Log::moved = 0;
int main() {
    int x;
    vector<Log> v;
    v.reserve(50);
    while (cin >> x) v.push_back(Log(x));
    cout << v.size() << " " << (v.size() > 1 ? Log::moved : 0) << Log::made << endl;
}
""",
        ints((0, 7), 0, 9),
        "1\n",
    ),
    trap(
        r"""
struct Once { int v; explicit Once(int v) : v(v) { if (v < 0) throw invalid_argument("negative"); } };
int counter = 0;
int next_id() { return ++counter; }
struct Two { int a, b; Two(int a, int b) : a(a), b(b) {} };
int main() {
    vector<Once> v;
    vector<Two> t;
    vector<bool> f;
    int x;
    while (cin >> x) {
        try { v.push_back(Once(x)); } catch (const exception& e) { cout << e.what() << v.size() << " "; }
        t.push_back(Two{next_id(), next_id()});
        f.push_back(x & 2);
    }
    for (auto& e : t) cout << e.a - e.b << " ";
    for (bool b : f) cout << b;
    cout << endl;
}
""",
        ints((0, 7), -3, 9),
        "5\n",
    ),
    trap(
        r"""
struct Stack { vector<pair<int, int>> d; void push_back(pair<int, int> p) { d.insert(d.begin(), p); } void emplace_back(int a, int b) { d.push_back({b, a}); } };
int main() {
    Stack s;
    int a, b;
    while (cin >> a >> b) { s.push_back(make_pair(a, b)); if (a > b) s.push_back(pair<int, int>(b, a)); }
    for (auto& p : s.d) cout << p.first << "," << p.second << " ";
    deque<tuple<int, char, string>> q;
    q.push_back(make_tuple(1, 'c', "text"));
    q.push_back({2, 'd', "more"});
    q.push_front(make_tuple((int)s.d.size(), 'z', string(2, 'y')));
    for (auto& [i, c, t] : q) cout << i << c << t;
    cout << endl;
}
""",
        rows((0, 6), ints(2, 0, 9), header=False),
        "\n",
    ),
    trap(
        r"""
struct Base { virtual int id() const { return 1; } virtual ~Base() {} };
struct Derived : Base { int k; Derived(int k) : k(k) {} int id() const override { return k; } };
int main() {
    vector<Base> slices;
    vector<unique_ptr<Base>> owned;
    vector<pair<long long, unsigned char>> narrow;
    int x;
    while (cin >> x) {
        slices.push_back(Derived(x));
        owned.push_back(unique_ptr<Base>(new Derived(x)));
        owned.push_back(make_unique<Base>());
        narrow.push_back(make_pair(x * 1000, x));
        narrow.push_back(pair<int, char>(x * 300.5, 'a' + x % 20));
    }
    int s = 0;
    for (auto& b : slices) s += b.id();
    for (auto& b : owned) s += b->id();
    for (auto& p : narrow) s += p.first + p.second;
    cout << s << endl;
}
""",
        ints((0, 6), 0, 300),
        "5\n",
    ),
]
