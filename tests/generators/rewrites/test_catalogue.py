import re
from pathlib import Path

import pytest

from maxcode.generators import rewrites
from maxcode.generators.rewrites import CppSource, Rewrite, catalogue
from maxcode.tasks.languages import LANGUAGES

_PROGRAM = r"""
#include <iostream>
#include <map>
#include <string>
#include <vector>
using namespace std;
string r = R"(raw " << endl)";
template <class T> T twice(T x) { return x + x; }
long long f(int n) { return n < 2 ? n : f(n - 1) + f(n - 2); }
int main() {
    map<string, int> words;
    map<int, vector<int>> groups;
    vector<vector<double>> a(3, vector<double>(3)), b = a, c = a;
    string s, t = "größe £ 𝄞";
    while (cin >> s) { words[s]++; t = t + s + " "; }
    for (int i = 0; i < 3; i++) for (int j = 0; j < 3; j++) for (int k = 0; k < 3; k++)
        c[i][j] += a[i][k] * b[k][j];
    for (int i = 0; i < 3; i++) { groups[i].push_back(i); cout << i << endl; }
    for (auto w : words) cout << w.first << " " << w.second << endl;
    cout << twice(2.0L) << f(20) << t.substr(0, 2).size() << (t.substr(0, 2) == "gr") << endl;
}
"""

SOURCES = {
    "empty": "",
    "blank": " \n\t\n",
    "program": _PROGRAM,
    "crlf": _PROGRAM.replace("\n", "\r\n"),
    "byte order mark": "\ufeff" + _PROGRAM,
    "unbalanced": "int main() { for (int i = 0; i < strlen(s; i++) { cout << endl; ",
    "not C++": "SELECT * FROM cin >> cout WHERE endl = 'x';",
    "a loop of a macro": "#define FOR(i, n) for (int i = 0; i < (n); i++)\n" + _PROGRAM,
    "half an assignment": "int main() { s = s + ; x = ; map<int, m; vector<vector<> g(; pow(,2); }",
    "nothing in brackets": "void f() { a[]; a()[]; for (;;); while () if () else; return; }",
    "lone surrogate": "int main() { cout << \"\udc80\" << endl; }",
    "old C": 'int main(argc, argv) char** argv; { scanf("%d", &n); printf("%Lf", x); }',
}  # fmt: skip
FOLDER = Path(rewrites.__file__).parent
PAGE = Path(__file__).parents[3] / "docs" / "reference" / "rewrites.md"


def everything() -> set[Rewrite]:
    return {one for language in rewrites.SOURCES for one in catalogue(language, guesses=True)}


def table() -> str:
    """The table of the documentation; `python -m tests.generators.rewrites.test_catalogue`."""
    rows = (
        f"| `{one.name}` | {', '.join(LANGUAGES[name].title for name in one.languages)} "
        f"| {one.summary} | {'guess' if one.guess else 'exact'} | {one.requires} |"
        for one in sorted(everything(), key=lambda one: (one.languages[0], one.name))
    )
    head = "| rewrite | languages | what it does | kind | what must hold |\n|---|---|---|---|---|\n"
    return head + "\n".join(rows) + "\n"


def test_the_documentation_lists_every_rewrite() -> None:
    assert PAGE.read_text().endswith(f"\n\n{table()}")


def test_names_are_unique_and_speak() -> None:
    found = everything()
    assert len({rewrite.name for rewrite in found}) == len(found) >= 12
    for rewrite in found:
        assert re.fullmatch(r"[a-z]+(-[a-z]+)*", rewrite.name)
        assert rewrite.summary.endswith(".")
        assert 0 < rewrite.weight <= 10
        assert rewrite.requires.endswith(".") or not rewrite.guess


@pytest.mark.parametrize("text", SOURCES.values(), ids=SOURCES.keys())
def test_any_source_is_read_without_failure(text: str) -> None:
    first, second = CppSource(text), CppSource(text)
    for rewrite in catalogue(guesses=True):
        once = rewrite.apply(first)
        assert once == rewrite.apply(second), rewrite.name
        assert text != once, rewrite.name


def test_line_ends_are_kept() -> None:
    source = CppSource(SOURCES["crlf"])
    for rewrite in catalogue(guesses=True):
        text = rewrite.apply(source) or ""
        assert "\n" not in text.replace("\r\n", ""), rewrite.name


if __name__ == "__main__":
    PAGE.write_text(PAGE.read_text().partition("| rewrite |")[0] + table())
