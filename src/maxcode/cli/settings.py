"""Settings of a task or project: `maxcode.toml` beside it, below options of the command line."""

from __future__ import annotations

import shlex
import tomllib
from collections.abc import Collection, Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from maxcode.cli.console import say
from maxcode.cli.provenance import agreed, is_known, remember
from maxcode.errors import InputError
from maxcode.redaction import without_password
from maxcode.text import did_you_mean

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

    _Request = TypeVar("_Request", bound=DataclassInstance)

FILE = "maxcode.toml"
KEYS = ("generator", "critic", "budget", "store", "sandbox")


def with_settings(request: _Request, unset: Collection[str]) -> _Request:
    """The request with settings in place of its ``unset`` options.

    Commands for a run take the store alone: the rest is the run's own. Raises :class:`InputError`
    for settings that cannot be read, or that the user does not confirm.
    """
    single = {one.name for one in fields(request) if "list" not in str(one.type)}
    names = single & set(unset) & set(KEYS)
    if {"run_id", "run_ids"} & {one.name for one in fields(request)}:
        names &= {"store"}
    path = settings_file(_tasks(request)) if names else None
    if path is None:
        return request
    taken = {key: value for key, value in read_settings(path).items() if key in names}
    if not taken:
        return request
    _confirm(path, taken)
    return replace(request, **taken)


def settings_file(tasks: Collection[str] = ()) -> Path | None:
    """The file in the folder of the first task or beside it, or else in the current folder."""
    places = [Path.cwd()]
    for task in map(Path, [*tasks][:1]):
        places = [task, task.absolute().parent, *places]
    return next((place / FILE for place in places if (place / FILE).is_file()), None)


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


def _tasks(request: object) -> list[str]:
    named = getattr(request, "task", None) or getattr(request, "tasks", None) or []
    return [named] if isinstance(named, str) else list(named)


def _confirm(path: Path, taken: Mapping[str, str]) -> None:
    """Show the settings; those not known as the user's must be confirmed once.

    A generator may be anybody's code or server, a store anybody's, and a sandbox none.
    """
    say(f"settings of {path}: {told(taken)}")
    if is_known(content := _content(path)):
        return
    if not agreed("follow this file from now on?"):
        folder = shlex.quote(str(path.absolute().parent))
        raise InputError(
            f"{path} is not known as yours; look at it, and follow it from now on by: "
            f"cd {folder} && maxcode doctor --trust"
        )
    remember(content)


def confirm_settings() -> None:
    """Follow the current folder's settings from now on. Raises :class:`InputError`."""
    path = settings_file()
    if path is None:
        raise InputError(f"--trust: there is no {FILE} in {Path.cwd()}")
    read_settings(path)
    remember(_content(path))


def _content(path: Path) -> dict[str, str]:
    return {"settings": str(path.resolve()), "text": path.read_text("utf-8")}
