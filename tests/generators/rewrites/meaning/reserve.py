"""Programs that provoke reserve."""

from tests.generators.rewrites.meaning._cases import (
    counted,
    either,
    ints,
    line,
    one,
    plain,
    rows,
    trap,
)

CASES = [
    plain(
        r"""
int main() {
    int n;
    cin >> n;
    vector<int> v;
    for (int i = 0; i < n; i++) { int x; cin >> x; v.push_back(x); }
    sort(v.begin(), v.end());
    for (int x : v) cout << x << " ";
    cout << endl;
}
""",
        counted((0, 12), -99, 99),
        "2\n2 1\n",
    ),
    plain(
        r"""
std::vector<int> squares(int n) {
    std::vector<int> r;
    for (int i = 1; i <= n; ++i) r.push_back(i * i);
    return r;
}
int main() {
    int n;
    std::cin >> n;
    for (int x : squares(n)) std::cout << x << ' ';
    std::cout << '\n';
}
""",
        ints(1, 0, 40),
        "3\n",
    ),
    plain(
        r"""
int main() {
    int n, m;
    cin >> n >> m;
    vector<string> out;
    for (int i = 0; i < n; i++) { string s; for (int j = 0; j < m; j++) s += (i + j) % 2 ? '#' : '.'; out.push_back(s); }
    for (auto& s : out) cout << s << "\n";
}
""",
        ints(2, 0, 9),
        "2 2\n",
    ),
    trap(
        r"""
int main() {
    int n;
    cin >> n;
    vector<int> v;
    for (int i = 0; i < n; i++) v.push_back(i);
    cout << v.size() << endl;
}
""",
        ints(1, -9, 30),
        "3\n",
    ),
    trap(
        r"""
#define int long long
signed main() {
    int n;
    cin >> n;
    vector<int> primes;
    int x = 2;
    for (int i = 0; i < n; i++) {
        while (any_of(primes.begin(), primes.end(), [&](int p) { return x % p == 0; })) x++;
        primes.push_back(x);
        if (primes.size() >= 20) break;
    }
    for (int p : primes) cout << p << " ";
    cout << endl;
}
""",
        either(
            ints(1, -5, 40),
            one("1000000000000", "9000000000000000000", "-1", "4611686018427387904"),
        ),
        "5\n",
    ),
    trap(
        r"""
int main() {
    std::vector<int> v;
    long long limit;
    std::cin >> limit;
    long long a = 1, b = 2;
    for (long long i = 0; i < limit; ++i) {
        if (a > limit) break;
        v.push_back(a % 1000);
        long long c = a + b; a = b; b = c;
    }
    for (int x : v) std::cout << x << ' ';
    std::cout << '\n';
}
""",
        ints(1, -(10**17), 10**17),
        "10\n",
    ),
    trap(
        r"""
int main() {
    int n, x;
    cin >> n;
    vector<int> v;
    for (int i = 0; i < n && cin >> x; i++) { v.push_back(x); if (i > 2) cout << (v.capacity() > v.size() ? "spare " : "full "); }
    cout << v.size() << (n > 3 ? (long)v.capacity() : 0L) << endl;
}
""",
        either(counted((0, 9), 0, 9), one("2000000000\n1 2 3", "2147483647\n5", "-5\n1")),
        "2\n1 2\n",
    ),
    trap(
        r"""
int main() {
    unsigned n;
    cin >> n;
    vector<int> big;
    try { for (unsigned i = 0; i < n - 1; i++) { big.push_back(i); if (i == 10) throw runtime_error("enough"); } }
    catch (const length_error&) { cout << "length\n"; }
    catch (const bad_alloc&) { cout << "memory\n"; }
    catch (const runtime_error& e) { cout << e.what() << "\n"; }
    cout << big.size() << endl;
}
""",
        either(ints(1, 0, 30), one("4294967295", "0", "4000000000")),
        "5\n",
    ),
    trap(
        r"""
int n;
int more() { return n-- > 0; }
int main() {
    cin >> n;
    vector<int> v;
    for (int i = 0; i < 3 * n; i++) { v.push_back(i); if (more()) v.push_back(n); }
    for (int i = 0; more() || i < 2; i++) v.push_back(i);
    vector<int>& alias = v;
    int keep = v[0];
    for (int i = 0; i < n / 2; i++) alias.push_back(v.front());
    cout << keep << v.size() << v.back() << endl;
}
""",
        ints(1, -4, 12),
        "0\n",
    ),
    trap(
        r"""
struct S { static int moves; int v; S(int v) : v(v) {} S(S&& o) : v(o.v) { moves++; } S(const S& o) : v(o.v) { moves += 100; } };
int S::moves = 0;
int main() {
    int n;
    cin >> n;
    vector<S> v;
    for (int i = 0; i < n; i++) v.push_back(S(i));
    cout << v.size() << " " << (n > 2 ? S::moves : 0) << endl;
    set<int*> places;
    vector<int> w;
    for (int i = 0; i < n; i++) { w.push_back(i); places.insert(&w[0]); }
    cout << (n > 40 && places.size() > 1) << (long long)w.max_size() / (1 << 30) << endl;
}
""",
        ints(1, 0, 60),
        "1\n",
    ),
    trap(
        r"""
int main() {
    int t;
    cin >> t;
    vector<long long> v;
    while (t--) {
        int lo, hi, step;
        cin >> lo >> hi >> step;
        for (int i = lo; i < hi; i += step) { if (v.size() > 40) break; if (i % 3) v.push_back(i); }
        for (int i = hi; i >= lo; i /= 2) { v.push_back(-i); if (i == 0) break; }
    }
    cout << v.size() << " " << accumulate(v.begin(), v.end(), 0LL) << endl;
}
""",
        rows(
            (0, 4),
            line(
                one("-5", "0", "3", "-2000000000"),
                one("10", "-7", "2000000000", "0"),
                one("1", "3", "7"),
            ),
        ),
        "1\n0 10 1\n",
    ),
]
