"""Programs that provoke erase-front-to-deque."""

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
    vector<int> q(n);
    for (int& x : q) cin >> x;
    while (!q.empty()) { cout << q.front() << " "; q.erase(q.begin()); }
    cout << endl;
}
""",
        counted((0, 8), -9, 9),
        "2\n1 2\n",
    ),
    plain(
        r"""
int main() {
    std::vector<std::pair<int, int>> todo;
    int start;
    std::cin >> start;
    todo.push_back({start, 0});
    std::set<int> seen;
    while (todo.size() > 0) {
        auto [x, d] = todo[0];
        todo.erase(todo.begin());
        if (x > 100 || !seen.insert(x).second) continue;
        std::cout << x << '@' << d << '\n';
        todo.push_back({x * 2, d + 1});
        todo.push_back({x + 7, d + 1});
    }
}
""",
        ints(1, 1, 90),
        "50\n",
    ),
    plain(
        r"""
int main() {
    int n, k;
    cin >> n >> k;
    vector<int> ring;
    for (int i = 1; i <= n; i++) ring.push_back(i);
    while (ring.size() > 1) {
        for (int i = 1; i < k; i++) { int x = ring[0]; ring.erase(ring.begin()); ring.push_back(x); }
        ring.erase(ring.begin());
    }
    if (n > 0) cout << ring[0] << endl;
}
""",
        line(ints(1, 0, 12), ints(1, 1, 6)),
        "5 2\n",
    ),
    trap(
        r"""
int main() {
    int n;
    cin >> n;
    vector<int> v(n);
    for (int& x : v) cin >> x;
    if (n > 0) v.erase(v.begin());
    const int* p = v.data();
    long long s = 0;
    for (size_t i = 0; i < v.size(); i++) s = s * 10 % 100003 + p[i];
    cout << s << endl;
}
""",
        counted((0, 300), 0, 9),
        "2\n1 2\n",
    ),
    trap(
        r"""
int total(const vector<int>& v) { int s = 0; for (int x : v) s += x; return s; }
int main() {
    vector<int> w;
    int x, best = 0;
    while (cin >> x) {
        w.push_back(x);
        if (w.size() > 3) w.erase(w.begin());
        best = max(best, total(w));
    }
    vector<int> copy = w;
    copy.reserve(10);
    cout << best << " " << (copy == w) << (copy.capacity() >= 10) << endl;
}
""",
        ints((0, 9), -9, 99),
        "1 2 3\n",
    ),
    trap(
        r"""
int main() {
    std::vector<int> v;
    std::string op;
    int x;
    while (std::cin >> op >> x) {
        if (op == "push") v.push_back(x);
        else if (op == "pop") { if (!v.empty()) v.erase(v.begin()); }
        else if (op == "cut") { if (x <= (int)v.size()) v.erase(v.begin(), v.begin() + x); }
        else if (op == "mid") { if ((int)v.size() > x) v.erase(v.begin() + x); }
        else if (op == "ins") v.insert(v.begin(), x);
        else { try { std::cout << v.at(x) << '\n'; } catch (std::out_of_range& e) { std::cout << "no\n"; } }
    }
    for (int y : v) std::cout << y << ' ';
    std::cout << '\n';
}
""",
        rows(
            (0, 15),
            line(one("push", "push", "pop", "cut", "mid", "ins", "at"), ints(1, 0, 4)),
            header=False,
        ),
        "push 1\npop 0\n",
    ),
    trap(
        r"""
int main() {
    string s;
    cin >> s;
    string t;
    while (!s.empty()) { t += s.substr(0, 1); if (s.size() > 1) t += s[1]; s.erase(s.begin()); }
    cout << t << endl;
    vector<bool> bits;
    for (char c : t) bits.push_back(c == 'a');
    while (bits.size() > 4) { bits.erase(bits.begin()); bits.flip(); }
    for (bool b : bits) cout << b;
    cout << endl;
}
""",
        words(1, "ab", (1, 9)),
        "ab\n",
    ),
    trap(
        r"""
struct Q { vector<int> v; int pop() { int x = v[0]; v.erase(v.begin()); return x; } };
void drain(vector<int>& v, int k) { while (k-- > 0 && v.size()) v.erase(v.begin()); }
template <class C> void show(const C& c) { cout << (is_same<C, vector<int>>::value ? "v" : "d"); for (int x : c) cout << x; cout << "\n"; }
int main() {
    Q q; int x;
    while (cin >> x) q.v.push_back(x);
    if (!q.v.empty()) cout << q.pop() << endl;
    drain(q.v, 2);
    vector<int> w = q.v;
    w.erase(w.begin(), w.begin() + w.size() / 2);
    show(w);
    swap(q.v, w);
    show(q.v);
}
""",
        ints((0, 9), 0, 9),
        "1 2\n",
    ),
    trap(
        r"""
int main() {
    int n;
    cin >> n;
    vector<int> v;
    for (int i = 0; i < n; i++) v.push_back(i);
    auto it = v.begin();
    while (it != v.end()) {
        if (*it % 2 == 0) { it = v.erase(v.begin()); }
        else ++it;
        if (v.size() < 3) break;
    }
    cout << v.size() << (it - v.begin()) << endl;
    if (v.size() > 1) { int* a = &v[0]; v.erase(v.begin()); cout << *a << endl; printf("%d\n", *(a + v.size() - 1)); }
}
""",
        ints(1, 0, 12),
        "1\n",
    ),
    trap(
        r"""
int main() {
    int n, m;
    cin >> n >> m;
    vector<vector<int>> lanes(n);
    for (int i = 0; i < m; i++) { int l, x; cin >> l >> x; lanes[l].push_back(x); }
    bool moved = n > 0;
    while (moved) {
        moved = false;
        for (auto& lane : lanes) if (!lane.empty()) { cout << lane[0] << ' '; lane.erase(lane.begin()); moved = true; }
    }
    vector<int> a{3, 1, 2};
    a.erase(a.begin());
    sort(&a[0], &a[0] + a.size());
    cout << a[0] << lanes.size() << endl;
}
""",
        sized(
            lambda rng, n, m: (
                f"{n} {m}\n" + rows(m, line(ints(1, 0, n - 1), ints(1, 0, 9)), header=False)(rng)
            ),
            (1, 4),
            (0, 8),
        ),
        "1 1\n0 5\n",
    ),
    trap(
        r"""
int main() {
    int n;
    cin >> n;
    vector<int> v(n);
    for (auto& x : v) cin >> x;
    vector<int>& same = v;
    int rounds = 0;
    for (size_t i = 0; i < same.size(); i++) { if (v[i] < 0) v.erase(v.begin()); rounds++; }
    cout << rounds;
    memset(v.data(), 0, v.size() / 2 * sizeof(int));
    for (int x : v) cout << ' ' << x;
    cout << endl;
}
""",
        counted((0, 8), -5, 9),
        "1\n1\n",
    ),
]
