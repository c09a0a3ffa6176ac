"""Runs to learn from: searches on kindred landscapes, and one whose tree is known."""

from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import pytest

from maxcode.budget import Budget
from maxcode.interfaces import SearchPolicy
from maxcode.journal.journal import Journal, RunLog
from maxcode.landscape import Landscape, LandscapeExecutor, LandscapeGenerator, Terrain
from maxcode.options import Options
from maxcode.policies.best_of_n import BestOfN
from maxcode.policies.maxcode_loop import MaxCodeLoop
from maxcode.search.search import Search
from maxcode.testing import ScriptedExecutor, ScriptedGenerator, toy_task, toy_verdict
from maxcode.tree import Expansion, SearchTree

PLAN = [(0, ["1.5", "0.5"]), (1, ["2.0", "build_error", "0.5"]), (3, ["1.2"])]
"""Parents, and what grows from them: 1 and 2 from the baseline, 3 and 4 from 1, 6 from 3.

Step 5 repeats the program of step 2.
"""


Plan = list[tuple[int, list[str]]]


class _Planned(SearchPolicy):
    def __init__(self, plan: Plan) -> None:
        self.plan = plan

    def ask(self, tree: SearchTree, rng: Random) -> list[Expansion]:
        if tree.pending or tree.expansions == len(self.plan):
            return []
        parent, children = self.plan[tree.expansions]
        return [Expansion(parent, len(children))]


@pytest.fixture
def planned(journal: Journal) -> RunLog:
    """A run whose tree is that of PLAN."""
    return follow(PLAN, journal)


def follow(plan: Plan, journal: Journal) -> RunLog:
    """A run that grows from the plan's parents what the plan says."""
    search = Search(
        toy_task(),
        generator=ScriptedGenerator([children for _, children in plan]),
        executor=ScriptedExecutor(toy_verdict),
        policy=_Planned(plan),
        budget=Budget(evaluations=20),
        options=Options(threads=1),
        journal=journal,
    )
    search.run()
    return journal.run(search.run_id)


def climb(journal: Journal, task: Landscape, policy: SearchPolicy, seed: int) -> str:
    search = Search(
        task,
        generator=LandscapeGenerator(),
        executor=LandscapeExecutor(),
        policy=policy,
        budget=Budget(evaluations=24),
        options=Options(seed=seed, threads=1),
        journal=journal,
    )
    search.run()
    return search.run_id


@pytest.fixture(scope="session")
def family(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with twenty runs on five kindred landscapes."""
    path = tmp_path_factory.mktemp("family") / "runs.db"
    with Journal.open(path) as journal:
        for number in range(5):
            task = Landscape.on(Terrain(number, size=8, kinship=0.9, family=1))
            for seed in range(2):
                for policy in (MaxCodeLoop(k=8), BestOfN()):
                    climb(journal, task, policy, seed)
    return path


@pytest.fixture
def logs(family: Path) -> Iterator[Callable[[], Iterator[RunLog]]]:
    """Gives the runs of the family, oldest first, as often as asked for."""
    with Journal.open(family, create=False) as journal:
        yield lambda: (journal.run(run_id) for run_id in reversed(journal.run_ids()))
