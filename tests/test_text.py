"""Words for figures: no more digits than people can use."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.report._hostile import hidden

from maxcode import text as words


@pytest.mark.parametrize(
    ("value", "text"),
    [(3.216, "3.22x"), (12.34, "12.3x"), (123.4, "123x")],
)
def test_factor(value: float, text: str) -> None:
    assert words.factor(value) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.0000123, "12.3 us"),
        (0.0082149, "8.21 ms"),
        (0.9996, "1 s"),
        (1.2549, "1.25 s"),
        (59.99, "1 min 0 s"),
        (125.2, "2 min 5 s"),
        (3785, "1 h 3 min"),
    ],
)
def test_duration(seconds: float, text: str) -> None:
    assert words.duration(seconds) == text


@pytest.mark.parametrize(
    ("count", "text"),
    [(0, "0 B"), (312, "312 B"), (1234, "1.23 kB"), (48e6, "48 MB"), (2e9, "2 GB")],
)
def test_size(count: int, text: str) -> None:
    assert words.size(count) == text


@pytest.mark.parametrize(
    ("paid", "unpriced", "text"),
    [(0, 0, "$0.00"), (3.2, 0, "$3.20"), (0, 9, "price unknown"), (3.2, 9, "$3.20 and more")],
)
def test_price(paid: float, unpriced: int, text: str) -> None:
    assert words.price(paid, unpriced) == text


# -- what people see ---------------------------------------------------------------------------


@pytest.mark.slow
@given(st.text(st.characters(codec=None)))
def test_nothing_is_hidden_in_a_plain_text(text: str) -> None:
    shown = words.plain(text)
    assert not [one for one in shown if hidden(one)]
    assert words.plain(shown) == shown
    assert (words.unseen(text) == []) == (shown == text.replace("\r\n", "\n")) or "\ufffd" in shown


@pytest.mark.parametrize(
    "text",
    [
        "naïve café, żółw, Ångström, ệ",
        "e\u0301 and ọ\u0302\u0301",
        "漢字かな交じり文\u3000한글",
        "مرحبا بالعالم می\u200cخواهم",  # noqa: RUF001
        "שָׁלוֹם",
        "क्\u200dष नमस्ते",
        "🚀 👩\u200d👩\u200d👧 👍🏽 ❤️ 🏳️\u200d🌈 🇫🇷",
        "tab\tand line\n",
        "5\u00a0€ — “quoted” … ≤ ∀x∈y",
    ],
)
def test_honest_texts_stay_as_they_are(text: str) -> None:
    assert words.plain(text) == text
    assert words.unseen(text) == []


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("int a;\r\nint b;\r\n", "int a;\nint b;\n"),
        ("// safe\rsystem();", "// safe␍system();"),
        ("\x1b[2J\x9b31m\x07", "␛[2J<U+009B>31m␇"),
        ("/*\u202e } \u2066if\u2069*/", "/*<U+202E> } <U+2066>if<U+2069>*/"),
        ("pass\u200bword", "pass<U+200B>word"),
        ("a\u200d b", "a<U+200D> b"),
        ("a\u2028b\x0bc\x0cd\x85", "a<U+2028>b␋c␌d<U+0085>"),
        ("ok\U000e0049\U000e0047", "ok<U+E0049><U+E0047>"),
        ("Z" + "\u0351" * 6, "Z" + "\u0351" * 4 + "<U+0351><U+0351>"),
    ],
)
def test_what_is_not_seen_is_made_visible(text: str, shown: str) -> None:
    assert words.plain(text) == shown
