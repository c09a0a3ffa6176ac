from collections.abc import Callable

from maxcode.generators.rewrites.containers import hashed_containers

CODE = """
#include <iostream>
#include <map>
#include <set>
#include <string>
using namespace std;
int known(const map<string, int>& m, string key) { return m.count(key) ? m.at(key) : -1; }
int main() {
    map<string, int> counts;
    set<long long> seen;
    string word;
    while (cin >> word) {
        counts[word]++;
        seen.insert(word.size());
    }
    for (const auto& [key, count] : counts) cout << key << count << ' ';
    for (auto entry : counts) cout << entry.second;
    for (long long size : seen) cout << size;
    cout << known(counts, "b") << known(counts, "z") << seen.count(1);
}
"""


def test_looks_up_by_hash_and_visits_in_order(same_output: Callable[..., str]) -> None:
    text = same_output(hashed_containers, CODE, "b aa d c b zz aaa b")
    assert "std::unordered_map<string, int> counts" in text
    assert "sorted_entries(counts)" in text


def test_leaves_uses_of_the_order_alone(applied: Callable[..., list[str]]) -> None:
    for use in (
        "m.begin();",
        "m.lower_bound(1);",
        "for (auto& e : m) e.second = 1;",
        "print(m);",
    ):
        assert applied(hashed_containers, f"int main() {{ map<int, int> m; {use} }}") == []
    assert applied(hashed_containers, "int main() { map<pair<int, int>, int> m; m[k]; }") == []
