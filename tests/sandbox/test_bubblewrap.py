"""What an isolated program cannot see, change, reach or keep."""

import json
import os
import shutil
import socket
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from maxcode.sandbox.base import Completed, Files, Limits, Sandbox

MIB = 1 << 20
Act = Callable[..., Completed]


@pytest.fixture
def sandbox(isolated: Sandbox) -> Sandbox:
    """Each sandbox that isolates, in place of all."""
    return isolated


# -- files -------------------------------------------------------------------------------------


def test_it_sees_the_system_and_nothing_else(shell: Act) -> None:
    run = shell("ls -A /; echo; ls -A /etc; echo; ls -A /tmp; echo; ls -A /dev/shm")
    top, etc, private, shared = (names.split() for names in run.stdout.decode().split("\n\n"))
    way = Path(os.environ["XDG_CACHE_HOME"]).parts  # to the supervisor
    system = {"bin", "dev", "etc", "lib", "lib32", "lib64", "proc", "sbin", "tmp", "usr"}
    assert set(top) <= {*system, way[1]}
    assert set(etc) <= {"alternatives", "ld.so.cache"}
    assert set(private) <= {way[2]}
    assert shared == []


def test_folders_on_the_way_to_its_files_hold_nothing_else(shell: Act, tmp_path: Path) -> None:
    source, secret = tmp_path / "in", tmp_path / "expected"
    source.write_text("1")
    secret.write_text("42")
    run = shell(f"ls -A {tmp_path}; cat {secret}", files=Files(read=(source,)))
    assert run.stdout == b"in\n"
    assert b"No such file" in run.stderr


@pytest.mark.parametrize(
    "path",
    [
        *("/new", "/etc/new", "/usr/new", "/usr/bin/env", "/dev/new"),
        *("/proc/sys/kernel/core_pattern", "/proc/sysrq-trigger", "/proc/1/oom_score_adj"),
        *("/proc/self/uid_map", "/proc/self/oom_score_adj", "/proc/self/autogroup"),
    ],
)
def test_it_writes_nowhere_but_in_its_own_folder(path: str, shell: Act) -> None:
    run = shell(f"echo 1 > '{path}' && echo written; chmod 777 / && echo opened")
    assert run.stdout == b""


# Opened for writing at most: a value that is written would hold for the whole machine.
NAMED = """
echo ours > /proc/$$/task/$$/comm; cat /proc/$$/task/$$/comm
for path in /proc/sys/kernel/core_pattern /proc/sys/kernel/hostname /proc/sysrq-trigger \\
    /proc/irq/default_smp_affinity /proc/bus/new /new /dev/new; do
  (true >> $path) && echo "opened $path"
done
"""


def test_a_run_with_a_device_names_its_threads_and_opens_no_switch(shell: Act) -> None:
    """A CUDA driver does the one, and fails to start where it cannot."""
    run = shell(NAMED, files=Files(devices=(Path("/dev/full"),)))
    assert run.stdout.split() == [b"ours"], run.stderr
    assert shell("true >> /proc/$$/comm && echo opened").stdout == b""


def test_shared_memory_is_bounded_and_gone_with_the_run(shell: Act) -> None:
    script = "ls -A /dev/shm; head -c 3000000 /dev/zero > /dev/shm/nccl-a && cat /dev/shm/* | wc -c"
    limits = Limits(scratch=4 * MIB)
    for _ in range(2):
        assert shell(script, limits).stdout == b"3000000\n"
    more = shell(f"{script}; head -c 3000000 /dev/zero > /dev/shm/b", limits)
    assert b"No space left on device" in more.stderr


def test_its_own_folder_is_bounded(shell: Act) -> None:
    script = "head -c 3000000 /dev/zero > a; head -c 3000000 /dev/zero > b; cat a b | wc -c"
    run = shell(script, Limits(scratch=4 * MIB))
    assert b"No space left on device" in run.stderr
    assert int(run.stdout) <= 4 * MIB


def test_pairs_of_sockets_count_while_they_are_open(act: Act) -> None:
    """Cargo makes a pair for each program that it starts."""
    run = act("pairs", "500")
    assert run.stdout == b"500 64"
    assert b"64 pairs of sockets at a time" in run.stderr


def test_it_cannot_change_what_it_may_read(shell: Act, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir(mode=0o777)
    (folder / "file").write_text("as it was")
    folder.chmod(0o777)
    (folder / "file").chmod(0o666)
    script = f"echo x > {folder}/file; echo x > {folder}/new; rm {folder}/file; chmod 0 {folder}"
    shell(script, files=Files(read=(folder,)))
    assert [path.name for path in folder.iterdir()] == ["file"]
    assert (folder / "file").read_text() == "as it was"


def test_it_cannot_replace_or_remove_a_file_it_may_write(shell: Act, tmp_path: Path) -> None:
    given, beside = tmp_path / "given", tmp_path / "beside"
    given.touch()
    beside.touch()
    script = f"rm {given}; ln -s /etc/passwd {given}; mv {given} {tmp_path}/x; ls {tmp_path}"
    assert shell(script, files=Files(write=(given,))).stdout == b"given\n"
    assert not given.is_symlink()
    assert {path.name for path in tmp_path.iterdir()} == {"given", "beside"}


# -- processes and limits ----------------------------------------------------------------------


def test_it_sees_no_other_process(shell: Act) -> None:
    run = shell("ls /proc | grep -c '^[0-9]'; wc -l < /proc/sysvipc/shm; cat /proc/net/unix")
    processes, segments, header = run.stdout.decode().splitlines()
    assert int(processes) <= 5
    assert int(segments) == 1
    assert header.startswith("Num")


def test_the_supervisor_is_out_of_reach(act: Act) -> None:
    run = act("supervisor")
    assert run.ok
    assert run.stdout == b""


def test_it_has_no_privilege_and_gets_none(shell: Act) -> None:
    run = shell("grep -E '^(Cap(Inh|Prm|Eff|Amb)|Uid|Gid|Groups|NoNew)' /proc/self/status")
    facts = {line.split()[0]: line.split()[1:] for line in run.stdout.decode().splitlines()}
    for name in ("CapInh:", "CapPrm:", "CapEff:", "CapAmb:"):
        assert int(facts[name][0], 16) == 0
    assert facts["NoNewPrivs:"] == ["1"]
    assert "0" not in {*facts["Uid:"], *facts["Gid:"], *facts["Groups:"]}


def test_linux_counts_the_processes(isolated: Sandbox, act: Act) -> None:
    run = act("forks", "200", "0.1", limits=Limits(processes=40))
    # Linux exempts its root, also when that is mapped in a namespace; the supervisor does not.
    if getattr(isolated, "_administrator", False) or os.geteuid() != 0:
        assert 30 < int(run.stdout) < 40
    else:
        assert not run.ok


# -- network -----------------------------------------------------------------------------------


@pytest.fixture
def abstract() -> Iterator[str]:
    """The name of a socket that no file system hides."""
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("\0maxcode-test")
        listening.listen()
        yield "maxcode-test"


def test_there_is_no_network(shell: Act, abstract: str) -> None:
    run = shell("cut -d: -f1 /proc/net/dev | tail -n +3; cat /proc/net/unix /proc/net/route")
    assert run.stdout.split()[:1] == [b"lo"]
    assert abstract.encode() not in run.stdout
    assert len(run.stdout.splitlines()) == 3  # lo, and two headings


# -- as somebody else ----------------------------------------------------------------------------

_ORDINARY = """
    import json, os, sys
    from pathlib import Path
    from maxcode.sandbox import bubblewrap
    from maxcode.sandbox.base import Files, Limits

    warm = bubblewrap.BubblewrapSandbox()  # imports what may not be found after this:
    os.setgroups([])
    os.setgid(12345)
    os.setuid(12345)
    folder = Path(sys.argv[1])
    os.environ["XDG_CACHE_HOME"] = str(folder)
    sandbox = bubblewrap.BubblewrapSandbox()
    actor = str(folder / "actor")
    files, limits = Files(read=(folder / "actor",)), Limits(processes=40)
    words = ("forks", "calls", "supervisor")
    runs = [sandbox.run([actor, word, "100"], limits, files) for word in words]
    print(json.dumps([run.stdout.decode() for run in runs]))
"""


@pytest.mark.slow
@pytest.mark.skipif(os.geteuid() != 0, reason="becomes somebody else, which only root may")
def test_an_ordinary_user_has_it_as_well(actor: Path, anybodys: Path) -> None:
    shutil.copy(actor, anybodys)
    command = [sys.executable, "-c", textwrap.dedent(_ORDINARY), str(anybodys)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if "may not isolate programs here" in run.stderr or "are forbidden here" in run.stderr:
        pytest.skip("an ordinary user may not make namespaces here")
    assert run.returncode == 0, run.stderr
    forks, calls, supervisor = json.loads(run.stdout)
    assert 30 < int(forks) < 40
    assert calls == supervisor == ""
