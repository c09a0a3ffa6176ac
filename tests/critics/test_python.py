"""What the critic says of Python programs: slow ones, their fast twins, and failures."""

import pytest
from tests.critics._steps import diagnosed

from maxcode.critics.findings import findings
from maxcode.evaluation import Evaluation, HotFunction, HotLine, Profile, Status
from maxcode.program import Program
from maxcode.tasks.program import ProgramTask, TestCase

_FIB = """\
def fib(n):
    if n < 2:
        return n
    return fib(n - 1) + fib(n - 2)
"""

# What the rule says; a program whose line 4 is hot, and a twin that it is silent on.
CASES = {
    "searching a list": (
        "def f(n):\n    seen = []\n    for i in range(n):\n        if i * i % 99 not in seen:\n"
        "            seen.append(i)\n",
        ("seen = []", "seen = set()"),
    ),
    "front of a list": (
        "def f(queue):\n    n = 0\n    while queue:\n        n += queue.pop(0)\n    return n\n",
        ("pop(0)", "pop()"),
    ),
    "sorting again": (
        "def f(n):\n    a = []\n    for i in range(n):\n        a = sorted([*a, i])\n",
        ("    for i in range(n):\n        a", "    i = n\n    if a:\n        a"),
    ),
    "sorting again and": (
        "def f(n):\n    a = []\n    for i in range(n):\n        a = sorted([*a, i])\n",
        ("[*a, i]", "file.readline().split()"),
    ),
    "input()": (
        "def f(n):\n    t = 0\n    for _ in range(n):\n        t += int(input())\n    return t\n",
        ("input()", "readline()"),
    ),
}


def said(code: str, function: str) -> str:
    """What the findings say of a program whose fourth line is hot."""
    program = Program({"main.py": code}, "main.py")
    text = code.splitlines()[3]
    line = HotLine("main.py", 4, 0.9, text.strip(), function=function)
    own = HotFunction(function, 0.9, 0.9, 10**6, own=True, recursive=function == "fib")
    found = findings(program, Profile("hot", (line,), functions=(own,)))
    assert found
    return " ".join(f"{one.seen} {one.advice}" for one in found)


@pytest.mark.parametrize("seen", CASES)
def test_a_rule_speaks_on_slow_code_and_not_on_its_twin(seen: str) -> None:
    code, (old, new) = CASES[seen]
    function = code[4:].partition("(")[0] if code.startswith("def ") else "<module>"
    assert seen in said(code, function)
    assert "of the time" in said(code, function)
    assert old in code
    assert seen not in said(code.replace(old, new, 1), function)


def test_nothing_of_c_plus_plus_is_said() -> None:
    code = "import math\nm = 3\nfor i in range(9): m += 1  # endl, long double\n"
    code += "m = m % i + pow(i, 2) + math.sqrt(m) / m + t[i][j]\n"
    text = said(code, "<module>")
    for word in ("cycles", "division", "flat array", "reference", "endl", "double", "instructions"):
        assert word not in text


@pytest.mark.parametrize("code", ["def f(:\n\n\nx in seen\n", "(" * 300 + "\n\n\nx in seen"])
def test_code_that_does_not_parse_is_no_harm(code: str) -> None:
    assert "the program's own code" in said(code, "f")


TESTS = (TestCase("one", b"1\n", b"1\n"),)


@pytest.mark.parametrize(
    ("status", "feedback", "advice"),
    [
        (Status.BUILD_ERROR, "main.py, line 4: SyntaxError: '(' was never closed", "brackets"),
        (Status.RUNTIME_ERROR, "ended with status 3", "Run it on the test"),
        (Status.WRONG_ANSWER, "test 1: line 2 differs: got '-1234567'", "order of results"),
    ],
)
def test_failures_have_causes_of_their_language(status: Status, feedback: str, advice: str) -> None:
    program = Program({"main.py": _FIB}, "main.py")
    task = ProgramTask("some", "", program, language="python", tests=TESTS)
    changed = program.with_code(f"{_FIB}# changed\n")
    found = diagnosed(task, (changed, Evaluation(status, feedback=feedback)))
    assert advice in found.suggestions[0]
    for word in ("long long", "pointer", "vector", "torch", "template", "main returned"):
        assert word not in found.text


@pytest.mark.parametrize("status", [Status.BUILD_ERROR, Status.RUNTIME_ERROR, Status.WRONG_ANSWER])
def test_failures_of_other_languages_have_the_causes_of_any_program(status: Status) -> None:
    feedback = "main.rs:1:1: error: 'x' was not declared; SIGSEGV; got '-1234567'"
    program = Program({"main.rs": "x\n"}, "main.rs")
    task = ProgramTask("some", "", program, language="rust", tests=TESTS)
    text = diagnosed(task, (program, Evaluation(status, feedback=feedback))).text
    for word in ("long long", "pointer", "header", "vector"):
        assert word not in text
