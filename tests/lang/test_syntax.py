"""Tokens of a language."""

import pytest

from maxcode.lang.syntax import same_tokens, syntax_of


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("a.cpp", '#define TWICE(x) \\\n    ((x) + \\\n     (x))\nauto s = R"(a  // b)";\n'),
        ("a.py", 's = """a\n # b"""\nif s:\n\tpass\n'),
    ],
)
def test_tokens_are_the_text_but_for_spaces_and_comments(path: str, code: str) -> None:
    syntax = syntax_of(path)
    assert syntax is not None
    assert same_tokens(path, code, code + "\n\n")
    assert not same_tokens(path, code, code.replace("a", "b", 1))
    assert not same_tokens(path, code, code.replace("a", "a ", 1))
