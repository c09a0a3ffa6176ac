"""Programs that provoke hoist-local-buffer."""

from tests.generators.rewrites.meaning._cases import counted, ints, plain, rows, trap, words

CASES = [
    plain(
        r"""
int main() {
    int t;
    cin >> t;
    while (t--) {
        int n;
        cin >> n;
        vector<int> a(n);
        for (int& x : a) cin >> x;
        sort(a.begin(), a.end());
        for (int x : a) cout << x << " ";
        cout << "\n";
    }
}
""",
        rows((0, 4), counted((0, 6), -9, 9)),
        "2\n2\n2 1\n1\n5\n",
    ),
    plain(
        r"""
int main() {
    int n;
    std::cin >> n;
    for (int i = 0; i < n; ++i) {
        std::string line;
        for (int j = 0; j <= i; ++j) line += char('a' + j % 26);
        std::cout << line << '\n';
    }
}
""",
        ints(1, -1, 30),
        "3\n",
    ),
    plain(
        r"""
int main() {
    string s;
    while (cin >> s) {
        vector<int> cnt(26, 0);
        for (char c : s) cnt[c - 'a']++;
        cout << *max_element(cnt.begin(), cnt.end()) << endl;
    }
}
""",
        words((0, 6), "abc", (1, 7)),
        "aba\nb\n",
    ),
    trap(
        r"""
int main() {
    int n;
    cin >> n;
    vector<vector<int>> all;
    for (int i = 0; i < n; i++) {
        vector<int> row;
        int k;
        cin >> k;
        for (int j = 0; j < k; j++) row.push_back(i * j);
        all.push_back(move(row));
        if (i == 2) row.push_back(100);
        if (!row.empty()) cout << "left " << row.size() << "\n";
    }
    for (auto& r : all) cout << r.size() << (r.empty() ? 0 : r.back()) << " ";
    cout << endl;
}
""",
        counted((0, 6), 0, 5),
        "1\n2\n",
    ),
    trap(
        r"""
int main() {
    int n;
    cin >> n;
    vector<function<string()>> later;
    for (int i = 0; i < n; i++) {
        string s(i, 'x');
        s += to_string(i);
        later.push_back([s] { return s; });
        if (i % 3 == 2) continue;
        vector<int> v;
        v.resize(i);
        if (i > 1) v[1] = 7;
        v.resize(i + 2);
        cout << accumulate(v.begin(), v.end(), 0) << " ";
        v.push_back(3);
    }
    for (auto& f : later) cout << f() << ",";
    cout << endl;
}
""",
        ints(1, 0, 9),
        "1\n",
    ),
    trap(
        r"""
int solve(int n, int depth) {
    int best = depth;
    for (int i = 1; i <= n; i++) {
        std::vector<int> parts;
        parts.push_back(i);
        if (n - i > 0 && depth < 4) best += solve(n - i, depth + 1);
        parts.push_back(depth);
        for (int p : parts) best = (best * 3 + p) % 10007;
        best += parts.size();
    }
    return best;
}
int main() {
    int n;
    std::cin >> n;
    std::cout << solve(n, 0) << '\n';
}
""",
        ints(1, 0, 7),
        "0\n",
    ),
    trap(
        r"""
int main() {
    int t;
    cin >> t;
    while (t--) {
        int n; cin >> n;
        vector<int> dist(n, -1), from(max(n, 2));
        vector<bool> used(5);
        string name(3, '.');
        if (n > 2) { dist[1] = 4; from[1] = 1; used[n % 5] = true; }
        name[n % 3] = '#';
        cout << name << accumulate(dist.begin(), dist.end(), 0) << from[1] << used[3] << used[4] << name.size() << "\n";
        from.clear();
        if (n > 6) break;
    }
}
""",
        counted((0, 6), 0, 9),
        "1\n3\n",
    ),
    trap(
        r"""
int main() {
    string line, prev = "-";
    vector<string> kept;
    while (getline(cin, line)) {
        string word;
        vector<string> words;
        for (char c : line) { if (c == ' ') { words.push_back(word); word.clear(); } else word += c; }
        if (word.empty()) { cout << "blank\n"; continue; }
        words.push_back(word);
        swap(prev, word);
        if (words.size() > 1) swap(kept, words);
        cout << prev << word << words.size() << kept.size() << "\n";
    }
}
""",
        words((0, 6), "ab ", (0, 6), "\n"),
        "ab\n",
    ),
    trap(
        r"""
int* last = nullptr;
struct Tracker { static int made; vector<int> v; Tracker() { made++; } ~Tracker() { made += 10; } };
int Tracker::made = 0;
int main() {
    int n;
    cin >> n;
    vector<const char*> addresses;
    for (int i = 0; i < n; i++) {
        Tracker t;
        t.v.push_back(i);
        vector<int> v{1, 2, 3};
        v.insert(v.end(), t.v.begin(), t.v.end());
        vector<int> w = v;
        w.push_back(v.capacity() >= 4);
        static vector<int> seen;
        seen.push_back(i);
        cout << w.size() << v.size() << seen.size() << " ";
        v.pop_back();
    }
    cout << (n > 1 ? Tracker::made : 0) << endl;
}
""",
        ints(1, 0, 6),
        "0\n",
        "1\n",
    ),
    trap(
        r"""
int main() {
    int n, m;
    cin >> n >> m;
    for (int i = 0; i < n; i++) {
        vector<int> a(m);
        if (i > 0) for (int j = 0; j < m; j += 2) a[j] = i;
        else for (int j = 0; j < m; j++) a[j] = 5;
        try {
            string s = "abc";
            s += to_string(a.at(i));
            if (a[i] == 0) throw runtime_error(s);
            cout << s << " ";
        } catch (const out_of_range&) { cout << "range "; }
        catch (const runtime_error& e) { cout << e.what() << "! "; }
        cout << accumulate(a.begin(), a.end(), 0) << endl;
    }
}
""",
        ints(2, 0, 6),
        "1 2\n",
    ),
    trap(
        r"""
int main() {
    int n;
    cin >> n;
    vector<string_view> views;
    deque<string> store;
    for (int i = 0; i < n; i++) {
        string s;
        if (!(cin >> s)) { cout << "missing [" << s << "]\n"; continue; }
        string t = s.size() > 2 ? move(s) : "short";
        store.push_back(t);
        views.push_back(store.back());
        string u;
        if (i % 2) u = "odd";
        u += t[0];
        cout << u << " ";
    }
    for (auto v : views) cout << v << ";";
    cout << endl;
}
""",
        lambda rng: f"{rng.randint(0, 6)}\n" + words((0, 6))(rng),
        "1\nab\n",
    ),
    trap(
        r"""
int main() {
    int q;
    cin >> q;
    for (int i = 0; i < q; i++) {
        int a[4] = {0};
        vector<int> v(4), w(a, a + 4);
        int k;
        cin >> k;
        for (int j = 0; j < 4; j++) if (k >> j & 1) { v[j] += k; w[j]++; a[j]--; }
        vector<vector<int>> g(2, vector<int>(2, k));
        g[0].push_back(1);
        if (k == 3) g.clear();
        int s = 0;
        for (auto& r : g) s += r.size();
        for (int j = 0; j < 4; j++) s = s * 2 + v[j] + w[j] + a[j];
        goto done;
    done:
        cout << s << endl;
    }
}
""",
        counted((0, 6), 0, 15),
        "1\n5\n",
    ),
]
