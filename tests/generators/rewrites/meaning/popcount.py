"""Programs that provoke popcount."""

from tests.generators.rewrites.meaning._cases import ints, line, plain, trap

CASES = [
    plain(
        r"""
int bits(unsigned x) {
    int c = 0;
    while (x) { c += x & 1; x >>= 1; }
    return c;
}
int main() {
    unsigned x;
    while (cin >> x) cout << bits(x) << "\n";
}
""",
        ints((0, 8), 0, 2**32 - 1),
        "5 7\n",
    ),
    plain(
        r"""
int main() {
    unsigned long long x;
    std::cin >> x;
    int n = 0;
    while (x != 0) { x &= x - 1; ++n; }
    std::cout << n << '\n';
}
""",
        ints(1, 0, 2**64 - 1),
        "6\n",
    ),
    plain(
        r"""
int main() {
    int n;
    cin >> n;
    int total = 0;
    for (int m = 0; m < (1 << n); m++) {
        int c = 0;
        for (int i = 0; i < n; i++) if (m & (1 << i)) c++;
        if (c % 2 == 0) total += c;
    }
    cout << total << " " << __builtin_popcount(n) << endl;
}
""",
        ints(1, 0, 10),
        "3\n",
    ),
    trap(
        r"""
int bits(int x) {
    int c = 0;
    while (x > 0) { if (x % 2) c++; x /= 2; }
    return c;
}
int main() {
    int x;
    while (cin >> x) cout << bits(x) << "\n";
}
""",
        ints((0, 8), -(2**31), 2**31 - 1),
        "5 7\n",
    ),
    trap(
        r"""
int digits(int x) {
    int c = 0;
    while (x != 0) { c += x % 2; x /= 2; }
    return c;
}
int main() {
    int x;
    while (cin >> x) cout << digits(x) << endl;
}
""",
        ints((0, 8), -(2**31), 2**31 - 1),
        "5\n",
    ),
    trap(
        r"""
int main() {
    long long x;
    cin >> x;
    int c = 0, len = 0;
    while (x > 0) { c += x & 1; x >>= 1; len++; }
    cout << c << " " << (len > 4 ? len : 0) << " " << x << endl;
}
""",
        ints(1, -(2**63), 2**63 - 1),
        "5\n",
    ),
    trap(
        r"""
int main() {
    long long x;
    std::cin >> x;
    int c = 0;
    for (int i = 0; i < 32; ++i) if ((x >> i) & 1) ++c;
    int d = 0;
    for (int i = 1; i < 16; ++i) d += x >> i & 1;
    std::cout << c << ' ' << d / 4 << '\n';
}
""",
        ints(1, -(2**63), 2**63 - 1),
        "6\n",
    ),
    trap(
        r"""
int count(unsigned char b) { int c = 0; while (b) { c += b & 1; b >>= 1; } return c; }
int weight(int n) { int c = 0; for (int i = 0; i < 8; i++) if (n & (1 << i)) c += i < 3 ? 1 : 2; return c; }
int main() {
    int n;
    while (cin >> n) cout << count(n) << weight(n) << "\n";
}
""",
        ints((0, 8), -(2**31), 2**31 - 1),
        "5\n",
    ),
    trap(
        r"""
int pos[64];
int positions(unsigned long long m) {
    int c = 0;
    while (m) { pos[c] = __builtin_ctzll(m); c++; m &= m - 1; }
    return c;
}
int main() {
    unsigned long long m;
    while (cin >> m) { int c = positions(m); cout << c << (c > 2 ? pos[2] : 0) << "\n"; }
}
""",
        ints((0, 6), 0, 2**64 - 1),
        "5 3\n",
    ),
    trap(
        r"""
int zeros(unsigned x) {
    int c = 0;
    while (x) { if (!(x & 1)) c++; x >>= 1; }
    return c;
}
int runs(unsigned x) { int c = 0; while (x) { c += (x & 3) == 1; x >>= 1; } return c; }
int pairs(unsigned x) { int c = 0; while (x) { c += x & 1; x >>= 2; } return c; }
int main() {
    unsigned x;
    while (cin >> x) cout << zeros(x) << runs(x) << pairs(x) << endl;
}
""",
        ints((0, 8), 0, 2**32 - 1),
        "\n",
        "0\n",
    ),
    trap(
        r"""
int main() {
    int x, k;
    cin >> x >> k;
    int c = 0;
    while (x) {
        if (x & 1) c++;
        if (c == k) break;
        x = (unsigned)x >> 1;
    }
    cout << c << " " << x << endl;
}
""",
        line(ints(1, -(2**31), 2**31 - 1), ints(1, 0, 9)),
        "5 9\n",
    ),
    trap(
        r"""
template <class T> int bits(T x) {
    int c = 0;
    for (; x; x &= x - 1) c++;
    return c;
}
int main() {
    long long a;
    while (cin >> a) {
        short s = (short)a;
        cout << bits<unsigned long long>(a) << " " << bits<unsigned short>(s) << " " << bits<unsigned char>(a) << " ";
        cout << bitset<40>(a).count() << "\n";
    }
}
""",
        ints((0, 6), -(2**63) + 1, 2**63 - 1),
        "5\n",
    ),
    trap(
        r"""
int count_bits(long long n) {
    int c = 0;
    while (n > 0) {
        if (n & 1) c++;
        n >>= 1;
    }
    return c;
}
int main() {
    long long n;
    while (cin >> n) cout << count_bits(n) << endl;
}
""",
        ints((0, 6), -(2**63), 2**63 - 1),
        "5\n7\n",
    ),
    trap(
        r"""
int count_bits(int n) {
    int c = 0;
    for (int i = 0; i < 31; i++)
        if (n & (1 << i)) c++;
    return c;
}
int main() {
    int n;
    while (cin >> n) cout << count_bits(n) << endl;
}
""",
        ints((0, 6), -(2**31), 2**31 - 1),
        "5\n7\n",
    ),
]
