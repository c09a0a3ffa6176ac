"""Support code beside the parts of the standard library that it stands for."""

import json
from collections.abc import Callable

import pytest

from maxcode.generators.rewrites.support import load

pytestmark = pytest.mark.slow

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
    in.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
    state(in);
    in.str("17 x");
    in >> number;
    state(in);
    std::cout << c << word << line << number;
}

template <class Reader, class... Types>
void all(const std::string& text) {
    (values<Types, Reader>(text), ...);
    others<Reader>(text);
}

template <class Reader>
void of_every_type(const std::string& text) {
    all<Reader, bool, char, signed char, unsigned char, short, unsigned short, int, unsigned, long,
        unsigned long, long long, unsigned long long, float, double, long double>(text);
}

int main() {
    for (const std::string& text : texts) {
        std::cout << "\x1e";
        of_every_type<std::istringstream>(text);
        std::cout << "\x1f";
        of_every_type<TokenReader>(text);
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
        assert ours == real, repr(text)


_TABLES = r"""
template <class Map, class Set>
void run() {
    Map m;
    Set s;
    unsigned state = 7;
    for (int i = 0; i < 40000; i++) {
        state = state * 1664525u + 1013904223u;
        const int what = state >> 28, spread = (state >> 8) % 4;
        int key = (state >> 10) % (spread == 3 ? 100000000 : 300);
        if (spread == 1) key = -key;
        if (spread == 2) key += 2097000;  // around the limit of the table
        long long& value = m[key];
        m[key / 2] += 1;
        value += what;  // the reference is still good
        if (what < 4) std::cout << m.erase(key) << s.erase(key) << ' ';
        if (what > 8) std::cout << s.insert(key).second << m.insert({key, what}).second << ' ';
        std::cout << m.count(key + 1) << s.count(key) << m.size() << s.size() << s.empty();
    }
    const Map copy = m;
    m.clear();
    std::cout << m.size() << m.empty() << m.count(0) << m[0] << m.size();
    for (const auto& entry : copy ORDERED) std::cout << entry.first << ':' << entry.second << ' ';
    for (int member : s ORDERED) std::cout << member << ' ';
}
"""


def test_tables_answer_as_trees_do(printed: Callable[[str], str]) -> None:
    names = ("iostream", "map", "set", "unordered_map", "unordered_set", "vector", "algorithm")
    headers = "".join(f"#include <{name}>\n" for name in names)
    ours = _TABLES.replace("ORDERED", ".ordered()").replace("run()", "ours()")
    code = f"""{headers}{load("dense_table").code}
    {load("hash_table").code}
    {_TABLES.replace("ORDERED", "")}{ours}
    int main() {{
        ours<DenseMap<int, long long>, DenseSet<int>>();
        std::cout << '\\x1f';
        ours<HashMap<int, long long>, HashSet<int>>();
        std::cout << '\\x1f';
        run<std::map<int, long long>, std::set<int>>();
    }}"""
    tables, hashed, trees = printed(code).split("\x1f")
    assert tables == hashed == trees


_MEMO = r"""
int main() {
    MemoTable<long long, 2> table;
    std::map<MemoTable<long long, 2>::Key, long long> plain;
    unsigned long long state = 1;
    for (long long i = 0; i < 400000; i++) {
        state = state * 6364136223846793005ULL + 1442695040888963407ULL;
        const long long part = state >> 45;  // 2^19 of them: more than it keeps
        const MemoTable<long long, 2>::Key key{part % 2 ? part : 1LL << 63, part};
        const long long* held = table.find(key);
        const bool kept = plain.count(key) && plain[key] < 200000;
        if (held ? *held != plain[key] : kept) return 1;
        if (!held) plain[key] = table.store(key, i);
    }
    std::cout << plain.size();
}
"""


def test_results_are_remembered_as_a_map_does(printed: Callable[[str], str]) -> None:
    code = f"#include <array>\n#include <cstdint>\n#include <iostream>\n#include <map>\n{_MEMO}"
    table = load("memo_table").code
    assert int(printed(code.replace("int main", f"#include <vector>\n{table}\nint main"))) > 1 << 18
