"""Source text: bytes come back as they were, and a changed file keeps its form."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from maxcode.program import Program
from maxcode.sources import from_bytes, in_form_of, shown, to_bytes

ACUTE = "\N{LATIN SMALL LETTER E WITH ACUTE}"
NOT_UTF_8 = b"// Jos\xe9\n"
NO_CONTROLS = st.binary().map(lambda data: bytes(b for b in data if b > 0x1F or b in b"\t\n\r"))
LINES = st.lists(
    st.tuples(
        st.sampled_from([b"}", b"", b"int x;", b"// Jos\xe9", b"// Jos\xc3\xa9", b"// \x81\xff"]),
        st.sampled_from([b"\n", b"\r\n"]),
    ).map(b"".join),
    max_size=12,
).map(b"".join)


@pytest.mark.slow
@given(NO_CONTROLS)
@example("\U0010fee9 is a character of its own".encode() + b"\xe9")
def test_bytes_come_back_as_they_were(data: bytes) -> None:
    text = from_bytes(data)
    assert to_bytes(text) == data
    assert Program.of(text).code.encode().decode() == text  # no store or model refuses it


@pytest.mark.parametrize("data", ["int x;".encode("utf-16"), b"\x89PNG\r\n\x1a\n\x00"])
def test_what_is_no_text_is_refused(data: bytes) -> None:
    with pytest.raises(UnicodeDecodeError):
        from_bytes(data)


def test_bytes_are_shown_as_windows_1252() -> None:
    assert shown(from_bytes(b"\x93Jos\xe9\x94\r\nx\n")) == (
        f"\N{LEFT DOUBLE QUOTATION MARK}Jos{ACUTE}\N{RIGHT DOUBLE QUOTATION MARK}\nx\n"
    )
    assert shown("\ufeffint x;\r\n") == "int x;\n"


@pytest.mark.slow
@given(LINES)
def test_what_was_shown_becomes_what_it_was(data: bytes) -> None:
    text = from_bytes(data)
    assert in_form_of(text, text) == text
    assert in_form_of(text, shown(text)) == text


@pytest.mark.slow
@given(LINES, LINES)
def test_the_form_is_given_once(before: bytes, after: bytes) -> None:
    once = in_form_of(from_bytes(before), from_bytes(after))
    assert in_form_of(from_bytes(before), once) == once


@pytest.mark.parametrize(
    ("before", "answer", "after"),
    [
        (b"a;\r\nb;\r\n", "a;\nc;\nd;\n", b"a;\r\nc;\r\nd;\r\n"),
        (b"a;\nb;\n", "a;\r\nc;\r\n", b"a;\nc;\n"),
        (b"a;\r\n}\r\nb;\n}\r\n", "a;\n}\nnew;\nb;\n}\n", b"a;\r\n}\r\nnew;\r\nb;\n}\r\n"),
        (NOT_UTF_8 + b"b;\n", f"// Jos{ACUTE}\nc; // {ACUTE}\n", NOT_UTF_8 + b"c; // \xe9\n"),
        (  # of two encodings the letter alone does not say which
            NOT_UTF_8 + b"// \xc3\xa9\nb;\n",
            f"// Jos{ACUTE}\n// {ACUTE}\nc; // {ACUTE}\n",
            NOT_UTF_8 + b"// \xc3\xa9\nc; // \xc3\xa9\n",
        ),
        (b"\xef\xbb\xbfa;\r\n", "b;\n", b"\xef\xbb\xbfb;\r\n"),
        (b"a;\r\nb;", "a;\nb;\nc;\n", b"a;\r\nb;\r\nc;\r\n"),
        (b"a;\r\n", "s = 'x\ry';\n", b"s = 'x\ry';\r\n"),
    ],
)
def test_a_changed_file_keeps_its_form(before: bytes, answer: str, after: bytes) -> None:
    program = Program({"a.cpp": from_bytes(before), "b.cpp": "\r\n"}, "a.cpp")
    changed = program.with_code(answer)
    assert to_bytes(changed.code) == after
    assert changed.files["b.cpp"] == "\r\n"
    assert program.with_file("new.h", answer).files["new.h"] == answer
