"""Settings of a task or project, in `maxcode.toml`; and whether this user wrote them, or a recipe.

A settings file stands below options of the command line. It and a run's recipe name files to read,
modules to import, addresses for keys and places to write. This user's runs are sealed with a
private key; others' are followed once they are confirmed.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import secrets
import shlex
import sys
import tomllib
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import typer
from platformdirs import user_data_path

from maxcode.budget import Budget
from maxcode.cli.console import facts, say, standard_error
from maxcode.errors import InputError
from maxcode.redaction import without_password
from maxcode.text import did_you_mean

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    _Request = TypeVar("_Request", bound=DataclassInstance)

FILE = "maxcode.toml"
KEYS = ("generator", "critic", "budget", "store", "sandbox")
_KEY_BYTES = 32


def with_settings(request: _Request, unset: Collection[str]) -> _Request:
    """The request with settings in place of its ``unset`` options.

    Commands for a run take the store alone: the rest is the run's own. Raises :class:`InputError`
    for settings that cannot be read, or that the user does not confirm.
    """
    single = {one.name for one in fields(request) if "list" not in str(one.type)}
    names = single & set(unset) & set(KEYS)
    if hasattr(request, "run_id") or hasattr(request, "run_ids"):
        names &= {"store"}
    task = getattr(request, "task", None) or next(iter(getattr(request, "tasks", ())), None)
    path = settings_file(task) if names else None
    found = read_settings(path) if path else {}
    taken = {key: value for key, value in found.items() if key in names}
    if path and taken:
        _confirm(path, taken)
    return replace(request, **taken)


def settings_file(task: str | None = None) -> Path | None:
    """The file in the folder of a task or beside it, or else in the current folder."""
    folders = [Path(task), Path(task).absolute().parent] if task else []
    places = [folder / FILE for folder in (*folders, Path.cwd())]
    return next(filter(Path.is_file, places), None)


def read_settings(path: Path) -> dict[str, str]:
    """The settings of a file, the store with an absolute path. Raises :class:`InputError`."""
    try:
        found = tomllib.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"{path} cannot be read: {error}") from error
    for key, value in found.items():
        if key not in KEYS:
            close = did_you_mean(key, KEYS)
            raise InputError(f"{path}: unknown setting {key!r}{close}; known: {', '.join(KEYS)}")
        if not isinstance(value, str | int):
            raise InputError(f"{path}: {key} takes a text in quotes, as on the command line")
    settings = {key: str(value) for key, value in found.items()}
    if "://" not in (store := settings.get("store", "://")):
        settings["store"] = str(path.absolute().parent / store)
    return settings


def told(settings: Mapping[str, str]) -> str:
    """Settings in a line, without passwords."""
    return ", ".join(f"{key} = {without_password(value)}" for key, value in settings.items())


def _confirm(path: Path, taken: Mapping[str, str]) -> None:
    """Show the settings; those not known as the user's must be confirmed once.

    A generator may be anybody's code or server, a store anybody's, and a sandbox none.
    """
    say(f"settings of {path}: {told(taken)}")
    if _mark(path).exists():
        return
    if not _agreed("follow this file from now on?"):
        folder = shlex.quote(str(path.absolute().parent))
        raise InputError(
            f"{path} is not known as yours; look at it, and follow it from now on by: "
            f"cd {folder} && maxcode doctor --trust"
        )
    _follow(path)


def confirm_settings() -> None:
    """Follow the current folder's settings from now on. Raises :class:`InputError`."""
    path = settings_file()
    if path is None:
        raise InputError(f"--trust: there is no {FILE} in {Path.cwd()}")
    read_settings(path)
    _follow(path)


def _follow(path: Path) -> None:
    with suppress(OSError):  # then they are asked about each time
        _mark(path).parent.mkdir(parents=True, exist_ok=True)
        _mark(path).touch()


def _mark(path: Path) -> Path:
    """The file in the user's data folder that marks the settings, as they are now, as followed."""
    content = os.fsencode(path.resolve()) + b"\0" + path.read_bytes()
    return _data() / "settings" / hashlib.sha256(content).hexdigest()


def _data() -> Path:
    return user_data_path("maxcode", appauthor=False)


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
    path = _data() / "recipe.key"
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


def _agreed(question: str) -> bool:
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
    """Show a foreign recipe and its parts not followed, and ask whether to go on."""
    say(
        f"run {run_id} is not known as yours: its recipe was not written by you on this machine, "
        "or was changed since. It names, modules to import among them:"
    )
    rows = [(name.replace("_", " "), without_password(str(one))) for name, one in recipe.items()]
    not_followed = [("not followed", f"{name}={value}") for name, value in dropped.items()]
    standard_error().print(facts([*rows, ("budget", str(budget)), *not_followed]))
    if not (trust or _agreed("go on with it?")):
        raise InputError(
            f"run {run_id} is not known as yours; if all of what is shown above may be read, "
            "executed, asked and spent, give --trust"
        )
