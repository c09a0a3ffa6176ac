from pathlib import Path

import pytest

from maxcode.errors import TaskError
from maxcode.executors.program.recording import record_task
from maxcode.tasks.program import (
    Judging,
)

QUICK_BUILD = Judging(flags=("-O0",), timeout=10)
COUNT = """\
#include <cstdio>
#include <unistd.h>
int main() {
    int n;
    if (scanf("%d", &n) != 1) return 1;
    usleep(100000 * n);
    printf("%d\\n", 2 * n);
}
"""


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "count.cpp"
    path.write_text(COUNT)
    return path


def inputs(folder: Path, *contents: str) -> list[Path]:
    paths = [folder / f"input{number}.txt" for number in range(len(contents))]
    for path, content in zip(paths, contents, strict=True):
        path.write_text(content)
    return paths


def record_code(folder: Path, code: str, judging: Judging = QUICK_BUILD) -> None:
    path = folder / "program.cpp"
    path.write_text(code)
    record_task(path, inputs(folder, "1"), judging=judging)


# -- what is recorded --------------------------------------------------------------------------


@pytest.mark.slow
def test_tests_are_ordered_from_the_quickest(source: Path, tmp_path: Path) -> None:
    task = record_task(source, inputs(tmp_path, "4", "0", "2"), judging=QUICK_BUILD)
    assert [(test.name, test.input) for test in task.tests] == [
        ("001", b"0"),
        ("002", b"2"),
        ("003", b"4"),
    ]


# -- what is refused ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    "chance",
    [
        'int main() { int x; printf("%p\\n", (void*)&x); }',
        'int main() { printf("%d\\n", getpid()); }',
        'int main() { timespec t; clock_gettime(CLOCK_MONOTONIC, &t); printf("%ld", t.tv_nsec); }',
    ],
    ids=["address", "process", "clock"],
)
def test_a_program_that_does_not_repeat_itself(chance: str, tmp_path: Path) -> None:
    with pytest.raises(TaskError, match=r"program\.cpp is not repeatable.*input0\.txt; remove"):
        record_code(tmp_path, f"#include <cstdio>\n#include <ctime>\n#include <unistd.h>\n{chance}")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("body", "told"),
    [
        ('fprintf(stderr, "no such thing"); return 3;', "status 3\nno such thing"),
        ("for (;;) sleep(1);", "time limit"),
    ],
    ids=["status", "timeout"],
)
def test_a_program_that_fails(body: str, told: str, tmp_path: Path) -> None:
    code = f"#include <cstdio>\n#include <unistd.h>\nint main() {{ {body} }}\n"
    with pytest.raises(TaskError, match=r"program\.cpp fails on .*input0\.txt: it ") as caught:
        record_code(tmp_path, code, Judging(flags=("-O0",), timeout=1.5))
    assert told in str(caught.value)
