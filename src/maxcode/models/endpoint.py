"""A provider's address and key, and the meaning of its refusals."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from maxcode.errors import InputError, ModelError, PromptTooLongError
from maxcode.models.wire import Failure
from maxcode.redaction import HIDDEN, SECRETS

_TOO_LONG = re.compile(
    r"(prompt|input|messages) (is|are) too (long|large)|input.{0,20} is too large to process"
    r"|too many (input |prompt )?tokens|context[ _](length|window|limit)|maximum context"
    r"|exceed_context_size|context size has been exceeded"
    r"|exceeds? .{0,40}(context|limit of tokens)",
    re.IGNORECASE,
)
_NO_CREDIT = re.compile(r"insufficient_quota|credit balance|exceeded your current quota", re.I)
_VARIABLE = re.compile(r"[A-Z_][A-Z0-9_]{0,63}")
_KEYS = re.compile(r"\bsk-[\w*.\-]{4,}")
_MAX_MESSAGE = 500  # characters
_GAVE_UP_WAITING = 504, 524  # a gateway did, for an answer that may be made all the same


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An address and its key; ``variable`` is the key's source.

    ``chosen``: the address is the provider's own, or the environment's.
    """

    url: str
    key: str | None = field(default=None, repr=False)
    variable: str | None = None
    chosen: bool = True

    def redacted(self, text: str) -> str:
        """A message in a line, shortened, without secrets or texts like a key."""
        if self.key:  # here even one that is too short to be looked for everywhere
            text = text.replace(self.key, HIDDEN)
        return short(text)


def short(message: str) -> str:
    """A provider's message in a line, shortened, without secrets or texts like a key."""
    message = " ".join(_KEYS.sub(HIDDEN, SECRETS.redact(message)).split())
    return message if len(message) <= _MAX_MESSAGE else message[:_MAX_MESSAGE] + "..."


def find_endpoint(
    company: str, standard: str, *, base_url: str | None, key: str | None
) -> Endpoint:
    """The address of the provider, or another; and the key from the environment.

    ``key`` names a variable. Without it, COMPANY_API_KEY is used where the address is the
    ``standard`` address or comes from COMPANY_BASE_URL; any other address gets no key. Raises
    :class:`~maxcode.errors.InputError` for a missing key.
    """
    chosen = os.environ.get(f"{company.upper()}_BASE_URL", "").strip() or standard
    url = (base_url or chosen).rstrip("/")
    _check_url(url)
    known = url in (chosen.rstrip("/"), standard)
    if key is None and known:
        key = f"{company.upper()}_API_KEY"
    if key is None:
        return Endpoint(url, chosen=known)
    check_variable(key)
    value = os.environ.get(key, "").strip()
    if not value:
        raise InputError(f"no key for {url}: set the environment variable {key}")
    if not (value.isascii() and value.isprintable()):
        raise InputError(f"the key in {key} holds characters that no key has; set it again")
    SECRETS.add(value)
    return Endpoint(url, value, key, known)


def check_variable(key: str) -> None:
    """Raise :class:`~maxcode.errors.InputError` for an invalid name, without repeating it."""
    if not _VARIABLE.fullmatch(key):
        raise InputError(
            "key= takes the name of an environment variable, like MY_API_KEY, not a key itself"
        )


def _check_url(url: str) -> None:
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        parts, usable = None, False
    if parts is not None and (parts.username or parts.password or parts.query or parts.fragment):
        raise InputError(
            "base_url must not hold a user, a password or a query, as it is journaled; "
            "put the key into an environment variable and name that"
        )
    if not usable:
        raise InputError(f"base_url {url!r} is no http:// or https:// address")


def says_too_long(message: str) -> bool:
    """Whether an error says that the prompt, or prompt and answer, exceed the context."""
    return _TOO_LONG.search(message) is not None


def refusal(
    endpoint: Endpoint, model: str, status: int, message: str, wait: float
) -> Failure | ModelError:
    """The meaning of an HTTP status: a failure that may pass, or an error that would recur.

    Some servers have 500 for a full context: an error that would recur.
    """
    message = endpoint.redacted(message)
    no_credit = _NO_CREDIT.search(message) is not None
    may_be_full = status in (400, 422) or status >= 500
    if status == 413 or (may_be_full and says_too_long(message)):
        problem = f"the prompt is too long ({status}); lower the context of prompts, or max_tokens"
        return PromptTooLongError(f"{model}: {problem}: {message}")
    if (status in (408, 409, 429) or status >= 500) and not (status == 429 and no_credit):
        return Failure(f"{status}: {message}", wait=wait, left=status in _GAVE_UP_WAITING)
    url, variable = endpoint.url, endpoint.variable
    key = f"the key in {variable}" if variable else "a request without a key"
    repair = "put one into an environment variable, and name that with key="
    problem = {
        401: f"refused {key}; {f'set {variable} to a valid one' if variable else repair}",
        402: f"says that the account of {key} has no credit left",
        403: f"does not allow this to {key}",
        404: "knows no such model or page; check name and base_url",
    }.get(402 if no_credit else status, "cannot serve this request")
    return ModelError(f"{model}: {url} {problem} ({status}): {message}")


def error_message(error: Any) -> str:
    """The message in an SDK's error of status, in the form of either provider."""
    body = error.body
    if isinstance(body, dict) and isinstance(body.get("error"), dict):
        body = body["error"]
    if not isinstance(body, dict):
        return str(error.message)
    parameter = f"param '{body['param']}'" if body.get("param") else ""
    parts = [body.get("message"), parameter, body.get("type"), body.get("code")]
    return " - ".join(dict.fromkeys(map(str, filter(None, parts)))) or str(error.message)
