"""`init`: a task folder from a program and its inputs."""

from pathlib import Path

import pytest
from tests.cli.conftest import Run, write_files

from maxcode.cli.tasks import program_files
from maxcode.tasks.folder import load_task
from maxcode.tasks.program import load_program_folder

pytestmark = pytest.mark.slow


def test_init_records_measures_and_says_so(inside: Run, slow: Path, folder: Path) -> None:
    wishes = ("--check", "numbers", "--tolerance", "0.5", "--flags", "-O1 -std=c++20")
    more = ("--meter", "wall", "--timeout", "7")
    arguments = (str(slow), "--inputs", "inputs/a*.txt", "--inputs", "inputs/*", "--out", "made")
    done = inside("init", *arguments, *wishes, *more, code=0)
    lines = done.stdout.splitlines()
    assert [line.split()[0] for line in lines[1:4]] == ["inputs/a.txt", "inputs/b.txt", "total"]
    assert "3 B" in lines[1]
    assert "next: maxcode optimize made" in done.stdout
    task = load_program_folder(folder / "made")
    assert sorted(test.expected for test in task.tests) == [b"-8\n", b"42\n"]
    assert task.judging.checker.kind == "numbers"
    assert task.judging.checker.tolerance == 0.5
    assert task.judging.flags == ("-O1", "-std=c++20")
    assert task.judging.meter == "wall"
    assert task.judging.timeout == 7


def test_init_refuses_a_program_that_prints_nothing(inside: Run, folder: Path) -> None:
    (folder / "in.txt").write_text("1")
    (folder / "slow.cpp").write_text("int main() {}\n")
    for command in (("init", "slow.cpp", "--out", "made"), ("optimize", "slow.cpp")):
        inside(*command, "--inputs", "in.txt", code=2, says="nothing is compared")
    assert not (folder / "made").exists()


def test_init_says_what_is_hardly_compared(inside: Run, folder: Path) -> None:
    (folder / "in.txt").write_text("1")
    (folder / "slow.cpp").write_text('#include <cstdio>\nint main() { std::puts("0"); }\n')
    done = inside("init slow.cpp --inputs in.txt --out made", code=0)
    assert "little is compared: a program that prints what this one does" in done.stderr
    (folder / "empty.cpp").write_text('#include <cstdio>\nint main() { std::puts("0"); }\n//\n')
    judged = inside("judge made empty.cpp --json")
    assert "little is compared: a program that prints what this one does" in judged.stderr
    assert '"gaps": [\n        "a program that prints' in judged.stdout


PARTS = {
    "main.cpp": '#include "parts/twice.h"\n#include <cstdio>\n'
    'int main() { int n; std::scanf("%d", &n); std::printf("%d%c", twice(n), 0); }\n',
    "parts/twice.h": "int twice(int);\n",
    "parts/twice.cpp": '#include "twice.h"\nint twice(int n) { return 2 * n; }\n',
    "tests/check.cpp": "int main() {}\n",
}


def test_init_takes_several_files_and_finds_their_headers(inside: Run, folder: Path) -> None:
    write_files(folder / "program", PARTS)
    write_files(folder, {"numbers/one": "21"})
    for sources in (["program"], ["program/parts/twice.cpp", "program/main.cpp"]):
        out = f"made{len(sources)}"
        done = inside("init --inputs numbers --out", out, *sources, code=0)
        assert "compared byte by byte" in done.stdout
        task = load_program_folder(folder / f"made{len(sources)}")
        assert task.baseline.entry == "main.cpp"
        assert sorted(task.baseline.files) == ["main.cpp", "parts/twice.cpp", "parts/twice.h"]
        assert [test.expected for test in task.tests] == [b"42\0"]
    made = "init --inputs numbers --out made program/main.cpp"
    inside(made, code=2, says="does not build")
    inside(f"{made} program/tests/check.cpp", code=2, says="one has main; here")


def test_the_way_out_for_what_is_no_program_is_named(inside: Run, folder: Path) -> None:
    for name in ("run.py", "slow.c", "slow.hs"):
        (folder / name).write_text("")
    for arguments, said in {
        "init run.py": "--out mytask/",
        "init slow.c --out made": "no inputs were given",
        "init slow.hs": "no known language",
        "init none.cpp": "there is no file none.cpp",
        "optimize slow.hs --inputs *.txt": "--inputs go with a program, and slow.hs is none",
        "optimize slow.hs": "a task.toml with command in [build] and [run]",
    }.items():
        inside(arguments, code=2, says=said)


def test_a_language_without_rewrites_needs_a_model(inside: Run, folder: Path) -> None:
    files = {"main.go": "", "task.toml": 'name = "sum"\n', "tests/1.in": "", "tests/1.out": "3\n"}
    write_files(folder / "task", files)
    done = inside("optimize task", code=2)
    assert "nothing proposes changes to Go without a model; name one with" in done.stderr


MODULES = {
    "main.py": "import sys, helper\nfrom parts.more import twice\nimport absent\n",
    "helper.py": "import json\n",
    "parts/more.py": "import helper\ntwice = 2\n",
    "main.rs": "mod inp;\npub mod deep;\nmod gone;\nfn main() {}\n",
    "inp.rs": "",
    "deep/mod.rs": "",
    "main.js": 'const one = require("./one"); import two from "./two.mjs"; require("fs");\n',
    "one.js": "",
    "two.mjs": 'import "./one.js";\n',
    "main.go": "package main\n",
}


@pytest.mark.parametrize(
    ("entry", "files"),
    [
        ("main.py", {"main.py", "helper.py", "parts/more.py"}),
        ("main.rs", {"main.rs", "inp.rs", "deep/mod.rs"}),
        ("main.js", {"main.js", "one.js", "two.mjs"}),
        ("main.go", {"main.go"}),
    ],
)
def test_modules_beside_a_program_go_with_it(tmp_path: Path, entry: str, files: set[str]) -> None:
    write_files(tmp_path, MODULES)
    found = program_files([str(tmp_path / entry)])
    assert found[0] == tmp_path / entry
    assert {path.relative_to(tmp_path).as_posix() for path in found} == files


def test_a_file_without_suffix_is_in_the_named_language(inside: Run, folder: Path) -> None:
    (folder / "double").write_text("print(2 * int(input()))\n")
    (folder / "in.txt").write_text("21\n")
    given = ("--inputs", "in.txt", "--language", "python")
    inside("init double", *given, "--out", "made", code=0)
    task = load_task(folder / "made")
    assert (task.language, task.baseline.entry) == ("python", "double.py")
    inside("judge double double", *given, code=0)
    compared = inside("fuzz double double", *given, "--count", "2")
    assert "double: the task's own tests" in compared.stderr
    assert "fails" not in compared.stderr
    for named, said in {
        "pyton": "unknown language 'pyton' (did you mean python?); known: c++, c, python",
        "command": "--language command: give the task a task.toml with command in [build]",
        "rust": "double does not build",
    }.items():
        inside("optimize double --inputs in.txt --language", named, code=2, says=said)
    assert "no known language" in inside("init double --inputs in.txt --out x").stderr


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
        ("slow.cpp", *inputs, "--out", "made", "--timeout", "0"): "Invalid value for '--timeout'",
        ("slow.cpp", *inputs, "--out", "made", "--flags", "'"): "--flags",
    }
    for arguments, said in refusals.items():
        done = inside("init", *arguments, code=2, says=said)
        assert "Traceback" not in done.stderr
        assert not (folder / "made").exists()
