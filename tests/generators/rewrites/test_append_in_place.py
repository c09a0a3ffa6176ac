from collections.abc import Callable

from maxcode.generators.rewrites.io import append_in_place

CODE = r"""
#include <iostream>
#include <string>
#include <vector>
using namespace std;
int main() {
    string s = "a";
    vector<string> lines(2);
    for (int i = 0; i < 3; i++) {
        s = s + to_string(i) + ", ";
        if (i > 0) s = s + 'x' + "y";
        lines[0] = lines[0] + s;
    }
    cout << s << lines[0] << '\n';
}
"""


def test_appends_each_term(same_output: Callable[..., str]) -> None:
    text = same_output(append_in_place, CODE)
    assert 's += to_string(i);\n        s += ", ";' in text
    assert "s += 'x', s += \"y\";" in text
    assert "lines[0] += s" in text


def test_leaves_numbers_and_prefixes_alone(applied: Callable[..., list[str]]) -> None:
    code = "int main() { int n = 1; string s; n = n + 2; s = 'x' + s; s = s + 'a' + s; }"
    assert applied(append_in_place, code) == []
