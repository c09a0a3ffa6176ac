"""Text files, read and written whole, with errors that name them."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from maxcode.errors import InputError


def read_text(path: Path) -> str:
    """The text of a file, its line ends as they are.

    Raises :class:`~maxcode.errors.InputError` when it cannot be read or is no UTF-8.
    """
    try:
        return path.read_bytes().decode()
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not UTF-8 text ({error.reason})") from error


def write_text(path: Path, text: str) -> None:
    """Write all of it or nothing, in a folder that is made if need be.

    Raises :class:`~maxcode.errors.InputError` when that cannot be.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(
            "w", encoding="utf-8", dir=path.parent, prefix=f".{path.name}.", delete=False
        ) as file:
            try:
                file.write(text)
                file.flush()
                os.fchmod(file.fileno(), 0o644)
                Path(file.name).replace(path)
            except BaseException:
                Path(file.name).unlink(missing_ok=True)
                raise
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror}") from error
