import os
import signal
import subprocess
import sys
import textwrap
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from maxcode.processes import identity
from maxcode.sandbox.base import Completed, Limits
from maxcode.sandbox.process import ProcessSandbox

MIB = 1 << 20


def shell(script: str, folder: Path, limits: Limits | None = None) -> Completed:
    return ProcessSandbox().run(["/bin/sh", "-c", script], folder, limits or Limits())


# -- how it ended ------------------------------------------------------------------------------


@pytest.mark.parametrize("code", [0, 1, 42, 255])
def test_the_exit_status_is_reported(code: int, tmp_path: Path) -> None:
    run = shell(f"exit {code}", tmp_path)
    assert run.code == code
    assert run.ok is (code == 0)
    assert (run.timed_out, run.flooded, run.out_of_memory) == (False, False, False)


@pytest.mark.parametrize("number", [signal.SIGSEGV, signal.SIGKILL, signal.SIGTERM])
def test_a_signal_is_a_negative_status_and_has_a_name(
    number: signal.Signals, tmp_path: Path
) -> None:
    run = shell(f"kill -{int(number)} $$", tmp_path)
    assert run.code == -number
    assert not run.ok
    assert number.name in run.cause


def test_an_abort_is_no_lack_of_memory(actor: str, tmp_path: Path) -> None:
    run = ProcessSandbox().run([actor, "abort"], tmp_path, Limits())
    assert (run.code, run.out_of_memory) == (-signal.SIGABRT, False)


def test_a_command_that_does_not_exist_fails(tmp_path: Path) -> None:
    run = ProcessSandbox().run([str(tmp_path / "nothing")], tmp_path, Limits())
    assert run.code == 127
    assert b"nothing" in run.stderr


def test_arguments_arrive_as_they_are(tmp_path: Path) -> None:
    words = ["a b", "$HOME", "'", '"', "*", "", "-n", "é"]
    run = ProcessSandbox().run(["/usr/bin/printf", "[%s]", *words], tmp_path, Limits())
    assert run.stdout.decode() == "".join(f"[{word}]" for word in words)


# -- what goes in and out ----------------------------------------------------------------------


def test_both_outputs_are_captured_apart(tmp_path: Path) -> None:
    run = shell("printf 'a\\0b\\377'; printf oops >&2", tmp_path)
    assert (run.stdout, run.stderr) == (b"a\0b\xff", b"oops")


def test_standard_input_is_the_file(tmp_path: Path) -> None:
    source = tmp_path / "in"
    source.write_bytes(bytes(range(256)) * 1000)
    run = ProcessSandbox().run(["/bin/cat"], tmp_path, Limits(), source)
    assert run.stdout == source.read_bytes()


def test_standard_input_is_empty_without_a_file(tmp_path: Path) -> None:
    assert ProcessSandbox().run(["/bin/cat"], tmp_path, Limits(seconds=5)).stdout == b""


def test_it_runs_in_the_folder_and_may_write_there(tmp_path: Path) -> None:
    folder = tmp_path / "with space"
    folder.mkdir()
    run = shell("pwd -P; echo x > made", folder)
    assert run.stdout.decode().strip() == str(folder.resolve())
    assert (folder / "made").read_text() == "x\n"


def test_the_environment_is_scrubbed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SECRET_API_KEY", "hunter2")
    run = shell("env", tmp_path)
    assert b"hunter2" not in run.stdout
    names = {line.split("=")[0] for line in run.stdout.decode().splitlines()}
    assert names <= {"PATH", "LANG", "HOME", "TMPDIR", "PWD", "OLDPWD", "SHLVL", "_"}
    assert f"HOME={tmp_path}".encode() in run.stdout


def test_no_descriptor_is_inherited(actor: str, tmp_path: Path) -> None:
    reader, writer = os.pipe()
    try:
        os.set_inheritable(reader, True)
        os.set_inheritable(writer, True)
        run = ProcessSandbox().run([actor, "descriptors"], tmp_path, Limits())
    finally:
        os.close(reader)
        os.close(writer)
    assert run.stdout.split() == [b"0", b"1", b"2"]


def test_it_has_a_session_of_its_own(tmp_path: Path) -> None:
    run = shell("read -r stat < /proc/$$/stat; echo $$ $stat", tmp_path)
    pid, after = int(run.stdout.split()[0]), run.stdout.rpartition(b")")[2].split()
    _, _, group, session = after[:4]
    assert (int(group), int(session)) == (pid, pid)
    assert os.getsid(0) != pid


# -- limits ------------------------------------------------------------------------------------


@pytest.mark.parametrize("script", ["while :; do :; done", "sleep 60", "trap '' TERM; sleep 60"])
def test_a_run_ends_at_its_time_limit(script: str, tmp_path: Path) -> None:
    run = shell(script, tmp_path, Limits(seconds=0.2))
    assert run.timed_out
    assert not run.ok
    assert run.code == -signal.SIGKILL
    assert "time limit" in run.cause
    assert 0.2 <= run.wall < 30


def test_what_was_printed_before_the_time_limit_is_kept(tmp_path: Path) -> None:
    run = shell("echo early; sleep 60", tmp_path, Limits(seconds=0.3))
    assert (run.timed_out, run.stdout) == (True, b"early\n")


def test_a_run_whose_parent_is_gone_ends_by_processor_time_but_threads_may_add_up(
    tmp_path: Path,
) -> None:
    run = shell("ulimit -t", tmp_path, Limits(seconds=3))
    assert 3 * (os.cpu_count() or 1) < int(run.stdout) < 1000


def test_memory_is_limited(actor: str, tmp_path: Path) -> None:
    run = ProcessSandbox().run([actor, "fill", "300"], tmp_path, Limits(memory=150 * MIB))
    assert run.out_of_memory
    assert not run.ok
    assert "memory" in run.cause
    enough = ProcessSandbox().run([actor, "fill", "100"], tmp_path, Limits(memory=150 * MIB))
    assert enough.ok


@pytest.mark.parametrize("script", ["cat /dev/zero", "cat /dev/zero >&2", "cat /dev/zero > file"])
def test_a_flood_is_stopped(script: str, tmp_path: Path) -> None:
    # exec, so that the flood's end is the run's; a shell would go on after it
    run = shell(f"exec {script}", tmp_path, Limits(seconds=30, output=MIB))
    assert run.flooded
    assert not run.timed_out
    assert "more than it may" in run.cause
    assert len(run.stdout) <= MIB
    assert len(run.stderr) <= MIB
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) <= MIB


def test_a_child_is_limited_too(tmp_path: Path) -> None:
    run = shell("cat /dev/zero; echo went on >&2", tmp_path, Limits(seconds=30, output=MIB))
    assert run.flooded
    assert run.stderr.endswith(b"went on\n")


def test_output_below_the_limit_is_no_flood(tmp_path: Path) -> None:
    run = shell("head -c 1000000 /dev/zero", tmp_path, Limits(output=MIB))
    assert run.ok
    assert not run.flooded
    assert len(run.stdout) == 1_000_000


def test_no_core_is_dumped(tmp_path: Path) -> None:
    assert shell("ulimit -c", tmp_path).stdout == b"0\n"


# -- nothing stays behind ----------------------------------------------------------------------


def test_children_left_behind_are_gone_on_return(tmp_path: Path) -> None:
    for _ in range(5):
        run = shell("sleep 60 & echo $!", tmp_path)
        assert run.ok
        assert identity(int(run.stdout)) == ""


def test_children_slow_to_die_are_gone_on_return(actor: str, tmp_path: Path) -> None:
    run = ProcessSandbox().run([actor, "orphan", "200"], tmp_path, Limits())
    assert run.ok
    assert identity(int(run.stdout)) == ""


def test_children_are_killed_with_a_run_that_is_too_slow(tmp_path: Path) -> None:
    run = shell("sleep 60 & echo $!; wait", tmp_path, Limits(seconds=0.3))
    assert run.timed_out
    assert identity(int(run.stdout)) == ""


def test_an_interrupt_ends_the_program_too(tmp_path: Path) -> None:
    script = """
        import sys
        from pathlib import Path
        from maxcode.sandbox.base import Limits
        from maxcode.sandbox.process import ProcessSandbox

        command = ["/bin/sh", "-c", "echo $$ > pid.new; mv pid.new pid; exec sleep 60"]
        try:
            ProcessSandbox().run(command, Path(sys.argv[1]), Limits(seconds=60))
        except KeyboardInterrupt:
            print("interrupted")
    """
    ours = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(script), str(tmp_path)], stdout=subprocess.PIPE
    )
    waiter = 'while ! [ -e "$1" ]; do sleep 0.02; done'
    subprocess.run(["/bin/sh", "-c", waiter, "sh", tmp_path / "pid"], check=True, timeout=30)
    ours.send_signal(signal.SIGINT)
    printed, _ = ours.communicate(timeout=30)
    assert printed == b"interrupted\n"
    assert identity(int((tmp_path / "pid").read_text())) == ""


# -- figures -----------------------------------------------------------------------------------


def test_processor_time_is_the_programs(actor: str, tmp_path: Path) -> None:
    idle = shell("sleep 0.3", tmp_path)
    busy = ProcessSandbox().run([actor, "spin", "0.5"], tmp_path, Limits())
    assert idle.wall >= 0.3
    assert idle.cpu < 0.1
    assert 0.1 < busy.cpu < 10
    assert busy.cpu > 5 * idle.cpu


def test_children_that_were_waited_for_count(actor: str, tmp_path: Path) -> None:
    assert shell(f"'{actor}' spin 0.5; true", tmp_path).cpu > 0.1


def test_peak_memory_is_what_was_touched(actor: str, tmp_path: Path) -> None:
    run = ProcessSandbox().run([actor, "fill", "400"], tmp_path, Limits())
    assert 400 * MIB <= run.peak_memory < 600 * MIB


def test_runs_in_many_threads_do_not_mix(tmp_path: Path) -> None:
    sandbox = ProcessSandbox()
    folders = [tmp_path / str(number) for number in range(8)]

    def work(folder: Path) -> list[Completed]:
        folder.mkdir()
        source = folder / "in"
        source.write_bytes(folder.name.encode())
        script = f"cat; echo -{folder.name} >&2; pwd >> log; exit {folder.name}"
        command = ["/bin/sh", "-c", script]
        return [sandbox.run(command, folder, Limits(), source) for _ in range(10)]

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(work, folders))
    for folder, runs in zip(folders, found, strict=True):
        name = folder.name
        ended = {(run.code, run.stdout.decode(), run.stderr.decode()) for run in runs}
        assert ended == {(int(name), name, f"-{name}\n")}
        assert (folder / "log").read_text().splitlines() == [str(folder.resolve())] * 10


def test_a_run_leaves_no_descriptor_open(tmp_path: Path) -> None:
    shell("true", tmp_path)
    before = os.listdir("/proc/self/fd")
    for _ in range(5):
        shell("true", tmp_path)
        shell("sleep 60", tmp_path, Limits(seconds=0.01))
    assert os.listdir("/proc/self/fd") == before
