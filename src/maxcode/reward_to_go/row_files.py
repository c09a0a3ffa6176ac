"""Files of rows: JSON lines, or Parquet. Read and written row by row."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from pydantic import ValidationError

from maxcode.errors import InputError
from maxcode.reward_to_go.rows import Row
from maxcode.tables import import_arrow, table_file

FORMATS = ("jsonl", "parquet")

_GROUP = 1000  # rows that are in memory at a time


def check_format(name: str) -> None:
    """Raise :class:`InputError` for an unknown format, :class:`ToolError` where pyarrow lacks."""
    if name not in FORMATS:
        raise InputError(f"unknown format {name!r}; known: {', '.join(FORMATS)}")
    if name == "parquet":
        import_arrow()


def write_rows(path: Path, rows: Iterable[Row]) -> None:
    """Write rows to a file, whose suffix says in which format."""
    if path.suffix == ".parquet":
        _write_parquet(path, rows)
        return
    with path.open("w", encoding="utf-8") as file:
        file.writelines(f"{row.model_dump_json()}\n" for row in rows)


def read_rows(path: Path) -> Iterator[Row]:
    """The rows of a file. Raises :class:`InputError` that says where it cannot be read."""
    try:
        yield from _read_parquet(path) if path.suffix == ".parquet" else _read_lines(path)
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"cannot read {path}: it is no text in UTF-8; make it again") from error


def _read_lines(path: Path) -> Iterator[Row]:
    with path.open(encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            try:
                yield Row.model_validate_json(line)
            except ValidationError as error:
                first = error.errors(include_url=False)[0]
                where = ".".join(map(str, first["loc"])) or "the whole line"
                raise InputError(f"{path}:{number}: {where}: {first['msg']}") from error


def _write_parquet(path: Path, rows: Iterable[Row]) -> None:
    columns = {name: field.annotation for name, field in Row.model_fields.items()}
    with table_file(path, columns) as write:
        for row in rows:
            write(row.model_dump())


def _read_parquet(path: Path) -> Iterator[Row]:
    arrow, parquet = import_arrow()
    try:
        with parquet.ParquetFile(path) as file:
            for group in file.iter_batches(_GROUP):
                for row in group.to_pylist():
                    yield Row.model_validate({**row, "features": dict(row["features"])})
    except (arrow.ArrowException, ValidationError, KeyError) as error:
        raise InputError(f"{path} holds no rows that can be read: {error}") from error
