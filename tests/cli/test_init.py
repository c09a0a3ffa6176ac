"""`init`: a task folder from a program and its inputs."""

import subprocess
from collections.abc import Callable
from pathlib import Path

from maxcode.tasks.cpp import load_cpp_folder

Run = Callable[..., "subprocess.CompletedProcess[str]"]


def test_init_records_measures_and_says_so(inside: Run, slow: Path, folder: Path) -> None:
    wishes = ("--check", "numbers", "--tolerance", "0.5", "--flags", "-O1 -std=c++20")
    more = ("--name", "my doubling", "--meter", "wall", "--timeout", "7")
    arguments = (str(slow), "--inputs", "inputs/a*.txt", "--inputs", "inputs/*", "--out", "made")
    done = inside("init", *arguments, *wishes, *more)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert [line.split()[0] for line in lines[1:4]] == ["inputs/a.txt", "inputs/b.txt", "total"]
    assert "3 B" in lines[1]
    assert "next: maxcode optimize made" in done.stdout
    task = load_cpp_folder(folder / "made")
    assert task.name == "my doubling"
    assert sorted(test.expected for test in task.tests) == [b"-8\n", b"42\n"]
    assert task.judging.checker.kind == "numbers"
    assert task.judging.checker.tolerance == 0.5
    assert task.judging.flags == ("-O1", "-std=c++20")
    assert task.judging.meter == "wall"
    assert task.judging.timeout == 7


def test_init_refuses_what_it_cannot_do(inside: Run, slow: Path, folder: Path) -> None:
    (folder / "taken").mkdir()
    (folder / "random.cpp").write_text(
        "#include <cstdio>\n#include <unistd.h>\n"
        'int main() { std::printf("%d\\n", int(getpid())); }\n'
    )
    inputs = ("--inputs", "inputs/*.txt")
    refusals = {
        ("slow.cpp", *inputs, "--out", "taken"): "taken exists already",
        ("slow.cpp", "--inputs", "none/*", "--out", "made"): "'none/*' matches no file",
        ("slow.cpp", "--out", "made"): "no inputs were given",
        ("random.cpp", *inputs, "--out", "made"): "is not repeatable",
        ("slow.cpp", *inputs, "--out", "made", "--check", "x"): "unknown kind of check 'x'",
        ("slow.cpp", *inputs, "--out", "made", "--meter", "x"): "unknown meter 'x'",
        ("slow.cpp", *inputs, "--out", "slow.cpp/made"): "give another --out",
        ("slow.cpp", *inputs, "--out", "made", "--timeout", "0"): "--timeout 0 (seconds)",
        ("slow.cpp", *inputs, "--out", "made", "--timeout", "nan"): "--timeout nan (seconds)",
        ("missing.cpp", *inputs, "--out", "made", "--timeout", "inf"): "equal to 86400",
        ("missing.cpp", *inputs, "--out", "made", "--timeout", "86401"): "equal to 86400",
        ("slow.cpp", *inputs, "--out", "made", "--flags", "'"): "--flags",
    }
    for arguments, said in refusals.items():
        done = inside("init", *arguments)
        assert done.returncode == 2, done.stderr
        assert said in done.stderr
        assert "Traceback" not in done.stderr
        assert not (folder / "made").exists()
