"""An executor for tests in which it does not matter how exact a speedup is."""

import math
from collections.abc import Iterator

import pytest

from maxcode.executors.program.executor import ProgramExecutor
from maxcode.measure.rounds import Plan

BRIEF = Plan(least=2, most=2, fewest=2, seconds=math.inf)


@pytest.fixture(scope="module")
def brief() -> Iterator[ProgramExecutor]:
    with ProgramExecutor(score=BRIEF, confirm=BRIEF) as executor:
        yield executor
