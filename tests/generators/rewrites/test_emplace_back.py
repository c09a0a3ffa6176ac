from collections.abc import Callable

from maxcode.generators.rewrites.lookups import emplace_back

CODE = """
#include <iostream>
#include <string>
#include <utility>
#include <vector>
using namespace std;
int main() {
    vector<pair<int, string>> v;
    vector<string> w;
    v.push_back(make_pair(1, "one"));
    w.push_back(string(3, 'x'));
    w.push_back(w[0]);
    cout << v[0].second << w[1];
}
"""


def test_makes_elements_in_place(same_output: Callable[..., str]) -> None:
    text = same_output(emplace_back, CODE)
    assert 'v.emplace_back(1, "one")' in text
    assert "w.emplace_back(3, 'x')" in text
    assert "w.push_back(w[0])" in text


def test_leaves_conversions_alone(applied: Callable[..., list[str]]) -> None:
    code = "int main() { vector<double> v; v.push_back(f(1)); v.push_back(int(2)); }"
    assert applied(emplace_back, code) == []
