"""The support code TokenReader beside the std::istream whose manners it claims."""

import json
from collections.abc import Callable

from maxcode.generators.rewrites.io import block_input, scanf_to_block_input
from maxcode.generators.rewrites.support import load

_LIMITS = [
    sign + str(2**bits + more)
    for bits in (15, 16, 31, 32, 63, 64)
    for more in (-1, 0, 1)
    for sign in ("", "-")
]
_TEXTS = [
    "", " ", "\n", "\r\n", "\t\v\f\r\n ", "0", "-0", "+0", "1", "-1", "2", "+5", "+-5", "-+5",
    "--5", "++5", "-", "+", "- 5", "+ 5", "-x", "x", "x5", "5x", "5-", "5+3", "5.5", "5,5", "5;",
    "007", "-007", "0x10", "1\r\n2\r\n", "1\r\n", " 1 ", "1\t2\v3\f4", "4 five 6", "99 four",
    "3 99999999999999999999 4", "3 -99999999999999999999 4", "9" * 400, "-" + "9" * 400,
    "0" * 40 + "12", "-" + "0" * 40 + "12", "0" * 40 + "18446744073709551616",
    "10000000000000000000", "20000000000000000000", "99999999999999999999",
    "184467440737095516150", "184467440737095516160", "1e5", "1e", "1e+", "1e-x", "1e5e5",
    "1e5.5", "1.2.3", "1.", "-1.", ".5", ".", "-.", ".e5", "e5", "1..2", "1E3 2E-3", "1e308",
    "1e309", "-1e309", "1e39", "-1e39", "1e-400", "1e-310", "1e-46", "1e4933", "1e-5000", "inf",
    "-inf", "nan", "infinity", "0x1p3", "1" + "0" * 330, "0." + "0" * 330 + "1", "0.1 0.2",
    "3.14159265358979323846264338327950288", "a", "a b", "ab\n", "1 x 2", "one\ntwo\n",
    "one\n\ntwo", "1\n", "12345678901234567890123 x", "1 2 3 4 5 6 7", *_LIMITS,
]  # fmt: skip

_DRIVER = r"""
template <class Reader>
void state(const Reader& in) { std::cout << in.eof() << in.fail() << in.good() << ' '; }

template <class T, class Reader>
void values(const std::string& text) {
    Reader in(text);
    T value = 42;
    for (int i = 0; i < 4; ++i) {
        in >> value;
        std::cout << std::setprecision(21) << +value << ':';
        state(in);
    }
    in.clear();  // what a failed read has left in the stream
    std::string rest = "unread";
    getline(in, rest, '\n');
    std::cout << '[' << rest << ']';
    state(in);
}

template <class Reader>
void others(const std::string& text) {
    std::string word = "unread", line = "unread";
    char c = '?';
    int number = 42;
    Reader in(text);
    in >> c;
    state(in);
    in.ignore();
    state(in);
    in >> word;
    state(in);
    getline(in, line, '\n');
    state(in);
    getline(in, line, '\n');
    state(in);
    in.ignore(1000, '\n');
    state(in);
    in.str("17 x");
    in >> number;
    state(in);
    std::cout << c << word << line << number;
}

template <class Reader>
void all(const char* name, const std::string& text) {
    auto begin = [&](const char* type) { std::cout << '\n' << name << '\t' << type << '\t'; };
    begin("short"), values<short, Reader>(text);
    begin("unsigned short"), values<unsigned short, Reader>(text);
    begin("int"), values<int, Reader>(text);
    begin("unsigned"), values<unsigned, Reader>(text);
    begin("long"), values<long, Reader>(text);
    begin("unsigned long"), values<unsigned long, Reader>(text);
    begin("long long"), values<long long, Reader>(text);
    begin("unsigned long long"), values<unsigned long long, Reader>(text);
    begin("bool"), values<bool, Reader>(text);
    begin("char"), values<char, Reader>(text);
    begin("signed char"), values<signed char, Reader>(text);
    begin("unsigned char"), values<unsigned char, Reader>(text);
    begin("float"), values<float, Reader>(text);
    begin("double"), values<double, Reader>(text);
    begin("long double"), values<long double, Reader>(text);
    begin("others"), others<Reader>(text);
}

int main() {
    for (const std::string& text : texts) {
        std::cout << "\x1e";
        all<std::istringstream>("real", text);
        std::cout << "\x1f";
        all<TokenReader>("ours", text);
    }
}
"""


def test_reads_hostile_texts_as_a_stream_does(printed: Callable[[str], str]) -> None:
    support = load("token_reader")
    headers = "".join(
        f"#include <{name}>\n" for name in (*support.headers, "iomanip", "iostream", "sstream")
    )
    texts = ", ".join(json.dumps(text, ensure_ascii=False) for text in _TEXTS)
    texts = texts.replace(r"\u000b", r"\v")
    code = f"{headers}{support.code}\nconst std::string texts[] = {{{texts}}};\n{_DRIVER}"
    parts = printed(code).split("\x1e")[1:]
    assert len(parts) == len(_TEXTS)
    for text, part in zip(_TEXTS, parts, strict=True):
        real, ours = part.split("\x1f")
        assert ours.replace("\nours\t", "\nreal\t") == real, repr(text)


def test_a_number_too_large_ends_the_reading(same_output: Callable[..., str]) -> None:
    code = """
    #include <iostream>
    #include <string>
    int main() {
        std::string name;
        int minutes = 0;
        while (std::cin >> name >> minutes) std::cout << name << minutes << '\\n';
        std::cout << name << minutes << std::cin.eof();
    }
    """
    same_output(block_input, code, "ann 3\nbob 99999999999999999999\ncid 4")
    same_output(block_input, code, "ann 3\r\nbob -2147483649\r\ncid 4\r\n")


def test_scanf_keeps_its_own_manners(same_output: Callable[..., str]) -> None:
    code = r"""
    #include <cstdio>
    int main() {
        int x = 7;
        while (scanf("%d", &x) == 1) printf("%d\n", x);
        printf("%d\n", x);
    }
    """
    for text in (
        "1 2147483648 99999999999999999999 -99999999999999999999 5",
        "1 -x",
        "+5 four",
        "",
    ):
        same_output(scanf_to_block_input, code, text)
    floating = code.replace("int x", "double x").replace('"%d"', '"%lf"').replace("%d", "%.17g")
    for text in (
        "1e309 -1e309 1e-400 +.5 1e 2e+ 3ex",
        "1e5e3",
        "1.5.5",
        "inf -infinity 0x1p3 nan 2. 3",
        "1 -",
        "1e+",
    ):
        same_output(scanf_to_block_input, floating, text)
    unsigned = code.replace("int x", "unsigned x").replace("%d", "%u")
    same_output(scanf_to_block_input, unsigned, "-1 4294967296 99999999999999999999 5")
