from collections.abc import Callable

from maxcode.generators.rewrites.loops import loop_interchange

CODE = """
#include <iostream>
const int n = 5;
int a[n][n], b[n][n], c[n][n];
int main() {
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) a[i][j] = b[i][j] = i + 2 * j;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            for (int k = 0; k < n; k++) {
                c[i][j] += a[i][k] * b[k][j];
            }
        }
    }
    int p, q;
    for (p = 0; p < n; p++)
        for (q = 0; q < n; q++) a[q][p]++;
    for (int i = 0; i < n; i++) std::cout << a[1][i] << c[i][n - 1 - i] << ' ';
}
"""


def test_walks_along_rows(same_output: Callable[..., str]) -> None:
    text = same_output(loop_interchange, CODE)
    order = (
        "int k = 0; k < n; k++) {\n            for (int j = 0; j < n; j++) {\n                c[i]"
    )
    assert order in text
    assert text.index("int i = 0") < text.index("int j = 0")


def test_leaves_good_order_and_triangles_alone(applied: Callable[..., list[str]]) -> None:
    loops = "int main() {{ for (int i = 0; i < n; i++) for (int j = {}; j < n; j++) {}; }}"
    assert applied(loop_interchange, loops.format("0", "a[i][j] = 0")) == []
    assert applied(loop_interchange, loops.format("i", "a[j][i] = 0")) == []
    assert applied(loop_interchange, loops.format("0", "if (a[j][i]) break")) == []
