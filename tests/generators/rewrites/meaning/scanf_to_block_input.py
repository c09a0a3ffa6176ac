"""Programs that provoke scanf-to-block-input."""

from tests.generators.rewrites.meaning._cases import (
    counted,
    either,
    grid,
    ints,
    line,
    lines,
    one,
    plain,
    reals,
    rows,
    sized,
    trap,
    words,
)

TOKENS = one("+5", "007", "-0", "12", "3", "0", "-7", "2147483647", "-2147483648")
CASES = [
    plain(
        r"""
int main() {
    int n;
    scanf("%d", &n);
    long long s = 0;
    for (int i = 0; i < n; i++) { int x; scanf("%d", &x); s += x; }
    printf("%lld\n", s);
}
""",
        either(counted((0, 9), -(2**31), 2**31 - 1), rows((0, 6), TOKENS)),
        "2\n1 2\n",
    ),
    plain(
        r"""
#include <cstdio>
#include <vector>
int main() {
    int n, m;
    if (scanf("%d %d", &n, &m) != 2) return 1;
    std::vector<std::vector<int>> g(n, std::vector<int>(m));
    for (int i = 0; i < n; ++i) for (int j = 0; j < m; ++j) scanf("%d", &g[i][j]);
    for (int j = 0; j < m; ++j) { long s = 0; for (int i = 0; i < n; ++i) s += g[i][j]; std::printf("%ld ", s); }
    std::puts("");
}
""",
        grid((0, 5), (0, 5), -(10**9), 10**9),
        "1 2\n3 4\n",
    ),
    plain(
        r"""
char s[100];
int main() {
    int t;
    scanf("%d", &t);
    while (t--) {
        long long a;
        double d;
        scanf("%s %lld%lf", s, &a, &d);
        printf("%s %lld %.3f\n", s, a, d);
    }
}
""",
        rows((0, 5), line(words(1), ints(1, -(10**18), 10**18), reals(1, -99, 99))),
        "1\nab 5 2.5\n",
    ),
    trap(
        r"""
int main() {
    int x, k = 0;
    while (scanf("%d", &x) == 1) { k++; printf("%d ", x); }
    char rest[50] = "none";
    scanf("%49s", rest);
    printf("%d %s\n", k, rest);
}
""",
        lines(
            ints((0, 5), -99, 99),
            one("", "abc", "5x 7", "-", "+", "- 5", "+5", "007", "3.5 1", "0x1f", "1,2"),
        ),
        "1 2\n",
    ),
    trap(
        r"""
int main() {
    int a = -1, b = -1, c = -1;
    int r = scanf("%d%d%d", &a, &b, &c);
    printf("%d: %d %d %d\n", r, a, b, c);
    int r2 = scanf("%d", &a);
    printf("%d %d\n", r2 == EOF, feof(stdin) != 0);
}
""",
        one(
            "",
            "1",
            "1 2",
            "1 2 3",
            "x",
            "1 x 2",
            "1 2 3 4",
            "1 2 +",
            "  7\n8\t9 z",
            "+1 -2 +3",
            "00012 08 1",
        ),
        "1 2 3\n",
        "4 5 6 7\n",
    ),
    trap(
        r"""
int main() {
    int h, m, x, y;
    while (scanf("%d:%d (%d,%d)", &h, &m, &x, &y) == 4) printf("%02d:%02d %d\n", h, m, x * y);
    int c = getchar();
    printf("%d\n", c);
}
""",
        rows(
            (0, 4),
            one("1:2 (3,4)", "12:05 (-1, +7)", "7: 8(9,10)", "5", "6:7 (8", "9:x (1,2)"),
            header=False,
        ),
        "1:2 (3,4)\n",
    ),
    trap(
        r"""
int main() {
    int n;
    scanf("%d", &n);
    char line[80];
    fgets(line, sizeof line, stdin);
    printf("[%d]", (int)strlen(line));
    for (int i = 0; i < n && fgets(line, sizeof line, stdin); i++) fputs(line, stdout);
    int z = 7;
    std::cin >> z;
    std::cout << z << std::endl;
}
""",
        lines(one("2", "1 ", "0 abc", "3"), words((0, 4), "ab 1", (1, 6), "\n")),
        "1\nab\n",
    ),
    trap(
        r"""
int main() {
    char c, d;
    int n;
    scanf("%d%c", &n, &c);
    scanf(" %c", &d);
    printf("%d %d %c\n", n, c, d);
    char w[4];
    int got = scanf("%3s", w);
    printf("%s|", got == 1 ? w : "-");
    char set[20] = "";
    got = scanf("%19[a-c]", set);
    printf("%d%s\n", got, set);
}
""",
        line(one("5 x", "5x", "5\ny", "-7\t z"), words(1, "abcd", (1, 9)), words(1)),
        "5 x ab c\n",
    ),
    trap(
        r"""
int main() {
    int w = 0, hex = 0, any = 0; short s = 0; unsigned u = 0; signed char b = 0;
    int r = scanf("%2d %x %i %hd %u %hhd", &w, &hex, &any, &s, &u, &b);
    printf("%d %d %d %d %d %u %d\n", r, w, hex, any, s, u, b);
    int skipped, used = 0;
    r = scanf("%*d %d%n", &skipped, &used);
    if (r == 1) printf("%d %d\n", skipped, used);
}
""",
        line(
            one("12", "345", "+7"),
            one("ff", "10", "0x1F"),
            one("010", "0x10", "10"),
            one("70000", "5"),
            one("4294967295", "-1", "3"),
            one("5", "127"),
            ints((0, 2), 0, 99),
        ),
        "12 10 10 5 3 5\n",
    ),
    trap(
        r"""
int main() {
    double d; float f;
    while (scanf("%lf %f", &d, &f) == 2) printf("%.17g %.9g\n", d, f);
    int n = 0;
    if (scanf("%d", &n) != 1) puts("no int");
    printf("%d\n", n);
}
""",
        rows(
            (0, 4),
            line(
                one(
                    "0.1",
                    "nan",
                    "inf",
                    "1e400",
                    "-0",
                    "0x1p-3",
                    "12345678901234567",
                    "1e-320",
                    ".5",
                    "5.",
                ),
                one("0.1", "3.4e39", "16777217", "1e-40", "abc"),
            ),
            header=False,
        ),
        "1 2\n",
    ),
    trap(
        r"""
int scanf(int* p) { return std::scanf("%d", p) + 10; }
int main() {
    int n, x, s = 0;
    int r = scanf(&n);
    for (int i = 0; i < n; ++i) { s += scanf(&x); s += x; }
    std::printf("%d %d\n", r, s);
    ungetc('4', stdin);
    if (std::scanf("%d", &x) == 1) std::printf("%d\n", x);
}
""",
        counted((0, 5), 0, 99),
        "1\n5\n",
    ),
    trap(
        r"""
#define rd(x) scanf("%d", &x)
int a[10];
int main() {
    int n, k;
    rd(n);
    for (int i = 0; i < n; i++) rd(a[i]);
    while (~scanf("%d", &k)) { if (k >= 0 && k < n) printf("%d\n", a[k]); else break; }
    char tail[20];
    if (scanf("%19s", tail) > 0) printf("tail %s\n", tail);
    if (getchar() == '\n') puts("nl");
}
""",
        sized(
            lambda rng, n: (
                f"{n}\n"
                + ints(n, -9, 9)(rng)
                + "\n"
                + ints((0, 4), 0, n)(rng)
                + rng.choice(["", " -1 x y", "  "])
            ),
            (0, 6),
        ),
        "2\n5 6\n0 1\n",
    ),
    plain(
        r"""
#include <cstdio>
int main() {
    int t;
    scanf("%d", &t);
    while (t--) {
        int a, b;
        scanf("%d %d", &a, &b);
        printf("%d\n", a > b ? a : b);
    }
    return 0;
}
""",
        rows((0, 6), ints(2, -(2**31), 2**31 - 1)),
        "2\n1 2\n4 3\n",
    ),
    trap(
        r"""
#include <cstdio>
int main() {
    int a, b;
    int k = 0;
    while (scanf("%d %d", &a, &b) == 2) { k++; printf("%d\n", a ^ b); }
    printf("%d %d\n", k, a);
    return 0;
}
""",
        lines(ints((1, 7), -99, 99), one("", "x", "7x", "+", "1.5 2")),
        "1 2\n3 4\n",
    ),
    trap(
        r"""
#include <cstdio>
int main() {
    int n = 0, x = 5, s = 0;
    scanf("%d", &n);
    for (int i = 0; i < n; i++) { scanf("%d", &x); s += x; }
    printf("%d\n", s);
    return 0;
}
""",
        lines(ints(1, 0, 6), either(ints((0, 7), -99, 99), one("1 2 x 3", "+4 - 5", "7,8,9"))),
        "2\n1 2\n",
    ),
]
