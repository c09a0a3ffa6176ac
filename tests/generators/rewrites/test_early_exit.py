from collections.abc import Callable

from maxcode.generators.rewrites.loops import early_exit

CODE = """
#include <iostream>
bool sorted(const int* a, int n) {
    bool result = true;
    for (int i = 0; i + 1 < n; i++) {
        int next = a[i + 1];
        if (a[i] < 0) {
            result = false;
        } else if (a[i] > next)
            result = false;
    }
    return result;
}
int main() {
    int a[] = {1, 2, 2, 3}, b[] = {1, 3, 2, 9};
    std::cout << sorted(a, 4) << sorted(b, 4);
}
"""


def test_leaves_when_the_flag_is_set(same_output: Callable[..., str]) -> None:
    text = same_output(early_exit, CODE)
    assert "{ result = false; break; }" in text
    assert text.count("break;") == 2


def test_leaves_searches_for_the_last_alone(applied: Callable[..., list[str]]) -> None:
    for action in ("last = i;", "found = true; n++;", "if (b) c = true;"):
        code = f"int main() {{ for (int i = 0; i < 9; i++) {{ if (a[i]) {{ {action} }} }} }}"
        assert applied(early_exit, code) == []
    both = "int main() { for (int i = 0; i < 9; i++) if (a[i]) f = true; else f = false; }"
    assert applied(early_exit, both) == []
