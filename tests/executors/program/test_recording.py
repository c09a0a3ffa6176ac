from pathlib import Path

import pytest

from maxcode.errors import TaskError
from maxcode.executors.program.recording import record_task
from maxcode.tasks.program import Judging, ProgramTask


def recorded(folder: Path, body: str, *contents: str) -> ProgramTask:
    """The task of a C++ program that is built and ended soon."""
    source = folder / "program.cpp"
    headers = "#include <cstdio>\n#include <ctime>\n#include <unistd.h>\n"
    source.write_text(f"{headers}int main() {{ {body} }}\n")
    paths = [folder / f"input{number}.txt" for number in range(len(contents))]
    for path, content in zip(paths, contents, strict=True):
        path.write_text(content)
    return record_task(source, paths, judging=Judging(flags=("-O0",), timeout=1.5))


@pytest.mark.slow
def test_tests_are_ordered_from_the_quickest(tmp_path: Path) -> None:
    body = 'int n; if (scanf("%d", &n) != 1) return 1; usleep(100000 * n); printf("%d", 2 * n);'
    task = recorded(tmp_path, body, "4", "0", "2")
    tests = [(test.name, test.input, test.expected) for test in task.tests]
    assert tests == [("001", b"0", b"0"), ("002", b"2", b"4"), ("003", b"4", b"8")]


@pytest.mark.parametrize(
    "chance",
    [
        'int x; printf("%p\\n", (void*)&x);',
        pytest.param('printf("%d\\n", getpid());', marks=pytest.mark.slow),
        'timespec t; clock_gettime(CLOCK_MONOTONIC, &t); printf("%ld", t.tv_nsec);',
    ],
    ids=["address", "process", "clock"],
)
def test_a_program_that_does_not_repeat_itself(chance: str, tmp_path: Path) -> None:
    with pytest.raises(TaskError, match=r"program\.cpp is not repeatable.*input0\.txt; remove"):
        recorded(tmp_path, chance, "1")


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
    with pytest.raises(TaskError, match=r"program\.cpp fails on .*input0\.txt: it ") as caught:
        recorded(tmp_path, body, "1")
    assert told in str(caught.value)
