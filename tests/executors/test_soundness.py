"""Whether anything is compared, and whether the original still prints what it printed."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.executors.project._projects import BRIEF, written

from maxcode.errors import TaskError
from maxcode.evaluation import Status
from maxcode.executors.program.executor import ProgramExecutor
from maxcode.executors.program.recording import record_task
from maxcode.executors.project.executor import ProjectExecutor
from maxcode.interfaces import Executor
from maxcode.program import Program
from maxcode.task import Task
from maxcode.tasks.program import Judging, ProgramTask, TestCase
from maxcode.tasks.project import ProjectTask

pytestmark = pytest.mark.slow

DOUBLING = 'int n = 9; scanf("%d", &n);'
JUDGING = Judging(flags=("-O0",))


def cpp(body: str) -> Program:
    return Program.of(f"#include <cstdio>\n#include <ctime>\nint main() {{ {body} }}\n")


def cpp_task(body: str, *outputs: str, judging: Judging = JUDGING) -> ProgramTask:
    """Its tests have the numbers from 0 as inputs."""
    tests = [TestCase(f"{n}", f"{n}\n".encode(), one.encode()) for n, one in enumerate(outputs)]
    return ProgramTask("doubling", "", baseline=cpp(body), tests=tuple(tests), judging=judging)


SCRIPT = {
    "task.toml": 'kind = "project"\nname = "script"\neditable = ["work.py"]\n\n[commands]\n'
    'bench = "python work.py"\n',
    "work.py": "print(sum(range(300_000)))\n",
}


def script(folder: Path, code: str, toml: str = "", commands: str = "") -> ProjectTask:
    """A project of one Python file that is run as a whole."""
    whole = SCRIPT["task.toml"] + commands + toml
    return written(folder, {"work.py": code, "task.toml": whole})


@pytest.fixture(scope="module")
def programs() -> Iterator[ProgramExecutor]:
    with ProgramExecutor(score=BRIEF, confirm=BRIEF) as executor:
        yield executor


@pytest.fixture(scope="module")
def projects() -> Iterator[ProjectExecutor]:
    with ProjectExecutor(score=BRIEF, confirm=BRIEF) as executor:
        yield executor


def gaps(executor: Executor, task: Task) -> str:
    """What the executor says of the task, in one text."""
    return "; ".join(executor.prepare(task).gaps)


def refusal(executor: Executor, task: Task) -> str:
    with pytest.raises(TaskError) as refused:
        executor.prepare(task)
    return str(refused.value)


# -- programs ----------------------------------------------------------------------------------


def test_a_program_that_reads_is_compared(programs: ProgramExecutor) -> None:
    task = cpp_task(f'{DOUBLING} printf("%d", 2 * n);', "0", "2", "4")
    assert gaps(programs, task) == ""


def test_tests_without_any_output_are_no_task(programs: ProgramExecutor) -> None:
    body = 'freopen("doubling.in", "r", stdin); int n = 0; scanf("%d", &n); if (n) puts("");'
    said = refusal(programs, cpp_task(body, "", ""))
    assert "nothing is compared" in said
    assert "doubling.in" in said


def test_an_output_that_goes_to_a_file_is_named(programs: ProgramExecutor) -> None:
    body = f'{DOUBLING} freopen("doubled.out", "w", stdout); printf("%d", 2 * n);'
    assert "it writes doubled.out" in refusal(programs, cpp_task(body, "", ""))


def test_outputs_that_are_all_equal_are_a_gap(programs: ProgramExecutor) -> None:
    body = 'freopen("/no/such/data.txt", "r", stdin); int n = 0; scanf("%d", &n); printf("%d", n);'
    for outputs in (["0", "0"], ["0"]):
        said = gaps(programs, cpp_task(body, *outputs))
        assert "prints what this one does without an input passes" in said
        assert "/no/such/data.txt" in said
    task = cpp_task(f'{DOUBLING} printf("%d", n < 9 ? 9 : 8);', "9", "9")
    assert gaps(programs, task) == (
        "a program that always prints the first test's output passes all 2 tests"
    )


def test_nothing_is_recorded_of_a_program_that_prints_nothing(tmp_path: Path) -> None:
    source, data = tmp_path / "slow.cpp", tmp_path / "in.txt"
    source.write_text('#include <fstream>\nint main() { std::ofstream("sums.txt") << 1; }\n')
    data.write_text("1")
    with pytest.raises(TaskError, match=r"nothing is compared.*it writes sums\.txt"):
        record_task(source, [data], judging=JUDGING)


# -- projects ----------------------------------------------------------------------------------


def test_a_project_that_compares_nothing_is_no_task(
    projects: ProjectExecutor, tmp_path: Path
) -> None:
    code = "open('sums.txt', 'w').write(str(sum(range(300_000))))\n"
    said = refusal(projects, script(tmp_path, code, toml="\n[bench]\nwritable = true\n"))
    assert "nothing is compared" in said
    assert "it writes sums.txt" in said


def test_a_silent_command_is_a_gap_where_there_are_tests(
    projects: ProjectExecutor, tmp_path: Path
) -> None:
    said = gaps(projects, script(tmp_path, "sum(range(9))\n", commands='test = "true"\n'))
    assert "'python work.py' prints nothing" in said


def test_figures_alone_compare_nothing(projects: ProjectExecutor, tmp_path: Path) -> None:
    code = "print('took 0.5')\n"
    said = refusal(projects, script(tmp_path, code, toml='\n[bench]\nformat = "regex:took (.*)"\n'))
    assert "nothing is compared" in said
    assert "--test" in said


def test_an_unnamed_file_is_a_gap_of_a_project(projects: ProjectExecutor, tmp_path: Path) -> None:
    code = "print('done')\nopen('/tmp/sums.txt', 'w').write(str(sum(range(300_000))))\n"
    assert gaps(projects, script(tmp_path, code)) == (
        "it writes /tmp/sums.txt, which is not compared"
    )


# -- what changes with time --------------------------------------------------------------------


def test_a_program_that_follows_the_clock_is_blamed_itself(programs: ProgramExecutor) -> None:
    body = f'{DOUBLING} printf("%d\\nat %ld", n, n ? (long)time(nullptr) : 0);'
    task = cpp_task(body, "0\nat 0", "1\nat 1")
    verdict = programs.evaluate(task, cpp(f'{body} puts("");'))
    assert verdict.status is Status.INFRASTRUCTURE
    assert "the original no longer prints what it printed" in verdict.feedback
    assert "test 1: line 2" in verdict.feedback


def test_a_wrong_program_is_blamed_while_the_original_stands(programs: ProgramExecutor) -> None:
    task = cpp_task(f'{DOUBLING} printf("%d", 2 * n);', "0", "2")
    verdict = programs.evaluate(task, cpp(f'{DOUBLING} printf("%d", n);'))
    assert verdict.status is Status.WRONG_ANSWER


def test_a_project_that_follows_the_time_of_day_is_blamed_itself(
    projects: ProjectExecutor, tmp_path: Path
) -> None:
    day = tmp_path / "day"
    day.mkdir()
    (day / "colour").write_text("red")
    code = f"print(sum(range(300_000)))\nprint(open({str(day / 'colour')!r}).read())\n"
    task = script(tmp_path / "p", code, toml=f'\n[sandbox]\nread = ["{day}"]\n')
    assert gaps(projects, task) == ""
    wrong = task.baseline.with_code(code.replace("300_000", "3"))
    verdict = projects.evaluate(task, wrong)
    assert verdict.status is Status.WRONG_ANSWER
    assert "line 1" in verdict.feedback
    (day / "colour").write_text("green")
    for program in (task.baseline.with_code(f"# quick\n{code}"), wrong.with_code("print()\n")):
        verdict = projects.evaluate(task, program)
        assert verdict.status is Status.INFRASTRUCTURE
        assert "the original no longer prints what it printed" in verdict.feedback
        assert "line 2" in verdict.feedback
