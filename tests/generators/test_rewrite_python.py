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
n = int(input())
queue = []
seen = []
for i in range(n):
    queue.append(i * i % 99991)
total = 0
while queue:
    node = queue.pop(0)
    if node not in seen:
        seen.append(node)
        total += node
print(total, len(seen))
"""


def _answer(n: int) -> bytes:
    seen = {i * i % 99991 for i in range(n)}
    return f"{sum(seen)} {len(seen)}\n".encode()


@pytest.mark.slow
def test_a_slow_script_gets_faster_and_stays_right() -> None:
    tests = tuple(TestCase(str(n), f"{n}\n".encode(), expected=_answer(n)) for n in (3, 500, 3000))
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
    assert "member-list" in result.best.tags
    assert result.best.evaluation.ok
    assert all(step.evaluation.ok for step in result.tree)
