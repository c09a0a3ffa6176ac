from collections.abc import Callable

from maxcode.generators.rewrites.containers import dense_set

CODE = """
#include <iostream>
#include <set>
#include <unordered_set>
int main() {
    std::set<int> s = {4, 2, 1500}, empty;
    std::unordered_set<int> roomy(1 << 4);
    std::cout << roomy.size();
    int x;
    while (std::cin >> x) std::cout << s.insert(x).second;
    for (int member : s) std::cout << ' ' << member;
    std::cout << s.count(3) << s.erase(2) << s.size() << (s.find(2) == s.end()) << *s.begin();
    std::cout << *s.rbegin() << *s.lower_bound(3) << *s.upper_bound(4) << empty.empty();
    s.erase(s.begin());
    std::cout << *s.begin() << (empty.begin() == empty.end());
}
"""


def test_keeps_order_and_members(same_output: Callable[..., str]) -> None:
    assert "DenseSet<int> s =" in same_output(dense_set, CODE, "5 9 5 -40 12 0 9 4")


def test_leaves_other_members_alone(applied: Callable[..., list[str]]) -> None:
    for kind in ("set<string>", "set<pair<int, int>>", "set<int, greater<int>>", "multiset<int>"):
        assert applied(dense_set, f"int main() {{ {kind} s; }}") == []
