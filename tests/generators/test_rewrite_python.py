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
count = int(input())
total = 0
for i in range(count):
    total += i * i % 7
print(total)
"""


@pytest.mark.slow
def test_a_slow_script_gets_faster_and_stays_right() -> None:
    answers = {n: sum(i * i % 7 for i in range(n)) for n in (3, 10, 500_000)}
    tests = tuple(
        TestCase(str(n), f"{n}\n".encode(), expected=f"{answer}\n".encode())
        for n, answer in answers.items()
    )
    program = Program({"main.py": _SLOW}, "main.py")
    task = ProgramTask("slow", "Add up.", program, language="python", tests=tests)
    with ProgramExecutor(score=BRIEF, confirm=BRIEF) as executor:
        result = Search(
            task,
            generator=RewriteGenerator(),
            executor=executor,
            policy=BestOfN(batch=4),
            budget=Budget(evaluations=4),
            options=Options(seed=1, minimise=0),
        ).run()
    assert "loops-in-main" in result.best.tags
    assert result.best.evaluation.ok
    assert all(step.evaluation.ok for step in result.tree)
