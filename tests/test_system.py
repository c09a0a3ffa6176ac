"""What people are told when a program is missing; what killed processes leave behind."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from maxcode.errors import ToolError
from maxcode.files import new_folder
from maxcode.system import ScratchFolder, find_tool, installation

HOLDING = """
import sys
from maxcode.system import ScratchFolder
for prefix in sys.argv[1:]:
    folder = ScratchFolder(prefix)
    (folder.path / "deep" / "deeper").mkdir(parents=True)
    (folder.path / "deep" / "file").touch()
    (folder.path / "deep").chmod(0)
    keep = [folder, *globals().get("keep", ())]
print("made", flush=True)
sys.stdin.read()
"""


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


def _holding(*prefixes: str) -> "subprocess.Popen[str]":
    """A process that has made such folders, with something in them."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDING, *prefixes],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout
    assert process.stdout.readline() == "made\n"
    return process


def test_what_a_killed_process_left_is_removed_and_what_others_have_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    (tmp_path / "mine").mkdir()
    (tmp_path / "maxcode-run-a-file").touch()
    (tmp_path / "maxcode-run-a-link").symlink_to(tmp_path / "mine")
    others = set(tmp_path.iterdir())
    with _holding("maxcode-run-", "maxcode-builds-") as killed, _holding("maxcode-run-") as lives:
        killed.kill()
        killed.wait()
        with ScratchFolder("maxcode-run-", tmp_path) as folder:
            left = {path.name[:12] for path in set(tmp_path.iterdir()) - {*others, folder}}
            assert left == {"maxcode-run-", "maxcode-buil"}  # of the living, of another kind
            assert len(set(tmp_path.iterdir())) == len(others) + 3
        os.kill(lives.pid, signal.SIGTERM)


def test_a_folder_is_replaced_whole_and_the_old_one_is_found_again(tmp_path: Path) -> None:
    out, old = tmp_path / "out", tmp_path / ".old-maxcode.out"
    old.mkdir()  # as a kill between two renames leaves it
    (old / "version").write_text("1")
    with new_folder(out, lambda: None) as new:
        assert (out / "version").read_text() == "1"
        (new / "version").write_text("2")
    assert (out / "version").read_text() == "2"
    assert list(tmp_path.iterdir()) == [out]
