from collections.abc import Callable

from maxcode.generators.rewrites.arithmetic import delayed_root

CODE = """
#include <cmath>
#include <iostream>
struct P { double x, y; };
double gap(P a, P b) { return std::sqrt((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y)); }
int main() {
    P p[] = {{0, 0}, {3, 4}, {6, 9}, {6, 8}};
    double best = 1e18, worst = 0;
    for (int i = 0; i < 4; i++) {
        for (int j = i + 1; j < 4; j++) {
            double d = gap(p[i], p[j]);
            if (d < best) {
                best = d;
            }
            if (gap(p[i], p[j]) > worst) worst = gap(p[i], p[j]);
        }
    }
    std::cout << best << ' ' << worst;
}
"""


def test_compares_squares(same_output: Callable[..., str]) -> None:
    text = same_output(delayed_root, CODE)
    assert "if (d_squared < best * best)" in text
    assert "gap_squared(p[i], p[j]) > worst * worst" in text


def test_leaves_sums_of_distances_alone(applied: Callable[..., list[str]]) -> None:
    code = CODE.replace("if (d < best) {", "worst += d; if (d < best) {").replace(
        "if (gap(p[i], p[j]) > worst)", ""
    )
    assert applied(delayed_root, code) == []
