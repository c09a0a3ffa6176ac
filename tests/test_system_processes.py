import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from maxcode import system


@contextmanager
def _child() -> Iterator[subprocess.Popen[bytes]]:
    """A process that waits for the end of its input."""
    command = [sys.executable, "-c", "import sys; sys.stdin.read()"]
    with subprocess.Popen(command, stdin=subprocess.PIPE) as child:
        try:
            yield child
        finally:
            child.kill()


def test_this_process_is_alive_and_has_one_identity() -> None:
    mine = system.identity()
    assert mine == system.identity(os.getpid())
    assert str(os.getpid()) in mine.split(":")
    assert system.alive(mine)


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
