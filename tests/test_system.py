"""The machine: missing programs, leftovers of killed processes, identities of processes."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from maxcode import system
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


# -- processes ---------------------------------------------------------------------------------


@contextmanager
def _child() -> Iterator[subprocess.Popen[bytes]]:
    """A process that waits for the end of its input."""
    command = [sys.executable, "-c", "import sys; sys.stdin.read()"]
    with subprocess.Popen(command, stdin=subprocess.PIPE) as child:
        try:
            yield child
        finally:
            child.kill()


def test_a_child_has_an_identity_of_its_own_until_it_ends() -> None:
    with _child() as child:
        theirs = system.identity(child.pid)
        host, boot, pid, started = theirs.split(":")
        mine = system.identity().split(":")
        assert (host, boot, pid) == (*mine[:2], str(child.pid))
        assert int(started) > int(mine[3])
        assert system.alive(theirs)
        child.communicate()
        assert not system.alive(theirs)
        assert system.identity(child.pid) == ""


def test_a_killed_child_is_dead_before_its_parent_has_asked() -> None:
    with _child() as child:
        theirs = system.identity(child.pid)
        child.kill()
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
        assert not system.alive(theirs)


def test_a_later_process_of_the_same_id_is_another() -> None:
    host, boot, pid, started = system.identity().split(":")
    assert not system.alive(f"{host}:{boot}:{pid}:{int(started) + 1}")
    assert not system.alive(f"{host}:another-boot:{pid}:{started}")
    assert not system.alive(f"another-host:{boot}:{pid}:{started}")


def test_what_is_no_identity_is_nobody() -> None:
    for text in ("", "x", ":::", "a:b:c:d", "a:b:-1:d", "1:2:3:4:5"):
        assert not system.alive(text)
