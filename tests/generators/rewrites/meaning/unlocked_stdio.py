"""Programs that provoke unlocked-stdio."""

from tests.generators.rewrites.meaning._cases import counted, ints, plain, trap, words

CASES = [
    plain(
        r"""
int main() {
    int c, n = 0;
    while ((c = getchar()) != EOF) { if (c == 'a') n++; putchar(c); }
    printf("%d\n", n);
}
""",
        words((0, 6), "ab", (1, 5)),
        "ab\n",
    ),
    plain(
        r"""
int read_int() {
    int c = std::getchar(), x = 0;
    while (c == ' ' || c == '\n') c = std::getchar();
    bool neg = c == '-';
    if (neg) c = std::getchar();
    while (c >= '0' && c <= '9') { x = x * 10 + (c - '0'); c = std::getchar(); }
    return neg ? -x : x;
}
int main() {
    int n = read_int();
    long long s = 0;
    for (int i = 0; i < n; ++i) s += read_int();
    std::printf("%lld\n", s);
}
""",
        counted((0, 9), -(10**6), 10**6),
        "2\n1 2\n",
    ),
    plain(
        r"""
void out(int x) { if (x > 9) out(x / 10); putchar('0' + x % 10); }
int main() {
    int x;
    while (scanf("%d", &x) == 1) { out(abs(x)); putchar('\n'); }
}
""",
        ints((0, 6), -(2**31) + 1, 2**31 - 1),
        "5 60\n",
    ),
    trap(
        r"""
int getchar(istream& in) { return in.get() + 1; }
struct Source { string s; size_t i = 0; int getchar() { return i < s.size() ? s[i++] : -1; } int next() { return getchar(); } };
int main() {
    Source src;
    cin >> src.s;
    int c;
    while ((c = src.next()) != -1) cout << c << " ";
    cout << getchar(cin) << endl;
}
""",
        words(1, "ab", (1, 6)),
        "ab\n",
    ),
    trap(
        r"""
int count_ = 0;
#define getchar() (count_++, fgetc(stdin))
#define putchar(c) (printf("<%c>", c))
int main() {
    int c;
    while ((c = getchar()) != EOF && c != 'x') putchar(c);
    printf("%d\n", count_);
}
""",
        words((0, 5), "abx", (1, 4)),
        "x\n",
    ),
    trap(
        r"""
int main() {
    int (*get)() = getchar;
    int (*put)(int) = putchar;
    int c;
    while ((c = get()) != EOF) {
        if (c == 'b') put('B');
        else if (put(c) != c) return 1;
        if (c == 'x') { ungetc('y', stdin); fclose(stdout); exit(5); }
    }
    int e = getchar();
    printf("%d%d\n", e, feof(stdin) != 0);
}
""",
        words((0, 5), "abx", (1, 4)),
        "ab\n",
    ),
    trap(
        r"""
int main() {
    std::string s;
    int c = getchar();
    std::cin >> s;
    std::cout << char(c) << s;
    putchar('!');
    int d = getchar();
    std::cout << d << (char)getchar() << std::endl;
    std::string rest;
    std::getline(std::cin, rest);
    std::cout << rest << getc(stdin) << '\n';
}
""",
        words((2, 4), "abc", (1, 4), "\n"),
        "ab\ncd\n",
    ),
    trap(
        r"""
int main() {
    int c;
    long where = 0;
    while ((c = getc(stdin)) != EOF) {
        if (c == '#') while ((c = getchar()) != '\n' && c != EOF) {}
        if (c == EOF) break;
        fputc(c, c == '!' ? stderr : stdout);
        if (c == 'q') { write(1, "Q", 1); abort(); }
        where++;
    }
    clearerr(stdin);
    printf("[%ld]%d\n", where, getchar());
}
""",
        words((0, 5), "ab#!q ", (0, 6), "\n"),
        "ab\n",
    ),
    trap(
        r"""
#include <cstdio>
#include <thread>
#include <vector>
int putchar_twice(int c) { return std::putchar(c) + std::putchar(c); }
int main() {
    int n = 0, c;
    while ((c = std::getchar()) != '\n' && c != EOF) n += c - 'a';
    std::vector<std::thread> ts;
    for (int t = 0; t < 2; t++) ts.emplace_back([&, t] { for (int i = 0; i < 2000 && n > 1; i++) std::putchar('.'); });
    for (auto& t : ts) t.join();
    std::putchar('\n');
    std::printf("%d\n", putchar_twice('b'));
}
""",
        words((1, 3), "abc", (0, 3), "\n"),
        "a\n",
        "b\n",
    ),
    trap(
        r"""
namespace fast {
    char buf[1 << 10]; size_t at = 0, len = 0;
    int getchar() { if (at == len) { len = fread(buf, 1, sizeof buf, stdin); at = 0; if (len == 0) return EOF; } return buf[at++]; }
    void putchar(char c) { fputc(toupper(c), stdout); }
}
using namespace fast;
int main() {
    int c;
    while ((c = fast::getchar()) != EOF) fast::putchar(c);
    printf("%d %d\n", (int)len, ::getchar());
}
""",
        words((0, 6), "ab ", (0, 6), "\n"),
        "ab\n",
    ),
]
