from collections.abc import Callable

from maxcode.generators.rewrites.loops import symmetric_pairs

CODE = """
#include <cstdlib>
#include <iostream>
int main() {
    int n = 5, p[] = {10, 3, 17, 8, 40}, best = 1000;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            if (i == j) continue;
            if (abs(p[i] - p[j]) < best) best = abs(p[i] - p[j]);
        }
    std::cout << best;
}
"""


def test_visits_pairs_once(same_output: Callable[..., str]) -> None:
    assert "int j = i + 1;" in same_output(symmetric_pairs, CODE)


def test_leaves_loops_over_all_pairs_alone(applied: Callable[..., list[str]]) -> None:
    assert applied(symmetric_pairs, CODE.replace("if (i == j) continue;", "")) == []
    assert applied(symmetric_pairs, CODE.replace("j < n", "j < m")) == []


def test_leaves_results_for_each_element_alone(applied: Callable[..., list[str]]) -> None:
    inner = "for (int j = 0; j < n; j++) if (i != j) least = min(least, d[i][j]);"
    code = f"int main() {{ for (int i = 0; i < n; i++) {{ {inner} total += least; }} }}"
    assert applied(symmetric_pairs, code) == []
