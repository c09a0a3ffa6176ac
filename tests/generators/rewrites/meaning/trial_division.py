"""Programs that provoke trial-division."""

from tests.generators.rewrites.meaning._cases import ints, line, plain, rows, trap

CASES = [
    plain(
        r"""
bool isPrime(int n) {
    if (n < 2) return false;
    for (int i = 2; i < n; i++) if (n % i == 0) return false;
    return true;
}
int main() {
    int x;
    while (cin >> x) cout << (isPrime(x) ? "prime" : "composite") << "\n";
}
""",
        ints((0, 8), -5, 3000),
        "7\n",
        "9 4\n",
    ),
    plain(
        r"""
int main() {
    long long n;
    std::cin >> n;
    bool prime = n > 1;
    for (long long d = 2; d < n; d++)
        if (n % d == 0) { prime = false; break; }
    std::cout << std::boolalpha << prime << '\n';
}
""",
        ints(1, 0, 20000),
        "5\n",
        "12\n",
    ),
    plain(
        r"""
int main() {
    int n, count = 0;
    cin >> n;
    for (int i = 2; i <= n; i++) {
        bool ok = true;
        for (int j = 2; j < i && ok; j++) if (i % j == 0) ok = false;
        if (ok) { cout << i << " "; count++; }
    }
    cout << "\n" << count << endl;
}
""",
        ints(1, -2, 400),
        "10\n",
    ),
    trap(
        r"""
int main() {
    int n;
    cin >> n;
    bool prime = true;
    for (int i = 2; i < n; i++) if (n % i == 0) prime = false;
    cout << (prime ? "prime" : "not") << endl;
    int last = 0;
    for (int i = 2; i < n; i++) if (n % i == 0) last = i;
    cout << (last > 11 ? last : 0) << endl;
}
""",
        ints(1, -9, 5000),
        "7\n",
        "9\n",
        "1\n",
    ),
    trap(
        r"""
int divisor(int n) {
    int i;
    for (i = 2; i < n; i++) if (n % i == 0) break;
    return i;
}
int main() {
    int n;
    while (cin >> n) cout << divisor(n) << "\n";
}
""",
        ints((0, 6), -4, 2000),
        "9\n",
        "15 4\n",
    ),
    trap(
        r"""
int main() {
    int n, c = 0;
    cin >> n;
    for (int i = 1; i <= n; i++) if (n % i == 0) c++;
    if (c == 2) cout << "prime\n"; else if (n < 20) cout << "no\n"; else cout << "no " << c << "\n";
}
""",
        ints(1, 0, 4000),
        "7\n",
        "4\n",
        "9\n",
    ),
    trap(
        r"""
bool check(int n) {
    for (int i = 3; i < n; i += 2) if (n % i == 0) return false;
    return true;
}
bool check2(int n, int from) {
    for (int i = from; i < n; i++) if (n % i == 0) return false;
    return true;
}
int main() {
    int n, f;
    while (cin >> n >> f) cout << check(n) << check2(n, f) << '\n';
}
""",
        rows((0, 6), line(ints(1, -3, 2000), ints(1, 2, 60)), header=False),
        "7 2\n",
        "9 2\n",
    ),
    trap(
        r"""
int g(int a, int b) { return b ? g(b, a % b) : a; }
int main() {
    int n, k;
    std::cin >> n >> k;
    bool found = false;
    for (int i = 2; i < n; i++) {
        if ((n + k) % i == 0) { found = true; break; }
    }
    bool coprime = true;
    for (int i = 2; i < n; i++) if (g(n, i) != 1 && i % 2) { coprime = false; break; }
    std::cout << found << coprime << std::endl;
}
""",
        line(ints(1, 0, 2000), ints(1, 0, 9)),
        "7 0\n",
        "8 0\n",
    ),
    trap(
        r"""
int main() {
    int n;
    cin >> n;
    for (int i = 2; i < n; i++) {
        if (n % i == 0) { cout << "smallest " << i << "\n"; return 0; }
        if (i > 50) { cout << "gave up\n"; return 0; }
    }
    cout << "prime\n";
}
""",
        ints(1, 0, 5000),
        "9\n",
        "7\n",
    ),
    trap(
        r"""
int main() {
    int n;
    cin >> n;
    int tested = 0;
    bool p = n >= 2;
    for (int i = 2; i < n; i++) {
        tested++;
        if (n % i == 0) { p = false; break; }
    }
    cout << p << ' ' << (tested > 5 ? tested : 0) << endl;
}
""",
        ints(1, -3, 3000),
        "4\n",
        "3\n",
    ),
    trap(
        r"""
unsigned n;
bool prime() {
    for (unsigned i = 2; i < n; ++i) if (n % i == 0) { n = i; return false; }
    return true;
}
int main() {
    while (cin >> n) { bool p = prime(); cout << p << " " << n << "\n"; }
    vector<long long> v;
    long long big = 2147483647LL;
    int hits = 0;
    for (long long i = 46330; i < 46350; i++) if (big % i == 0) hits++;
    cout << hits << endl;
}
""",
        ints((0, 5), 0, 2500),
        "5\n",
        "9\n",
    ),
    trap(
        r"""
template <class F> bool none(int n, F f) {
    for (int i = 2; i < n; i++) if (n % i == 0 && f(i)) return false;
    return true;
}
int main() {
    int n;
    while (cin >> n) {
        cout << none(n, [](int d) { return d % 2 == 1; }) << none(n, [](int d) { return d > 10; }) << "\n";
    }
}
""",
        ints((0, 6), -1, 1500),
        "7\n",
        "9\n",
    ),
]
