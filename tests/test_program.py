import shutil
import subprocess
from collections.abc import MutableMapping
from dataclasses import FrozenInstanceError
from pathlib import Path
from typing import cast

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from maxcode.program import Program

_PATHS = st.sampled_from(["main.cpp", "a.h", "lib/a.h", "lib/deep/b.cpp", "with space.h", "é.h"])
_LINES = st.sampled_from(
    ["", "int x;", "\tx = 1;", "-- a", "++ b", "@@ @@", " ", "\f", "\x85", "é"]
)
_ENDS = st.sampled_from(["\n", "\r\n", "\r", "\n\n"])
_TEXTS = st.builds(
    lambda lines, last: "".join(line + end for line, end in lines) + last,
    st.lists(st.tuples(_LINES, _ENDS), max_size=12),
    _LINES,
)
_ODD_TEXTS = st.text("ab \t\r\n\f\v\x1c\x85\u2028é😀+-@\\", max_size=30)
_FILES = st.dictionaries(_PATHS, _TEXTS | _ODD_TEXTS, max_size=4)

_PATIENT = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])


def _program(files: dict[str, str]) -> Program:
    return Program({"main.cpp": "", **files}, "main.cpp")


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


def _read(folder: Path) -> dict[str, str]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes().decode() for path in files}


@pytest.mark.slow
@given(_FILES, _FILES)
@example({"a.h": "x"}, {"a.h": "x\n"})
@example({"a.h": "x\r\ny\r\n"}, {"a.h": "x\r\nz\r\n"})
@example({"a.h": "x\fy\n"}, {"a.h": "x\fz\n"})
@example({"lib/a.h": "gone\n"}, {"lib/deep/b.cpp": "new\n"})
@settings(_PATIENT, max_examples=60)
def test_patch_applies_the_diff(
    tmp_path_factory: pytest.TempPathFactory, a: dict[str, str], b: dict[str, str]
) -> None:
    patch = shutil.which("patch")
    if patch is None:
        pytest.skip("there is no patch on this machine")
    # No form of a diff that patch reads tells of a file without text.
    before = Program({"main.cpp": "x", **{p: t for p, t in a.items() if t}}, "main.cpp")
    after = Program({"main.cpp": "x", **{p: t for p, t in b.items() if t}}, "main.cpp")
    folder = tmp_path_factory.mktemp("patched")
    before.write(folder)
    diff = before.diff(after)
    if before != after:
        command = [patch, "-p1", "--binary", "--batch", "--fuzz=0", "--no-backup-if-mismatch"]
        done = subprocess.run(
            command, input=diff.encode(), cwd=folder, capture_output=True, check=False
        )
        assert done.returncode == 0, (done.stdout, diff)
    assert _read(folder) == after.files


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
