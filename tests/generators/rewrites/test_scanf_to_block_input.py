from collections.abc import Callable

from maxcode.generators.rewrites.io import scanf_to_block_input

CODE = r"""
#include <cstdio>
int main() {
    int n, x;
    double d;
    scanf("%d %lf", &n, &d);
    double sum = d;
    while (scanf("%d", &x) == 1) sum += x;
    printf("%d %.2f\n", n, sum);
}
"""


def test_reads_the_same_numbers(same_output: Callable[..., str]) -> None:
    text = same_output(scanf_to_block_input, CODE, "3 2.5 10 20\n30")
    assert "fast_input >> n >> d;" in text
    assert "scanf" not in text


def test_leaves_text_and_widths_alone(applied: Callable[..., list[str]]) -> None:
    for call in (
        'scanf("%s", s);',
        'scanf("%2d", &n);',
        'scanf("%d,%d", &a, &b);',
        'scanf("%d", p);',
    ):
        assert applied(scanf_to_block_input, f"int main() {{ {call} }}") == []
    assert applied(scanf_to_block_input, 'int main() { scanf("%d", &n); cin >> n; }') == []
