"""Files in shared memory: who may see them, how large they get, and that they go."""

import os
from pathlib import Path

import pytest

from maxcode.errors import ToolError
from maxcode.executors.kernel.shared_file import SharedFile, shared_folder


def test_a_new_size_forgets_what_was_there_and_the_same_keeps_it(tmp_path: Path) -> None:
    file = SharedFile(tmp_path / "file")
    file.resize(4)
    assert file.path.read_bytes() == bytes(4)
    file.path.write_bytes(b"old!")
    file.resize(4)
    assert file.path.read_bytes() == b"old!"
    file.extend(6)
    assert file.path.read_bytes() == b"old!" + bytes(2)
    file.resize(5)
    assert file.path.read_bytes() == bytes(5)
    file.remove()
    file.remove()
    assert not file.path.exists()


def test_nobody_else_gets_there() -> None:
    with shared_folder(1) as folder:
        assert folder.stat().st_mode & 0o777 == 0o700
        assert SharedFile(folder / "file").path.stat().st_mode & 0o777 == 0o644


def test_memory_that_is_not_there_is_noticed_at_once(tmp_path: Path) -> None:
    with pytest.raises(ToolError, match="there is no room for"):
        SharedFile(tmp_path / "file").resize(1 << 50)
    assert os.listdir(tmp_path) == ["file"]
