"""Text files and tables of rows, read and written whole, with errors that name the file."""

from __future__ import annotations

import csv
import json
import os
import shutil
import stat
import tempfile
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from maxcode.errors import InputError
from maxcode.sources import from_bytes
from maxcode.system import ScratchFolder
from maxcode.text import plain

if TYPE_CHECKING:
    from pydantic import ValidationError


def read_text(path: Path, raises: type[InputError] = InputError, encoding: str = "utf-8") -> str:
    """Text of a file, with its line ends as they are.

    Raises :class:`~maxcode.errors.InputError`, or the subclass given, when it cannot be read or is
    no UTF-8.
    """
    try:
        return read_bytes(path, raises).decode(encoding)
    except UnicodeDecodeError as error:
        raise raises(f"{path}: not UTF-8 text ({error.reason})") from error


def read_source(path: Path, raises: type[InputError] = InputError) -> str:
    """Text of a file of a program, in any encoding.

    Raises as :func:`read_text` does, for files that are no text in any encoding g++ reads.
    """
    return _source(str(path), read_bytes(path, raises), raises)


def _source(path: str, data: bytes, raises: type[InputError] = InputError) -> str:
    try:
        return from_bytes(data)
    except UnicodeDecodeError as error:
        raise raises(f"{path}: no source text, but UTF-16 or binary ({error.reason})") from error


def read_bytes(path: Path, raises: type[InputError] = InputError) -> bytes:
    """The content of a file. Raises as :func:`read_text` does when it cannot be read."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise raises(f"{path}: {error.strerror}") from error


_LARGEST = 16 << 20  # bytes of a file of a program


def read_below(folder: Path, paths: Iterable[str]) -> dict[str, str]:
    """Texts of the relative ``paths`` present in a folder, which nobody need trust.

    Other files are left alone, and so is anything but plain files. Links are followed neither to
    files nor to folders. Raises :class:`~maxcode.errors.InputError` for a file that is too large or
    no text, and where there is no such folder.
    """
    try:
        top = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except OSError as error:
        raise InputError(f"{folder}: {error.strerror}") from error
    try:
        texts = {path: _text_below(top, path) for path in paths}
    finally:
        os.close(top)
    return {path: text for path, text in texts.items() if text is not None}


def _text_below(top: int, path: str) -> str | None:
    """The text of a file below an open folder; None where there is no plain file."""
    *folders, name = PurePosixPath(path).parts
    with ExitStack() as stack:
        where = top
        try:
            for part in folders:
                flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW
                where = os.open(part, flags, dir_fd=where)
                stack.callback(os.close, where)
            file = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=where)
        except OSError:
            return None
        stack.callback(os.close, file)
        if not stat.S_ISREG(os.fstat(file).st_mode):
            return None
        with open(file, "rb", closefd=False) as opened:
            data = opened.read(_LARGEST + 1)
    if len(data) > _LARGEST:
        raise InputError(f"{path} has more than {_LARGEST} bytes")
    return _source(path, data)


def first_problem(error: ValidationError) -> str:
    """Place and reason of the first mistake in a document."""
    first = error.errors(include_url=False)[0]
    return f"{'.'.join(map(str, first['loc'])) or 'the whole'}: {first['msg']}"


def write_text(path: Path, text: str) -> None:
    """Write a text as :func:`write_bytes` does, as UTF-8."""
    write_bytes(path, text.encode())


def write_bytes(path: Path, data: bytes) -> None:
    """Write all of it or nothing, in a folder created if need be.

    Raises :class:`~maxcode.errors.InputError` where the file cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(
            dir=path.parent, prefix=f".{path.name}.", delete=False
        ) as file:
            try:
                file.write(data)
                file.flush()
                os.fchmod(file.fileno(), 0o644)
                Path(file.name).replace(path)
            except BaseException:
                Path(file.name).unlink(missing_ok=True)
                raise
    except OSError as error:
        raise InputError(f"cannot write {path}: {error.strerror}") from error


@contextmanager
def new_folder(out: Path, check: Callable[[], None]) -> Iterator[Path]:
    """A folder to fill, which then becomes ``out``; until then an earlier ``out`` stays whole.

    ``check`` is called before ``out`` is replaced, and may raise. Raises ``OSError``.
    """
    out.parent.mkdir(parents=True, exist_ok=True)
    old = out.with_name(f".old-maxcode.{out.name}")  # a name that is not swept: it may be the only
    with ScratchFolder(f".maxcode-{out.name}-", out.parent) as spare:
        if old.exists() and not out.exists():  # killed between the two lines that rename
            old.rename(out)
        new = spare / "new"
        new.mkdir()
        yield new
        check()
        shutil.rmtree(old, ignore_errors=True)
        if out.exists():
            out.rename(old)
        new.rename(out)
        shutil.rmtree(old, ignore_errors=True)


_FORMULA = ("=", "+", "-", "@", "\t")  # what a spreadsheet takes for the beginning of one


Write = Callable[[Mapping[str, Any]], None]
"""Adds a row, a value for each column."""


@contextmanager
def table_file(path: Path, columns: Collection[str]) -> Iterator[Write]:
    """A new file of rows, complete when the context is left.

    By its suffix CSV, quoted as in RFC 4180, or JSON lines. Any value may be None.
    """
    with path.open("w", encoding="utf-8", newline="") as file:
        if path.suffix == ".csv":
            lines = csv.writer(file)
            lines.writerow(columns)
            yield lambda row: lines.writerow([_in_csv(row[name]) for name in columns])
            return

        def write(row: Mapping[str, Any]) -> None:
            file.write(json.dumps({name: row[name] for name in columns}) + "\n")

        yield write


def _in_csv(value: object) -> object:
    """Value as a cell, texts of a formula's form quoted: CSV escapes nothing, spreadsheets compute.

    See https://owasp.org/www-community/attacks/CSV_Injection.
    """
    if isinstance(value, bool):
        return str(value).lower()
    if not isinstance(value, str):
        return value
    shown = plain(value)
    return f"'{shown}" if shown.startswith(_FORMULA) else shown
