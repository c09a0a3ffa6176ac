"""The problems in the format of PIE: programs that are what they claim."""

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
@pytest.mark.parametrize("problem", TASKS)
def test_all_solutions_get_their_verdicts(problem: str, executor: ProgramExecutor) -> None:
    task = TASKS[problem]
    executor.prepare(task)
    for name, program in POOL.candidates(task).items():
        wanted = Status.OK if name in HONEST else Status.WRONG_ANSWER
        assert executor.evaluate(task, program).status is wanted, name
