from collections.abc import Callable

from maxcode.generators.rewrites.io import endl_to_newline

CODE = """
#include <iostream>
int main() {
    for (int i = 0; i < 3; i++) std::cout << i << std::endl << std::flush;
    std::cerr << "kept" << std::endl;
    std::cout << "end" << std::endl;
}
"""


def test_ends_lines_without_a_flush(same_output: Callable[..., str]) -> None:
    text = same_output(endl_to_newline, CODE)
    assert r"std::cout << i << '\n';" in text
    assert '"kept" << std::endl' in text


def test_also_yields_single_places(applied: Callable[..., list[str]]) -> None:
    assert len(applied(endl_to_newline, CODE)) == 3


def test_leaves_the_error_stream_alone(applied: Callable[..., list[str]]) -> None:
    assert applied(endl_to_newline, "int main() { std::cerr << 1 << std::endl; }") == []
