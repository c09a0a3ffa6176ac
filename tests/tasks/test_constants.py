import pytest

from maxcode.errors import TaskError
from maxcode.tasks.reference import Constant, with_constants


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


def test_shapes_that_derive_from_a_constant_follow() -> None:
    source = "A, B = 2, 3\nshape = (A, A * B)\ndef get():\n    A = 100\n    return shape, B\n"
    names: dict[str, object] = {}
    exec(with_constants(source, {"A": 5, "B": 7}), names)  # noqa: S102 - our own text
    assert names["shape"] == (5, 35)
    assert "A = 100" in with_constants(source, {"A": 5})


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
        ("N[0] = 4\n", "no constant 'N'"),
        ("N = M = 4\n", "line 1: constant 'N' is not simply assigned"),
        ("N = 4\nN += 1\n", "line 2: constant 'N' is not simply assigned"),
        ("\nfor N in range(3): pass\n", "line 2: constant 'N'"),
        ("if True:\n    N = 4\n", "line 1: constant 'N'"),
        ("N, *M = 4, 5\n", "line 1: constant 'N'"),
        ("N = 4 4\n", "the reference, line 1: not valid Python"),
    ],
)
def test_what_cannot_be_set_is_told(source: str, told: str) -> None:
    with pytest.raises(TaskError, match=told):
        with_constants(source, {"N": 7})
