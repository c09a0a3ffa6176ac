"""Text files: what is read, what cannot be, and that nothing half-written stays."""

from pathlib import Path

import pytest

from maxcode.errors import InputError
from maxcode.files import (
    read_text,
    write_text,
)


def test_a_text_is_read_as_it_was_written(tmp_path: Path) -> None:
    path = tmp_path / "new" / "file"
    write_text(path, "one\r\n\u00e9")
    assert read_text(path) == "one\r\n\u00e9"
    assert path.stat().st_mode & 0o777 == 0o644


def test_what_cannot_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "bytes").write_bytes(b"\xff")
    for name, said in (("bytes", "not UTF-8"), ("nothing", "No such file")):
        with pytest.raises(InputError, match=f"{tmp_path / name}: {said}"):
            read_text(tmp_path / name)


def test_what_cannot_be_written_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "folder" / "inside").mkdir(parents=True)
    with pytest.raises(InputError, match=f"cannot write {tmp_path / 'folder'}"):
        write_text(tmp_path / "folder", "text")
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]
