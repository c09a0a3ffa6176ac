"""Programs that provoke hoist-invariant-call."""

from tests.generators.rewrites.meaning._cases import counted, ints, line, one, plain, trap, words

CASES = [
    plain(
        r"""
int cube(int x) { return x * x * x; }
int main() {
    int n, k;
    cin >> n >> k;
    long long s = 0;
    for (int i = 0; i < n; i++) s += i + cube(k);
    cout << s << endl;
}
""",
        line(ints(1, -2, 30), ints(1, -999, 999)),
        "3 2\n",
    ),
    plain(
        r"""
int sum(const std::vector<int>& v) { int s = 0; for (int x : v) s += x; return s; }
int main() {
    int n;
    std::cin >> n;
    std::vector<int> a(n);
    for (auto& x : a) std::cin >> x;
    int above = 0;
    for (int i = 0; i < n; ++i) if (a[i] * n > sum(a)) ++above;
    std::cout << above << '\n';
}
""",
        counted((0, 9), -99, 99),
        "3\n1 2 3\n",
    ),
    plain(
        r"""
int main() {
    string s; char c;
    cin >> s >> c;
    int n = s.size();
    double t = 0;
    for (int i = 0; i < n; i++) t += sqrt(n) + count(s.begin(), s.end(), c);
    printf("%.4f\n", t);
}
""",
        line(words(1, "ab", (1, 9)), one("a", "b")),
        "ab a\n",
    ),
    trap(
        r"""
int sum(const vector<int>& v) { return accumulate(v.begin(), v.end(), 0); }
int main() {
    int n;
    cin >> n;
    vector<int> a(n);
    for (int& x : a) cin >> x;
    for (int i = 0; i < n; i++) if (sum(a) > 10) a[i] /= 2;
    for (int x : a) cout << x << " ";
    cout << endl;
}
""",
        counted((0, 8), -5, 20),
        "3\n1 2 3\n",
    ),
    trap(
        r"""
int counter = 0;
int next_id(int k) { return k + counter++; }
int twice(int k) { return k * 2 + counter; }
int main() {
    int n;
    cin >> n;
    int s = 0;
    for (int i = 0; i < n; i++) { s = s * 3 % 1009 + twice(n); if (i % 2) s += next_id(n); }
    cout << s << " " << counter << endl;
}
""",
        ints(1, 0, 9),
        "0\n",
        "1\n",
        "2\n",
    ),
    trap(
        r"""
int divide(int a, int b) { if (b == 0) throw std::runtime_error("zero"); return a / b; }
int main() {
    int n, a, b;
    std::cin >> n >> a >> b;
    try {
        long s = 0;
        for (int i = 0; i < n; ++i) { std::cout << i << ' '; s += divide(a, b); }
        std::cout << s << '\n';
    } catch (const std::exception& e) { std::cout << e.what() << '\n'; }
}
""",
        ints(3, 0, 4),
        "2 6 3\n",
    ),
    trap(
        r"""
int slow(int x) { while (x > 9) x = x / 10 + x % 10; if (x < 0) { cout << "negative\n"; exit(1); } return x; }
int main() {
    int n, x;
    cin >> n >> x;
    for (int i = 0; i < n; i++) cout << i * slow(x) << ' ';
    int c = 0;
    for (int i = n; i < 5; i++) if (i > 3 && slow(x - 5) == 1) c++;
    cout << c << endl;
}
""",
        line(ints(1, 0, 8), ints(1, -9, 99999)),
        "2 15\n",
    ),
    trap(
        r"""
string s;
bool ok() { for (size_t i = 1; i < s.size(); i++) if (s[i] == s[i - 1]) return false; return true; }
void fix(int i) { s[i] = s[i] == 'a' ? 'b' : 'c'; }
int main() {
    cin >> s;
    int k = 0;
    for (int i = 0; i < (int)s.size() && !ok(); i++) { fix(i); k++; }
    cout << s << k << endl;
}
""",
        words(1, "abc", (1, 9)),
        "abc\n",
    ),
    trap(
        r"""
struct Counter { int n = 0; int get() const { return n; } void add(int k) { n += k; } };
int main() {
    Counter c;
    Counter& same = c;
    int x, s = 0;
    vector<int> v;
    while (cin >> x) v.push_back(x);
    for (int y : v) { s += c.get() * y; same.add(y % 2); }
    cout << s << endl;
    vector<Counter> cs(2);
    Counter* p = &cs[0];
    for (size_t i = 0; i < v.size(); i++) { s += p->get(); if (v[i] > 3) p = &cs[1]; p->add(1); }
    cout << s << endl;
}
""",
        ints((0, 7), 0, 8),
        "2\n",
    ),
    trap(
        r"""
int read_one() { int x = 0; cin >> x; return x; }
int peek_sum(const int* p, int n) { int s = 0; for (int i = 0; i < n; i++) s += p[i]; return s; }
int main() {
    int n = read_one();
    vector<int> v(n);
    for (int i = 0; i < n; i++) v[i] = read_one();
    int* w = v.data();
    for (int i = 0; i < n; i++) { *w++ += peek_sum(v.data(), n) % 7; }
    for (int x : v) cout << x << ' ';
    cout << endl;
    for (int i = 0; i < 3; i++) { static int seen; seen += rand() >= 0; v.push_back(seen); }
    cout << v.back() << endl;
}
""",
        counted((0, 7), 0, 9),
        "1\n0\n",
        "2\n7 7\n",
    ),
    trap(
        r"""
template <class T> T biggest(const vector<T>& v) { return *max_element(v.begin(), v.end()); }
int main() {
    int n;
    cin >> n;
    vector<long long> v(n);
    for (auto& x : v) cin >> x;
    int c = 0;
    for (int i = 0; i < n; i++) { if (v[i] == biggest(v)) { c++; if (i) v[i - 1] = 100 - i; v[i] = 0; } }
    cout << c;
    for (auto x : v) cout << ' ' << x;
    cout << endl;
    vector<int> none;
    for (int i = 0; i < (int)none.size(); i++) cout << none.at(0) << biggest(none);
}
""",
        counted((0, 7), 0, 150),
        "1\n5\n",
    ),
    trap(
        r"""
int depth = 0;
int probe(int k) { static int calls = 0; return ++calls * k; }
int mood(int k) { return depth > 2 ? -k : k; }
void dive(int n) {
    if (n <= 0) return;
    depth++;
    for (int i = 0; i < 2; i++) { cout << mood(n) << " "; dive(n - 1); if (i == 0) depth++; }
}
int main() {
    int n;
    cin >> n;
    dive(n);
    int t = 0;
    for (int i = 0; i < n; i++) t += probe(n);
    cout << (n > 2 ? t : 0) << endl;
}
""",
        ints(1, 0, 5),
        "0\n",
        "1\n",
    ),
]
