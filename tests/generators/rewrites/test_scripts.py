"""Rewrites of Python scripts, and traps: programs that a careless rewrite would change.

Each trap puts another piece in the place of one of the program, whose rewrite must then not apply.
"""

import subprocess
import sys
from collections.abc import Sequence

import pytest

from maxcode.generators.rewrites import PythonSource, Rewrite, catalogue
from maxcode.generators.rewrites.scripts import (
    list_to_deque,
    loops_in_main,
    member_list,
    read_lines,
    remember_results,
)

Trap = tuple[str, str]

_SEEN = """
'''Different numbers.'''
from __future__ import annotations
def distinct(items):
    seen, calls = [], 0
    for x in items:
        if x not in seen:
            seen.append(x)
        calls += 1
    if not seen:
        return []
    for one in seen:
        calls += one
    print(len(seen), seen[0], seen, calls, *seen, sep=" ")
    return seen
answer = distinct([3, 1, 3, 1.0, True, (1, 2), (1, 2), None] and [3, 1, 3, 1.0, True, 7])
answer.pop()
print(answer, type(answer) is list)
"""
_QUEUE = """
def spread(edges, start):
    order, todo = [], [start]
    while todo and len(todo) < 9:
        node = todo.pop(0)
        order.append(node)
        if node not in todo:
            todo.append(edges[node])
        if node > 4: todo.insert(0, (node) - 3)
        if len(order) > 20:
            break
        last = todo[-1] + todo[0]
    return order, sum(todo), "".join(map(str, order)), last
print(spread([3, 4, 0, 5, 6, 7, 1, 2], 0))
"""
_PATHS = """
import sys
LIMIT = 10**9 + 7
n, cap = map(int, input().split())
cost = list(map(int, sys.stdin.readline().split()))
table = [[0] * 9 for i in range(9)]
total = 0
def best(i, left=0):
    '''The best value.'''
    if i == n: return 0
    found = max(0, best(i + 1, left))
    if cost[i] <= left:
        found = max(found, len(table) + best(i + 1, left - cost[i]))
    for one in cost:
        found += one
    return (
        found % LIMIT)
print(best(0, cap), best(0, cap + 1), best(0, float(cap)))
"""
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
STDIN = "4 9\n2 3 4 5\n"
LINES = "2\na b\nc d\n\n  x \nlast"


def beside(anchor: str, *statements: str) -> list[Trap]:
    """Traps with another statement right before one."""
    indent = anchor[: len(anchor) - len(anchor.lstrip())]
    end = "\n" if indent else "; "
    return [(anchor, f"{indent}{one}{end}{anchor}") for one in statements]


CASES: dict[Rewrite, tuple[str, str, Sequence[str], Sequence[Trap]]] = {
    member_list: (
        _SEEN,
        "",
        ["seen, calls = MemberList([]), 0", "return list(seen)"],
        [
            *beside(
                "calls += 1\n", "seen.pop()", "seen[0] = x", "seen += [x]", "other = seen",
                "seen.sort(key=lambda x: x in seen)", "max(seen, [1]).append(1)",
                "print(type(seen))", "items.append(seen)", "append = seen.append", "seen = items",
                "print(locals())",
            ),
            ("def distinct(items)", "def distinct(items, seen=1)"),
            ("def distinct(items):", "def distinct(items):\n    global seen"),
            ("def distinct(items):", "def list(x): return x\ndef distinct(items):"),
            ("for x in items:", "for x in items, seen:"),
            ("for x in items:", "for seen in items:"),
            ("'''Different numbers.'''", "'''Different'''\nimport inspect"),
            ("'''Different numbers.'''", "'''Different'''\nfrom math import *"),
            ("    return seen", "    try: return seen\n    finally: seen.append(5)"),
        ],
    ),
    list_to_deque: (
        _QUEUE,
        "",
        [
            "order, todo = [], double_ended([start])",
            "todo.popleft()",
            "todo.appendleft( (node) - 3)",
        ],
        [
            *beside(
                "last =", "todo.pop(1)", "print(spread.__dict__)", "print(todo)",
                "print(todo == [])", "print(todo[:1])", "print(todo[1])", "todo.sort()",
                "print(todo + [1])", "alias = todo", "take = todo.pop", "print(f'{todo.pop(0)}')",
                "grow = lambda: todo.append(1)",
            ),
            (
                "        if len(order)",
                "        for x in todo: todo.append(x)\n        if len(order)",
            ),
            (
                "    while todo",
                "    try: todo.pop()\n    except IndexError as e: print(e)\n    while todo",
            ),
        ],
    ),
    remember_results: (
        _PATHS,
        STDIN,
        ["if i == n: result = 0; results_of_best", "type(i) in (int, str)"],
        [
            *beside(
                "    if i == n", "print(i)", "cost[0] = 1", "cost.append(1)", "i = i",
                "global total", "len = sum", "yield 3", "f = lambda: 3", "x = table[0]",
                "x = max(cost, [1])", "x = [total for total in cost]", "input()",
            ),
            ("total = 0", "for n in [1, n]: print(n)"), ("total = 0", "n += 1"),
            ("total = 0", "row = table"), ("total = 0", "cost.append(3)"),
            ("print(best", "cost[1] = 5\nprint(best"), ("print(best", "best = abs\nprint(best"),
            ("def best", "@print\ndef best"), ("left=0", "left=[]"), ("left=0", "*left"),
            ("best(i + 1, left)", "left"),
            ("print(best", "try: best(9**9)\nexcept RecursionError: pass\nprint(best"),
        ],
    ),
    read_lines: (
        _READ,
        LINES,
        ["count = int(read_line())"],
        [
            ("input().split()", "input('? ').split()"), ("input().split()", "input(*[]).split()"),
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
            *beside(
                "    total += i", "exec('total = 1')", "if 'i' in globals(): total += 1",
                "total: int", "class A: i = i", "del base", "global shared",
            ),
            ("import math", "from math import *"),
        ],
    ),
}  # fmt: skip


def ran(code: str, stdin: str) -> tuple[str, int]:
    """Output of a script, and its exit status."""
    command = [sys.executable, "-c", code]
    done = subprocess.run(
        command, input=stdin, capture_output=True, text=True, timeout=60, check=False
    )
    return done.stdout, done.returncode


def applied(rewrite: Rewrite, code: str) -> str:
    """The rewritten script, or the script as it is."""
    return rewrite.apply(PythonSource(code)) or code


@pytest.mark.parametrize("rewrite", CASES, ids=lambda one: str(one.name))
def test_a_rewritten_script_prints_the_same(rewrite: Rewrite) -> None:
    code, stdin, parts, _ = CASES[rewrite]
    expected = ran(code, stdin)
    assert expected[0]
    assert expected[1] == 0
    text = applied(rewrite, code)
    assert ran(text, stdin) == expected
    for part in parts:
        assert part in text


@pytest.mark.parametrize("rewrite", CASES, ids=lambda one: str(one.name))
def test_traps_are_left_alone(rewrite: Rewrite) -> None:
    code, _, _, traps = CASES[rewrite]
    for old, new in traps:
        assert old in code
        assert rewrite.apply(PythonSource(code.replace(old, new, 1))) is None, new
    assert rewrite.apply(PythonSource(code, whole=False)) is None


@pytest.mark.parametrize("rewrite", CASES, ids=lambda one: str(one.name))
def test_line_ends_are_kept(rewrite: Rewrite) -> None:
    code, stdin, *_ = CASES[rewrite]
    text = applied(rewrite, code.replace("\n", "\r\n"))
    assert "\n" not in text.replace("\r\n", "")
    assert ran(text, stdin) == ran(code, stdin)


def test_all_rewrites_together_print_the_same() -> None:
    for code, stdin, *_ in CASES.values():
        text = code
        for rewrite in catalogue("python"):
            text = applied(rewrite, text)
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
        assert text != rewrite.apply(PythonSource(text))


def test_values_of_any_type_are_found_as_before() -> None:
    code = """
class Equal:
    def __init__(self, n): self.n = n
    def __eq__(self, other): return True
nan = float("nan")
for values in ([1, 2.0, "a", nan, (1, nan)], [[1], 3], [Equal(1)], [(1, [2])], []):
    kept = []
    for value in values: kept.append(value)
    asked = (1, 1.0, True, 2, "a", nan, -nan, (1, nan), [1], Equal(2), (1, [2]))
    print([x in kept for x in asked])
"""
    text = applied(member_list, code)
    assert text != code
    assert ran(text, "") == ran(code, "")
    assert ran(code, "")[0].count("True") > 5


def test_remembered_results_make_recursion_no_deeper() -> None:
    code = """
def steps(n):
    if n < 2: return n
    return (steps(n - 1) + steps(n - 2)) % 1000
print(steps(990))
"""
    assert ran(code.replace("steps(n - 2)", "0"), "")[1] == 0
    text = applied(remember_results, code)
    assert text != code
    assert ran(text, "")[1] == 0
