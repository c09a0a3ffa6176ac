"""Programs that provoke vector-bool-to-char."""

from tests.generators.rewrites.meaning._cases import (
    counted,
    ints,
    line,
    one,
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
    vector<bool> seen(n + 1, false);
    int c = 0;
    for (int i = 0; i < n; i++) { int x; cin >> x; if (x >= 0 && x <= n && !seen[x]) { seen[x] = true; c++; } }
    cout << c << endl;
}
""",
        counted((0, 9), -1, 9),
        "3\n1 2 1\n",
    ),
    plain(
        r"""
int main() {
    int n, m;
    std::cin >> n >> m;
    std::vector<std::vector<int>> g(n);
    while (m--) { int a, b; std::cin >> a >> b; g[a].push_back(b); g[b].push_back(a); }
    std::vector<bool> done(n);
    int parts = 0;
    for (int s = 0; s < n; ++s) {
        if (done[s]) continue;
        ++parts;
        std::vector<int> stack{s};
        done[s] = true;
        while (!stack.empty()) { int u = stack.back(); stack.pop_back(); for (int v : g[u]) if (!done[v]) { done[v] = true; stack.push_back(v); } }
    }
    std::cout << parts << '\n';
}
""",
        sized(
            lambda rng, n, m: f"{n} {m}\n" + rows(m, ints(2, 0, n - 1), header=False)(rng),
            (1, 6),
            (0, 5),
        ),
        "3 1\n0 1\n",
    ),
    plain(
        r"""
int main() {
    int n, q;
    cin >> n;
    vector<bool> on(n);
    for (cin >> q; q--;) { int i; cin >> i; if (i >= 0 && i < n) on[i] = !on[i]; }
    cout << count(on.begin(), on.end(), true) << endl;
    for (bool b : on) cout << b << " ";
    cout << endl;
}
""",
        line(ints(1, 0, 9), counted((0, 9), -1, 9)),
        "3 1 0\n",
    ),
    trap(
        r"""
int main() {
    int n;
    cin >> n;
    vector<bool> v(n);
    for (int i = 0; i < n; i++) { int x; cin >> x; v[i] = x; }
    for (int i = 0; i < n; i++) cout << v[i] << " ";
    int c = 0;
    for (int i = 0; i < n; i++) if (v[i] == true) c++;
    cout << c << endl;
}
""",
        counted((0, 9), -3, 600),
        "2\n1 0\n",
    ),
    trap(
        r"""
void show(bool b) { cout << (b ? "bool " : "nope "); }
void show(int i) { cout << "int " << i << " "; }
void show(char c) { cout << "char " << (int)c << " "; }
int main() {
    int n;
    cin >> n;
    vector<bool> v(n, true);
    for (int i = 0; i < n; i++) { if (i % 3 == 2) v[i] = false; show(v[i]); }
    auto copy = v;
    v.flip();
    if (n > 2) v[0].flip();
    cout << (copy == v) << (v < copy) << sizeof(v[0] == 1) << endl;
}
""",
        ints(1, 0, 9),
        "0\n",
    ),
    trap(
        r"""
int main() {
    std::string s;
    std::cin >> s;
    std::vector<bool> bits;
    for (char c : s) bits.push_back(c & 4);
    int total = 0;
    for (std::size_t i = 0; i < bits.size(); ++i) total += bits[i] << i % 8;
    for (auto b : bits) std::cout << b;
    std::cout << ' ' << total << ' ' << std::accumulate(bits.begin(), bits.end(), 0) << '\n';
}
""",
        words(1, "abcdefgh", (1, 9)),
        "abc\n",
    ),
    trap(
        r"""
int main() {
    int n;
    cin >> n;
    vector<bool> v(n);
    auto first = n > 0 ? v[0] : vector<bool>::reference();
    for (int i = 0; i < n; i++) { int x; cin >> x; v[i] = x > 0; }
    for (auto b : v) b = !b;
    for (auto&& b : v) b = !b;
    if (n > 0) cout << first << "\n";
    vector<bool> w(v.begin(), v.end());
    w.resize(n + 2, true);
    hash<vector<bool>> h;
    cout << (h(v) == h(w)) << w.size() << count(w.begin(), w.end(), true) << endl;
}
""",
        counted((1, 9), -3, 3),
        "1\n0\n",
    ),
    trap(
        r"""
typedef vector<bool> Mask;
int weigh(const Mask& m) { int s = 0; for (size_t i = 0; i < m.size(); i++) s += m[i] * (i + 1); return s; }
map<Mask, int> seen;
int main() {
    int n;
    cin >> n;
    Mask m(4);
    for (int i = 0; i < n; i++) {
        int x;
        cin >> x;
        m[x & 3] = (x >> 2) & 6;
        seen[m]++;
        m[(x + 1) & 3] = m[x & 3] ^ 1;
        m[(x + 2) & 3] = ~m[x & 3];
    }
    cout << weigh(m);
    for (auto& p : seen) cout << " " << weigh(p.first) << ":" << p.second;
    cout << endl;
}
""",
        counted((0, 9), 0, 63),
        "0\n",
    ),
    trap(
        r"""
int main() {
    int n;
    double d;
    cin >> n;
    vector<bool> v;
    for (int i = 0; i < n; i++) { cin >> d; v.push_back(d); }
    vector<bool> other(n, 2);
    other[0] = n & 256;
    for (int i = 0; i < n; i++) cout << v[i] << other[i];
    const char* p = n > 3 ? "x" : nullptr;
    v.assign(3, p != nullptr);
    v.push_back((bool)p);
    v[1] = p;
    swap(v[0], v[2]);
    vector<bool>::swap(v[1], v[3]);
    cout << " " << v[0] + v[1] + v[2] + v[3] << endl;
}
""",
        rows((1, 6), one("0", "0.5", "-0.2", "256", "1", "1e-9")),
        "1\n1\n",
    ),
    trap(
        r"""
template <class T> string kind(const vector<T>&) { return to_string(sizeof(T)); }
string kind(const vector<bool>&) { return "bits"; }
vector<bool> sieve(int n) { vector<bool> p(n + 1, true); for (int i = 2; i * i <= n; i++) if (p[i]) for (int j = i * i; j <= n; j += i) p[j] = false; return p; }
int main() {
    int n;
    cin >> n;
    vector<bool> p = sieve(n);
    auto q = sieve(n / 2);
    q.insert(q.end(), p.begin(), p.end());
    cout << kind(p) << (n > 4 ? kind(q) : "") << count(q.begin(), q.end(), true) << endl;
    ostringstream os;
    for (int i = 0; i <= n; i++) os << p[i] << (p[i] ? 'y' : 'n');
    cout << os.str() << (is_same<decltype(p), vector<bool>>::value) << "\n";
}
""",
        ints(1, 0, 60),
        "5\n",
    ),
    trap(
        r"""
struct Flags { vector<bool> f; int n; Flags(int n) : f(n), n(n) {} bool get(int i) const { return f.at(i); } void set(int i, int v) { f.at(i) = v; } };
int main() {
    int n, i, v;
    cin >> n;
    Flags fl(n);
    while (cin >> i >> v) {
        try { fl.set(i, v); cout << fl.get(i) << fl.f[i] << "\n"; }
        catch (const out_of_range&) { cout << "out\n"; }
    }
    cout << fl.f.size() << (fl.f == vector<bool>(n, false)) << endl;
}
""",
        line(ints(1, 0, 5), rows((0, 7), line(ints(1, -1, 5), ints(1, -2, 512)), header=False)),
        "3 1 1\n",
    ),
]
