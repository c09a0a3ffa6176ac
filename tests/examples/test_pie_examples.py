"""The problems in the format of PIE: files from the script, programs that are what they claim."""

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from maxcode.errors import ToolError
from maxcode.evaluation import Status
from maxcode.executors.program.executor import ProgramExecutor
from maxcode.generators.pool import PoolGenerator
from maxcode.measure.rounds import Plan
from maxcode.tasks.pie import load_pie

EXAMPLES = Path(__file__).parents[2] / "examples" / "pie"
POOL = PoolGenerator(EXAMPLES / "solutions", by_task=True)
TASKS = {
    task.name.partition("/")[0]: task
    for task in load_pie(EXAMPLES / "test.jsonl", EXAMPLES / "tests")
}
HONEST = {"mid.cpp", "fast.cpp"}
WRONG = {"m0001", "m0002", "m0007", "m0011", "m0012", "m0014"}


@pytest.fixture(scope="module")
def executor() -> Iterator[ProgramExecutor]:
    try:
        # Verdicts are what is tested, not times.
        executor = ProgramExecutor(score=Plan(2, 2), confirm=Plan(2, 2))
    except ToolError as error:
        pytest.skip(str(error))
    with executor:
        yield executor


@pytest.mark.parametrize("problem", TASKS)
def test_a_problem_has_tests_and_solutions(problem: str) -> None:
    task = TASKS[problem]
    assert [test.name for test in task.tests] == [str(number) for number in range(20)]
    assert len({test.input for test in task.tests}) > 15
    expected = HONEST | {"wrong.cpp"} if problem in WRONG else HONEST
    assert POOL.candidates(task).keys() == expected
    assert task.baseline not in POOL.candidates(task).values()


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("g++") is None, reason="g++ is not installed")
def test_the_script_reproduces_the_files(tmp_path: Path) -> None:
    script = str(EXAMPLES / "generate.py")
    subprocess.run([sys.executable, script, str(tmp_path), "--outputs"], check=True, timeout=300)
    for path in tmp_path.rglob("*.*"):
        committed = (EXAMPLES / path.relative_to(tmp_path)).read_bytes()
        if path.name.startswith("output."):  # of floating-point numbers the last digit may differ
            checker = TASKS[path.parent.name].judging.checker
            assert checker.difference(committed, path.read_bytes()) is None, path
        else:
            assert path.read_bytes() == committed, path
    inputs = "tests/*/input.*.txt"
    assert len(list(tmp_path.glob(inputs))) == len(list(EXAMPLES.glob(inputs)))


@pytest.mark.slow
@pytest.mark.parametrize("problem", TASKS)
def test_all_solutions_get_their_verdicts(problem: str, executor: ProgramExecutor) -> None:
    task = TASKS[problem]
    executor.prepare(task)
    for name, program in POOL.candidates(task).items():
        wanted = Status.OK if name in HONEST else Status.WRONG_ANSWER
        assert executor.evaluate(task, program).status is wanted, name
