"""What is read off code that nobody parsed."""

import pytest

from maxcode.critics.code import (
    bare,
    by_value,
    line_of,
    walks_down,
)


@pytest.mark.parametrize("code", ["", "}}}}", "((((", "for for for", '"', "/*", "{" * 1000])
def test_broken_code_breaks_nothing(code: str) -> None:
    assert walks_down(code, 1) == ""
    assert by_value(code, 1) == ""


def test_comments_and_literals_are_emptied_in_place() -> None:
    code = 'a; // for\nb = "x\\"y"; /* 1\n2 */ c = \'d\';\n'
    assert bare(code) == 'a; \nb = ""; \n c = "";\n'


def test_lines_and_their_short_form() -> None:
    assert (line_of("a\n  b\n", 2), line_of("a", 2), line_of("a", 0)) == ("b", "", "")


@pytest.mark.parametrize(
    ("definition", "line", "found"),
    [
        ("int f(vector<int> v, int n) {", "x = f(a, 3);", "f takes `vector<int> v` by value"),
        ("int f(const vector<int>& v) {", "x = f(a);", ""),
        ("int f(vector<int>* v) {", "x = f(a);", ""),
        ("int f(vector<int> v) {", "x = g(a);", ""),
        (
            "int f(map<int, vector<int>> m, string s) const {",
            "f(a, b);",
            "`map<int, vector<int>> m` and `string s`",
        ),
        ("// int f(string s) {", "f(a);", ""),
        ("", "for (auto word : words) {", "the loop's variable is a copy"),
        ("", "for (const std::string word : words) {", "the loop's variable is a copy"),
        ("", "for (const auto& word : words) {", ""),
        ("", "for (int i = a ? b : c; i < n; i++) {", ""),
    ],
)
def test_what_is_copied(definition: str, line: str, found: str) -> None:
    said = by_value(f"{line}\n{definition}\n}}\n", 1)
    assert found in said
    assert bool(found) == bool(said)


@pytest.mark.parametrize(
    ("access", "found"),
    [
        ("c[i][j] += a[i][k] * b[k][j];", "b[k][j]"),
        ("c[i][j] += a[i][k];", ""),
        ("s += b[k + 1][j];", "b[k + 1][j]"),
        ("s += b[k][k];", ""),
        ("s += b[j][k];", ""),
        ("s += v[k];", ""),
    ],
)
def test_walking_down_a_column(access: str, found: str) -> None:
    code = (
        "for (int i = 0; i < n; i++)\n  for (int j = 0; j < n; j++)\n"
        f"    for (int k = 0; k < n; k++) {{\n      {access}\n    }}\n"
    )
    said = walks_down(code, 4)
    assert said.startswith(f"`{found}` jumps by a whole row" if found else "")
    assert bool(said) == bool(found)


def test_one_loop_is_no_reason_to_change_the_order() -> None:
    assert walks_down("for (int k = 0; k < n; k++)\n  s += b[k][0];\n", 2) == ""
