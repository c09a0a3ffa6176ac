from collections.abc import Callable

from maxcode.generators.rewrites.io import unlocked_stdio

CODE = """
#include <cstdio>
int main() {
    int c;
    while ((c = getchar()) != EOF) putchar(c + 1);
}
"""


def test_reads_and_writes_unlocked(same_output: Callable[..., str]) -> None:
    text = same_output(unlocked_stdio, CODE, "HAL")
    assert "getchar_unlocked()" in text
    assert "putchar_unlocked(c + 1)" in text


def test_leaves_programs_with_threads_alone(applied: Callable[..., list[str]]) -> None:
    assert applied(unlocked_stdio, "int main() { std::thread t(f); getchar(); }") == []
