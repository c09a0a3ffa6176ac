"""Several runs of a command, of which each goes as if it were alone."""

from pathlib import Path

import pytest

from maxcode.sandbox.base import Completed, Files, Limits, Sandbox, SharedRun


def run_all(sandbox: Sandbox, script: str, shared: list[SharedRun]) -> list[Completed]:
    return list(sandbox.run_each(["/bin/sh", "-c", script], shared))


@pytest.mark.parametrize("count", [1, 2, 7])
def test_each_has_its_own_input_and_output(sandbox: Sandbox, tmp_path: Path, count: int) -> None:
    shared = []
    for number in range(count):
        path = tmp_path / str(number)
        path.write_text(f"{number}\n" * (number + 1))
        shared.append(SharedRun(Limits(), Files(stdin=path)))
    runs = run_all(sandbox, "cat; echo said >&2", shared)
    assert [run.stdout for run in runs] == [b"%d\n" % n * (n + 1) for n in range(count)]
    assert [run.stderr for run in runs] == [b"said\n"] * count


@pytest.mark.slow
def test_each_has_its_own_limits(sandbox: Sandbox) -> None:
    shared = [
        SharedRun(Limits(seconds=9, output=100_000)),
        SharedRun(Limits(seconds=0.3, output=1000)),
    ]
    slow = run_all(sandbox, "sleep 0.5", shared)
    assert [run.timed_out for run in slow] == [False, True]
    loud = run_all(sandbox, "head -c 5000 /dev/zero", shared)
    assert [run.flooded for run in loud] == [False, True]
    assert [len(run.stdout) for run in loud] == [5000, 1000]


@pytest.mark.slow
def test_each_is_charged_what_it_used(isolated: Sandbox, actor: Path, tmp_path: Path) -> None:
    shared = []
    for number, much in enumerate(["0.4", "0", "0.4"]):
        (tmp_path / str(number)).write_text(f"{much}\n")
        shared.append(SharedRun(Limits(), Files(stdin=tmp_path / str(number), read=(actor,))))
    script = f"read much; exec '{actor}' spin $much"
    first, idle, last = (run.cpu for run in isolated.run_each(["/bin/sh", "-c", script], shared))
    assert 0 < idle < min(first, last) / 4  # not that of the one before it, too
    shared_run = SharedRun(Limits(), Files(read=(actor,)))
    filled = list(isolated.run_each([str(actor), "fill", "50"], [shared_run] * 2))
    assert all(50 << 20 < run.peak_memory < 100 << 20 for run in filled)


@pytest.mark.slow
@pytest.mark.parametrize(
    "script",
    ["exit 3", "kill -9 $$", "sleep 5 & exit 0", "sleep 9", "exec head -c 70 /dev/zero"],
)
def test_one_that_fails_is_the_last(sandbox: Sandbox, script: str, tmp_path: Path) -> None:
    (tmp_path / "bad").write_text("x")
    limits = Limits(seconds=1.5, output=60 if "head" in script else 5000)
    bad = SharedRun(limits, Files(stdin=tmp_path / "bad"))
    whole = f"if read word || test $word; then {script}; fi"
    runs = run_all(sandbox, whole, [SharedRun(limits), bad] * 2)
    assert [run.ok for run in runs] == [True, False]


# -- what one could leave for the next ---------------------------------------------------------

MARKS = {
    "a file": "echo x > /tmp/mark",
    "a file that is gone": "echo x > /tmp/mark; rm /tmp/mark",
    "a file on the way to its files": "echo x > {way}/mark",
    "a folder": "mkdir -p /tmp/a/b/c",
    "the folder's mode": "chmod 700 /tmp",
    "the folder's times": "touch -d @5 /tmp",
    "when it was read": "ls /tmp",
    "the input's times": "touch -c -d @5 /proc/self/fd/0 /dev/stdin",
    "the input's mode": "chmod 755 /proc/self/fd/0",
    "the output's mode": "chmod 755 /proc/self/fd/3",
    "where the input is read": "head -c 1",
    "processes": "(true); (true)",
    "a process that ends late": "sleep 0.01 &",
}
LOOK = """
ls -A /tmp {way}; stat -c '%a %Y' /tmp; stat -L -c '%a %Y' /proc/self/fd/0 /proc/self/fd/1
cat
"""


@pytest.mark.slow
@pytest.mark.parametrize("mark", MARKS)
def test_it_finds_no_mark_of_the_one_before(isolated: Sandbox, tmp_path: Path, mark: str) -> None:
    (tmp_path / "in").write_text("as it was\n")
    way = tmp_path / "way"
    way.mkdir()
    (way / "file").write_text("to read")
    shared_run = SharedRun(Limits(), Files(stdin=tmp_path / "in", read=(way / "file",)))
    began = int(isolated.run(["/bin/date", "+%s"], Limits()).stdout)
    script = f"exec 3>&1; {{ {LOOK} }} 2>&1; {{ {MARKS[mark]}\n }} >/dev/null 2>&1; :"
    runs = run_all(isolated, script.replace("{way}", str(way)), [shared_run] * 3)
    assert [run.ok for run in runs] == [True] * 3
    for run in runs:
        found = run.stdout.decode().split("\n")
        assert "as it was" in found
        assert "mark" not in found
        modes = [line.split() for line in found if line.count(" ") == 1 and line[0].isdigit()]
        assert [mode for mode, _ in modes] == ["1777", "777", "777"]
        assert all(int(time) >= began for _, time in modes)
