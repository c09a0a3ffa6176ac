"""Programs that provoke list-to-vector."""

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
    list<int> l;
    int x;
    while (cin >> x) l.push_back(x);
    int s = 0;
    for (int y : l) s += y;
    cout << s << " " << l.size() << endl;
}
""",
        ints((0, 9), -99, 99),
        "1 2\n",
    ),
    plain(
        r"""
int main() {
    std::list<std::string> words;
    std::string w;
    while (std::cin >> w) words.push_back(w);
    words.sort();
    words.unique();
    for (std::list<std::string>::iterator it = words.begin(); it != words.end(); ++it) std::cout << *it << '\n';
}
""",
        words((0, 9), "ab", (1, 2)),
        "b a b\n",
    ),
    plain(
        r"""
int main() {
    int n;
    cin >> n;
    vector<list<int>> adj(n + 1);
    for (int i = 2; i <= n; i++) { int p; cin >> p; adj[p].push_back(i); }
    vector<int> depth(n + 1);
    for (int i = 1; i <= n; i++) for (int c : adj[i]) depth[c] = depth[i] + 1;
    for (int i = 1; i <= n; i++) cout << depth[i] << " ";
    cout << endl;
}
""",
        sized(
            lambda rng, n: f"{n}\n" + " ".join(str(rng.randint(1, i - 1)) for i in range(2, n + 1)),
            (1, 9),
        ),
        "3\n1 1\n",
    ),
    trap(
        r"""
int main() {
    list<int> l;
    int x;
    while (cin >> x) { if (x < 0) l.push_front(x); else l.push_back(x); }
    for (auto it = l.begin(); it != l.end();) {
        if (*it % 3 == 0) it = l.erase(it);
        else { if (*it == 7) l.insert(it, 70); if (*it == 5 && l.size() < 30) l.push_back(8); ++it; }
    }
    for (int y : l) cout << y << " ";
    cout << endl;
}
""",
        ints((0, 9), -9, 9),
        "1 2\n",
    ),
    trap(
        r"""
int main() {
    int n, k;
    cin >> n;
    list<int> order;
    vector<list<int>::iterator> at(n);
    for (int i = 0; i < n; i++) at[i] = order.insert(order.end(), i);
    while (cin >> k) if (k >= 0 && k < n) order.splice(order.begin(), order, at[k]);
    for (int x : order) cout << x << ' ';
    cout << endl;
}
""",
        line(ints(1, 1, 6), ints((0, 6), 0, 5)),
        "3\n",
        "3 1\n",
    ),
    trap(
        r"""
struct Lru {
    std::list<std::pair<int, int>> items;
    std::unordered_map<int, std::list<std::pair<int, int>>::iterator> where;
    int get(int k) {
        auto it = where.find(k);
        if (it == where.end()) return -1;
        items.splice(items.begin(), items, it->second);
        return it->second->second;
    }
    void put(int k, int v) {
        if (get(k) >= 0) { items.front().second = v; return; }
        if (items.size() == 3) { where.erase(items.back().first); items.pop_back(); }
        items.push_front({k, v});
        where[k] = items.begin();
    }
};
int main() {
    Lru c;
    char op;
    int k, v;
    while (std::cin >> op >> k) { if (op == 'p') { std::cin >> v; c.put(k, v); } else std::cout << c.get(k) << '\n'; }
}
""",
        rows((0, 15), line("p", ints(2, 0, 5)), line("g", ints(1, 0, 5)), header=False),
        "p 1 2\ng 1\n",
    ),
    trap(
        r"""
int main() {
    list<int> l;
    int x;
    vector<int*> kept;
    while (cin >> x) { l.push_back(x); kept.push_back(&l.back()); }
    l.sort();
    int s = 0;
    for (size_t i = 0; i < kept.size(); i++) s += *kept[i] * (int)(i + 1);
    cout << s << endl;
    int& first = l.empty() ? x : l.front();
    l.push_front(-1);
    first += 5;
    for (int y : l) cout << y << ",";
    cout << endl;
}
""",
        ints((0, 8), 0, 9),
        "1 2\n",
    ),
    trap(
        r"""
struct P { int key, id; bool operator<(const P& o) const { return key < o.key; } bool operator==(const P& o) const { return key == o.key; } };
int main() {
    list<P> a, b;
    int n;
    cin >> n;
    for (int i = 0; i < n; i++) { int k; cin >> k; (i % 3 ? a : b).push_back({k, i}); }
    a.sort();
    b.sort();
    a.merge(b);
    if (n > 5) a.unique();
    a.reverse();
    a.remove_if([](const P& p) { return p.key == 0; });
    a.remove({3, 0});
    for (auto& p : a) cout << p.key << "/" << p.id << " ";
    cout << b.size() << endl;
}
""",
        counted((0, 12), 0, 4),
        "1\n5\n",
    ),
    trap(
        r"""
int main() {
    int n, k;
    cin >> n >> k;
    list<int> ring(n);
    iota(ring.begin(), ring.end(), 1);
    auto it = ring.begin();
    while (ring.size() > 1) {
        for (int i = 1; i < k; i++) if (++it == ring.end()) it = ring.begin();
        auto gone = it++;
        if (it == ring.end()) it = ring.begin();
        cout << *gone << " ";
        ring.erase(gone);
        if (it == ring.end()) it = ring.begin();
    }
    cout << (n ? ring.front() : 0) << endl;
}
""",
        line(ints(1, 0, 12), ints(1, 1, 5)),
        "1 1\n",
    ),
    trap(
        r"""
int main() {
    string s;
    getline(cin, s);
    list<char> text;
    auto cur = text.end();
    for (char c : s) {
        if (c == '<') { if (cur != text.begin()) --cur; }
        else if (c == '>') { if (cur != text.end()) ++cur; }
        else if (c == '-') { if (cur != text.begin()) cur = text.erase(prev(cur)); }
        else text.insert(cur, c);
    }
    cout << string(text.begin(), text.end()) << text.size() << endl;
}
""",
        words(1, "abc<>-", (0, 15)),
        "\n",
    ),
    trap(
        r"""
int main() {
    list<int> l;
    int q, x;
    cin >> q;
    auto e = l.end();
    auto b = l.rbegin();
    while (q--) {
        cin >> x;
        if (x > 0) l.insert(e, x);
        else if (!l.empty()) { l.pop_front(); l.emplace_front(x); }
        if (b != l.rend()) cout << *b << " ";
        if (l.size() > 4) { list<int> other; other.splice(other.end(), l, next(l.begin(), 2), l.end()); l.splice(l.begin(), other); }
    }
    for (int y : l) cout << y << ' ';
    list<int> copy(l);
    copy.resize(2, 9);
    cout << (copy < l) << copy.back() << endl;
}
""",
        counted((0, 9), -3, 9),
        "1\n-1\n",
    ),
]
