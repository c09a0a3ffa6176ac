"""Text files: what is read, what cannot be, and that nothing half-written stays."""

import os
from pathlib import Path

import pytest

from maxcode.errors import InputError
from maxcode.files import read_below, read_text, write_text


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


def test_only_plain_files_below_a_folder_are_read(tmp_path: Path) -> None:
    outside, folder = tmp_path / "outside", tmp_path / "folder"
    (outside / "deep").mkdir(parents=True)
    (outside / "secret.txt").write_text("secret")
    (folder / "sub").mkdir(parents=True)
    (folder / "sub" / "a.txt").write_text("a")
    (folder / "link.txt").symlink_to(outside / "secret.txt")
    (folder / "linked").symlink_to(outside)
    os.mkfifo(folder / "pipe.txt")
    wanted = ["sub/a.txt", "link.txt", "linked/secret.txt", "pipe.txt", "sub", "none.txt"]
    assert read_below(folder, wanted) == {"sub/a.txt": "a"}
    (folder / "binary").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="binary: no source text, but UTF-16 or binary"):
        read_below(folder, ["binary"])
    with (folder / "huge").open("wb") as file:
        file.truncate(1 << 30)
    with pytest.raises(InputError, match="huge has more than 16777216 bytes"):
        read_below(folder, ["huge"])
    with pytest.raises(InputError, match="No such file"):
        read_below(tmp_path / "none", ["x"])
