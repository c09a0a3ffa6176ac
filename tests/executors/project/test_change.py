import subprocess
from pathlib import Path

import pytest
from tests.executors.project._projects import FAST, FILES, SUM, written

from maxcode.errors import InputError
from maxcode.executors.project.change import (
    Change,
    Sides,
    change_in_git,
    change_of_patch,
    is_patch,
    program_of_patch,
    sides,
)
from maxcode.program import Program
from maxcode.system import find_tool
from maxcode.tasks.project import ProjectTask

LEFT_OUT = "CHANGELOG.md, CHANGES/12.feature.rst, docs/plot.png, tools/tables"
TESTS = "2 test files (the original's were run; run the new ones: --their-tests)"


def git(folder: Path, *words: str) -> str:
    who = ("-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "init.defaultBranch=main")
    done = subprocess.run(
        [find_tool("git"), *who, *words], cwd=folder, check=False, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def commit(folder: Path, files: dict[str, str | bytes | None]) -> str:
    """Write or remove files, and commit all; the commit."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if content is None:
            path.unlink()
        else:
            path.write_bytes(content.encode() if isinstance(content, str) else content)
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--allow-empty", "--message", "a change")
    return git(folder, "rev-parse", "HEAD").strip()


@pytest.fixture
def scratch(tmp_path: Path) -> Path:
    (tmp_path / "scratch").mkdir()
    return tmp_path / "scratch"


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """The project in a repository, with `task.toml` beside what git knows."""
    folder = tmp_path / "sum"
    written(folder, {**FILES, "CHANGELOG.md": "# Changes\n", "src/table.bin": "any"})
    git(folder, "init", "--quiet")
    (folder / ".git" / "info" / "exclude").write_text("task.toml\n")
    commit(folder, {"src/table.bin": b"\xff\x00"})
    git(folder, "tag", "first")
    return folder


ALL = {  # what a real commit touches
    "src/sum.c": None,
    "src/quick.c": FAST,
    "CHANGELOG.md": "# Changes\n\n- faster\n",
    "CHANGES/12.feature.rst": "faster\n",
    "docs/plot.png": b"\x89PNG\x00",
    "tools/tables": "import sys\n",
    "tests/run.sh": FILES["tests/run.sh"] + "# more\n",
    "tests/data.bin": b"\x00",
}


def in_git(folder: Path, source: str, scratch: Path, *, their_tests: bool = False) -> Change:
    found = sides(folder, source)
    assert found is not None
    return change_in_git(folder, found, scratch, their_tests=their_tests)


def test_a_commit_is_what_it_does_to_editable_files(repository: Path, scratch: Path) -> None:
    commit(repository, ALL)
    (repository / "src" / "sum.h").write_text("not committed")
    before = git(repository, "status", "--short", "--ignored")
    change = in_git(repository, "first..HEAD", scratch)
    assert isinstance(change.task, ProjectTask)
    assert dict(change.program.files) == {"src/quick.c": FAST, "src/sum.h": FILES["src/sum.h"]}
    assert change.task.baseline.files["src/sum.c"] == SUM
    assert (change.task.folder / "tests" / "run.sh").read_text() == FILES["tests/run.sh"]
    assert change.ignored == (LEFT_OUT, TESTS)
    assert git(repository, "status", "--short", "--ignored") == before
    assert git(repository, "worktree", "list").count("\n") == 1


def test_the_tests_of_a_change_are_run_on_request_on_both_sides(
    repository: Path, scratch: Path
) -> None:
    commit(repository, ALL)
    patch = git(repository, "diff", "--binary", "first")
    of_commit = in_git(repository, "HEAD", scratch, their_tests=True)
    git(repository, "reset", "--quiet", "--hard", "first")
    (scratch / "patch").mkdir()
    of_patch = change_of_patch(repository, patch, scratch / "patch", their_tests=True)
    for change in (of_commit, of_patch):
        assert isinstance(change.task, ProjectTask)
        assert (change.task.folder / "tests" / "run.sh").read_text() == ALL["tests/run.sh"]
        assert (change.task.folder / "tests" / "data.bin").read_bytes() == b"\x00"
        assert change.ignored == (LEFT_OUT,)
    assert (repository / "tests" / "run.sh").read_text() == FILES["tests/run.sh"]


def test_sides_of_ranges_branches_and_commits(repository: Path) -> None:
    first = git(repository, "rev-parse", "HEAD").strip()
    git(repository, "checkout", "--quiet", "-b", "quick")
    second = commit(repository, {"src/sum.c": FAST})
    third = commit(repository, {"src/sum.c": f"{FAST}\n"})
    git(repository, "checkout", "--quiet", "main")
    fourth = commit(repository, {"main.c": "int main(void) { return 0; }\n"})
    assert sides(repository, f"{second}..quick") == Sides(second, third)
    assert sides(repository, "main..quick") == Sides(fourth, third)
    assert sides(repository, "...quick") == Sides(first, third)
    assert sides(repository, "quick") == Sides(first, third)
    assert sides(repository, third[:10]) == Sides(second, third)
    assert sides(repository, "HEAD") == Sides(first, fourth)
    assert sides(repository, "20261129-120000") is None
    for source, problem in {
        "nowhere..quick": "knows no commit nowhere",
        "main": "branch main has no commit that the current branch lacks",
        "first": "knows no commit first^",
    }.items():
        with pytest.raises(InputError, match=problem.replace("^", r"\^")):
            sides(repository, source)


def test_the_working_tree_is_compared_with_its_commit(repository: Path, scratch: Path) -> None:
    (repository / "src" / "sum.c").write_text(FAST)
    (repository / "src" / "new.h").write_text("/* not added yet */\n")
    (repository / "tests" / "run.sh").write_text("exit 0\n")
    change = change_in_git(repository, Sides("HEAD"), scratch)
    assert isinstance(change.task, ProjectTask)
    assert change.program.files["src/sum.c"] == FAST
    assert "src/new.h" in change.program.files
    assert (change.task.folder / "tests" / "run.sh").read_text() == FILES["tests/run.sh"]


@pytest.mark.parametrize(
    ("files", "problem"),
    [
        ({"main.c": "int main(void) { return 1; }\n"}, "without main.c it is another change"),
        ({"src/table.bin": b"\xff\x01"}, "without src/table.bin it is another change"),
        ({"CHANGELOG.md": "", "Makefile": "all:\n"}, "it changes CHANGELOG.md, Makefile (the orig"),
        ({"src/sum.c": None, "src/sum.h": None}, "removes all files"),
    ],
)
def test_a_change_is_refused_where_leaving_out_makes_it_another(
    repository: Path, scratch: Path, files: dict[str, str | bytes | None], problem: str
) -> None:
    commit(repository, files)
    with pytest.raises(InputError) as refused:
        in_git(repository, "HEAD", scratch)
    assert problem in str(refused.value)


@pytest.mark.parametrize(
    "options",
    [
        ("diff",),
        ("diff", "--no-prefix"),
        ("diff", "--color=always"),
        ("diff", "--binary", "--find-renames=1%"),
        ("format-patch", "--stdout"),
    ],
)
def test_patches_of_git_in_any_form(
    repository: Path, scratch: Path, options: tuple[str, ...]
) -> None:
    commit(repository, ALL)
    patch = git(repository, options[0], *options[1:], "first")
    git(repository, "reset", "--quiet", "--hard", "first")
    (repository / "CHANGELOG.md").unlink()  # which it need not apply to
    change = change_of_patch(repository, patch, scratch)
    assert dict(change.program.files) == {"src/quick.c": FAST, "src/sum.h": FILES["src/sum.h"]}
    assert change.ignored == (LEFT_OUT, TESTS)


def test_a_patch_for_other_text_is_refused(repository: Path, scratch: Path) -> None:
    commit(repository, {"src/sum.c": FAST})
    patch = git(repository, "diff", "first")
    with pytest.raises(InputError, match="has this patch already; maxcode verify FOLDER"):
        change_of_patch(repository, patch, scratch)
    (repository / "src" / "sum.c").write_text("")
    with pytest.raises(InputError, match="does not apply to what may be changed"):
        change_of_patch(repository, patch, scratch / "again")


def test_a_patch_of_any_program(scratch: Path) -> None:
    before = Program({"main.cpp": "int a;\r\nint b;\r\n", "lib/b.hpp": "// b\n"}, "main.cpp")
    after = before.with_files({"main.cpp": "int a;\nint c;\n", "lib/new.hpp": "// new\n"})
    text = f"\x1b[1m{before.shown().diff(after.shown())}\x1b[m"
    assert is_patch(text)
    assert not is_patch("int main() {}\n--i;\n")
    assert program_of_patch(before, text, scratch / "one") == after
    with pytest.raises(InputError, match=r"(?s)does not apply to the program.*main.cpp"):
        program_of_patch(after, text, scratch / "two")
