from collections.abc import Callable

from maxcode.generators.rewrites.arithmetic import modulo_to_subtraction

CODE = """
#include <iostream>
int main() {
    const int m = 97;
    int x = 0, i = 0, row[2] = {5, 90};
    for (int k = 0; k < 50; k++) {
        x = (x + row[k % 2]) % m;
        if (k) row[0] = (row[0] + 1) % m;
        i++;
        i %= 7;
    }
    std::cout << x << ' ' << row[0] << ' ' << i;
}
"""


def test_subtracts(same_output: Callable[..., str]) -> None:
    text = same_output(modulo_to_subtraction, CODE)
    assert "x += row[k % 2]; if (x >= m) x -= m;" in text
    assert "if (i >= 7) i -= 7;" in text


def test_leaves_products_alone(applied: Callable[..., list[str]]) -> None:
    for statement in ("x = x * y % m;", "x = (x + y * z) % m;", "x = (y + z) % m;", "x %= m;"):
        assert applied(modulo_to_subtraction, f"int main() {{ {statement} }}") == []
