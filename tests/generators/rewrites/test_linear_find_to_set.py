from collections.abc import Callable

from maxcode.generators.rewrites.lookups import linear_find_to_set

CODE = """
#include <algorithm>
#include <iostream>
#include <string>
#include <vector>
using namespace std;
int main() {
    vector<string> seen;
    string word;
    while (cin >> word) {
        if (find(seen.begin(), seen.end(), word) == seen.end()) {
            seen.push_back(word);
        }
    }
    for (const string& s : seen) cout << s << ' ';
    cout << seen.size() << (find(seen.begin(), seen.end(), "b") != seen.end());
}
"""


def test_asks_a_set_kept_beside(same_output: Callable[..., str]) -> None:
    text = same_output(linear_find_to_set, CODE, "b a b c a d")
    assert "seen_known.count(word) == 0" in text
    assert "seen.push_back(word), seen_known.insert(seen.back())" in text


def test_leaves_vectors_that_lose_elements_alone(applied: Callable[..., list[str]]) -> None:
    for change in ("v.pop_back();", "v[0] = 1;", "sort(v.begin(), v.end()); v.clear();", "f(v);"):
        search = "if (find(v.begin(), v.end(), 1) == v.end()) v.push_back(1);"
        code = f"int main() {{ vector<int> v; {change} {search} }}"
        assert applied(linear_find_to_set, code) == []
