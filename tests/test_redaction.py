"""Secrets: what is looked for in texts, what is not, and URLs as they may be shown."""

import json
from urllib.parse import quote

import pytest

from maxcode.redaction import Secrets, without_password

KEY = 'sk/ant+0123"456\\789'


def test_a_secret_is_found_however_it_is_written() -> None:
    secrets = Secrets()
    assert secrets.redact(KEY) == KEY
    secrets.add(KEY)
    secrets.add(KEY)
    for form in (KEY, quote(KEY, safe=""), json.dumps(KEY)[1:-1]):
        assert secrets.redact(f"a {form}{form} b") == "a [redacted][redacted] b"


def test_of_two_secrets_the_longer_one_leaves_no_rest() -> None:
    secrets = Secrets()
    secrets.add("abcd-1234")
    secrets.add("abcd-1234-and-more")
    assert secrets.redact("abcd-1234-and-more, abcd-1234") == "[redacted], [redacted]"


@pytest.mark.parametrize("word", [None, "", "x", "EMPTY", "postgres", "anything", "1234567"])
def test_what_may_stand_in_any_program_is_not_looked_for(word: str | None) -> None:
    secrets = Secrets()
    secrets.add(word)
    text = f"int {word} = 1234567; // anything"
    assert secrets.redact(text) == text


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("runs.db", "runs.db"),
        ("sqlite:///runs.db", "sqlite:///runs.db"),
        ("postgresql://me:pw@host:5432/runs", "postgresql://me:***@host:5432/runs"),
        ("postgresql://me:p@w/x?y@host/runs", "postgresql://me:***@host/runs"),
        (
            "postgresql://host:5432/runs?password=a@b&x=1",
            "postgresql://host:5432/runs?password=***&x=1",
        ),
        (
            "postgresql://me@/runs?host=/s&sslpassword=pw",
            "postgresql://me@/runs?host=/s&sslpassword=***",
        ),
        ("mysql://host/runs?user=me&PASSWD=pw", "mysql://host/runs?user=me&PASSWD=***"),
    ],
)
def test_a_url_is_shown_without_its_password(url: str, shown: str) -> None:
    assert without_password(url) == shown
