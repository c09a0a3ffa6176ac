"""Secrets of this process, and texts without them.

A key or password is added to :data:`SECRETS` where it comes in, and text written by others
(answers, errors of servers and drivers) loses it where that comes in, before it is kept or shown.
"""

from __future__ import annotations

import json
import re
from threading import Lock
from urllib.parse import quote, quote_plus

HIDDEN = "[redacted]"
"""Replacement for a secret."""

_SHORTEST = 8  # characters; less is found in any program by chance
_LONGEST_WORD = 16  # characters
_PARAMETER = re.compile(
    r"([?&;](?:\w*password|\w*passwd|pwd|passphrase|odbc_connect|\w*token|\w*secret)=)[^&;#\s]*",
    re.IGNORECASE,
)
_USER = re.compile(r"(://[^:/@]*):.*@")


class Secrets:
    """Texts never to be kept or shown. They only grow; safe to use from several threads."""

    def __init__(self) -> None:
        self._forms: frozenset[str] = frozenset()
        self._pattern: re.Pattern[str] | None = None
        self._lock = Lock()

    def add(self, secret: str | None) -> None:
        """Remember a secret, also as it looks in a URL or in JSON.

        A secret likely to stand in a program by chance, for it is short or a plain word (``EMPTY``,
        ``postgres``), is not looked for: an answer would be damaged, and nothing kept secret.
        """
        if not secret or len(secret) < _SHORTEST or _is_word(secret):
            return
        forms = {secret, quote(secret, safe=""), quote_plus(secret), json.dumps(secret)[1:-1]}
        with self._lock:
            if forms <= self._forms:
                return
            self._forms |= forms
            longest_first = sorted(self._forms, key=len, reverse=True)
            self._pattern = re.compile("|".join(map(re.escape, longest_first)))

    def redact(self, text: str) -> str:
        """The text with :data:`HIDDEN` in the place of every secret."""
        return self._pattern.sub(HIDDEN, text) if self._pattern else text


SECRETS = Secrets()
"""Secrets of this process, shared since a part that receives a secret may not know its owner."""


def _is_word(secret: str) -> bool:
    one_case = secret.islower() or secret.isupper()
    return secret.isalpha() and one_case and len(secret) < _LONGEST_WORD


def without_password(url: str) -> str:
    """A URL as it may be shown: without the password of its user, and of its parameters."""
    return SECRETS.redact(_USER.sub(r"\1:***@", _PARAMETER.sub(r"\1***", url)))
