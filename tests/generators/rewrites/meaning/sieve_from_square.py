"""Programs that provoke sieve-from-square."""

from tests.generators.rewrites.meaning._cases import either, ints, line, numbers, plain, trap

CASES = [
    plain(
        r"""
int main() {
    int n;
    cin >> n;
    vector<bool> composite(n + 1, false);
    for (int i = 2; i <= n; i++) {
        if (composite[i]) continue;
        cout << i << " ";
        for (int j = 2 * i; j <= n; j += i) composite[j] = true;
    }
    cout << endl;
}
""",
        ints(1, 0, 500),
        "30\n",
    ),
    plain(
        r"""
const int MAX = 2000;
bool prime[MAX + 1];
void sieve() {
    std::memset(prime, true, sizeof prime);
    prime[0] = prime[1] = false;
    for (int p = 2; p <= MAX; ++p)
        if (prime[p])
            for (int k = p + p; k <= MAX; k += p) prime[k] = false;
}
int main() {
    sieve();
    int x;
    while (std::cin >> x) std::cout << (x >= 0 && x <= MAX && prime[x]) << '\n';
}
""",
        ints((0, 9), -3, 2005),
        "7 9\n",
    ),
    plain(
        r"""
int main() {
    int n;
    cin >> n;
    vector<int> is(n + 1, 1);
    for (int i = 2; i * i <= n; i++)
        if (is[i]) for (int j = i * 2; j <= n; j += i) is[j] = 0;
    int c = 0;
    for (int i = 2; i <= n; i++) c += is[i];
    cout << c << endl;
}
""",
        ints(1, 0, 900),
        "10\n",
    ),
    trap(
        r"""
int main() {
    int n;
    cin >> n;
    vector<int> spf(n + 1, 0);
    for (int i = 2; i <= n; i++)
        if (spf[i] == 0) { spf[i] = i; for (int j = 2 * i; j <= n; j += i) spf[j] = i; }
    for (int i = 2; i <= n; i++) cout << (i > 5 ? spf[i] : i) << " ";
    cout << endl;
}
""",
        ints(1, 0, 200),
        "5\n",
    ),
    trap(
        r"""
int main() {
    int n;
    cin >> n;
    vector<int> phi(n + 1);
    iota(phi.begin(), phi.end(), 0);
    for (int i = 2; i <= n; i++)
        if (phi[i] == i) for (int j = i; j <= n; j += i) phi[j] -= phi[j] / i;
    vector<int> omega(n + 1);
    for (int i = 2; i <= n; i++) if (!omega[i]) for (int j = 2 * i; j <= n; j += i) omega[j]++;
    cout << (n > 3 ? phi[n] : n) << " " << (n > 3 ? omega[n] : 0) << endl;
}
""",
        ints(1, 0, 300),
        "2\n",
    ),
    trap(
        r"""
int main() {
    int n, marks = 0;
    std::cin >> n;
    std::vector<bool> c(n + 1);
    for (int i = 2; i <= n; ++i)
        if (!c[i]) for (int j = i * 2; j <= n; j += i) { c[j] = true; ++marks; }
    std::cout << (n > 5 ? marks : 0) << '\n';
}
""",
        ints(1, 0, 300),
        "5\n",
        "1\n",
    ),
    trap(
        r"""
int main() {
    int n, k;
    cin >> n >> k;
    vector<char> removed(n + 1, 0);
    for (int i = k; i <= n; i++)
        if (!removed[i]) for (int j = 2 * i; j <= n; j += i) removed[j] = 1;
    int left = 0;
    for (int i = 2; i <= n; i++) left += !removed[i];
    cout << left << endl;
}
""",
        line(ints(1, 0, 200), ints(1, 2, 9)),
        "20 2\n",
    ),
    trap(
        r"""
int main() {
    int n;
    cin >> n;
    vector<bool> open(n + 1, false);
    for (int i = 1; i <= n; i++)
        for (int j = i; j <= n; j += i) open[j] = !open[j];
    vector<bool> lit(n + 1);
    for (int i = 2; i <= n; i++) if (!lit[i] || i % 5 == 0) for (int j = 2 * i; j <= n; j += i) lit[j] = !lit[j];
    int a = 0, b = 0;
    for (int i = 1; i <= n; i++) a += open[i], b += lit[i];
    cout << a << " " << (n > 3 ? b : 0) << endl;
}
""",
        ints(1, 0, 300),
        "3\n",
    ),
    trap(
        r"""
bool c[70000];
int main() {
    int n, last = 0;
    cin >> n;
    int i, j = 0, steps = 0;
    for (i = 2; i <= n; i++) {
        if (c[i]) continue;
        last = i;
        for (j = i + i; j <= n; j += i) c[j] = 1;
        steps += j;
    }
    cout << last << " " << (n > 4 ? j + steps % 1000 : 0) << endl;
}
""",
        either(ints(1, 0, 400), ints(1, 46300, 69999)),
        "3\n",
    ),
    trap(
        r"""
int main() {
    int lo, hi;
    cin >> lo >> hi;
    vector<bool> bad(hi - lo + 1);
    for (int p = 2; p * p <= hi; p++)
        for (int j = max(2, (lo + p - 1) / p) * p; j <= hi; j += p) bad[j - lo] = true;
    int c = 0;
    for (int x = lo; x <= hi; x++) if (x > 1 && !bad[x - lo]) c++;
    cout << c << "\n";
    vector<int> s(hi + 1);
    for (int i = 2; i <= hi; i++) if (s[i] == 0) for (int j = 2 * i; j <= hi; j += i) s[j] += i;
    cout << (hi > 5 ? s[hi] : 0) << endl;
}
""",
        lambda rng: "{} {}".format(*sorted(numbers(rng, 2, 0, 600))),
        "2 5\n",
    ),
    trap(
        r"""
int main() {
    int n;
    cin >> n;
    vector<bool> lucky(n + 1, true);
    for (int i = 2; i <= n; i++) {
        if (!lucky[i]) continue;
        for (int j = 2 * i; j <= n; j += i) { if (j % 10 == 7) { cout << j << "! "; break; } lucky[j] = false; }
    }
    for (int i = 1; i <= n; i++) if (lucky[i]) cout << i << " ";
    cout << endl;
}
""",
        ints(1, 0, 120),
        "5\n",
    ),
]
