"""What every sandbox does."""

import os
import signal
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from maxcode.sandbox.base import Completed, Files, Limits, Sandbox

MIB = 1 << 20
Act = Callable[..., Completed]

_THREADED = """
import os, signal, subprocess, threading, time
for _ in range(4):
    threading.Thread(target=time.sleep, args=(9,), daemon=True).start()
subprocess.run(["true"], check=True)
signal.signal(signal.SIGCHLD, lambda *_: os._exit(0))
threading.Thread(target=subprocess.run, args=(["true"],)).start()
time.sleep(9)
os._exit(1)
""".replace("'", '"')


# -- how it ended ------------------------------------------------------------------------------


@pytest.mark.parametrize("code", [0, 1, 42, 126, 255])
def test_the_exit_status_is_reported(code: int, shell: Act) -> None:
    run = shell(f"exit {code}")
    assert run.code == code
    assert run.ok is (code == 0)
    assert (run.timed_out, run.flooded, run.out_of_memory) == (False, False, False)


@pytest.mark.parametrize("number", [signal.SIGSEGV, signal.SIGKILL, signal.SIGTERM])
def test_a_signal_is_a_negative_status_and_has_a_name(number: signal.Signals, shell: Act) -> None:
    run = shell(f"kill -{int(number)} $$")
    assert run.code == -number
    assert not run.ok
    assert number.name in run.cause


def test_a_program_that_cannot_be_executed_is_its_own_fault(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    broken = tmp_path / "broken"
    broken.write_bytes(b"\x7fELF" + bytes(100))
    broken.chmod(0o755)
    run = sandbox.run([str(broken)], Limits(), Files(read=(broken,)))
    assert run.code == 126
    assert b"cannot execute this program: Exec format error" in run.stderr


# -- what goes in and out ----------------------------------------------------------------------


def test_it_works_in_a_private_folder_that_is_gone_afterwards(shell: Act) -> None:
    first, second = shell("echo x > made; cat made; pwd"), shell("cat made")
    assert first.stdout.startswith(b"x\n")
    assert second.stdout == b""
    assert not Path(first.stdout.decode().split()[1], "made").exists()


def test_the_environment_is_nearly_empty(shell: Act, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_API_KEY", "hunter2")
    run = shell("env; cat /proc/self/environ")
    assert b"hunter2" not in run.stdout
    names = {line.split("=")[0] for line in run.stdout.decode().split("\0")[0].splitlines()}
    assert names >= {"PATH", "LANG"}
    assert names <= {"PATH", "LANG", "TMPDIR", "PWD", "OLDPWD", "SHLVL", "_"}


def test_no_descriptor_is_inherited(act: Act) -> None:
    reader, writer = os.pipe()
    try:
        os.set_inheritable(reader, True)
        os.set_inheritable(writer, True)
        run = act("descriptors")
    finally:
        os.close(reader)
        os.close(writer)
    assert run.stdout.split() == [b"0", b"1", b"2"]


# -- limits ------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    "script",
    [
        "while :; do :; done",
        "sleep 60",
        "trap '' TERM; sleep 60",
        "kill -STOP $$",
        "sleep 60 & wait",
    ],
)
def test_a_run_ends_at_its_time_limit(script: str, shell: Act) -> None:
    run = shell(script, Limits(seconds=0.2))
    assert run.timed_out
    assert not run.ok
    assert run.code == -signal.SIGKILL
    assert "time limit" in run.cause
    assert 0.2 <= run.wall < 30


@pytest.mark.slow
def test_memory_is_limited(act: Act) -> None:
    run = act("fill", "300", limits=Limits(memory=150 * MIB))
    assert run.out_of_memory
    assert not run.ok
    assert "memory" in run.cause
    assert act("fill", "100", limits=Limits(memory=150 * MIB)).ok
    assert act("fill", "300", limits=Limits(memory=None)).ok


@pytest.mark.slow
@pytest.mark.parametrize("family", ["family", "thread's family", "family of threads"])
def test_memory_is_limited_for_all_processes_together(family: str, act: Act) -> None:
    run = act(family, "60", "20", limits=Limits(seconds=40, memory=300 * MIB))
    assert run.overfull
    assert run.out_of_memory
    assert "all its processes together" in run.cause
    assert run.peak_memory > 300 * MIB
    assert not act(family, "10", "0.1", limits=Limits(seconds=40, memory=300 * MIB)).overfull


@pytest.mark.slow
def test_the_number_of_processes_is_limited(act: Act) -> None:
    run = act("forks", "200", "3", limits=Limits(seconds=40, processes=50))
    if run.code == -signal.SIGKILL:
        assert b"killed: it had more than 50 processes" in run.stderr
    else:
        assert int(run.stdout) < 50
    assert int(act("forks", "30", limits=Limits(processes=50)).stdout) == 30


@pytest.mark.parametrize(
    "where", ["", ">&2", "> file", pytest.param('> "$0"', id="> the file it may write")]
)
def test_a_flood_is_stopped(where: str, sandbox: Sandbox, tmp_path: Path) -> None:
    given = tmp_path / "given"
    given.touch()
    # exec, so that the flood's end is the run's; a shell would go on after it
    command = ["/bin/sh", "-c", f"exec cat /dev/zero {where}", str(given)]
    run = sandbox.run(command, Limits(seconds=30, output=MIB), Files(write=(given,)))
    assert run.flooded
    assert not run.timed_out
    assert "more than it may" in run.cause
    assert len(run.stdout) <= MIB
    assert len(run.stderr) <= MIB
    assert given.stat().st_size <= MIB


def test_it_stays_on_its_processors(shell: Act) -> None:
    last = max(os.sched_getaffinity(0))
    run = shell("grep Cpus_allowed_list /proc/self/status", Limits(processors=(last,)))
    assert run.stdout.split() == [b"Cpus_allowed_list:", str(last).encode()]


def test_the_filter_refuses_what_no_candidate_needs(act: Act) -> None:
    assert act("calls").stdout == b""


# -- nothing stays behind ----------------------------------------------------------------------


@pytest.mark.slow
def test_children_left_behind_are_counted_and_gone_on_return(shell: Act, marker: Any) -> None:
    daemon = f"((setsid {marker.sleeper} &) &)"
    run = shell(f"{marker.sleeper} & setsid {marker.sleeper} & {daemon}; sleep 0.3")
    assert (run.code, run.ok) == (0, False)
    assert run.left_behind >= 3
    assert "left" in run.cause
    assert marker.processes() == []


@pytest.mark.slow
def test_children_are_killed_with_a_run_that_is_too_slow(shell: Act, marker: Any) -> None:
    run = shell(f"{marker.sleeper} & wait; sleep 60", Limits(seconds=0.5))
    assert run.timed_out
    assert marker.processes() == []


# -- figures -----------------------------------------------------------------------------------


@pytest.mark.slow
def test_processor_time_is_the_programs(act: Act, shell: Act) -> None:
    idle, busy = shell("sleep 0.3"), act("spin", "0.5")
    assert idle.wall >= 0.3
    assert busy.cpu > 5 * idle.cpu


@pytest.mark.slow
def test_children_that_nobody_waits_for_count(act: Act) -> None:
    for way in ("hide", "race"):
        hidden = act(way, "0.5")
        assert hidden.cpu > 0.5 * act("spin", "0.5").cpu
        assert hidden.stdout == b""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("tool", "script"),
    [
        ("node", "node -e \"require('child_process').spawn('true').on('exit', process.exit)\""),
        ("node", "echo \"require('node:test').test('x', () => {})\" > a.test.js; node --test"),
        ("python3", f"python3 -c '{_THREADED}'"),
    ],
)
def test_a_program_with_threads_learns_of_its_childrens_end(
    tool: str, script: str, shell: Act
) -> None:
    if not Path("/usr/bin", tool).exists():
        pytest.skip(f"needs {tool}")
    run = shell(f"PATH=/usr/bin:/bin; {script}", Limits(seconds=20))
    assert run.ok, (run.cause, run.stdout[-300:], run.stderr[-300:])


@pytest.mark.slow
def test_runs_in_many_threads_do_not_mix(sandbox: Sandbox, tmp_path: Path) -> None:
    def work(name: int) -> list[Completed]:
        source = tmp_path / str(name)
        source.write_text(str(name))
        command = ["/bin/sh", "-c", f"cat; echo -{name} >&2; exit {name}"]
        return [sandbox.run(command, Limits(), Files(stdin=source)) for _ in range(8)]

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(work, range(8)))
    for name, runs in enumerate(found):
        ended = {(run.code, run.stdout.decode(), run.stderr.decode()) for run in runs}
        assert ended == {(name, str(name), f"-{name}\n")}
