import shutil
import subprocess
from collections.abc import MutableMapping
from dataclasses import FrozenInstanceError
from pathlib import Path
from typing import cast

import pytest

from maxcode.program import Program

# -- identity ----------------------------------------------------------------------------------


def test_text_cannot_move_between_names_and_files_unnoticed() -> None:
    assert Program({"a": "bc"}, "a") != Program({"ab": "c"}, "ab")
    assert Program({"a": "", "b": "c"}, "a") != Program({"a": "b", "c": ""}, "a")


# -- what is refused ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    "path",
    [
        "", ".", "..", "../a", "a/../b", "/a", "/", "./a", "a/", "a//b", "a/./b",
        "a\\b", "a\0b", "a\nb", "a\tb", "\ud800",
    ],
)  # fmt: skip
def test_a_path_is_plain_relative_and_inside(path: str) -> None:
    with pytest.raises(ValueError, match="a program's file needs"):
        Program({path: "text"}, path)


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"m": "", "a/b": "", "a/b/c": ""}, "both a file and a folder named 'a/b'"),
        ({"a.cpp": ""}, r"'m'.*a\.cpp"),
        ({"m": "", "a.h": "\ud800"}, r"a\.h holds what is no Unicode text"),
    ],
)
def test_files_that_make_no_program(files: dict[str, str], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        Program(files, "m")


# -- immutability ------------------------------------------------------------------------------


def test_nobody_changes_a_program() -> None:
    files = {"main.cpp": "old"}
    program = Program(files, "main.cpp")
    digest = program.digest
    files["main.cpp"] = "new"
    assert program.code == "old"
    with pytest.raises(TypeError):
        cast(MutableMapping[str, str], program.files)["main.cpp"] = "new"
    with pytest.raises(FrozenInstanceError):
        setattr(program, "entry", "other")  # noqa: B010 - a type checker forbids the plain form
    assert program.digest == digest


def test_changed_names_what_differs_or_is_missing_on_either_side() -> None:
    before = Program({"main.cpp": "", "old.h": "", "same.h": ""}, "main.cpp")
    after = Program({"main.cpp": "1", "new.h": "", "same.h": ""}, "main.cpp")
    assert before.changed(after) == ["main.cpp", "new.h", "old.h"]
    assert before.changed(before) == []


# -- files and diffs ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ({"a.h": "x"}, {"a.h": "x\n"}),
        ({"a.h": "x\r\ny\r\n"}, {"a.h": "x\r\nz\r\n"}),
        ({"a.h": "x\fy\u2028\n-- a\n"}, {"a.h": "x\fz\x85\n++ b\n"}),
        ({"lib/a.h": "gone\n"}, {"lib/deep/b.cpp": "new\n", "with space.h": "\u00e9\r"}),
    ],
)
def test_patch_applies_the_diff(tmp_path: Path, a: dict[str, str], b: dict[str, str]) -> None:
    patch = shutil.which("patch")
    if patch is None:
        pytest.skip("there is no patch on this machine")
    before, after = (Program({"main.cpp": "x", **files}, "main.cpp") for files in (a, b))
    before.write(tmp_path)
    command = [patch, "-p1", "--binary", "--batch", "--fuzz=0", "--no-backup-if-mismatch"]
    diff = before.diff(after).encode()
    done = subprocess.run(command, input=diff, cwd=tmp_path, capture_output=True, check=False)
    assert done.returncode == 0, (done.stdout, diff)
    files = (path for path in tmp_path.rglob("*") if path.is_file())
    found = {path.relative_to(tmp_path).as_posix(): path.read_bytes().decode() for path in files}
    assert found == after.files


def test_a_diff_reads_as_people_expect() -> None:
    before = Program({"main.cpp": "a\nb\nc\n", "old.h": "gone\n"}, "main.cpp")
    after = Program({"main.cpp": "a\nB\nc", "new.h": "new\n"}, "main.cpp")
    assert before.diff(before) == ""
    assert before.diff(after) == (
        "--- a/main.cpp\n+++ b/main.cpp\n@@ -1,3 +1,3 @@\n a\n-b\n-c\n+B\n+c\n"
        "\\ No newline at end of file\n"
        "--- /dev/null\n+++ b/new.h\n@@ -0,0 +1 @@\n+new\n"
        "--- a/old.h\n+++ /dev/null\n@@ -1 +0,0 @@\n-gone\n"
    )
