from collections.abc import Callable

from maxcode.generators.rewrites.containers import dense_map

CODE = """
#include <iostream>
#include <map>
#include <string>
#include <unordered_map>
int main() {
    std::map<int, long long> m;
    std::map<int, std::string> names = {{7, "seven"}, {-3, "minus three"}};
    std::unordered_map<int, int> roomy(1 << 4);
    std::cout << roomy.size();
    int x;
    while (std::cin >> x) m[x]++;
    for (auto& [key, count] : m) count *= 2;
    for (auto it = m.begin(); it != m.end(); ++it) std::cout << it->first << it->second << ' ';
    std::cout << m.size() << m.count(5) << m.erase(5) << m.count(5) << (m.find(99) == m.end());
    std::cout << m.begin()->first << m.rbegin()->first << m.lower_bound(6)->first;
    for (std::map<int, long long>::const_iterator it = m.begin(); it != m.end(); ++it) {
        std::cout << (*it).second;
    }
    m.insert({1000, 4});
    for (const auto& entry : names) std::cout << entry.first << entry.second;
    std::cout << m.at(1000) << m.empty();
    m.clear();
    std::cout << m.size() << (m.begin() == m.end());
}
"""


def test_keeps_order_and_members(same_output: Callable[..., str]) -> None:
    text = same_output(dense_map, CODE, "5 9 5 -40 12 0 9 5")
    assert "DenseMap<int, long long> m;" in text


def test_leaves_other_keys_and_orders_alone(applied: Callable[..., list[str]]) -> None:
    for kind in ("map<string, int>", "map<int, int, greater<int>>", "map<double, int>"):
        assert applied(dense_map, f"int main() {{ {kind} m; }}") == []
