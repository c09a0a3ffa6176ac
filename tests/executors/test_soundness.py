"""Whether anything is compared, and whether the original still prints what it printed."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.executors.project._projects import BRIEF, written

from maxcode.errors import TaskError
from maxcode.evaluation import Status
from maxcode.executors.program.executor import ProgramExecutor
from maxcode.executors.project.executor import ProjectExecutor
from maxcode.program import Program
from maxcode.tasks.program import Judging, ProgramTask, TestCase
from maxcode.tasks.project import ProjectTask

pytestmark = pytest.mark.slow

READ = 'int n = 9; scanf("%d", &n);'
TASK = 'kind = "project"\nname = "script"\neditable = ["work.py"]\n\n[commands]\n'


def cpp(body: str) -> Program:
    return Program.of(f"#include <cstdio>\n#include <ctime>\nint main() {{ {body} }}\n")


def program(body: str, *outputs: str) -> ProgramTask:
    """Its tests have the numbers from 0 as inputs."""
    tests = [TestCase(f"{n}", f"{n}\n".encode(), one.encode()) for n, one in enumerate(outputs)]
    judging = Judging(flags=("-O0",))
    return ProgramTask("doubling", "", baseline=cpp(body), tests=tuple(tests), judging=judging)


def script(folder: Path, code: str, more: str = "") -> ProjectTask:
    """A project of one Python file that is run as a whole."""
    return written(
        folder, {"work.py": code, "task.toml": f'{TASK}bench = "python work.py"\n{more}'}
    )


@pytest.fixture(scope="module")
def programs() -> Iterator[ProgramExecutor]:
    with ProgramExecutor(score=BRIEF, confirm=BRIEF) as executor:
        yield executor


@pytest.fixture(scope="module")
def projects() -> Iterator[ProjectExecutor]:
    with ProjectExecutor(score=BRIEF, confirm=BRIEF) as executor:
        yield executor


@pytest.mark.parametrize(
    ("body", "outputs", "gaps"),
    [
        (f'{READ} printf("%d", 2 * n);', ("0", "2", "4"), ()),
        (
            f'{READ} printf("9");',
            ("9", "9"),
            ("a program that prints what this one does without an input passes all 2 tests",),
        ),
        (
            f'{READ} printf("%d", n < 9 ? 9 : 8);',
            ("9", "9"),
            ("a program that always prints the first test's output passes all 2 tests",),
        ),
    ],
)
def test_programs_without_work_are_tried(
    programs: ProgramExecutor, body: str, outputs: tuple[str, ...], gaps: tuple[str, ...]
) -> None:
    assert programs.prepare(program(body, *outputs)).gaps == gaps


def test_a_program_whose_output_goes_to_a_file_is_no_task(programs: ProgramExecutor) -> None:
    body = f'{READ} freopen("doubled.out", "w", stdout); printf("%d", 2 * n);'
    with pytest.raises(TaskError, match=r"nothing is compared.*it writes doubled\.out"):
        programs.prepare(program(body, "", ""))


@pytest.mark.parametrize(
    ("code", "more", "told"),
    [
        ("open('sums.txt', 'w').write('1')", "\n[bench]\nwritable = true\n", "writes sums.txt"),
        ("print('took 0.5')", '\n[bench]\nformat = "regex:took (.*)"\n', "--test"),
    ],
)
def test_a_project_that_compares_nothing_is_no_task(
    projects: ProjectExecutor, tmp_path: Path, code: str, more: str, told: str
) -> None:
    with pytest.raises(TaskError, match=rf"nothing is compared.*{told}"):
        projects.prepare(script(tmp_path, code, more))


@pytest.mark.parametrize(
    ("code", "more", "told"),
    [
        ("sum(range(9))", 'test = "true"\n', "'python work.py' prints nothing"),
        ("print(open('/tmp/x.txt', 'w').write('1'))", "", "it writes /tmp/x.txt, which is not"),
    ],
)
def test_what_a_project_leaves_uncompared_is_told(
    projects: ProjectExecutor, tmp_path: Path, code: str, more: str, told: str
) -> None:
    [gap] = projects.prepare(script(tmp_path, code, more)).gaps
    assert told in gap


def test_a_program_that_follows_the_clock_is_blamed_itself(programs: ProgramExecutor) -> None:
    body = f'{READ} printf("%d\\nat %ld", n, n ? (long)time(nullptr) : 0);'
    verdict = programs.evaluate(program(body, "0\nat 0", "1\nat 1"), cpp(f'{body} puts("");'))
    assert verdict.status is Status.INFRASTRUCTURE
    assert "the original no longer prints what it printed" in verdict.feedback
    assert "test 1: line 2" in verdict.feedback


def test_a_project_that_follows_the_time_of_day_is_blamed_itself(
    projects: ProjectExecutor, tmp_path: Path
) -> None:
    day = tmp_path / "day"
    day.mkdir()
    (day / "colour").write_text("red")
    code = f"print(sum(range(300_000)))\nprint(open({str(day / 'colour')!r}).read())\n"
    task = script(tmp_path / "p", code, f'\n[sandbox]\nread = ["{day}"]\n')
    projects.prepare(task)
    wrong = task.baseline.with_code(code.replace("300_000", "3"))
    assert projects.evaluate(task, wrong).status is Status.WRONG_ANSWER
    (day / "colour").write_text("green")
    for changed in (task.baseline.with_code(f"# quick\n{code}"), wrong.with_code("print()\n")):
        verdict = projects.evaluate(task, changed)
        assert verdict.status is Status.INFRASTRUCTURE
        assert "the original no longer prints what it printed" in verdict.feedback
        assert "line 2" in verdict.feedback
