import subprocess
from pathlib import Path

import pytest
from tests.executors.project._projects import FILES, TASK, written

from maxcode.errors import TaskError
from maxcode.program import Program
from maxcode.system import find_tool
from maxcode.tasks import load_task
from maxcode.tasks.project import ProjectTask
from maxcode.tasks.project_files import Patterns, Snapshot


def test_a_folder_is_read_as_a_project(tmp_path: Path) -> None:
    written(tmp_path, FILES)
    task = load_task(tmp_path)
    assert isinstance(task, ProjectTask)
    assert sorted(task.baseline.files) == ["src/sum.c", "src/sum.h"]
    assert (task.language, task.commands.bench) == ("c", ("./sum 40000000",))


def test_every_file_is_part_of_the_digest(tmp_path: Path) -> None:
    def digest(**files: str) -> str:
        return written(tmp_path, {**FILES, **files}).digest

    before = digest()
    assert digest(**{"main.c": "/* other */"}) != before
    assert digest(**{"task.toml": f'{TASK}\n[bench]\nmeter = "wall"\n'}) != before
    assert digest(**{"sum.maxcode.patch": "ours"}) == before
    (tmp_path / "main.c").chmod(0o755)
    assert digest() != before


@pytest.mark.parametrize(
    ("wrong", "problem"),
    [
        (TASK.replace('bench = "./sum', 'bunch = "./sum'), "bunch: no such key"),
        (TASK.replace("src/**", "lib/**"), "no text file matches"),
        (f'{TASK}\n[bench]\nformat = "gtest"\n', "unknown format 'gtest'"),
        (f'{TASK}\n[bench]\nmeter = "sundial"\n', "bench.meter"),
        (TASK.replace("test = 5.0", "test = -5.0"), "limits.test"),
    ],
)
def test_a_wrong_file_is_named_with_its_key(tmp_path: Path, wrong: str, problem: str) -> None:
    with pytest.raises(TaskError, match=problem) as raised:
        written(tmp_path, {**FILES, "task.toml": wrong})
    assert "task.toml" in str(raised.value)


TESTS = """
    conftest.py test_a.py test.js test1.cpp test_a.c a_test.cpp a.test.ts a.spec.js a.spec.tsx
    a.snap jest.config.js .mocharc.cjs __tests__/a.js __snapshots__/a.js.snap bench.js bench_a.c
    a-bench.rs benchmark.go ATest.java ABenchmark.java tests/a.c
"""
LIKE_TESTS = "latest.c contest.js Contest.java testing.cpp workbench.py spec.go"


@pytest.mark.parametrize(
    ("path", "editable"),
    [
        ("src/a.c", True),
        ("src/deep/er/a.c", True),
        ("a.c", False),
        ("src/vendor/a.c", False),
        ("src/vendor/ours.c", True),
        *((f"src/{name}", False) for name in TESTS.split()),
        *((f"src/{name}", True) for name in LIKE_TESTS.split()),
        ("src/Makefile", False),
        ("Makefile", True),  # named without a wildcard
        ("lib/a.c", True),
        ("lib/a.h", False),
        ("lib/deep/a.c", False),
        ("task.toml", False),
    ],
)
def test_patterns(path: str, editable: bool) -> None:
    patterns = Patterns(
        ("src/**", "!src/vendor/**", "src/vendor/ours.c", "Makefile", "lib/*.c", "task.toml*")
    )
    assert patterns.match(path) is editable


def test_what_git_ignores_and_tools_make_is_no_part(tmp_path: Path) -> None:
    for path in ("a.c", "build/CMakeCache.txt", ".venv/x", "__pycache__/a.pyc", "ignored.o"):
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text("")
    assert Snapshot.of(tmp_path).paths == ("a.c", "ignored.o")
    assert Snapshot.of(tmp_path, ["*.o"]).paths == ("a.c",)
    subprocess.run([find_tool("git"), "init", "-q", str(tmp_path)], check=True)
    (tmp_path / ".gitignore").write_text("*.o\nbuild/\n.venv/\n__pycache__/\n")
    assert Snapshot.of(tmp_path).paths == (".gitignore", "a.c")


def test_what_git_leaves_out_is_named_and_can_be_brought(tmp_path: Path) -> None:
    git = find_tool("git")
    for path in ("a.c", "data/big.txt", "_version.py", "lib/b.c", "lib/b.o"):
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text("")
    (tmp_path / "linked").symlink_to("data")
    (tmp_path / ".gitignore").write_text("data/\n_version.py\n*.o\n")
    subprocess.run([git, "init", "-q", str(tmp_path / "lib")], check=True)
    (tmp_path / "lib" / ".gitignore").write_text("*.o\n")
    subprocess.run([git, "init", "-q", str(tmp_path)], check=True)
    found = Snapshot.of(tmp_path)
    assert found.paths == (".gitignore", "a.c", "linked")
    assert found.left_out == ("lib/", "_version.py", "data/")
    brought = Snapshot.of(tmp_path, include=["lib/**", "data/*.txt"])
    assert set(brought.paths) - set(found.paths) == {"lib/.gitignore", "lib/b.c", "data/big.txt"}
    assert brought.left_out == ("_version.py",)


def test_a_candidate_may_add_what_matches(tmp_path: Path) -> None:
    task = written(tmp_path, FILES)
    program = task.baseline.with_file("src/new.c", "").with_file("src/conftest.py", "")
    assert task.forbidden_changes(program) == ["src/conftest.py"]
    fewer = Program({"src/sum.h": task.baseline.files["src/sum.h"]}, "src/sum.h")
    assert task.forbidden_changes(fewer) == []
