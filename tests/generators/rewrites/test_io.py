"""Where the rewrites of input and output apply, and traps: what they leave alone, with a reason."""

from collections.abc import Callable, Sequence

import pytest

from maxcode.generators.rewrites import Rewrite
from maxcode.generators.rewrites.io import (
    append_in_place,
    block_input,
    unsync_streams,
)

CASES: dict[Rewrite, tuple[str, Sequence[str], Sequence[str | tuple[str, str]]]] = {
    block_input: (
        r"""
        #include <iostream>
        #define ll long long
        struct P { double x; };
        int main() {
            int n, a[5]; char c; P p; std::string word, line; std::vector<long> v(3);
            std::ios::sync_with_stdio(false); std::cin.tie(nullptr);
            if (!(std::cin >> n >> a[1] >> p.x)) return 1;
            while (std::cin >> c >> v[0] && n) std::cin.ignore();
            for (std::cin >> n; std::getline(std::cin, line, ';'); std::cin >> word)
                n += std::cin.eof();
            std::cin.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
            std::cin.clear();
            ll wide; for (auto& x : v) std::cin >> x >> wide;
            /**/
        }""",
        ["fast_input >> n >> a[1] >> p.x", "getline(fast_input, line, ';')", "fast_input.eof()"],
        [
            'scanf("%d", &n);', "c = std::cin.get();", "std::cin.peek();", "std::cin >> std::hex;",
            "std::cin >> std::ws;", "char s[9]; std::cin >> s;", "std::istream& in = std::cin;",
            "f(std::cin);", "std::cin.exceptions(std::ios::failbit);", "std::cout << std::flush;",
            "auto x = n; std::cin >> x;", "(std::cin >> n).get();", "std::cin.ignore(5);",
            "bool b = bool(std::cin >> n);", "int* q = &n; std::cin >> *q;", 'system("cat");',
            "std::getline(std::cin >> std::ws, line);", "goto end; end:;",
            "std::cin.clear(std::ios::eofbit);",
            "std::istream_iterator<int> it(std::cin);", "return std::cin.get() + 1;",
            ("struct P {", "std::istream& operator>>(std::istream& i, int*); struct P {"),
            ("struct P {", "#define word line\nstruct P {"),
            ("struct P {", "#define double long double\nstruct P {"),
            ("struct P {", "int cin; struct P {"),
            ("struct P {", "#ifdef X\nint x;\n#endif\nstruct P {"),
            ("struct P {", "template <class T> void get(T& t) { std::cin >> t; } struct P {"),
            ("<iostream>", '"own.h"'), ("<iostream>", "<thread>"), ("P p;", "P p; p = ;"),
        ],
    ),
    unsync_streams: (
        r"""
        #include <iostream>
        int total(int);
        int total(int x) { return x; }
        int main() {
            int a;
            std::cin >> a;
            std::cout << total(a);
            /**/
        }""",
        ["{\n    std::ios::sync_with_stdio(false);\n    std::cin.tie(nullptr);"],
        [
            'printf("x");', 'scanf("%d", &a);', 'puts("x");', "getchar();", 'std::cerr << "x";',
            "std::ios::sync_with_stdio(0);", "std::cout << std::flush;", "std::cin.unget();",
            "std::cin.tellg();", "fflush(stdout);", "std::cin.tie(0);", 'freopen("f", "r", stdin);',
            "std::cin.rdbuf();", "std::abort();", "std::wcout << 1;", "std::_Exit(1);",
            ("int main", "int early = total(1); int main"),
            ("int main", "int early = [] { return 1; }(); int main"),
            ("int main", "struct S { S() { std::cout << 1; } } s; S t; int main"),
        ],
    ),
    append_in_place: (
        r"""
        #include <string>
        using namespace std;
        string made(int n) { return string(n, 'x'); }
        string used(int& n) { return string(n--, 'x'); }
        struct P { string name; };
        string f(string t, char c, const string& u, string& w, int n, int k) {
            string s = "x"; vector<string> v; P p;
            s = s + made(n) + ", " + t + c + to_string(k);
            if (n) s = s + 'x' + "y"; else s = s + u;
            v[0] = v[0] + t;
            p.name = p.name + "!";
            w = w + t + c;
            return s;
        }""",
        [
            's += made(n);\n            s += ", ";\n            s += t;', "s += to_string(k);",
            "s += 'x', s += \"y\";", "v[0] += t;", 'p.name += "!";', "w += c;",
        ],
        [],
    ),
}  # fmt: skip
# Where only single statements are left alone.
STATEMENTS = (
    "s = 'x' + s;", "s = s + t + s;", "s = s + c + u;", "s = s + t + made(n);", "n = n + n;",
    "s = s + c + p;", "w = w + t + u;", "s = s + t + s.c_str();", "s = s + t + v[0];",
    "v[n++] = v[n++] + t;",
    "v[n] = v[n] + made(n);", "auto a = t; a = a + t;", "s = s + t + to_string(made(n).size());",
    "s = s + used(n) + to_string(n);",
    "b = b + t;", "static string k; w = w + t + k;", "s = s - t;", "s = (s + t);",
)  # fmt: skip


@pytest.mark.parametrize("rewrite", CASES, ids=lambda one: one.name)
def test_applies_where_it_is_proved(
    rewrite: Rewrite, applied: Callable[..., list[str]], broken_by: Callable[..., str]
) -> None:
    code, expected, traps = CASES[rewrite]
    text = applied(rewrite, code)[0]
    for piece in expected:
        assert piece in text
    for trap in traps:
        assert applied(rewrite, broken_by(code, trap)) == [], trap


@pytest.mark.parametrize("statement", STATEMENTS)
def test_leaves_other_sums_alone(statement: str, applied: Callable[..., list[str]]) -> None:
    code = CASES[append_in_place][0]
    start, end = code.index("            s = s + made"), code.index("return s;")
    code = f"{code[:start]}const char* p; auto& b = s; {statement} {code[end:]}"
    assert applied(append_in_place, code) == []
