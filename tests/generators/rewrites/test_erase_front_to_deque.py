from collections.abc import Callable

from maxcode.generators.rewrites.containers import erase_front_to_deque

CODE = """
#include <iostream>
#include <vector>
int main() {
    std::vector<int> queue;
    for (int i = 0; i < 5; i++) queue.push_back(i);
    queue.insert(queue.begin(), 9);
    while (!queue.empty()) {
        std::cout << queue[0] << queue.size();
        queue.erase(queue.begin());
    }
}
"""


def test_takes_from_the_front(same_output: Callable[..., str]) -> None:
    text = same_output(erase_front_to_deque, CODE)
    assert "std::deque<int> queue" in text
    assert "queue.pop_front()" in text


def test_leaves_vectors_that_are_handed_on_alone(applied: Callable[..., list[str]]) -> None:
    code = "int main() { vector<int> v; v.erase(v.begin()); f(v); }"
    assert applied(erase_front_to_deque, code) == []
