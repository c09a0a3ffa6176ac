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


def _count(rng: Random, count: Count) -> int:
    return count if isinstance(count, int) else rng.randint(*count)


def ints(count: Count, lo: int, hi: int) -> Inputs:
    """Integers on a line: of the whole range, of few values, near its ends, or in order."""
    usual = [value for value in (lo, lo + 1, -1, 0, 1, 2, hi - 1, hi) if lo <= value <= hi]

    def make(rng: Random) -> str:
        size = _count(rng, count)
        few = [rng.randint(lo, hi), rng.randint(lo, hi), rng.choice(usual)]
        every = [rng.randint(lo, hi) for _ in range(size)]
        some = rng.choice([rng.choices(usual, k=size), rng.choices(few, k=size), every])
        return " ".join(map(str, sorted(some) if rng.random() < 0.2 else some))

    return make


def counted(count: Count, lo: int, hi: int) -> Inputs:
    """How many integers there are, and these."""
    inner = ints(count, lo, hi)
    return lambda rng: f"{len((text := inner(rng)).split())}\n{text}"


def words(count: Count, alphabet: str = "abc", size: Count = (1, 5), sep: str = " ") -> Inputs:
    """Words of few letters, so that some are equal."""
    return lambda rng: sep.join(
        "".join(rng.choices(alphabet, k=_count(rng, size))) for _ in range(_count(rng, count))
    )


def rows(count: Count, form: Inputs) -> Inputs:
    """How many lines there are, and these."""

    def make(rng: Random) -> str:
        many = _count(rng, count)
        return "\n".join([str(many), *(form(rng) for _ in range(many))])

    return make


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
            counted((0, 12), -(2**31), 2**31 - 1),
            "3\n1 2 3\n",
            "5\n+5 007 -0 2147483647 -2147483648\n",
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
            words((0, 4), "ab \t", (0, 6), "\n"),
            " 7 \nab\n",
            "-1 x y\n\nab",
            "12abc\n a\n",
            "3\nabc\n",
            "2\na b\n",
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
            lambda rng: f"{rng.randint(-9, 9)} {rng.randint(-9, 10**6)} {rng.randint(1, 10**12)}",
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
