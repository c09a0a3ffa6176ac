"""Where maxcode keeps what it can make again."""

from __future__ import annotations

from pathlib import Path

from platformdirs import user_cache_path

from maxcode.errors import ToolError


def cache_folder() -> Path:
    """The user's cache folder for maxcode, made if need be; XDG_CACHE_HOME moves it.

    Raises :class:`ToolError` when it cannot be written.
    """
    folder = user_cache_path("maxcode")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ToolError(
            f"the cache folder {folder} cannot be made ({error.strerror}); "
            "set XDG_CACHE_HOME to a folder that may be written"
        ) from error
    return folder
