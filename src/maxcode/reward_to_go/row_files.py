# ruff: noqa: PLC0415 - pyarrow is an extra, and imported when a file is of its kind
"""Files of rows: JSON lines, or Parquet. Read and written row by row."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from maxcode.errors import InputError, ToolError
from maxcode.reward_to_go.rows import Row

FORMATS = ("jsonl", "parquet")

_GROUP = 1000  # rows that are in memory at a time


def check_format(name: str) -> None:
    """Raise :class:`InputError` for an unknown format, :class:`ToolError` where pyarrow lacks."""
    if name not in FORMATS:
        raise InputError(f"unknown format {name!r}; known: {', '.join(FORMATS)}")
    if name == "parquet":
        _arrow()


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
    arrow, parquet = _arrow()
    kinds: dict[Any, Any] = {
        str: arrow.string(),
        int: arrow.int64(),
        float: arrow.float64(),
        bool: arrow.bool_(),
    }
    columns = {name: kinds.get(kind.annotation) for name, kind in Row.model_fields.items()}
    columns["features"] = arrow.map_(arrow.string(), arrow.float64())
    schema, rows = arrow.schema(list(columns.items())), iter(rows)
    with parquet.ParquetWriter(path, schema, compression="zstd") as file:
        while group := [row.model_dump() for row in islice(rows, _GROUP)]:
            file.write_table(arrow.Table.from_pylist(group, schema))


def _read_parquet(path: Path) -> Iterator[Row]:
    arrow, parquet = _arrow()
    try:
        with parquet.ParquetFile(path) as file:
            for group in file.iter_batches(_GROUP):
                for row in group.to_pylist():
                    yield Row.model_validate({**row, "features": dict(row["features"])})
    except (arrow.ArrowException, ValidationError, KeyError) as error:
        raise InputError(f"{path} holds no rows that can be read: {error}") from error


def _arrow() -> tuple[Any, Any]:
    try:
        import pyarrow  # type: ignore[import-untyped]
        from pyarrow import parquet
    except ImportError as error:
        raise ToolError(
            "Parquet needs pyarrow, missing here; install maxcode[reward-to-go]"
        ) from error
    return pyarrow, parquet
