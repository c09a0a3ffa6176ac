"""Sources as they are: other encodings, CRLF, several files; from file to verdict and back."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from maxcode.budget import Budget
from maxcode.cli.verify import patched
from maxcode.policies.best_of_n import BestOfN
from maxcode.search.search import optimize
from maxcode.tasks import load_task
from maxcode.tasks.project import ProjectTask
from maxcode.testing import ScriptedExecutor, ScriptedGenerator

Run = Callable[..., "subprocess.CompletedProcess[str]"]

MAIN = """\
// by J\xfcrgen
#include <cstdio>
#include "twice.h"
int main() {
    long n = 0;
    if (std::scanf("%ld", &n) != 1) return 1;
    std::printf("%ld\\n", twice(n));
}
"""
TWICE = "#pragma once\ninline long twice(long n) { return 2 * n; }\n"
PROJECT = """\
kind = "project"
name = "p"
editable = ["src/**"]

[commands]
bench = "sh src/run.sh"

[bench]
format = "process"
"""


@pytest.fixture
def sources(folder: Path) -> Path:
    """A task of two files in Latin-1 whose lines end with CRLF."""
    place = folder / "windows"
    (place / "tests").mkdir(parents=True)
    for name, text in (("main.cpp", MAIN), ("twice.h", TWICE)):
        (place / name).write_bytes(text.replace("\n", "\r\n").encode("latin-1"))
    (place / "task.toml").write_text('name = "w"\n[program]\nentry = "main.cpp"\n')
    (place / "tests" / "1.in").write_text("4\n")
    (place / "tests" / "1.out").write_text("8\n")
    return place


def test_a_changed_header_takes_the_headers_place(inside: Run, sources: Path, folder: Path) -> None:
    changed = folder / "twice.h"
    changed.write_text(TWICE.replace("2 * n", "3 * n"))
    done = inside("judge", str(sources), str(changed), "--json", "judged.json")
    assert done.returncode == 0, done.stderr
    [program] = json.loads((folder / "judged.json").read_text())["programs"]
    assert program["evaluations"]["default"]["status"] == "wrong_answer"


def test_a_folder_with_the_tasks_files_is_one_program(
    inside: Run, sources: Path, folder: Path
) -> None:
    changed = folder / "changed"
    changed.mkdir()
    (changed / "main.cpp").write_bytes((sources / "main.cpp").read_bytes())
    (changed / "twice.h").write_text(TWICE.replace("2 * n", "n + n"))
    done = inside("judge", str(sources), str(changed), "--json", "judged.json")
    assert done.returncode == 0, done.stderr
    [program] = json.loads((folder / "judged.json").read_text())["programs"]
    assert program["evaluations"]["default"]["status"] == "ok"


def test_an_answer_keeps_line_ends_and_bytes(sources: Path, folder: Path) -> None:
    task = load_task(sources)
    answer = task.baseline.with_file("twice.h", TWICE.replace("2 * n", "n << 1"))
    generator = ScriptedGenerator(lambda *_: [answer])
    executor = ScriptedExecutor(lambda program: 1.0 if program == task.baseline else 2.0)
    result = optimize(
        task,
        generator=generator,
        executor=executor,
        policy=BestOfN(1),
        budget=Budget(evaluations=1),
    )
    assert result.improved
    assert result.diff().count("\n-") == result.diff().count("\n+") - 1 == 1  # a line of each
    result.program.write(folder / "saved")
    saved = (folder / "saved" / "twice.h").read_bytes()
    assert saved == TWICE.replace("2 * n", "n << 1").replace("\n", "\r\n").encode()
    assert (folder / "saved" / "main.cpp").read_bytes() == (sources / "main.cpp").read_bytes()


def test_a_patch_with_other_line_ends_applies_to_a_project(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    script = "# J\xfcrgen\r\necho slow\r\n".encode("latin-1")
    (tmp_path / "src" / "run.sh").write_bytes(script)
    (tmp_path / "task.toml").write_text(PROJECT)
    task = load_task(tmp_path)
    assert isinstance(task, ProjectTask)
    assert "src/run.sh" in task.baseline.files
    patch = tmp_path / "faster.patch"
    patch.write_text("--- a/src/run.sh\n+++ b/src/run.sh\n@@ -2 +2 @@\n-echo slow\n+echo fast\n")
    patched(task, patch).write(tmp_path / "out")
    assert (tmp_path / "out" / "src" / "run.sh").read_bytes() == script.replace(b"slow", b"fast")
