from collections.abc import Callable

from maxcode.generators.rewrites.containers import list_to_vector

CODE = """
#include <iostream>
#include <list>
int total(const std::list<int>& l) {
    int sum = 0;
    for (int x : l) sum += x;
    return sum;
}
int main() {
    std::list<int> l;
    std::list<char> ends;
    for (int i = 0; i < 5; i++) l.push_back(i * 7 % 5);
    l.sort();
    ends.push_front('b');
    ends.push_front('a');
    for (std::list<int>::iterator it = l.begin(); it != l.end(); ++it) std::cout << *it;
    std::cout << total(l) << ends.front() << ends.back();
}
"""


def test_keeps_elements_together(same_output: Callable[..., str]) -> None:
    text = same_output(list_to_vector, CODE)
    assert "std::vector<int> l;" in text
    assert "std::deque<char> ends;" in text


def test_leaves_what_only_lists_can_alone(applied: Callable[..., list[str]]) -> None:
    assert applied(list_to_vector, "int main() { list<int> a, b; a.splice(a.end(), b); }") == []
