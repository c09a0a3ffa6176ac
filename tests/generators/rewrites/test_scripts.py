"""Rewrites of Python scripts, and traps: programs that a careless rewrite would change.

Each trap puts another piece in the place of one of the program, whose rewrite must then not apply.
"""

import subprocess
import sys
from collections.abc import Sequence

import pytest

from maxcode.generators.rewrites import PythonSource, Rewrite, catalogue
from maxcode.generators.rewrites.scripts import loops_in_main, read_lines

Trap = tuple[str, str]

_READ = """
count = int(input())
try:
    for _ in range(count):
        a, b = input().split()
        print(a + b)
    while True:
        print(repr(input()))
except EOFError:
    print("end")
"""
_LOOP = """
import math
base = 3
def area(r):
    for total in range(2):
        r += total
    return r * base + shared
values = []
shared = 0
total = 0
for i in range(5):
    total += i * base
    shared = total
    values.append(lambda x: x + i)
max = max([total, 7])
text = '''one
two'''
if __name__ == "__main__":
\tprint(total, max, area(2), [f(1) for f in values], text, math.pi)
"""
LINES = "2\na b\nc d\n\n  x \nlast"

CASES: dict[Rewrite, tuple[str, str, Sequence[str], Sequence[Trap]]] = {
    read_lines: (
        _READ,
        LINES,
        ["count = int(read_line())"],
        [
            ("input().split()", "input('? ').split()"),
            ("input().split()", "input(*[]).split()"),
            ("count = int", "import sys\ncount = int(sys.stdin.readline()) + int"),
            ("count = int", "input = iter('3').__next__\ncount = int"),
            ("count = int", "for line in open(0): break\ncount = int"),
            ("count = int", "def input(): return '1'\ncount = int"),
            ("print(repr(input()))", "print(f'{input()}')"),
        ],
    ),
    loops_in_main: (
        _LOOP,
        "",
        [
            "def main():\n    global max, shared\n    values = []",
            "\nmain()\n",
            "text = '''one\ntwo'''",
        ],
        [
            ("    total += i", "    exec('total = 1')\n    total += i"),
            ("    total += i", "    if 'i' in globals(): total += 1\n    total += i"),
            ("    total += i", "    total: int\n    total += i"),
            ("    total += i", "    class A: i = i\n    total += i"),
            ("    total += i", "    del base\n    total += i"),
            ("    total += i", "    global shared\n    total += i"),
            ("import math", "from math import *"),
        ],
    ),
}


def ran(code: str, stdin: str) -> tuple[str, int]:
    """Output of a script, and its exit status."""
    command = [sys.executable, "-c", code]
    done = subprocess.run(
        command, input=stdin, capture_output=True, text=True, timeout=60, check=False
    )
    return done.stdout, done.returncode


def applied(rewrite: Rewrite, code: str) -> list[str]:
    return list(rewrite.apply(PythonSource(code)))


@pytest.mark.parametrize("rewrite", CASES, ids=lambda one: str(one.name))
def test_a_rewritten_script_prints_the_same(rewrite: Rewrite) -> None:
    code, stdin, parts, _ = CASES[rewrite]
    expected = ran(code, stdin)
    assert expected[0]
    assert expected[1] == 0
    for text in applied(rewrite, code):
        assert ran(text, stdin) == expected
    for part in parts:
        assert part in next(rewrite.apply(PythonSource(code)))


@pytest.mark.parametrize("rewrite", CASES, ids=lambda one: str(one.name))
def test_traps_are_left_alone(rewrite: Rewrite) -> None:
    code, _, _, traps = CASES[rewrite]
    for old, new in traps:
        assert old in code
        assert applied(rewrite, code.replace(old, new, 1)) == [], new
    assert list(rewrite.apply(PythonSource(code, whole=False))) == []


@pytest.mark.parametrize("rewrite", CASES, ids=lambda one: str(one.name))
def test_line_ends_are_kept(rewrite: Rewrite) -> None:
    code, stdin, *_ = CASES[rewrite]
    for text in applied(rewrite, code.replace("\n", "\r\n")):
        assert "\n" not in text.replace("\r\n", "")
        assert ran(text, stdin) == ran(code, stdin)


def test_all_rewrites_together_print_the_same() -> None:
    for code, stdin, *_ in CASES.values():
        text = code
        for rewrite in catalogue("python"):
            text = next(rewrite.apply(PythonSource(text)), text)
        assert text != code
        assert ran(text, stdin) == ran(code, stdin)


@pytest.mark.parametrize(
    "text",
    [
        "", "\n", "# nothing", "def f(:", "\0", "\ufeffprint(1)", "print('\udc80')", "x = 1\ry = 2",
        "(" * 500 + ")" * 500, "x = " + "-" * 5000 + "1", "x = " + "1 + " * 3000 + "1",
        "a = b + 1\nb = a + 1\ndef f(x): return f(a) + f(b)",
        "if x:\n" + "".join(" " * n + "if x:\n" for n in range(1, 99)) + " " * 99 + "x = 1",
        "return 1\nfor i in x: pass",
        "def f(x, x): pass\nfor i in x: pass",
        "from __future__ import annotations", "'''only text'''",
    ],
)  # fmt: skip
def test_any_text_is_read_without_failure(text: str) -> None:
    for rewrite in catalogue("python"):
        assert text not in rewrite.apply(PythonSource(text))
