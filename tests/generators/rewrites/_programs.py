"""Programs to which rewrites apply, by rewrite, and generators of their inputs.

They were written from the rewrites' summaries alone, without a look at how places are found.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

Inputs = Callable[[Random], str]
Count = int | tuple[int, int]


@dataclass(frozen=True, slots=True)
class Case:
    """A program, a generator of inputs, and inputs that are always tried."""

    code: str
    inputs: Inputs
    given: tuple[str, ...]

    def texts(self, rng: Random, count: int) -> list[str]:
        """The given inputs and as many others as make ``count``, without repetitions."""
        others = (self.inputs(rng) for _ in range(count - len(self.given)))
        return list(dict.fromkeys(f"{text.rstrip()}\n" for text in (*self.given, *others)))


def case(body: str, inputs: Inputs, *given: str) -> Case:
    """A case; a body without includes gets all headers, and std:: if it needs it."""
    if "#include" not in body:
        opened = "" if "std::" in body else "using namespace std;\n"
        body = f"#include <bits/stdc++.h>\n{opened}{body}"
    return Case(body.lstrip("\n"), inputs, given)


def numbers(rng: Random, count: Count, lo: int, hi: int) -> list[int]:
    """Integers from ``lo`` to ``hi``: of all, of few, near the ends, in order."""
    size = count if isinstance(count, int) else rng.randint(*count)
    usual = [value for value in (lo, lo + 1, -1, 0, 1, 2, hi - 1, hi) if lo <= value <= hi]
    few = [rng.randint(lo, hi) for _ in range(2)] + [rng.choice(usual)]
    some = range(max(lo, -9), min(hi, 9) + 1) or range(lo, min(hi, lo + 9) + 1)
    way = rng.randrange(6)
    if way == 0:
        return rng.choices(usual, k=size)
    if way == 1:
        return rng.choices(few, k=size)
    if way == 2:
        return rng.choices(some, k=size)
    values = [rng.randint(lo, hi) for _ in range(size)]
    return sorted(values) if way == 3 else values


def ints(count: Count, lo: int, hi: int, sep: str = " ") -> Inputs:
    """Integers on one line, or with another separator."""
    return lambda rng: sep.join(map(str, numbers(rng, count, lo, hi)))


def counted(count: Count, lo: int, hi: int) -> Inputs:
    """How many integers there are, and these."""
    return counting(ints(count, lo, hi))


def counting(inner: Inputs) -> Inputs:
    """How many words there are, and these."""

    def make(rng: Random) -> str:
        text = inner(rng)
        return f"{len(text.split())}\n{text}"

    return make


def words(count: Count, alphabet: str = "abc", size: Count = (1, 5), sep: str = " ") -> Inputs:
    """Words of few letters, so that some are equal."""

    def make(rng: Random) -> str:
        many = count if isinstance(count, int) else rng.randint(*count)
        sizes = (size if isinstance(size, int) else rng.randint(*size) for _ in range(many))
        return sep.join("".join(rng.choices(alphabet, k=one)) for one in sizes)

    return make


def sized(make: Callable[..., str], *sizes: tuple[int, int] | list[int]) -> Inputs:
    """Result of ``make`` for the generator and a number from each of the ranges or lists."""

    def draw(rng: Random) -> str:
        drawn = (rng.randint(*one) if isinstance(one, tuple) else rng.choice(one) for one in sizes)
        return make(rng, *drawn)

    return draw


def rows(count: Count, *forms: Inputs, header: bool = True) -> Inputs:
    """How many lines there are, and these, each of one of the forms."""

    def make(rng: Random) -> str:
        many = count if isinstance(count, int) else rng.randint(*count)
        lines = [rng.choice(forms)(rng) for _ in range(many)]
        return "\n".join([str(many)] * header + lines)

    return make


def line(*parts: Inputs | str, sep: str = " ") -> Inputs:
    """The parts, one after the other; a text stands for itself."""
    return lambda rng: sep.join(part if isinstance(part, str) else part(rng) for part in parts)


def lines(*parts: Inputs | str) -> Inputs:
    """The parts, each on a line."""
    return line(*parts, sep="\n")


def one(*texts: str) -> Inputs:
    """One of the texts."""
    return lambda rng: rng.choice(texts)


def either(*forms: Inputs) -> Inputs:
    """Inputs of one of the forms."""
    return lambda rng: rng.choice(forms)(rng)


TOKENS = one("+5", "007", "-0", "12", "3", "0", "-7", "2147483647", "-2147483648")

PROGRAMS = {
    "append-in-place": [
        case(
            r"""
int main() {
    int n;
    cin >> n;
    string s;
    for (int i = 0; i < n; i++) { string w; cin >> w; s = s + w; }
    cout << s << "\n";
}
""",
            rows((0, 8), words(1)),
            "2\nab c\n",
        ),
        case(
            r"""
std::string repeat(char c, int n) {
    std::string r = "";
    for (int i = 0; i < n; ++i) r = r + c;
    return r;
}
int main() {
    int n;
    while (std::cin >> n) std::cout << repeat('*', n) << std::endl;
}
""",
            ints((0, 4), -2, 30),
            "3\n",
        ),
        case(
            r"""
string s;
string tail() { string t = s.empty() ? "x" : s.substr(s.size() - 1); s += "!"; return t; }
int main() {
    int n;
    cin >> n;
    for (int i = 0; i < n; i++) {
        const string before = s;
        s = s + (i % 2 ? tail() : "a");
        if (i == 3) s = before + "|" + s;
    }
    cout << s << endl;
}
""",
            ints(1, 0, 9),
            "0\n",
            "1\n",
        ),
    ],
    "block-input": [
        case(
            r"""
int main() {
    int n;
    cin >> n;
    long long s = 0;
    for (int i = 0; i < n; i++) { int x; cin >> x; s += x; }
    cout << s << endl;
}
""",
            either(counted((0, 12), -(2**31), 2**31 - 1), rows((0, 6), TOKENS)),
            "3\n1 2 3\n",
        ),
        case(
            r"""
typedef long long ll;
int main() {
    ios::sync_with_stdio(false);
    cin.tie(nullptr);
    int n, q;
    cin >> n >> q;
    vector<ll> a(n + 1);
    for (int i = 1; i <= n; i++) { cin >> a[i]; a[i] += a[i - 1]; }
    while (q--) { int l, r; cin >> l >> r; cout << a[r] - a[l - 1] << "\n"; }
}
""",
            sized(
                lambda rng, n: (
                    f"{n} 3\n"
                    + ints(n, -(10**12), 10**12)(rng)
                    + "\n"
                    + "\n".join("{} {}".format(*sorted(numbers(rng, 2, 1, n))) for _ in range(3))
                ),
                (1, 9),
            ),
            "3 1\n1 2 3\n1 3\n",
        ),
        case(
            r"""
int main() {
    int n;
    cin >> n;
    string s;
    getline(cin, s);
    cout << "[" << s << "]" << endl;
    while (getline(cin, s)) cout << s.size() << ":" << s << "\n";
}
""",
            lines(one("3", " 7 ", "-1 x y", "+5", "12abc"), words((0, 4), "ab \t", (0, 6), "\n")),
            "3\nabc\n",
            "2\na b\n",
        ),
    ],
    "const-reference": [
        case(
            r"""
int total(vector<int> v) {
    int s = 0;
    for (int x : v) s += x;
    return s;
}
int main() {
    int n;
    cin >> n;
    vector<int> a(n);
    for (int& x : a) cin >> x;
    cout << total(a) << "\n";
}
""",
            counted((0, 9), -999, 999),
            "3\n1 2 3\n",
        ),
        case(
            r"""
bool palindrome(std::string s) {
    for (std::size_t i = 0; i < s.size() / 2; ++i) if (s[i] != s[s.size() - 1 - i]) return false;
    return true;
}
int main() {
    std::string w;
    while (std::cin >> w) std::cout << palindrome(w) << '\n';
}
""",
            words((0, 6), "ab", (1, 4)),
            "aba\nab\n",
        ),
    ],
    "dense-map": [
        case(
            r"""
map<int, int> memo;
int f(int n) {
    if (n <= 2) return 1;
    if (memo.count(n)) return memo[n];
    int r = (f(n / 2) + f(n / 3 + 1) + f(n - n / 2)) % 1000007;
    return memo[n] = r;
}
int main() {
    int n;
    while (cin >> n) cout << f(n) << " " << memo.size() << "\n";
}
""",
            ints((0, 4), -5, 2 * 10**9),
            "10\n",
            "100\n",
        ),
    ],
    "dense-set": [
        case(
            r"""
int main() {
    int n;
    cin >> n;
    set<int> s;
    for (int i = 0; i < n; i++) { int x; cin >> x; s.insert(((x % 100) + 100) % 100); }
    for (int x : s) cout << x << " ";
    cout << s.size() << endl;
}
""",
            counted((0, 15), -999, 999),
            "3\n1 2 1\n",
        ),
        case(
            r"""
int main() {
    std::unordered_set<char> seen;
    std::string s;
    std::cin >> s;
    int dup = 0;
    for (char c : s) { if (seen.count(c)) dup++; seen.insert(c); }
    std::cout << dup << '\n';
}
""",
            words(1, "abcde", (1, 12)),
            "abca\n",
        ),
        case(
            r"""
typedef long long ll;
int main() {
    ll a, c, m;
    cin >> a >> c >> m;
    unordered_set<ll> seen;
    ll x = 1;
    int steps = 0;
    while (steps < 200 && seen.insert(x).second) { x = (x * a + c) % m; steps++; }
    cout << steps << " " << x << endl;
}
""",
            line(ints(1, -1000, 1000), ints(1, -1000, 10**6), ints(1, 1, 10**12)),
            "3 1 10\n",
        ),
    ],
    "hashed-containers": [
        case(
            r"""
int main() {
    std::set<long long> s;
    long long x;
    int repeated = 0;
    while (std::cin >> x) { if (s.count(x)) ++repeated; else s.insert(x); }
    std::cout << repeated << ' ' << s.size() << '\n';
}
""",
            ints((0, 12), -(10**18), 10**18),
            "1 2 1\n",
        ),
    ],
    "memoise": [
        case(
            r"""
const int MOD = 1000007;
int fib(int n) {
    if (n < 2) return n;
    return (fib(n - 1) + fib(n - 2)) % MOD;
}
int main() {
    int n;
    while (cin >> n) cout << fib(n) << "\n";
}
""",
            ints((0, 4), 0, 19),
            "5\n",
            "10 11\n",
        ),
        case(
            r"""
long long ways(int r, int c) {
    if (r == 0 || c == 0) return 1;
    return ways(r - 1, c) + ways(r, c - 1);
}
int main() {
    int t;
    std::cin >> t;
    while (t--) {
        int r, c;
        std::cin >> r >> c;
        std::cout << ways(r, c) << '\n';
    }
}
""",
            rows((0, 4), ints(2, 0, 8)),
            "2\n2 2\n3 4\n",
        ),
    ],
    "unroll-pragma": [
        case(
            r"""
int main() {
    int n;
    cin >> n;
    vector<int> a(n);
    for (int i = 0; i < n; i++) cin >> a[i];
    long long s = 0;
    for (int i = 0; i < n; i++) s += a[i];
    cout << s << endl;
}
""",
            counted((0, 20), -(2**31), 2**31 - 1),
            "2\n1 2\n",
        ),
        case(
            r"""
int main() {
    int n;
    std::cin >> n;
    int s = 0;
    for (int i = 0; i < n; ++i)
        for (int j = 0; j <= i; ++j) { if ((i ^ j) == 3) continue; s += i * j % 7; }
    std::cout << s << '\n';
}
""",
            ints(1, -3, 40),
            "5\n",
        ),
        case(
            r"""
int main() {
    int n;
    cin >> n;
    double s = 0;
    for (int i = 1; i <= n; i++) s += 1.0 / i / i;
    printf("%.17g\n", s);
}
""",
            ints(1, 0, 300),
            "5\n",
        ),
    ],
    "unsync-streams": [
        case(
            r"""
int main() {
    int n;
    cin >> n;
    for (int i = 0; i < n; i++) { int x; cin >> x; cout << x * 2 << "\n"; }
}
""",
            counted((0, 9), -999, 999),
            "2\n1 2\n",
        ),
        case(
            r"""
int main() {
    std::string line;
    int k = 0;
    while (std::getline(std::cin, line)) std::cout << ++k << ": " << line << std::endl;
}
""",
            words((0, 6), "ab ", (0, 6), "\n"),
            "a\nb\n",
        ),
    ],
}
