from collections.abc import Callable
from typing import Any

import pytest

from maxcode.errors import TaskError
from maxcode.tasks.reference import (
    Constant,
    candidate_of,
    check_reference,
    needed_constants,
    with_constants,
)

MAKERS = "def get_inputs():\n    return [N]\n\n\ndef get_init_inputs():\n    return []\n"


def run(source: str) -> dict[str, Any]:
    names: dict[str, Any] = {"__name__": "candidate"}
    exec(compile(source, "candidate", "exec"), names)  # noqa: S102 - our own text
    return names


SOURCE = '''\
#!/usr/bin/env python3
"""Its meaning."""

import math  # kept
from functools import cache

N = 4
WIDTH = 3  # of the class
# how many there are
rows, unused = 2 * N, 1


def helper(x):  # the class needs it
    return x * WIDTH


def make(n):
    return [1.0] * n


class Model(dict):
    """Model, which stays in text."""

    kept   =   1

    def __init__(self, size: int = WIDTH) -> None:
        super(Model, self).__init__()
        self.size = size

    def other(self) -> "Model":
        return Model(self.size)

    def forward(self, x):
        return helper(x), isinstance(self, Model), f"{math.pi:.2f}"


# Inputs
@cache
def get_inputs():
    return [make(rows)]


def get_init_inputs():
    return [N]


if __name__ == "__main__":
    print(Model(*get_init_inputs()).forward(*get_inputs()))
'''


def test_the_reference_becomes_a_candidate() -> None:
    candidate = candidate_of(SOURCE)
    expected = SOURCE.partition("\n\n# Inputs")[0] + "\n"
    for line in ("class Model(", "super(Model,", "return Model(", "(self, Model)"):
        assert line in expected
        expected = expected.replace(line, line.replace("Model", "ModelNew"))
    for part in (
        "N = 4\n",
        "# how many there are\nrows, unused = 2 * N, 1\n",
        "\n\ndef make(n):\n    return [1.0] * n\n",
    ):
        expected = expected.replace(part, "")
    assert candidate.split() == expected.split()
    assert "\n\n\n\n" not in candidate
    names = run(candidate)
    model = names["ModelNew"](5)
    assert model.forward(2) == (6, True, "3.14")
    assert type(model.other()) is names["ModelNew"]
    assert not names.keys() & {"Model", "get_inputs", "get_init_inputs", "make", "rows", "N"}


@pytest.mark.parametrize(
    ("before", "check"),
    [
        # what nobody needs stays: it may be there for what it does
        ("N = 4\nK = [9]\nK.append(1)\nclass Model: pass\n", lambda n: n["K"] == [9, 1]),
        # the name of a constant is a local variable elsewhere
        ("N = 4\nclass Model:\n    def f(self, N): return N\n", lambda n: "N" not in n),
        ("N = 4\nclass Model:\n    def f(self): return N\n", lambda n: n["ModelNew"]().f() == 4),
        # constants that the class needs through others
        ("N = 4\nM = N + 1\nclass Model:\n    m = M\n", lambda n: n["ModelNew"].m == 5),
        ("N = 4\ndef f(): return N\nclass Model:\n    m = f()\n", lambda n: n["ModelNew"].m == 4),
        # set from inside
        (
            "N = 4\nseen = 0\nclass Model:\n    def f(self):\n        global seen\n"
            "        seen = 1\n",
            lambda n: n["ModelNew"]().f() is None and n["seen"] == 1,
        ),
        # the name of the class stands for something else, too
        (
            "N = 4\nclass Model:\n    def f(self, Model): return Model\n",
            lambda n: n["ModelNew"]().f(3) == 3,
        ),
        # the name inside an f-string
        (
            "N = 4\nclass Model:\n    def f(self): return f'é {Model.__name__[:5]} {Model}'\n",
            lambda n: n["ModelNew"]().f().startswith("é Model "),
        ),
        ("N = 4\r\nclass Model:\r\n    x = '''\r\n'''\r\n", lambda n: n["ModelNew"].x == "\n"),
    ],
)
def test_candidates_of_odd_references_work(
    before: str, check: Callable[[dict[str, Any]], bool]
) -> None:
    candidate = candidate_of(before + MAKERS)
    assert "get_in" not in candidate
    assert check(run(candidate))


def test_a_class_that_makes_its_own_inputs_has_no_candidate() -> None:
    for inside in ("get_inputs()", "helper()"):
        source = f"N = 4\ndef helper(): return get_inputs()\nclass Model:\n    x = {inside}\n"
        with pytest.raises(TaskError, match=r"the file, line \d: class Model needs get_inputs"):
            candidate_of(source + MAKERS, "the file")


def test_constants_of_the_class_are_known_through_others() -> None:
    source = "N = 4\nK = 1\nM = N + 1\nclass Model:\n    def f(self, K): return M, K\n"
    assert needed_constants(source + MAKERS) == {"N", "M", "Model"}


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("x = 1\nclass Model\n", r"a\.py, line 2: not valid Python: expected ':'"),
        ("x = 1\n\x00", r"a\.py.*: not valid Python: "),
        (MAKERS, r"a\.py: defines no class Model"),
        ("if True:\n    class Model: pass\n" + MAKERS, "no class Model"),
        ("class Model: pass\n" + MAKERS.replace("_inputs", "_input", 1), r"no function get_inputs"),
        ("class Model: pass\n" + MAKERS.replace("init", ""), r"no function get_init_inputs\(\)"),
        ("class Model: pass\nclass ModelNew: pass\n" + MAKERS, r"a\.py, line 2: defines ModelNew"),
    ],
)
def test_what_is_missing_is_told(source: str, told: str) -> None:
    with pytest.raises(TaskError, match=told):
        check_reference(source, "a.py")


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("N = 4\n", "N = 7\n"),
        ("N = 4  # rows\nM = 2 * N\n", "N = 7  # rows\nM = 2 * N\n"),
        ("N: int = 4\n", "N: int = 7\n"),
        ("N, M = 4, 8\n", "N, M = 7, 8\n"),
        ("(M, [N]) = (4, [8])\n", None),
        ("[M, N] = [4, (1,\n 2)]\n", "[M, N] = [4, 7]\n"),
        ("N = (\n    4  # four\n    + 1\n)\n", "N = (\n    7\n)\n"),
        ("é = 'é'; N = 'é' * 2; M = 1\n", "é = 'é'; N = 7; M = 1\n"),
        ("N = 4\nN = N * 2\n", "N = 7\nN = 7\n"),
        ("N = 4\r\nM = '''a\r\nb'''\r\n", "N = 7\nM = '''a\nb'''\n"),
        ("M = '\x0c\u2028'\nN = 4", "M = '\x0c\u2028'\nN = 7"),
    ],
)
def test_the_assigned_value_alone_changes(source: str, expected: str | None) -> None:
    if expected is None:
        with pytest.raises(TaskError, match="not simply assigned"):
            with_constants(source, {"N": 7})
    else:
        assert with_constants(source, {"N": 7}) == expected


@pytest.mark.parametrize(
    "value",
    [-3, 2.5, -0.0, float("inf"), -float("inf"), True, "it's", "", (), (1,), (1, (-2.5, "x"))],
)
def test_values_of_every_kind_read_back(value: Constant) -> None:
    names: dict[str, object] = {}
    exec(with_constants("N = 4\nM = N\n", {"N": value}), names)  # noqa: S102 - our own text
    assert repr(names["M"]) == repr(value)


def test_names_that_are_assigned_together_get_the_same_value() -> None:
    assert with_constants("N = M = 4\nK = 1\n", {"N": 7, "M": 7}) == "N = M = 7\nK = 1\n"
    with pytest.raises(TaskError, match="line 1: constant 'N' is not simply assigned"):
        with_constants("N = M = 4\n", {"N": 7, "M": 8})


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("N = [4, 8] + [1]\n", "N = [7, 9]\n"),
        ("N = [4, 8]\nM = N + [1]\n", "N = [7, 9]\nM = N + [1]\n"),
        ("N = [4] * 2\n", "N = [7, 9]\n"),
        ("N = (4, 8)\n", "N = (7, 9,)\n"),
    ],
)
def test_a_list_stays_a_list(source: str, expected: str) -> None:
    assert with_constants(source, {"N": (7, 9)}) == expected


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("M = 4\n", "the reference: assigns no constant 'N' at its top level"),
        ("def f():\n    N = 4\n", "no constant 'N'"),
        ("N = 4\nN += 1\n", "line 2: constant 'N' is not simply assigned"),
        ("\nfor N in range(3): pass\n", "line 2: constant 'N'"),
        ("if True:\n    N = 4\n", "line 1: constant 'N'"),
        ("N, *M = 4, 5\n", "line 1: constant 'N'"),
        ("N = 4 4\n", "the reference, line 1: not valid Python"),
    ],
)
def test_constants_that_cannot_be_set_are_told(source: str, told: str) -> None:
    with pytest.raises(TaskError, match=told):
        with_constants(source, {"N": 7})
