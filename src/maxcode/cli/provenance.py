"""Whether this user wrote the recipe of a run.

A recipe names files to read, modules to import, addresses for keys and places to write. This user's
runs are sealed with a private key; of other recipes little is followed without being asked for
again.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import secrets
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import typer
from platformdirs import user_data_path

from maxcode.budget import Budget
from maxcode.cli.console import facts, say, standard_error
from maxcode.errors import InputError
from maxcode.redaction import without_password

_KEY_BYTES = 32


def seal(recipe: Mapping[str, Any], budget: Budget) -> str:
    """A code of recipe and budget with this user's key (HMAC-SHA-256, RFC 2104).

    Empty where the user's data folder cannot be written: then no run counts as the user's.
    """
    key = _key()
    if key is None:
        return ""
    text = json.dumps([recipe, str(budget)], sort_keys=True)
    return hmac.new(key, text.encode(), hashlib.sha256).hexdigest()


def is_sealed(code: str, recipe: Mapping[str, Any], budget: Budget) -> bool:
    """Whether this user's key made the code of a recipe and budget."""
    return bool(code) and hmac.compare_digest(code.encode(), seal(recipe, budget).encode())


def _key() -> bytes | None:
    """The user's own, made when it is needed first."""
    path = user_data_path("maxcode", appauthor=False) / "recipe.key"
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        with suppress(FileExistsError):
            new = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(new, "wb") as file:
                file.write(secrets.token_bytes(_KEY_BYTES))
        if path.stat().st_uid == os.geteuid():
            key = path.read_bytes()
            return key if len(key) == _KEY_BYTES else None
    return None


def is_known(content: Mapping[str, Any]) -> bool:
    """Whether :func:`remember` has kept this content."""
    code = seal(content, Budget())
    return bool(code) and _known().is_file() and code in _known().read_text("ascii").split()


def remember(content: Mapping[str, Any]) -> None:
    """Keep a code of this content with the user's data."""
    code = seal(content, Budget())  # makes the folder
    with suppress(OSError), _known().open("a", encoding="ascii") as file:
        file.write(f"{code}\n")


def _known() -> Path:
    return user_data_path("maxcode", appauthor=False) / "settings.known"


def agreed(question: str) -> bool:
    """Whether the user agrees, asked on a terminal; without one nobody does."""
    asked = sys.stdin.isatty() and sys.stderr.isatty()
    return asked and typer.confirm(question, default=False, err=True)


def confirm_foreign(
    run_id: str,
    recipe: Mapping[str, Any],
    dropped: Mapping[str, Any],
    budget: Budget,
    *,
    trust: bool,
) -> None:
    """Show a foreign recipe and its parts not followed, and ask whether to go on.

    Raises :class:`InputError` if not.
    """
    say(
        f"run {run_id} is not known as yours: its recipe was not written by you on this machine, "
        "or it was changed since. It names, modules to import among them:"
    )
    rows = [(name.replace("_", " "), without_password(str(one))) for name, one in recipe.items()]
    rows.append(("budget", str(budget)))
    rows += [("not followed", f"{name}={value}") for name, value in dropped.items()]
    standard_error().print(facts(rows))
    if not (trust or agreed("go on with it?")):
        raise InputError(
            f"run {run_id} is not known as yours; if all of what is shown above may be read, "
            "executed, asked and spent, give --trust"
        )
