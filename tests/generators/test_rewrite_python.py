"""A slow script, the offline generator and the executor: the whole way without a model."""

import pytest
from tests.executors.program.test_executor import BRIEF

from maxcode.budget import Budget
from maxcode.executors.program.executor import ProgramExecutor
from maxcode.generators.rewrite import RewriteGenerator
from maxcode.options import Options
from maxcode.policies.best_of_n import BestOfN
from maxcode.program import Program
from maxcode.search.search import Search
from maxcode.tasks.program import ProgramTask, TestCase

_SLOW = """\
def ways(n):
    if n < 2:
        return 1
    return ways(n - 1) + ways(n - 2)


print(ways(int(input())))
"""


@pytest.mark.slow
def test_a_slow_script_gets_faster_and_stays_right() -> None:
    answers = {3: b"3\n", 10: b"89\n", 25: b"121393\n"}
    tests = tuple(
        TestCase(str(n), f"{n}\n".encode(), expected=answer) for n, answer in answers.items()
    )
    program = Program({"main.py": _SLOW}, "main.py")
    task = ProgramTask("slow", "Count ways.", program, language="python", tests=tests)
    with ProgramExecutor(score=BRIEF, confirm=BRIEF) as executor:
        result = Search(
            task,
            generator=RewriteGenerator(),
            executor=executor,
            policy=BestOfN(batch=4),
            budget=Budget(evaluations=4),
            options=Options(seed=1, minimise=0),
        ).run()
    assert "remember-results" in result.best.tags
    assert result.best.evaluation.ok
    assert all(step.evaluation.ok for step in result.tree)
