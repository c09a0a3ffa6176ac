from collections.abc import Callable

from maxcode.generators.rewrites.loops import bubble_to_sort

CODE = """
#include <iostream>
#include <utility>
#include <vector>
struct Item { int key, place; };
int main() {
    std::vector<Item> v = {{3, 0}, {1, 1}, {3, 2}, {2, 3}, {1, 4}};
    int n = v.size(), a[] = {3, 1, 2};
    for (int i = 0; i < n - 1; i++) {
        for (int j = 0; j < n - i - 1; j++) {
            if (v[j].key < v[j + 1].key) std::swap(v[j], v[j + 1]);
        }
    }
    for (int i = 0; i < 3; i++)
        for (int j = i + 1; j < 3; j++)
            if (a[i] > a[j]) {
                int t = a[i];
                a[i] = a[j];
                a[j] = t;
            }
    for (auto& item : v) std::cout << item.key << item.place << ' ';
    for (int x : a) std::cout << x;
}
"""


def test_sorts_stably(same_output: Callable[..., str]) -> None:
    text = same_output(bubble_to_sort, CODE)
    assert text.count("std::stable_sort(") == 2


def test_leaves_other_swaps_alone(applied: Callable[..., list[str]]) -> None:
    code = """
    int main() {
        for (int i = 0; i < n; i++)
            for (int j = i + 1; j < n; j++)
                if (b[i] > b[j]) swap(a[i], a[j]);
    }
    """
    assert applied(bubble_to_sort, code) == []
