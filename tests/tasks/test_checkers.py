import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from maxcode.errors import InputError
from maxcode.tasks.checkers import Checker, Difference

TOKENS, LINES, EXACT, NUMBERS, VALUES = (
    Checker(kind) for kind in ("tokens", "lines", "exact", "numbers", "values")
)
ALL = (TOKENS, LINES, EXACT, NUMBERS, VALUES)
every_kind = pytest.mark.parametrize("checker", ALL, ids=[one.kind for one in ALL])

_PATIENT = settings(deadline=None)
_LINE = st.text(st.characters(codec="utf-8", exclude_characters="\n"), max_size=12)


def lines(*content: str) -> bytes:
    return "".join(f"{line}\n" for line in content).encode()


def right(checker: Checker, expected: bytes, got: bytes) -> bool:
    return checker.difference(expected, got) is None


# -- any kind ----------------------------------------------------------------------------------


@pytest.mark.slow
@every_kind
@given(expected=st.binary(), got=st.binary())
@example(expected=b"\xff", got=b"\\xff")
@example(expected=b"1", got=b"\xff\xfe")
@example(expected=b"1", got=b"1" * 400)
@_PATIENT
def test_whatever_is_printed_has_a_verdict(checker: Checker, expected: bytes, got: bytes) -> None:
    difference = checker.difference(expected, got)
    if difference is None:
        assert checker is not EXACT or expected == got
    else:
        assert difference.line >= 1
        assert str(difference)
        assert difference.without_expected
        (str(difference) + difference.without_expected).encode()  # can be stored and sent


@every_kind
@pytest.mark.parametrize(
    ("expected", "got"),
    [
        (b"P5 2 2\x00\x20\x20\x41", b"P5 2 2\x00\x09\x20\x41"),  # a space became a tab
        (b"\x01\xfe\x0a\x0a\x0a", b"\x01\xfe\x0a"),
        (b"\xff\x30", b"\xff\x30\x20"),
        (b"\x20\xff", b"\xff"),
    ],
)
def test_bytes_of_white_space_count_in_binary_outputs(
    checker: Checker, expected: bytes, got: bytes
) -> None:
    assert not right(checker, expected, got)
    assert right(checker, expected, expected)


@every_kind
def test_bytes_that_are_no_text_and_further_lines_differ(checker: Checker) -> None:
    assert not right(checker, b"\xff", b"\\xff")
    assert not right(checker, b"\xff", b"\xfe")
    found = checker.difference(b"1\n2\n", b"1\n2\nx\n")
    assert found == Difference(3, None, "x\n" if checker is EXACT else "x")


# -- kinds -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "expected", "got", "verdict"),
    [
        ("tokens", b"1 2\n3\n", b"1  2 \n\t3", True),
        ("tokens", b"1 2\n3\n", b"1 2\r\n3\r\n", True),
        ("tokens", b"1\n", b"1\n\n \n", True),
        ("tokens", b"1 2\n3\n", b"1 2 3\n", False),
        ("tokens", b"1 2\n3\n", b"1\n2\n3\n", False),
        ("tokens", b"1\n", b"\n1\n", False),
        ("tokens", b"1\n", b"1.0\n", False),
        ("tokens", "a\N{NO-BREAK SPACE}b".encode(), b"a b", False),
        ("lines", b"1 2\n", b"1 2  \n", True),
        ("lines", b"1 2\n3\n", b"1 2\r\n3\r\n", True),
        ("lines", b"1 2\n", b"1  2\n", False),
        ("lines", b"1\n", b" 1\n", False),
        ("numbers", b"1", b"1.0", True),
        ("numbers", b"0", b"0.0000009", True),
        ("numbers", b"0", b"0.0000011", False),
        ("numbers", b"1", b"1.0000009", True),
        ("numbers", b"1", b"0.99999", False),
        ("numbers", b"1e9", b"1000001100", False),
        ("numbers", b"1e-9", b"2e-9", True),
        ("numbers", b"inf", b"Infinity", True),
        ("numbers", b"inf", b"-inf", False),
        ("numbers", b"nan", b"nan", True),
        ("numbers", b"inf", b"nan", False),
        ("numbers", b"case 1: 2.5", b"case 1: 2.5000001", True),
        ("numbers", b"1 2", b"1", False),
        ("numbers", b"1000", b"1_000", False),
        ("numbers", b"16", b"0x10", False),
    ],
)
def test_kinds(kind: str, expected: bytes, got: bytes, *, verdict: bool) -> None:
    assert right(Checker(kind), expected, got) is verdict


# -- values, as PIE compares them ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("expected", "got", "verdict"),
    [
        ("1\n2", "1\n2\n", True),
        ("1\n2", "\n 1\n2 \n\n", True),
        ("1\r\n2", "1\n2", True),
        ("1.5", " 1.5009", True),
        ("1.5", "1.5011", False),
        ("-0.5", "-0.4988", False),
        ("1000000", "1000000.0009", True),
        ("1e400", "inf", False),
        ("nan", "nan", True),
        ("1 2.5", "1 2.50", False),
        ("1 2\n3", "1 2 \n3", False),
        ("a\nb", "a\n\nb", False),
        ("1\n2", "1", False),
        ("1\n2\n", "1\n2\n3\n", False),
        ("1000", "1_000", False),
        ("", "", True),
        ("\n", "1\n", False),
    ],
)
def test_values(expected: str, got: str, verdict: bool) -> None:
    values = Checker("values", tolerance=1e-3)
    assert right(values, expected.encode(), got.encode()) is verdict


# -- what is said about a difference -----------------------------------------------------------


@pytest.mark.parametrize(
    ("expected", "got", "full", "without"),
    [
        ("1\n2", "1\n3", "line 2: expected '2', got '3'", "line 2 differs: got '3'"),
        (
            "1\n2",
            "1",
            "the output ends before line 2: expected '2'",
            "the output ends before line 2",
        ),
        (
            "1",
            "1\n2",
            "the output goes on after its last line, with line 2",
            "the output goes on after its last line, with line 2",
        ),
    ],
)
def test_the_first_difference_in_words(expected: str, got: str, full: str, without: str) -> None:
    difference = TOKENS.difference(expected.encode(), got.encode())
    assert difference is not None
    assert str(difference) == full
    assert difference.without_expected == without


@pytest.mark.slow
@every_kind
@given(st.lists(_LINE, max_size=3), _LINE, _LINE, _LINE)
@_PATIENT
def test_what_a_generator_may_read_does_not_depend_on_what_was_expected(
    checker: Checker, before: list[str], first: str, second: str, got: str
) -> None:
    words = set()
    for expected in (first, second):
        difference = checker.difference(
            lines(*before, f"x{expected}", "end"), lines(*before, f"y{got}", "end")
        )
        assert difference is not None
        words.add(difference.without_expected)
    assert len(words) == 1


def test_control_characters_do_not_reach_a_terminal() -> None:
    difference = TOKENS.difference(b"a", b"\x1b[2J\x07\xff")
    assert re.search(r"got '\\x1b\[2J\\x07", str(difference))


# -- what is refused ---------------------------------------------------------------------------


def test_an_unknown_kind_is_an_error_that_lists_the_known() -> None:
    with pytest.raises(InputError, match="'fuzzy'; known: tokens, lines, exact, numbers, values, "):
        Checker("fuzzy")


@pytest.mark.parametrize("tolerance", [-1e-9, float("nan"), float("inf")])
def test_a_tolerance_is_a_number_of_at_least_0(tolerance: float) -> None:
    with pytest.raises(InputError, match="a tolerance is a number of at least 0"):
        Checker("numbers", tolerance)


# -- several right answers ---------------------------------------------------------------------

COUNTS = lines("the 3", "of 2", "a 2", "in 1")


@pytest.mark.parametrize(
    ("kind", "got", "is_right"),
    [
        ("unordered", lines("in 1", "of  2", "the 3", "a 2"), True),
        ("unordered", lines("the 3", "of 2", "a 2"), False),
        ("unordered", COUNTS + lines("in 1"), False),
        ("sorted:2", lines("the 3", "a 2", "of 2", "in 1"), True),
        ("sorted:-1", lines("the 3", "a 2", "of 2", "in 1"), True),
        ("sorted:1", lines("the 3", "a 2", "of 2", "in 1"), False),
        ("sorted:2", lines("of 2", "the 3", "a 2", "in 1"), False),
        ("sorted:2", lines("the 3", "a 2", "a 2", "in 1"), False),
        ("sorted:2", lines("the 3", "a 2", "of 2"), False),
        ("sorted:9", COUNTS, True),
        ("unordered", b"the 3\x00\nof 2\na 2\nin 1\n", False),
    ],
)
def test_where_lines_tie_their_order_is_free(kind: str, got: bytes, *, is_right: bool) -> None:
    difference = Checker(kind).difference(COUNTS, got)
    assert (difference is None) is is_right
    if difference is not None:
        assert difference.without_expected
        assert str(difference)


@pytest.mark.parametrize(
    ("kind", "problem"),
    [
        ("sorted", "sorted:2"),
        ("sorted:0", "sorted:2"),
        ("tokens:1", "unknown kind"),
        ("program:", "program:check.py"),
        ("program:check.sh", "program:check.py"),
    ],
)
def test_a_kind_says_what_it_needs(kind: str, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        Checker(kind)


def test_a_difference_of_numbers_says_how_far_off_they_are() -> None:
    checker = Checker("numbers", 1e-6)
    found = checker.difference(b"1.0 200\n3.0\n4.0\n", b"1.0 201\n3.5\n4.0\n")
    assert found is not None
    said = "; 2 numbers off, at most by 0.14 (absolute or relative, line 2), where 1e-06 is allowed"
    assert found.without_expected == f"line 1 differs: got '1.0 201'{said}"
    assert "200" in str(found)
    assert str(found).endswith(said)
    for other in (b"1.0 x\n3.0\n4.0\n", b"1.0\n3.0\n4.0\n"):
        found = checker.difference(b"1.0 200\n3.0\n4.0\n", other)
        assert found is not None
        assert " off" not in str(found)
