import json
import math
from pathlib import Path
from typing import Any

import pytest

from maxcode.errors import InputError, TaskError
from maxcode.evaluation import Status
from maxcode.executors.program.executor import ProgramExecutor
from maxcode.measure.rounds import Plan
from maxcode.program import Program
from maxcode.tasks import load_program_folder, save_task
from maxcode.tasks.pie import load_pie

SLOW = """#include <cstdio>
int main() {
    long n, sum = 0;
    if (scanf("%ld", &n) != 1) return 1;
    for (volatile long i = 1; i <= n; i = i + 1) sum += i;
    printf("%ld\\n", sum);
}
"""
FAST = """#include <cstdio>
int main() {
    long n;
    if (scanf("%ld", &n) != 1) return 1;
    printf("%ld\\n", n * (n + 1) / 2);
}
"""
CHATTY = FAST.replace('\\n"', '\\nthat is the sum\\n"')


def record(**changes: Any) -> dict[str, Any]:
    """A record as PIE has them; a change to None takes the field out."""
    fields = {
        "src_id": "s100",
        "tgt_id": "s101",
        "problem_id": "p1",
        "src_code": SLOW,
        "tgt_code": FAST,
        "fastest_tc2time": {"0": 0.1},
        "tests": [10, 2],
        **changes,
    }
    gone = [name for name, value in changes.items() if value is None]
    return {name: value for name, value in fields.items() if name not in gone}


def written(folder: Path, *records: dict[str, Any] | str | bytes) -> Path:
    path = folder / "test.jsonl"
    lines = [json.dumps(one) if isinstance(one, dict) else one for one in records]
    raw = [one.encode() if isinstance(one, str) else one for one in lines]
    path.write_bytes(b"".join(line + b"\n" for line in raw))
    return path


@pytest.fixture
def tests(tmp_path: Path) -> Path:
    folder = tmp_path / "tests"
    for problem, numbers in (("p1", (2, 7, 10)), ("p2", (0,))):
        (folder / problem).mkdir(parents=True)
        for n in numbers:
            (folder / problem / f"input.{n}.txt").write_text(f"{n}\n")
            (folder / problem / f"output.{n}.txt").write_text(f"{n * (n + 1) // 2}\n")
    return folder


# -- what is read ------------------------------------------------------------------------------


def test_a_record_is_a_task(tmp_path: Path, tests: Path) -> None:
    (task,) = load_pie(str(written(tmp_path, record())), str(tests))
    assert task.name == "p1/s100"
    assert "p1" in task.statement
    assert task.baseline == Program.of(SLOW)
    assert [(one.name, one.input, one.expected) for one in task.tests] == [
        ("2", b"2\n", b"3\n"),
        ("10", b"10\n", b"55\n"),
    ]
    judging = task.judging
    assert set(judging.flags) == {"-O3", "-std=c++17"}
    assert (judging.timeout, judging.checker.kind, judging.checker.tolerance) == (
        10,
        "values",
        1e-3,
    )


def test_a_limit_takes_the_first_and_says_how_many_there_are(tmp_path: Path, tests: Path) -> None:
    data = written(tmp_path, record(), record(problem_id="p2", tests=["0"]), record(src_id="s102"))
    said: list[str] = []
    assert [task.name for task in load_pie(data, tests, limit=2, notes=said.append)] == [
        "p1/s100",
        "p2/s100",
    ]
    assert said == [f"{data}: the first 2 of 3 records are taken"]
    assert len(load_pie(data, tests, limit=3)) == 3
    with pytest.raises(InputError, match="a limit is a number of records of at least 1, not 0"):
        load_pie(data, tests, limit=0)
    with pytest.raises(TaskError, match="line 2: src_id"):
        load_pie(written(tmp_path, record(), record(src_id="")), tests, limit=1)


def test_a_record_of_one_program_twice_is_left_out(tmp_path: Path, tests: Path) -> None:
    same = record(src_id="s2", tgt_code=SLOW)
    data = written(tmp_path, same, record(), record(src_id="s3", tgt_code=SLOW))
    said: list[str] = []
    assert [task.name for task in load_pie(data, tests, notes=said.append)] == ["p1/s100"]
    assert said == [f"{data}: records left out since their two programs are the same: 2"]
    with pytest.raises(TaskError, match="no record of two different programs"):
        load_pie(written(tmp_path, same), tests)


def test_a_task_can_be_written_as_a_folder(tmp_path: Path, tests: Path) -> None:
    (task,) = load_pie(written(tmp_path, record()), tests)
    save_task(task, tmp_path / "task")
    assert load_program_folder(tmp_path / "task") == task


# -- what is refused ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (record(src_code=None), "src_code: Field required"),
        (record(problem_id="../p1"), "problem_id: String should match"),
        (record(tests=[]), "tests: Tuple should have at least 1 item"),
        (record(tests=[2.5]), "tests.0: Input should be a valid integer"),
        (b'{"src_id": "\xff"}', "the whole: Invalid JSON"),
        ("[" * 100_000, "recursion"),
        (record(), "src_id: p1/s100 is there twice"),
        (record(src_id="s2", problem_id="p3"), r"tests: .*p3/input\.2\.txt: No such file"),
        (record(src_id="s2", tests=[3]), r"tests: .*p1/input\.3\.txt: No such file"),
    ],
)
def test_what_is_wrong_is_said_with_file_line_and_field(
    line: dict[str, Any] | str | bytes, message: str, tmp_path: Path, tests: Path
) -> None:
    data = written(tmp_path, record(), line)
    with pytest.raises(TaskError, match=message) as caught:
        load_pie(data, tests, notes=lambda note: None)
    assert str(caught.value).startswith(f"{data}, line 2")


def test_files_and_folders_that_are_not_there(tmp_path: Path, tests: Path) -> None:
    with pytest.raises(TaskError, match=r"none\.jsonl: No such file"):
        load_pie(tmp_path / "none.jsonl", tests)
    with pytest.raises(TaskError, match="no record of two different"):
        load_pie(written(tmp_path), tests)
    with pytest.raises(TaskError, match=r"there is no folder .*none;"):
        load_pie(written(tmp_path, record()), tmp_path / "none")


# -- judged for real ---------------------------------------------------------------------------


@pytest.mark.slow
def test_further_lines_are_wrong(tmp_path: Path, tests: Path) -> None:
    (task,) = load_pie(written(tmp_path, record()), tests)
    with ProgramExecutor(score=Plan(least=2, most=2, seconds=math.inf)) as executor:
        executor.prepare(task)
        assert executor.evaluate(task, Program.of(CHATTY)).status is Status.WRONG_ANSWER
        assert executor.evaluate(task, Program.of(FAST)).status is Status.OK
