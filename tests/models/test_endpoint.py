from __future__ import annotations

import pytest

from maxcode.errors import InputError
from maxcode.models.endpoint import Endpoint, find_endpoint

STANDARD = "https://api.example.com/v1"


def found(base_url: str | None = None, key: str | None = None) -> Endpoint:
    return find_endpoint("Their", STANDARD, base_url=base_url, key=key)


def test_the_key_is_sent_to_the_provider_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("THEIR_API_KEY", "secret")
    assert found() == Endpoint(STANDARD, "secret", "THEIR_API_KEY")
    assert found(STANDARD + "/").key == "secret"
    assert "secret" not in repr(found())


def test_another_address_is_sent_no_key_unless_one_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("THEIR_API_KEY", "secret")
    monkeypatch.setenv("OTHER_KEY", "other")
    assert found("http://localhost:8000/v1").key is None
    assert found("https://api.example.com.evil.org/v1").key is None
    assert found("http://api.example.com/v1").key is None
    assert found("http://localhost:8000/v1", key="OTHER_KEY").key == "other"


def test_a_missing_key_says_which_variable_to_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("THEIR_API_KEY", raising=False)
    with pytest.raises(InputError, match="set the environment variable THEIR_API_KEY"):
        found()
    monkeypatch.setenv("THEIR_API_KEY", "  ")
    with pytest.raises(InputError, match="THEIR_API_KEY"):
        found()
    with pytest.raises(InputError, match="NO_SUCH_KEY"):
        found("http://localhost:8000", key="NO_SUCH_KEY")


def test_a_key_that_cannot_be_sent_is_refused_without_being_shown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("THEIR_API_KEY", "secret\nsecond line")
    with pytest.raises(InputError, match="THEIR_API_KEY") as caught:
        found()
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    "url",
    [
        "https://user:password@host/v1",
        "https://token@host/v1",
        "https://host/v1?key=secret",
        "https://host/v1#secret",
    ],
)
def test_an_address_with_secrets_is_refused(url: str) -> None:
    with pytest.raises(InputError, match="must not hold") as caught:
        found(url)
    assert "password" not in str(caught.value).replace("a password", "")
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("url", ["host/v1", "ftp://host", "http://", "http://[::1", "file:///x"])
def test_what_is_no_address_is_refused(url: str) -> None:
    with pytest.raises(InputError, match="is no http"):
        found(url)


def test_a_key_in_the_place_of_its_variable_is_not_repeated(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for given in ("sk-ant-api03-private", "my key", "", "x" * 80):
        with pytest.raises(InputError, match="the name of an environment variable") as raised:
            found("http://localhost:8000/v1", key=given)
        assert not given or given not in str(raised.value)
