"""Loops and functions of source files."""

import pytest

from maxcode.lang.outline import loops_around

_LOOPS = """\
int f() {
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            x += 1;
    y();
    do {
        z();  // for (;;) {
    } while (a);
    w("{ for");
    sort(a, b, [](int x, int y) {
        for (;;) q();
        r();
    });
    for (auto x : {1, 2}) u();
    while (1) {
        if (x) { v(); }
        s();
    }
}
"""


@pytest.mark.parametrize(
    ("line", "loops"),
    [
        (1, ()),
        (2, (2,)),
        (3, (2, 3)),
        (4, (2, 3)),
        (5, ()),
        (7, (6,)),
        (9, ()),
        (11, (11,)),
        (12, ()),
        (14, (14,)),
        (16, (15,)),
        (17, (15,)),
        (19, ()),
        (500, ()),
    ],
)
def test_loops_around_a_line(line: int, loops: tuple[int, ...]) -> None:
    assert loops_around("main.cpp", _LOOPS, line) == loops


def test_loops_of_python_and_of_what_has_none() -> None:
    code = "for a in b:\n    while c:\n        d()\n    e()\n"
    assert [loops_around("x.py", code, line) for line in (3, 4, 5)] == [(1, 2), (1,), ()]
    assert loops_around("x.py", "for for", 1) == ()
    assert loops_around("x.rs", code, 3) == ()


@pytest.mark.parametrize("code", ["", "}}}}", "((((", "for for for", '"', "/*", "{" * 1000])
def test_broken_code_breaks_nothing(code: str) -> None:
    assert isinstance(loops_around("main.cpp", code, 1), tuple)
