"""What people are told when a program is missing."""

from pathlib import Path

import pytest

from maxcode.errors import ToolError
from maxcode.system import (
    find_tool,
    installation,
)


def test_a_program_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "g++"
    path.touch(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find_tool("g++") == str(path)


@pytest.mark.parametrize(
    ("program", "said"),
    [
        ("bwrap", "bubblewrap is not installed; on Debian and Ubuntu: apt install bubblewrap"),
        ("addr2line", "addr2line is not installed; on Debian and Ubuntu: apt install binutils"),
    ],
)
def test_one_that_is_missing(
    program: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ToolError) as raised:
        find_tool(program)
    assert str(raised.value) == said
    with pytest.raises(ToolError) as raised:
        find_tool(program, "do without")
    assert str(raised.value) == f"{said}; or do without"
    assert said.endswith(installation(program))
