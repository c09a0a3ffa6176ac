"""Programs that provoke bubble-to-sort."""

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
    vector<int> a(n);
    for (int i = 0; i < n; i++) cin >> a[i];
    for (int i = 0; i < n; i++)
        for (int j = 0; j + 1 < n - i; j++)
            if (a[j] > a[j + 1]) swap(a[j], a[j + 1]);
    for (int x : a) cout << x << " ";
    cout << endl;
}
""",
        counted((0, 12), -1000, 1000),
        "3\n3 1 2\n",
    ),
    plain(
        r"""
struct P { std::string name; int score; };
int main() {
    int n;
    std::cin >> n;
    std::vector<P> p(n);
    for (auto& x : p) std::cin >> x.name >> x.score;
    for (int i = 0; i < n - 1; i++) {
        for (int j = 0; j < n - 1 - i; j++) {
            if (p[j].score < p[j + 1].score) std::swap(p[j], p[j + 1]);
        }
    }
    for (auto& x : p) std::cout << x.name << ' ' << x.score << '\n';
}
""",
        rows((0, 10), line(words(1), ints(1, 0, 5))),
        "2\nann 3\nbob 5\n",
    ),
    plain(
        r"""
typedef long long ll;
void bubble(vector<ll>& v) {
    int n = v.size();
    for (int i = 0; i < n; ++i)
        for (int j = 1; j < n; ++j)
            if (v[j - 1] > v[j]) { ll t = v[j - 1]; v[j - 1] = v[j]; v[j] = t; }
}
int main() {
    vector<ll> v;
    ll x;
    while (cin >> x) v.push_back(x);
    bubble(v);
    for (size_t i = 0; i < v.size(); i++) printf("%lld\n", v[i]);
}
""",
        ints((0, 12), -(10**18), 10**18),
        "5 4 3\n",
    ),
    trap(
        r"""
int main() {
    int n, swaps = 0;
    cin >> n;
    vector<int> a(n);
    for (int& x : a) cin >> x;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n - 1 - i; j++)
            if (a[j] > a[j + 1]) { swap(a[j], a[j + 1]); swaps++; }
    for (int x : a) cout << x << " ";
    cout << (swaps > 3 ? swaps : 0) << endl;
}
""",
        counted((0, 10), -9, 9),
        "3\n1 2 3\n",
        "3\n2 1 3\n",
    ),
    trap(
        r"""
int main() {
    int n;
    cin >> n;
    vector<double> a(n);
    for (double& x : a) { string s; cin >> s; x = stod(s); }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n - 1 - i; j++)
            if (a[j] > a[j + 1]) swap(a[j], a[j + 1]);
    for (double x : a) cout << x << " ";
    cout << "\n";
}
""",
        rows((0, 8), one("nan", "1", "2", "-3", "0", "-0", "inf", "2.5")),
        "3\n2\n1\n0\n",
    ),
    trap(
        r"""
int main() {
    int n, k;
    cin >> n >> k;
    vector<int> a(n);
    for (int& x : a) cin >> x;
    for (int i = 0; i < k; i++)
        for (int j = 0; j + 1 < n; j++)
            if (a[j] > a[j + 1]) swap(a[j], a[j + 1]);
    for (int x : a) cout << x << " ";
    cout << "\n";
}
""",
        sized(lambda rng, n: f"{n} {rng.randint(0, 12)}\n" + ints(n, -20, 20)(rng), (0, 10)),
        "3 3\n3 2 1\n",
    ),
    trap(
        r"""
int main() {
    int n;
    cin >> n;
    vector<int> a(n);
    for (int& x : a) cin >> x;
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++)
            if (a[i] % 10 > a[j] % 10) swap(a[i], a[j]);
    for (int x : a) cout << x << ' ';
}
""",
        counted((0, 10), 0, 60),
        "3\n3 1 2\n",
        "4\n9 8 7 6\n",
    ),
    trap(
        r"""
int main() {
    std::size_t n;
    std::cin >> n;
    std::vector<int> key(n), value(n);
    for (auto& x : key) std::cin >> x;
    for (auto& x : value) std::cin >> x;
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j + 1 < n; ++j)
            if (key[j] > key[j + 1]) {
                std::swap(key[j], key[j + 1]);
                std::swap(value[j], value[j + 1]);
            }
    for (std::size_t i = 0; i < n; ++i) std::cout << key[i] << '=' << value[i] << '\n';
}
""",
        sized(lambda rng, n: f"{n}\n" + ints(n, 0, 4)(rng) + "\n" + ints(n, 0, 99)(rng), (0, 9)),
        "2\n1 2\n5 6\n",
    ),
    trap(
        r"""
int n, a[50];
bool before(int x, int y) { return x >= y; }
int main() {
    scanf("%d", &n);
    for (int i = 0; i < n; i++) scanf("%d", a + i);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n - 1; j++)
            if (!before(a[j + 1], a[j] + 1)) swap(a[j], a[j + 1]);
    for (int i = 0; i < n; i++) printf("%d ", a[i]);
    puts("");
}
""",
        counted((0, 9), -5, 5),
        "2\n2 1\n",
    ),
    trap(
        r"""
int main() {
    int n;
    cin >> n;
    vector<string> a(n);
    for (auto& s : a) cin >> s;
    for (int i = 1; i < n; i++)
        for (int j = 0; j + 1 < n; j++)
            if (a[j].size() > a[j + 1].size() || (a[j].size() == a[j + 1].size() && a[j] <= a[j + 1]))
                swap(a[j], a[j + 1]);
    for (auto& s : a) cout << s << " ";
    cout << "\n";
}
""",
        rows((0, 6), words(1)),
        "2\nab a\n",
    ),
    trap(
        r"""
int main() {
    int n;
    cin >> n;
    vector<int> a(n);
    for (int& x : a) cin >> x;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n - 2; j++)
            if (a[j] > a[j + 1]) swap(a[j], a[j + 1]);
        if (i % 2) cout << a[0] << ' ';
    }
    for (int x : a) cout << x << ' ';
    cout << endl;
}
""",
        counted((0, 9), -50, 50),
        "2\n1 2\n",
    ),
    trap(
        r"""
struct Item { int w; long id; bool operator>(const Item& o) const { return w > o.w; }
    bool operator<(const Item& o) const { return id < o.id; } };
int main() {
    int n;
    cin >> n;
    vector<Item> v(n);
    for (int i = 0; i < n; i++) { cin >> v[i].w; v[i].id = (i * 7) % 10; }
    for (int i = 0; i < n; i++)
        for (int j = 0; j + 1 < n; j++)
            if (v[j] > v[j + 1]) swap(v[j], v[j + 1]);
    for (auto& it : v) cout << it.w << "/" << it.id << "\n";
}
""",
        counted((0, 10), 0, 5),
        "1\n4\n",
        "2\n1 2\n",
    ),
]
